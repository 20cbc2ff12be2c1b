/*
** declaration.h - declarations: registers, variables, parameters and their initial values.
*/
#pragma once

#include "cpu/ptx/lex.h"
#include "cpu/ptx/parser.h"
#include "cpu/ptx/ptx.h"

#define PTX_MAX_BYTES ((uint64_t)1 << 46) /* of one space's variables */

/* The directives in front of a declared name. */
typedef struct ptx_decl {
  int space;          /* ptx_space, or -1 */
  ptx_type type;
  uint32_t elem;      /* bytes of an element, vectors counted whole */
  uint32_t align, vec;
  bool external, weak;
} ptx_decl;

/* A name in an initialiser, looked up when the whole module is known. */
typedef struct ptx_late_reloc {
  ptx_reloc *reloc;
  const char *s;
  uint32_t len, line;
} ptx_late_reloc;

int ptxp_decl(ptx_parser *P, ptx_decl *d);                      /* the directives in front of a name */
int ptxp_declarator(ptx_parser *P, const ptx_decl *d, ptx_sym **sym); /* name and dimensions: a new symbol, size set */
int ptxp_variables(ptx_parser *P, ptx_decl *d);                 /* the rest of a declaration, through its ';' */
int ptxp_register(ptx_parser *P, const ptx_tok *name, int bits, uint32_t vec); /* one of that name */
int ptxp_registers(ptx_parser *P);                              /* behind .reg, through its ';' */
int ptxp_constant(ptx_parser *P, ptx_operand *o, char *fkind);  /* a constant expression as PTX_IMM; fkind: ptx_tok's */
int ptxp_offsets(ptx_parser *P, int64_t *sum);                  /* behind a symbol or an address: +4, -4, +-4; added */
uint64_t ptxp_constant_bits(ptx_type type, const ptx_operand *o, char fkind); /* converted to the type */
uint64_t ptxp_lay_out(uint64_t *end, uint64_t size, uint32_t align); /* the aligned offset; *end moves behind it */
