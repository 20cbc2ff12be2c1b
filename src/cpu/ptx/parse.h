/*
** parse.h - private to the PTX parser: its state, and the seams between its files.
**
** ptx_parse.c: module, functions, statements.  ptx_operand.c: one instruction.  ptx_var.c: variables and
** initialisers.  ptx_name.c: names and scopes.  ptx_layout.c: offsets and call-graph facts, at the end.
*/
#ifndef DC_CPU_PTX_PARSE_H
#define DC_CPU_PTX_PARSE_H

#include "base/error.h"
#include "base/map.h"
#include "cpu/ptx/lex.h"
#include "cpu/ptx/ptx.h"

/* A growing array of malloc'ed memory. */
typedef struct ptx_vec {
  void *data;
  size_t n, cap;
} ptx_vec;

/* 64-bit keys to 64-bit values, open addressing; key 0 is not allowed. */
typedef struct ptx_u64map {
  uint64_t *slots; /* key, value pairs */
  size_t n, cap;
} ptx_u64map;

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
  uint32_t len, hash, depth;
  uint8_t kind;
  uint8_t bits, vec;        /* registers: container, elements (1 unless declared .v2 .v4) */
  uint32_t count, id;       /* PTX_BIND_REGS: %r<count>; id tells ranges apart */
  union {
    int32_t reg;            /* PTX_BIND_REG: the first of vec registers */
    int32_t ins;            /* PTX_BIND_LABEL */
    ptx_sym *sym;
    ptx_targets *targets;
  } u;
  struct ptx_bind *chain;   /* older binding in the same bucket */
  struct ptx_bind *below;   /* older binding on the stack */
} ptx_bind;

#define PTX_BUCKETS 2048u /* to begin with */

/* A label used before the end of its scope. */
typedef struct ptx_pending {
  const char *s;
  uint32_t len, line;
  ptx_operand *use;  /* bra and .branchtargets: gets the instruction index */
  int32_t brx;       /* or the brx instruction whose targets are named, -1 for none */
} ptx_pending;

typedef struct ptx_scope {
  ptx_bind *top;
  size_t pending;
  uint64_t callparam; /* bytes of .param variables when the scope began */
} ptx_scope;

/* A name in an initialiser, looked up when the whole module is known. */
typedef struct ptx_late_reloc {
  ptx_reloc *reloc;
  const char *s;
  uint32_t len, line;
} ptx_late_reloc;

/* A parameter or result of a function under way that is written as a register. */
typedef struct ptx_regparam {
  ptx_sym *sym;
  int32_t reg;
  bool result;
} ptx_regparam;

/* One argument or result of a call: a .param variable, or (direct) one made for a register or constant. */
typedef struct ptx_argument {
  ptx_sym *sym;
  bool direct;
  ptx_operand value;
} ptx_argument;

typedef struct ptx_parser {
  ptx_lex lex;
  ptx_module *m;
  dc_error *err;
  dc_map forms;          /* opcode text -> ptx_form */
  ptx_vec funcs, vars;   /* of the module: ptx_func *, ptx_sym * */
  ptx_vec late;          /* ptx_late_reloc */
  ptx_vec bytes, relocs; /* of the initialiser under way: uint8_t, ptx_reloc + name */
  uint64_t init_bytes;   /* of all initialisers so far */
  /* the function under way */
  ptx_func *f;
  ptx_bind **buckets;    /* nbuckets of them, a power of two; a chain begins with the innermost name */
  uint32_t nbuckets, nbinds;
  ptx_bind *top;
  ptx_vec scopes;        /* ptx_scope */
  ptx_vec pendings;      /* ptx_pending */
  ptx_vec brxs;          /* ptx_brx */
  ptx_vec regs, ins, fvars; /* ptx_reg, ptx_ins, ptx_sym * */
  ptx_vec ops;           /* ptx_operand: of the instruction under way */
  ptx_u64map ranges;     /* range id, number -> register */
  uint32_t range_ids;
  uint64_t callparam;    /* bytes of .param variables in the scopes now open */
  ptx_vec regparams;     /* ptx_regparam */
  bool has_stack;        /* some function calls alloca */
  int32_t stack_reg;     /* its pointer, -1 none; the memory */
  ptx_sym *stack;
  ptx_sym *reserved;     /* the shared memory that %reserved_smem_offset_… tell of; NULL: nobody asked */
  /* source lines */
  uint32_t line;         /* of the last .loc */
  uint32_t user_file;    /* number of the user's file; 0: ready-made PTX, whose own lines count */
  ptx_u64map inlined;    /* location -> line in the user's file */
} ptx_parser;

/* Every function below returns 0, or -1 with P->err set. */

/* ptx_var.c */
typedef struct ptx_decl {
  int space;          /* ptx_space, or -1 */
  ptx_type type;
  uint32_t elem;      /* bytes of an element, vectors counted whole */
  uint32_t align, vec;
  bool external, visible, weak;
} ptx_decl;

/* ptx_operand.c */
#define PTX_RESERVED_BYTES 1024 /* of shared memory, for CUDA's own headers */

uint32_t ptxp_line(const ptx_parser *P, uint32_t ptx_line); /* of the source, for what stands on that line of PTX */

#define PTX_MAX_BYTES ((uint64_t)1 << 46)      /* of one space's variables */
#define PTX_MAX_INIT_BYTES ((uint64_t)1 << 28) /* of one initialised variable; four times that of all */

/* text (len bytes, NUL-terminated) to a module. DC_COMPILE with the PTX line on bad input;
** never crashes on any bytes. The caller frees with ptx_free on success and failure alike. */
int ptx_parse(const char *text, size_t len, ptx_module *m, dc_error *err);
void ptx_free(ptx_module *m);

#endif
