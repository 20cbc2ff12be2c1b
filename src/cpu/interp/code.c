/* code.c - see code.h. */
#include "cpu/interp/code.h"

#include "cpu/ptx/ptx.h"

dc_cpu_function *dc_code_function_of(const struct dc_code *code, const ptx_func *f) {
  return &code->functions[f->index];
}

dc_cpu_function *dc_code_function_at(const struct dc_code *code, uint64_t address) {
  uint64_t offset = address - (uint64_t)(uintptr_t)code->functions; /* wraps when below: then too large */
  if (offset % sizeof *code->functions != 0) return NULL;
  offset /= sizeof *code->functions;
  return offset < (uint64_t)code->ptx.nfuncs ? &code->functions[offset] : NULL;
}

bool dc_code_fits(const dc_cpu_function *fn, const dc_basic_block *node) {
  const ptx_func *f = fn->ptx;
  if (f->entry || f->declared_only || f->nparams != node->nargs) return false;
  if ((f->ret ? f->ret->size : 0) < node->ret.size) return false;
  for (int i = 0; i < f->nparams; i++)
    if (f->params[i]->size != node->args[i].size) return false;
  return true;
}

int64_t dc_code_function_offset(const ptx_func *f) { return (int64_t)f->index * (int64_t)sizeof(dc_cpu_function); }

int64_t dc_code_offset(const ptx_sym *sym) {
  return sym->kind == PTX_SYM_FUNC ? dc_code_function_offset(sym->func) : (int64_t)sym->offset;
}

int64_t dc_code_address(const struct dc_code *code, const ptx_sym *sym) {
  const bool global = sym->kind == PTX_SYM_VAR && sym->space == PTX_GLOBAL;
  const uint64_t base = sym->kind == PTX_SYM_FUNC ? (uint64_t)(uintptr_t)code->functions
                        : global                  ? code->global_image : 0;
  return (int64_t)base + dc_code_offset(sym);
}
