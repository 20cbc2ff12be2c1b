/*
** emit_calls.c - see emit_calls.h.
**
** A function of C gets its parameters and result in `frame_`, laid out as at tier 0, and makes its calls with those in
** `call_`.  Its local memory is not on the stack of C, which a kernel must not reach, but begins at `base4`, behind
** that of its caller.
*/
#include "cpu/codegen/emit_calls.h"

#include <stdlib.h>

#include "base/buf.h"
#include "cpu/analysis/uniformity.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/interp/code.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)
#define MOST_TARGETS 16 /* of a call by address */

static int32_t index_of(const dc_cpu_function *fn) { return (int32_t)(fn - fn->code->functions); }

static void want(emitter *e, const dc_cpu_function *fn) {
  dc_callees *c = e->callees;
  for (int32_t i = 0; i < c->n; i++)
    if (c->list[i] == fn) return;
  if (c->n == c->cap) {
    const int32_t cap = c->cap ? 2 * c->cap : 8;
    const dc_cpu_function **list = realloc(c->list, (size_t)cap * sizeof *list);
    if (!list) {
      e->t->failed = true;
      return;
    }
    c->list = list;
    c->cap = cap;
  }
  c->list[c->n++] = fn;
}

/* Function i, if a call by address may reach it; else NULL. */
static const dc_cpu_function *target(const emitter *e, int i, const dc_basic_block *node) {
  const dc_cpu_function *fn = &e->fn->code->functions[i];
  return fn->ptx->taken && fn->state == 1 && dc_code_fits(fn, node) ? fn : NULL;
}

static bool is_one_of_few(const emitter *e, const dc_basic_block *node) {
  int n = 0;
  for (int i = 0; i < e->fn->code->ptx.nfuncs; i++) n += target(e, i, node) != NULL;
  return n <= MOST_TARGETS && dc_value_shape_of(&e->k, &node->op->ins->opnd[0]).tag == DC_UNIFORM;
}

static bool is_lost(const dc_basic_block *node) {
  return node->end == DC_END_CALL_ADDRESS && node->op->ins->flags & PTX_F_LOST;
}

bool dc_emit_is_call(const emitter *e, const dc_basic_block *node) {
  if (is_lost(node)) return true;
  if (!e->k.shape.by_lane || node->guard >= 0) return false;
  return node->end == DC_END_CALL || (node->end == DC_END_CALL_ADDRESS && is_one_of_few(e, node));
}

/* What lanes print comes in the order of the lanes at each statement, where the kernel need not run them one by one. */
static bool keeps_order(const emitter *e, const dc_basic_block *node) {
  return node->end == DC_END_PRINTF && !e->callee && !e->f->has_call;
}

static void put_builtin(emitter *e, int32_t n, const char *mask) {
  if (e->k.shape.by_lane) PUT("n->builtin_of_lane(n, %d, %d, call_);\n", index_of(e->fn), n);
  else PUT("DC_ENTER n->builtin(n, %d, M_word(%s));\n", n, mask);
}

void dc_emit_builtin(emitter *e, int32_t n, const char *mask) {
  const dc_basic_block *node = dc_emit_node(e, n);
  e->out->builtins = true;
  e->operates |= !e->k.shape.by_lane;
  if (!e->k.shape.by_lane || keeps_order(e, node)) e->out->narrow = false;
  if (node->guard < 0) {
    put_builtin(e, n, mask);
    return;
  }
  PUT("{ const M some_ = M_and%s(%s, ", node->flip ? "n" : "", mask);
  dc_emit_register(e, node->op->ins->pred, 'm');
  PUT("); if (M_any(some_)) { ");
  put_builtin(e, n, "some_");
  PUT("} }\n");
}

static void put_call(emitter *e, const dc_basic_block *node, const dc_cpu_function *fn) {
  const ptx_func *f = fn->ptx;
  want(e, fn);
  PUT("{ uint8_t p_[%u] __attribute__((aligned(16))); ", f->params_size + 16);
  for (int i = 0; i < node->nargs; i++) {
    const dc_copy *a = &node->args[i];
    PUT("memcpy(p_ + %u, call_ + %u, %u); ", (unsigned)f->params[i]->offset, a->from, a->size);
  }
  PUT("if (function%d(n, p_, base4 + %u, depth + 1)) return DC_NATIVE_STOP; ", index_of(fn), e->fn->local_stride);
  if (node->ret.size) PUT("memcpy(call_ + %u, p_ + %u, %u); ", node->ret.to, (unsigned)f->ret->offset, node->ret.size);
  PUT("}\n");
}

void dc_emit_call(emitter *e, const dc_basic_block *node) {
  if (node->end == DC_END_CALL) {
    put_call(e, node, node->callee);
    return;
  }
  if (is_lost(node)) {
    PUT("n->fault(n);\n");
    return;
  }
  const ptx_operand *o = &node->op->ins->opnd[0];
  PUT("{ const uint64_t to_ = ");
  dc_emit_operand(e, o, dc_emit_bits(e, o->reg) == 64 ? 'D' : 'W');
  PUT(";\n");
  for (int i = 0; i < e->fn->code->ptx.nfuncs; i++) {
    const dc_cpu_function *fn = target(e, i, node);
    if (!fn) continue;
    PUT("if (to_ == functions + %lldull) ", (long long)dc_code_function_offset(fn->ptx));
    put_call(e, node, fn);
    PUT("else ");
  }
  PUT("n->fault(n); }\n");
}

void dc_emit_prototype(emitter *e, const dc_cpu_function *fn) {
  PUT("static int function%d(dc_native *n, uint8_t *frame_, uint64_t base4, int depth)", index_of(fn));
}

void dc_emit_callee_begin(emitter *e) {
  PUT("const uint32_t(*const tid)[32] = n->tid;\nif (DC_RARE(depth >= %d", (int)(DC_THREAD_STACK / DC_LEAST_FRAME));
  if (e->fn->local_stride) PUT(" || base4 + %u > n->stack_end", e->fn->local_stride);
  PUT(")) n->fault(n);\nif (DC_RARE(--n->poll_budget < 0) && n->tick(n)) return DC_NATIVE_STOP;\nact = 1; goto N0;\n");
}
