/* emit_gangs.c - see emit_gangs.h. */
#include "cpu/codegen/emit_gangs.h"

#include "base/buf.h"
#include "cpu/codegen/emit_ops.h"
#include "cpu/codegen/emit_state.h"
#include "cpu/ptx/opcode.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

void dc_emit_enter_gang(emitter *e) {
  const bool all = e->k.shape.whole && !(e->exits && e->out->suspends);
  PUT("tid = g->tid; act = %s; ", all ? "M_all()" : "M_from(g->live)");
  if (e->out->yields) PUT("turn = DC_TURN; base1 = g->shared; memcpy(n->ctaid, g->ctaid, sizeof n->ctaid); ");
  if (e->numbers) PUT("n->warpid = g->number; ");
  if (e->prefetches_ahead) PUT("ahead = g + 1 < end ? DC_W * ((uint64_t)g[1].number - g->number) : 0; ");
  if (e->has_sums) PUT("sums = g->save; ");
  if (e->fn->local_stride || e->out->stack_bytes) PUT("base4 = g->local; ");
  if (e->out->stack_bytes) PUT("n->stack_end = base4 + %u; ", e->out->stack_bytes);
  if (e->operates) PUT("n->entered = 0; ");
  if (e->has_leave) PUT(e->out->waits ? "spins = DC_TURN; " : "spins = n->spin_budget; ");
}

/* Where the gang of threads `first` and following goes on behind the next barrier, if values by thread show that it
** does nothing else from node n on; -1: they do not. */
static int32_t idles_to(emitter *e, int32_t n, int first) {
  const dc_by_thread values = e->k.values;
  for (int32_t at = n - 1; n > at;) {
    const dc_basic_block *node = dc_emit_node(e, at = n);
    if (node->wait != DC_WAIT_NOT || e->predicated[n] >= 0 || dc_emit_divergent(e, n)) return -1;
    for (const dc_uop *o = node->first; o < node->last; o++)
      if (!dc_emit_is_plain(e, o->ins)) return -1;
    if (dc_emit_pauses(e, n)) {
      const bool whole = dc_is_whole_barrier(node) && !node->op->ins->ndst;
      return whole && node->next >= 0 && !dc_emit_saves(e, n) ? node->next : -1;
    }
    if (node->end != DC_END_JUMP) return -1;
    const int32_t p = node->op && node->guard >= 0 ? node->op->ins->pred : -1;
    n = node->taken;
    if (p < 0) continue;
    if (!values[p]) return -1;
    const int64_t value = dc_value_in(e->f, values, p, first);
    for (int t = first + 1; t < first + e->k.shape.width; t++)
      if (dc_value_in(e->f, values, p, t) != value) return -1;
    if ((value != 0) == (node->flip != 0)) n = node->next;
  }
  return -1;
}

/* How many gangs of a row, its first ones, may have something to do from node n to the next barrier, behind which the
** others go on at *to, as in the steps of a tree near its root; 0: no others are known. */
static int busy_gangs(emitter *e, int32_t n, int32_t *to) {
  const int width = e->k.shape.width;
  int busy = dc_row_of(&e->k) / width;
  *to = -1;
  if (!e->k.shape.rows || e->k.shape.by_lane || e->k.shape.single) return 0;
  for (; busy > 1; busy--) {
    const int32_t then = idles_to(e, n, (busy - 1) * width);
    if (then < 0 || (*to >= 0 && then != *to)) break;
    *to = then;
  }
  return *to < 0 ? 0 : busy;
}

void dc_emit_pause_from(emitter *e, int32_t n) {
  const int32_t from = e->from[n], next = e->fn->nodes[n].next;
  int32_t then;
  const int busy = busy_gangs(e, next, &then);
  PUT("DC_PAUSE_FROM(%d, %d, %d, %d, %du, %d)\n", n, next, from, e->also[n] >= 0 ? e->also[n] : from, busy, then);
}

void dc_emit_begin_gangs(emitter *e) {
  PUT("dc_gang *g = n->gangs, *const end = g + n->ngangs; const uint32_t(*tid)[32];\n"
      "#define DC_ENTER %sn->enter(n, g);\n", e->operates ? "if (!n->entered) " : "");
  if (!e->out->suspends) {
    const bool turns = e->takes_turns;
    if (turns) {
      const uint32_t of_lane = (e->out->save_bytes + 63) / 64 * 64;
      e->out->save_bytes = of_lane * 32;
      PUT("uint32_t waits, at[32];\n#define DC_SAVE (g->save + %u * self)\n", of_lane);
    }
    if (e->k.shape.by_lane) PUT("uint32_t left, self;\n");
    PUT("gang: ");
    dc_emit_enter_gang(e);
    if (turns) PUT("waits = 0; __builtin_memset(at, 0, sizeof at); ");
    if (e->k.shape.by_lane)
      PUT("left = g->live;\nlane: self = __builtin_ctz(left); left &= left - 1; act = 1; "
          "tid = (const uint32_t (*)[32])(const void *)(*g->tid + self); %s",
          e->f->has_call || e->out->builtins ? "n->tid = tid; " : "");
    PUT("switch (%s) {\n", turns ? "at[self]" : "0");
    return;
  }
  if (e->out->yields || e->out->waits) PUT("int yielded = 0, holds = 0;\n");
  if (e->out->waits) PUT("uint32_t idle = 0; int moved = 0, lock = 0, locks = 0;\n");
  PUT("uint32_t left = n->ngangs, any, all; int32_t here = %s, next = DC_NOWHERE;\n"
      "#define DC_SAVE g->save\n"
      "#define DC_NEXT_ROUND g = n->gangs; %s\n"
      "#define DC_LEADS g->leads\n#define DC_YIELDS (n->nblocks > 1)\n"
      "#define DC_YIELD(at) { go_on = DC_AT_YIELD + at; goto yield; }\n"
      "#define DC_PAUSE(at, to) { go_on = to; goto pause; }\n"
      "#define DC_PAUSE_FROM(at, to, from, or, busy, then) if (DC_RARE(next != to)) { "
      "if (next != DC_NOWHERE) DC_PAUSE(at, to) next = to; } "
      "%sif (++g != end) { if (from == or || here == from) goto E##from; goto E##or; } "
      "DC_NEXT_ROUND here = to; next = DC_NOWHERE; if (busy && n->descending > busy) { g = end - busy; next = then; } "
      "goto E##to;\n"
      "#define DC_LEAVE_STEP if (next != DC_APART) { for (dc_gang *q = n->gangs; q != end; q++) { "
      "if (q < g && next == DC_ENDED) q->live = 0, left--; q->node = (uint32_t)(q < g ? next : here); } "
      "any = next < 0 ? 0 : (uint32_t)next; all = next < 0 ? ~0u : (uint32_t)next; next = DC_APART; }\n"
      "%s"
      "gang: switch (next == DC_APART ? g->node : (uint32_t)here) {\n",
      e->has_leave ? "n->leave_all ? (int32_t)g->node : 0" : "0",
      e->reduces ? "sum = yes; every = no == 0; yes = no = 0;" : "", e->exits ? "g->live = M_word(act); " : "",
      e->out->waits ? "if (n->resumes) { next = DC_APART; holds = 1; left = any = 0; all = ~0u; "
                      "for (dc_gang *q = n->gangs; q != end; q++) if (q->live) { left++; "
                      "if (q->node < DC_AT_YIELD) any |= q->node, all &= q->node; } goto first; }\n" : "");
}

/* What is counted at barriers, for a block that goes on later. */
static void put_counts(emitter *e) {
  if (e->reduces) PUT("n->counts = (dc_counts){ yes, no, sum, every }; ");
}

void dc_emit_end_gangs(emitter *e) {
  const char *const progress = e->out->waits ? "idle = 0; moved = 1; " : "";
  if (e->out->suspends) {
    PUT("done: if (DC_USUAL(next == DC_NOWHERE || next == DC_ENDED)) { "
        "next = DC_ENDED; if (++g == end) return DC_NATIVE_DONE; goto gang; }\n"
        "DC_LEAVE_STEP g->live = 0; if (!--left) return DC_NATIVE_DONE; %sgoto step;\n"
        "pause: if (!M_any(act)) goto done;\n"
        "if (next == DC_NOWHERE) next = (int32_t)go_on;\n"
        "if (next == (int32_t)go_on) { %sif (++g != end) goto gang; "
        "DC_NEXT_ROUND here = next; next = DC_NOWHERE; goto gang; }\n"
        "DC_LEAVE_STEP g->node = go_on; g->live = M_word(act); any |= go_on; all &= go_on; %s\n",
        progress, e->exits ? "g->live = M_word(act); " : "", progress);
    if (e->out->waits) {
      PUT("goto step;\nwait: DC_LEAVE_STEP if (g->node != go_on) idle = 0, moved = 1; "
          "g->node = go_on; g->live = M_word(act); yielded = 1; locks = lock | (idle ? locks : 0);\n"
          "if (++idle > 2 * left) { ");
      put_counts(e);
      PUT("n->moved = moved; n->may_hold_lock = locks; return DC_NATIVE_WAIT; }\n");
    }
    const bool turns = e->out->yields || e->out->waits;
    if (e->out->yields)
      PUT("goto step;\nyield: DC_LEAVE_STEP g->node = go_on; g->live = M_word(act); yielded = 1;\n");
    PUT(turns ? "step: if (++g == end) { g = n->gangs; holds = yielded; yielded = 0; if (holds) goto first; "
              : "step: if (++g == end) { ");
    PUT("next = any == all && left == n->ngangs ? DC_NOWHERE : DC_APART; here = (int32_t)any; any = 0; all = ~0u; "
        "DC_NEXT_ROUND }\n");
    if (turns) PUT("first: if (holds && g->node < DC_AT_YIELD) goto step;\n");
    PUT("if (!g->live) goto step; goto gang;\n");
  } else {
    PUT("done: %s%sif (++g == end) return DC_NATIVE_DONE; goto gang;\n",
        e->k.shape.by_lane ? "if (left) goto lane; " : "",
        e->takes_turns ? "if (waits) { left = waits; waits = 0; goto lane; } " : "");
  }
}

void dc_emit_leave_gangs(emitter *e) {
  if (e->out->suspends) PUT("if (!n->leave_all) { DC_LEAVE_STEP }\n");
  put_counts(e);
  PUT("n->leaver = (uint32_t)(g - n->gangs); n->holds = %s;\n", e->out->waits ? "holds" : "0");
}
