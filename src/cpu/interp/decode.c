/*
** decode.c - see decode.h.
**
** Blocks are split further, so that whatever the warp loop itself must do (jumps, calls, barriers) ends a node and
** whatever waits for other lanes begins one.  A form that no operation exists for makes the function refused, by name
** and line.
*/
#include "cpu/interp/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/runtime.h"
#include "cpu/analysis/cfg.h"
#include "cpu/analysis/narrow.h"
#include "cpu/analysis/registers.h"
#include "cpu/analysis/split.h"
#include "cpu/interp/code.h"
#include "cpu/interp/decode_op.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

/* --- nodes ---------------------------------------------------------------------------------------------- */

static dc_wait wait_of(const ptx_ins *ins) {
  const uint32_t traits = ptx_traits(ins->op);
  if (traits & PTX_T_BARRIER) return ins->mode == PTX_BAR_WARP ? DC_WAIT_MEMBERS : DC_WAIT_NOT;
  return !(traits & PTX_T_WARP_WIDE) ? DC_WAIT_NOT : traits & PTX_T_MIXED_MEMBERS ? DC_WAIT_MEMBERS : DC_WAIT_GROUP;
}

/* What the warp loop does itself, at the end of a node. */
static bool ends_node(const ptx_ins *ins) {
  return ptx_traits(ins->op) & PTX_T_ENDS_BLOCK || ins->op == PTX_OP_NANOSLEEP || ptx_is_barrier(ins);
}

/* Lanes come back to its node, which must hold nothing that they would do twice: they wait, or another lane's target
** is called first. */
static bool stands_alone(const ptx_ins *ins) {
  return ptx_is_barrier(ins) || (ins->op == PTX_OP_CALL && ins->callee == NULL);
}

/* Nothing to do on this machine. */
static bool is_nothing(const ptx_ins *ins) {
  return ins->op == PTX_OP_PMEVENT || ins->op == PTX_OP_BRKPT ||
         (ptx_traits(ins->op) & PTX_T_BARRIER && ins->mode == PTX_BAR_WARP);
}

bool dc_may_spin(const ptx_ins *ins) {
  switch (ins->op) {
    case PTX_OP_MBARRIER: return ptx_tests_phase(ins);
    case PTX_OP_LD: return (ins->flags & (PTX_F_VOLATILE | PTX_F_ACQUIRE | PTX_F_RELAXED)) != 0;
    case PTX_OP_CALL: return !(ins->flags & PTX_F_LOST);
    default: return (ptx_traits(ins->op) & PTX_T_WAITS) != 0;
  }
}

/* How many nodes a block makes: one more for each instruction at which it is split. */
static int32_t count_nodes(const dc_decoder *D, const ptx_block *b) {
  int32_t n = 1;
  bool fresh = true;
  for (int32_t i = b->first; i < b->last; i++) {
    const ptx_ins *ins = &D->f->ins[i];
    if (!fresh && (wait_of(ins) != DC_WAIT_NOT || stands_alone(ins))) n++;
    fresh = false;
    if (ends_node(ins) && i + 1 < b->last) {
      n++;
      fresh = true;
    }
  }
  return n;
}

static int survey_blocks(dc_decoder *D) {
  ptx_func *f = D->f;
  size_t n = (size_t)f->nblocks + 1;
  D->node_of = dc_arena_alloc(D->arena, n * sizeof *D->node_of);
  D->spinners = calloc(n, sizeof *D->spinners);
  if (D->node_of == NULL || D->spinners == NULL) return dc_fail_oom(D->err);
  int32_t nodes = 0;
  for (int32_t b = 0; b < f->nblocks; b++) {
    D->node_of[b] = nodes;
    nodes += count_nodes(D, &f->blocks[b]);
    D->spinners[b + 1] = D->spinners[b];
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++) D->spinners[b + 1] += dc_may_spin(&f->ins[i]);
  }
  D->node_of[f->nblocks] = nodes;
  D->nodes = dc_arena_alloc(D->arena, (size_t)(nodes + 1) * sizeof *D->nodes);
  D->ops = dc_arena_alloc(D->arena, (size_t)(f->nins + 1) * sizeof *D->ops);
  return D->nodes && D->ops ? 0 : dc_fail_oom(D->err);
}

typedef struct library_function {
  dc_end end;
  int arguments;
  bool result; /* which must be asked for */
} library_function;

/* The special functions of the device's run-time library, by name. */
static const library_function *library_function_of(const char *name) {
  static const struct { const char *name; library_function function; } known[] = {
    { "vprintf", { DC_END_PRINTF, 2, true } },
    { "__assertfail", { DC_END_ASSERT, 5, false } },
    { "malloc", { DC_END_MALLOC, 1, true } },
    { "free", { DC_END_FREE, 1, false } },
    { "cudaGetParameterBufferV2", { DC_END_PREPARE, 4, true } },
    { "__cudaCDP2GetParameterBufferV2", { DC_END_PREPARE, 4, true } },
    { "cudaLaunchDeviceV2", { DC_END_LAUNCH, 2, false } },
    { "__cudaCDP2LaunchDeviceV2", { DC_END_LAUNCH, 2, false } },
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].name, name) == 0) return &known[i].function;
  return NULL;
}

/* Arguments go from the caller's area for calls to the callee's parameters, by position.  A callee that is
** not known (NULL) says where to when it is called. */
static int call_copies(dc_decoder *D, dc_basic_block *node, const ptx_ins *ins, const ptx_func *callee) {
  dc_copy *args = dc_arena_alloc(D->arena, (size_t)(ins->ncall_args + 1) * sizeof *args);
  if (args == NULL) return dc_fail_oom(D->err);
  node->args = args;
  node->nargs = ins->ncall_args;
  for (int i = 0; i < ins->ncall_args; i++) {
    const ptx_sym *a = ins->call_args[i];
    const ptx_sym *p = callee && i < callee->nparams ? callee->params[i] : NULL;
    if (callee && (p == NULL || p->size != a->size))
      return dc_decode_refuse(D, ins, "arguments that do not fit the function in");
    args[i] = (dc_copy){ (uint32_t)a->offset, (uint32_t)(p ? p->offset : 0), (uint32_t)a->size };
  }
  if (ins->call_ret) {
    if (callee && (!callee->ret || callee->ret->size != ins->call_ret->size))
      return dc_decode_refuse(D, ins, "a result that does not fit the function in");
    node->ret = (dc_copy){ callee ? (uint32_t)callee->ret->offset : 0, (uint32_t)ins->call_ret->offset,
                           (uint32_t)ins->call_ret->size };
  }
  return 0;
}

static int end_with_call(dc_decoder *D, dc_basic_block *node, const ptx_ins *ins) {
  int arguments = ins->ncall_args;
  if (ins->callee == NULL) {
    node->end = DC_END_CALL_ADDRESS;
    return call_copies(D, node, ins, NULL);
  }
  ptx_func *callee = ins->callee->func;
  if (callee && !callee->declared_only) {
    node->end = DC_END_CALL;
    node->callee = dc_code_function_of(D->fn->code, callee);
    return call_copies(D, node, ins, callee);
  }
  const library_function *known = library_function_of(ins->callee->name);
  if (!known || arguments < known->arguments || (known->result && !ins->call_ret)) {
    char why[200];
    snprintf(why, sizeof why, "function '%.100s' is not defined in the module, needed by", ins->callee->name);
    return dc_decode_refuse(D, ins, why);
  }
  node->end = (uint8_t)known->end;
  return call_copies(D, node, ins, NULL);
}

/* A constant that is no barrier's number, or no number of threads that a barrier can wait for. */
static int check_barrier(dc_decoder *D, const ptx_ins *ins) {
  const bool red = ins->mode >= PTX_BAR_RED_POPC && ins->mode <= PTX_BAR_RED_OR;
  const ptx_operand *id = &ins->opnd[ins->ndst], *threads = ins->nsrc - red > 1 ? id + 1 : NULL;
  if (id->kind == PTX_IMM && (uint64_t)id->imm >= DC_BARRIERS)
    return dc_decode_refuse(D, ins, "barrier number out of range (0 to 15) in");
  if (threads && threads->kind == PTX_IMM && !dc_barrier_counts(threads->imm))
    return dc_decode_refuse(D, ins, "number of threads that is no multiple of 32 from 32 to 1024 in");
  return 0;
}

/* Fills in how the node ends; `next` is where lanes go that do not jump. */
static int end_node(dc_decoder *D, dc_basic_block *node, const ptx_ins *ins, int32_t next) {
  dc_uop *op = dc_arena_alloc(D->arena, sizeof *op);
  int rc;
  if (op == NULL) return dc_fail_oom(D->err);
  node->ins = op->ins = ins;
  node->op = op;
  node->taken = node->next = next;
  if (ins->pred >= 0) {
    node->guard = D->f->slot[ins->pred];
    node->flip = ins->pred_neg ? ~0u : 0;
  }
  switch (ins->op) {
    case PTX_OP_BRA: node->taken = D->node_of[ins->opnd[0].imm]; return 0;
    case PTX_OP_RET: node->end = DC_END_LEAVE; return 0;
    case PTX_OP_EXIT: node->end = DC_END_EXIT; return 0;
    case PTX_OP_TRAP: node->end = DC_END_TRAP; return 0;
    case PTX_OP_NANOSLEEP: node->end = DC_END_SLEEP; return 0;
    case PTX_OP_CALL:
      if ((rc = end_with_call(D, node, ins)) != 0 || ins->callee) return rc;
      return dc_decode_operand(D, ins, 0, &op->a, &op->bits[1], &op->neg_a);
    case PTX_OP_BRX: {
      int32_t *targets = dc_arena_alloc(D->arena, (size_t)ins->nsrc * sizeof *targets);
      if (targets == NULL) return dc_fail_oom(D->err);
      node->end = DC_END_BRX;
      node->targets = targets;
      node->ntargets = ins->nsrc - 1;
      for (int i = 1; i < ins->nsrc; i++) targets[i - 1] = D->node_of[ins->opnd[i].imm];
      return dc_decode_operand(D, ins, 0, &op->a, &op->bits[1], &op->neg_a);
    }
    default:
      node->end = DC_END_BARRIER;
      if ((rc = check_barrier(D, ins)) != 0) return rc;
      return dc_decode_operands(D, ins, op);
  }
}

static dc_basic_block *begin_node(dc_decoder *D) {
  dc_basic_block *node = &D->nodes[D->nnodes++];
  node->first = node->last = &D->ops[D->nops];
  node->guard = -1;
  node->taken = node->next = D->nnodes;
  return node;
}

/* The member mask is the last operand; the constant 0xffffffff names every lane. */
bool dc_may_lack_members(const ptx_ins *ins) {
  const ptx_operand *member = ptx_member(ins);
  return member->kind != PTX_IMM || (uint32_t)member->imm != DC_ALL_LANES;
}

/* A warp-wide operation begins its node: note the register with its member mask, the last operand. */
static int begin_wait(dc_decoder *D, dc_basic_block *node, const ptx_ins *ins) {
  uint8_t bits = 0;
  bool neg;
  node->wait = (uint8_t)wait_of(ins);
  node->ins = ins;
  int rc = dc_decode_operand(D, ins, ins->ndst + ins->nsrc - 1, &node->member, &bits, &neg);
  if (rc != 0) return rc;
  if (bits != 32) return dc_decode_refuse(D, ins, dc_not_supported);
  if (!dc_may_lack_members(ins)) return 0;
  dc_uop *op = dc_arena_alloc(D->arena, sizeof *op);
  if (op == NULL) return dc_fail_oom(D->err);
  op->ins = ins;
  op->neg_a = ins->pred_neg;
  if (ins->pred >= 0) op->a = (uint32_t)D->f->slot[ins->pred];
  node->strict = op;
  return 0;
}

static int decode_block(dc_decoder *D, const ptx_block *b) {
  dc_basic_block *node = begin_node(D);
  bool fresh = true;
  int rc = 0;
  for (int32_t i = b->first; i < b->last && rc == 0; i++) {
    const ptx_ins *ins = &D->f->ins[i];
    bool waits = wait_of(ins) != DC_WAIT_NOT;
    if (ins->flags & PTX_F_REFUSED) return dc_decode_refuse(D, ins, dc_not_supported);
    if (!fresh && (waits || stands_alone(ins))) node = begin_node(D);
    fresh = false;
    if (waits && (rc = begin_wait(D, node, ins)) != 0) break;
    if (ends_node(ins)) {
      bool last = i + 1 == b->last;
      int32_t next = !last ? D->nnodes : b->succ[0] >= 0 ? D->node_of[b->succ[0]] : DC_NODE_LEAVE;
      node->last = &D->ops[D->nops];
      rc = end_node(D, node, ins, next);
      if (last) return rc;
      node = begin_node(D);
      fresh = true;
    } else if (!is_nothing(ins)) {
      rc = dc_decode_op(D, ins);
    }
    node->last = &D->ops[D->nops];
  }
  node->taken = node->next = b->succ[0] >= 0 ? D->node_of[b->succ[0]] : DC_NODE_LEAVE;
  return rc;
}

/* Where lanes really get to that are sent to node n: empty nodes that only jump on are passed by. One that jumps back
** is not: there the lanes of a loop wait for each other, and a lane that passed it by would be an iteration ahead. */
static int32_t through(const dc_decoder *D, int32_t n) {
  for (int steps = 0; n >= 0 && steps < 32; steps++) {
    const dc_basic_block *node = &D->nodes[n];
    if (node->first != node->last || node->guard >= 0 || node->wait != DC_WAIT_NOT) break;
    if (node->end == DC_END_LEAVE || (node->end == DC_END_EXIT && D->f->entry)) return DC_NODE_LEAVE;
    if (node->end != DC_END_JUMP || node->taken <= n) break;
    n = node->taken;
  }
  return n;
}

static int32_t block_of(const dc_decoder *D, int32_t node) {
  int32_t lo = 0, hi = D->f->nblocks - 1;
  while (lo < hi) {
    int32_t mid = (lo + hi + 1) / 2;
    if (D->node_of[mid] <= node) lo = mid;
    else hi = mid - 1;
  }
  return lo;
}

/* A jump back closes a loop; what lies between may wait for others. */
static bool closes_spin(const dc_decoder *D, int32_t from, int32_t to) {
  if (to < 0 || to > from) return false;
  return D->spinners[block_of(D, from) + 1] > D->spinners[block_of(D, to)];
}

static void link_nodes(dc_decoder *D) {
  for (int32_t i = 0; i < D->nnodes; i++) {
    dc_basic_block *node = &D->nodes[i];
    node->taken = through(D, node->taken);
    node->next = through(D, node->next);
    node->spin = closes_spin(D, i, node->taken) || closes_spin(D, i, node->next);
    for (int32_t k = 0; k < node->ntargets; k++)
      if (closes_spin(D, i, node->targets[k])) node->spin = true;
  }
}

/* --- the function --------------------------------------------------------------------------------------- */

static size_t put(size_t *end, size_t n, size_t align) {
  size_t at = (*end + align - 1) / align * align;
  *end = at + n;
  return at;
}

static void lay_out_frame(dc_cpu_function *fn) {
  const ptx_func *f = fn->ptx;
  size_t end = (sizeof(dc_frame) + 63) / 64 * 64;
  end += fn->file_bytes + fn->constant_bytes;
  fn->words = (uint32_t)(fn->nnodes + 63) / 64;
  fn->preds_at = put(&end, fn->npreds * sizeof(uint32_t), 64);
  fn->pend_at = put(&end, (size_t)fn->nnodes * sizeof(uint32_t), 64);
  fn->ready_at = put(&end, fn->words * sizeof(uint64_t), 8);
  fn->blocked_at = put(&end, fn->words * sizeof(uint64_t), 8);
  fn->params_stride = f->entry ? 0 : (f->params_size + 15) / 16 * 16;
  fn->call_stride = (f->callparam_size + 15) / 16 * 16;
  fn->local_stride = (f->local_size + 15) / 16 * 16;
  fn->frame_bytes = (end + 63) / 64 * 64;
  end = 0;
  fn->params_at = put(&end, (size_t)fn->params_stride * DC_LANES, 64);
  fn->call_at = put(&end, (size_t)fn->call_stride * DC_LANES, 64);
  fn->local_at = put(&end, (size_t)fn->local_stride * DC_LANES, 64);
  fn->lane_bytes = (end + 63) / 64 * 64;
}

static int decode_body(dc_decoder *D) {
  int rc;
  ptx_module *m = &D->fn->code->ptx;
  if (ptx_analyse(m, D->f, D->err) != 0) return -1;
  if (ptx_narrow(D->f) != 0 || ptx_split_ranges(m, D->f) != 0) return dc_fail_oom(D->err);
  if (ptx_allocate(m, D->f, D->err) != 0) return -1;
  D->fn->file_bytes = D->f->file_bytes;
  D->fn->npreds = (uint32_t)D->f->npreds + 2;
  if (survey_blocks(D) != 0) return -1;
  for (int32_t b = 0; b < D->f->nblocks; b++)
    if ((rc = decode_block(D, &D->f->blocks[b])) != 0) return rc;
  link_nodes(D);
  D->fn->nodes = D->nodes;
  D->fn->node_of = D->node_of;
  D->fn->nnodes = D->nnodes;
  if (dc_decode_constants(D) != 0) return -1;
  lay_out_frame(D->fn);
  return 0;
}

int dc_decode_alone(dc_cpu_function *fn, dc_error *err) {
  ptx_module *m = &fn->code->ptx;
  dc_decoder D = { .fn = fn, .f = m->funcs[fn - fn->code->functions], .arena = &m->arena, .err = err };
  int rc = dc_interrupted() ? ptx_fail_pass(err) : decode_body(&D);
  dc_map_free(&D.constants);
  free(D.spinners);
  return rc;
}
