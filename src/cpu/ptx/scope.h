/*
** scope.h - the parser's tables: errors, growing arrays, and names with their scopes.
*/
#ifndef DC_CPU_PTX_SCOPE_H
#define DC_CPU_PTX_SCOPE_H

#include "base/error.h"
#include "cpu/ptx/lex.h"
#include "cpu/ptx/parse.h"
#include "cpu/ptx/ptx.h"

int ptxp_fail(ptx_parser *P, uint32_t line, const char *fmt, ...) DC_PRINTF(3, 4);
int ptxp_oom(ptx_parser *P);
int ptxp_expected(ptx_parser *P, const char *what); /* "expected %s, found '…'" at the current token */
int ptxp_accept(ptx_parser *P, char c);             /* 1 and steps over it, or 0 */
int ptxp_expect(ptx_parser *P, char c);
void *ptxp_push(ptx_vec *v, size_t size);           /* room for one more, zeroed; NULL when out of memory */
void *ptxp_keep(ptx_parser *P, const ptx_vec *v, size_t size); /* a copy in the arena */
void ptxp_vec_free(ptx_vec *v);
int ptxp_map_set(ptx_u64map *map, uint64_t key, uint64_t value); /* -1 out of memory */
bool ptxp_map_get(const ptx_u64map *map, uint64_t key, uint64_t *value);
void ptxp_map_clear(ptx_u64map *map);
int ptxp_clear_names(ptx_parser *P);
ptx_bind *ptxp_bind(ptx_parser *P, const char *s, size_t len, ptx_bind_kind kind); /* NULL: failed, error set */
int ptxp_find_reg(ptx_parser *P, const char *s, size_t len, int32_t *reg, int *vec); /* 1 found, 0 not, -1 failed */
int ptxp_scope_open(ptx_parser *P);
int ptxp_scope_close(ptx_parser *P);
int ptxp_pending_add(ptx_parser *P, const ptx_tok *name, ptx_operand *use, int32_t brx);
ptx_sym *ptxp_sym_find(const ptx_parser *P, const char *s, size_t len); /* in scopes, then in the module */

#endif
