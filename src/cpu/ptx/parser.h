/*
** parser.h - the state of the PTX parser; errors, tokens, growing arrays, maps of numbers.
**
** Functions return 0, or -1 with P->err set, unless they say otherwise.
*/
#pragma once

#include "base/error.h"
#include "base/map.h"
#include "cpu/ptx/lex.h"
#include "cpu/ptx/ptx.h"

/* A growing array of malloc'ed memory. */
typedef struct ptx_vec {
  void *data;
  size_t n, cap;
} ptx_vec;

/* A parameter or result that the current function declares as a register. */
typedef struct ptx_regparam {
  ptx_sym *sym;
  int32_t reg;
  bool result;
} ptx_regparam;

typedef struct ptx_parser {
  ptx_lex lex;
  ptx_module *m;
  dc_error *err;
  dc_map forms;          /* opcode text -> ptx_form */
  ptx_vec funcs, vars;   /* of the module: ptx_func *, ptx_sym * */
  ptx_vec late;          /* ptx_late_reloc */
  ptx_vec bytes, relocs; /* of the current initialiser: uint8_t, ptx_reloc + name */
  uint64_t init_bytes;   /* of all initialisers so far */
  /* the current function */
  ptx_func *f;
  dc_map bound[2];       /* the innermost ptx_bind of each name; [1]: of labels */
  struct ptx_bind *top;
  ptx_vec scopes;        /* ptx_scope */
  ptx_vec pendings;      /* ptx_pending */
  ptx_vec brxs;          /* ptx_brx */
  ptx_vec regs, ins, fvars; /* ptx_reg, ptx_ins, ptx_sym * */
  ptx_vec params, rets;  /* ptx_sym *: of the current function */
  ptx_vec ops;           /* ptx_operand: of the current instruction */
  const char *statement; /* where the text of the current instruction begins, at its opcode */
  bool has_handle;       /* its address is a handle, which coordinates may follow */
  ptx_vec args, results; /* ptx_argument: of the current call */
  ptx_vec names;         /* ptx_tok: of the current .branchtargets list */
  dc_map ranges;         /* range id and number -> register + 1 */
  uint32_t range_ids;
  size_t spare;          /* registers of ranges that may still be created before they are used */
  uint64_t callparam;    /* bytes of .param variables in the scopes now open */
  ptx_vec regparams;     /* ptx_regparam */
  bool has_stack;        /* some function calls alloca */
  int32_t stack_reg;     /* stack pointer of the current function, -1 none */
  int32_t carry_reg;     /* its carry flag, -1 not used */
  ptx_sym *stack;
  ptx_sym *reserved;     /* shared memory addressed by %reserved_smem_offset_…; NULL: not used */
  bool has_version;
  /* source lines */
  uint32_t line;         /* of the last .loc */
  uint32_t user_file;    /* .file number of the user's source; 0: prebuilt PTX, errors name lines of the PTX */
  dc_map inlined;        /* location -> line in the user's file */
  const char *body;      /* of the last function: behind its '{'; NULL: none yet */
  uint32_t body_line;    /* of the PTX */
  /* the last error (place.h) */
  uint32_t bad_line, bad_source; /* line of the PTX, and of the user's source or 0 */
  const char *bad_at;    /* the token on that line, or NULL: it is the whole line */
} ptx_parser;

/* DC_COMPILE, "PTX line 12: …"; ptx_parse shows the line below, and notes the line of the source. Line 0: none. */
int ptxp_fail(ptx_parser *P, uint32_t line, const char *fmt, ...) DC_PRINTF(3, 4);
int ptxp_oom(ptx_parser *P);
int ptxp_interrupted(ptx_parser *P);
int ptxp_expected(ptx_parser *P, const char *what); /* "expected %s, found '…'" at the current token */
int ptxp_accept(ptx_parser *P, char c);             /* 1 and steps over it, or 0 */
int ptxp_expect(ptx_parser *P, char c);
/* Skips through the `close` that matches the first `open`, if any; else "expected <what>". */
int ptxp_skip(ptx_parser *P, char open, char close, const char *what);
uint32_t ptxp_line(const ptx_parser *P, uint32_t ptx_line); /* the source line of a line of PTX */

int32_t ptxp_new_register(ptx_parser *P, int bits); /* of the current function; -1: out of memory, the error is set */
int ptxp_int(ptx_parser *P, uint64_t *v, const char *what); /* takes a PTX_TOK_INT; else "expected <what>" */
int ptxp_decimal(const char *s, const char *end); /* the number at s; large ones are cut off */
int ptxp_name(ptx_parser *P, ptx_tok *name, const char *what); /* takes a PTX_TOK_NAME; else "expected <what>" */

void *ptxp_push(ptx_vec *v, size_t size);           /* a zeroed element at the end; NULL: out of memory */
void *ptxp_push_n(ptx_vec *v, size_t n, size_t size); /* n of them, at least one */
int ptxp_append(ptx_parser *P, ptx_vec *v, const void *element, size_t size); /* a copy at the end */
void *ptxp_keep(ptx_parser *P, const ptx_vec *v, size_t size); /* a copy in the arena; NULL: out of memory */
/* Numbers to numbers; 0: there is none. */
int ptxp_number_set(dc_map *map, uint64_t key, uint64_t value); /* -1 out of memory */
uint64_t ptxp_number_get(const dc_map *map, uint64_t key);
