/*
** module.c - see module.h.
**
** Loading parses the whole text.  A function is analysed and decoded at its first use (decode_calls.c), so that only
** the kernels of a module that are launched cost time.
*/
#include "cpu/runtime/module.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/codegen/native.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/parse.h"
#include "cpu/ptx/ptx.h"
#include "cpu/runtime/allocator.h"

/* The generic address of a variable or function. */
static int64_t generic_address(const struct dc_code *code, const ptx_sym *sym) {
  int64_t a = dc_code_address(code, sym);
  return sym->kind == PTX_SYM_VAR && sym->space == PTX_CONST ? a + (int64_t)code->const_image : a;
}

static void relocate(const struct dc_code *code, const ptx_sym *sym, uint8_t *bytes) {
  for (int i = 0; i < sym->nrelocs; i++) {
    const ptx_reloc *r = &sym->relocs[i];
    int64_t v = (r->generic ? generic_address(code, r->sym) : dc_code_address(code, r->sym)) + r->addend;
    memcpy(bytes + r->offset, &v, r->size < sizeof v ? r->size : sizeof v); /* little-endian, like PTX */
  }
}

#define MOST_CONSTANT (64 << 10) /* bytes of a module's constant variables, on every GPU */

static int make_images(struct dc_code *code, dc_error *err) {
  const ptx_module *m = &code->ptx;
  if (m->const_size > MOST_CONSTANT)
    return dc_fail(err, DC_COMPILE, NULL, "the __constant__ variables of the module take %llu bytes, and may take %d; "
                   "large tables belong in global memory", (unsigned long long)m->const_size, MOST_CONSTANT);
  if (m->global_size && (code->global_image = dc_memory_alloc(code->memory, m->global_size, err)) == 0) return -1;
  if (m->const_size && (code->const_image = dc_memory_alloc(code->memory, m->const_size, err)) == 0) return -1;
  if (m->global_size) memset((void *)(uintptr_t)code->global_image, 0, m->global_size);
  if (m->const_size) memset((void *)(uintptr_t)code->const_image, 0, m->const_size);
  for (int i = 0; i < m->nvars; i++) {
    const ptx_sym *sym = m->vars[i];
    if (sym->space != PTX_GLOBAL && sym->space != PTX_CONST) continue;
    if (sym->external)
      return dc_fail(err, DC_COMPILE, NULL, "variable '%s' is declared extern but defined nowhere in the module",
                     sym->name);
    uint64_t image = sym->space == PTX_GLOBAL ? code->global_image : code->const_image;
    uint8_t *bytes = (uint8_t *)(uintptr_t)(image + sym->offset);
    if (sym->init && sym->size) memcpy(bytes, sym->init, sym->size);
    relocate(code, sym, bytes);
  }
  return 0;
}

static void widen_alignment(struct dc_code *code, ptx_sym *const *vars, int n) {
  for (int i = 0; i < n; i++)
    if (vars[i]->space == PTX_SHARED && vars[i]->align > code->shared_align) code->shared_align = vars[i]->align;
}

int dc_code_load(dc_device *dev, const void *image, size_t len, struct dc_code **out, dc_error *err) {
  const dc_cpu_device *cpu = dev->impl;
  const char *text = image;
  struct dc_code *code = calloc(1, sizeof *code);
  *out = NULL;
  if (len >= 4 && (memcmp(text, "\x7f" "ELF", 4) == 0 || memcmp(text, "\x50\xed\x55\xba", 4) == 0)) {
    free(code);
    return dc_fail(err, DC_COMPILE, NULL, "the module is machine code of a GPU; the CPU device runs PTX");
  }
  if (code == NULL) return dc_fail_oom(err);
  code->ops = cpu->ops;
  code->tier = cpu->tier;
  code->memory = cpu->memory;
  code->stack = &cpu->stack;
  code->shared_align = 128;
  if (ptx_parse(text, len, &code->ptx, err) != 0) goto failed;
  code->functions = calloc((size_t)code->ptx.nfuncs + 1, sizeof *code->functions);
  if (code->functions == NULL) {
    dc_fail_oom(err);
    goto failed;
  }
  for (int i = 0; i < code->ptx.nfuncs; i++) {
    code->functions[i].ptx = code->ptx.funcs[i];
    code->functions[i].code = code;
    widen_alignment(code, code->ptx.funcs[i]->vars, code->ptx.funcs[i]->nvars);
  }
  widen_alignment(code, code->ptx.vars, code->ptx.nvars);
  if (make_images(code, err) != 0) goto failed;
  *out = code;
  return 0;
failed:
  dc_code_unload(code);
  return -1;
}

void dc_code_unload(struct dc_code *code) {
  if (code == NULL) return;
  if (code->global_image) dc_memory_free(code->memory, code->global_image);
  if (code->const_image) dc_memory_free(code->memory, code->const_image);
  for (int i = 0; code->functions && i < code->ptx.nfuncs; i++) {
    dc_native_drop(&code->functions[i]);
    free(code->functions[i].refusal);
  }
  free(code->functions);
  ptx_free(&code->ptx);
  free(code);
}
