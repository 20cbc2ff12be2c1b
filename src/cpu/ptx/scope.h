/*
** scope.h - nested scopes of a function body: registers, variables, labels, lists of branch targets.
*/
#pragma once

#include "cpu/ptx/lex.h"
#include "cpu/ptx/parser.h"
#include "cpu/ptx/ptx.h"

/* What .branchtargets lists. */
typedef struct ptx_targets {
  ptx_operand *labels;
  int n;
} ptx_targets;

/* A brx.idx and the list it names. */
typedef struct ptx_brx {
  int32_t ins;
  ptx_targets *targets;
} ptx_brx;

typedef enum ptx_bind_kind {
  PTX_BIND_REG, PTX_BIND_REGS, PTX_BIND_SYM, PTX_BIND_LABEL, PTX_BIND_TARGETS, PTX_BIND_PROTO
} ptx_bind_kind;

/* A name inside a function. Bindings form a stack, so that leaving a scope pops its names. */
typedef struct ptx_bind {
  const char *s;
  uint32_t len, depth;
  uint8_t kind;
  uint8_t bits, vec;        /* registers: container, elements (1 unless declared .v2 .v4) */
  uint32_t count, id;       /* PTX_BIND_REGS: %r<count>; id: of a range with registers created when used; else 0 */
  union {
    int32_t reg;            /* the first register of a PTX_BIND_REG or PTX_BIND_REGS */
    int32_t ins;            /* PTX_BIND_LABEL */
    ptx_sym *sym;
    ptx_targets *targets;
  } u;
  struct ptx_bind *outer;   /* the binding of the same name that it hides */
  struct ptx_bind *below;   /* older binding on the stack */
} ptx_bind;

void ptxp_clear_names(ptx_parser *P);
ptx_bind *ptxp_bind(ptx_parser *P, const char *s, size_t len, ptx_bind_kind kind); /* NULL: failed, error set */
int ptxp_find_reg(ptx_parser *P, const char *s, size_t len, int32_t *reg, int *vec); /* 1 found, 0 not, -1 failed */
int ptxp_scope_open(ptx_parser *P);
int ptxp_scope_close(ptx_parser *P);
int ptxp_pending_add(ptx_parser *P, const ptx_tok *name, ptx_operand *use, int32_t brx);
ptx_sym *ptxp_sym_find(const ptx_parser *P, const char *s, size_t len); /* in scopes, then in the module */
