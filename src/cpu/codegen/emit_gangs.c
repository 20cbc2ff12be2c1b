/* emit_gangs.c - see emit_gangs.h. */
#include "cpu/codegen/emit_gangs.h"

#include "base/buf.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

void dc_emit_enter_gang(emitter *e) {
  const bool all = e->k.shape.whole && !(e->exits && e->out->suspends);
  PUT("tid = g->tid; act = %s; ", all ? "M_all()" : "M_from(g->live)");
  if (e->out->yields) PUT("turn = DC_TURN; base1 = g->shared; memcpy(n->ctaid, g->ctaid, sizeof n->ctaid); ");
  if (e->numbers) PUT("n->warpid = g->number; ");
  if (e->asks) PUT("ahead = g + 1 < end ? DC_W * ((uint64_t)g[1].number - g->number) : 0; ");
  if (e->has_sums) PUT("sums = g->save; ");
  if (e->fn->local_stride || e->out->stack_bytes) PUT("base4 = g->local; ");
  if (e->out->stack_bytes) PUT("n->stack_end = base4 + %u; ", e->out->stack_bytes);
  if (e->operates) PUT("n->enter(n, g); ");
}

void dc_emit_begin_gangs(emitter *e) {
  PUT("dc_gang *g = n->gangs, *const end = g + n->ngangs; const uint32_t(*tid)[32];\n");
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
    if (turns) PUT("waits = 0; memset(at, 0, sizeof at); ");
    if (e->k.shape.by_lane)
      PUT("left = g->live;\nlane: self = __builtin_ctz(left); left &= left - 1; act = 1; "
          "tid = (const uint32_t (*)[32])(const void *)(*g->tid + self); ");
    PUT("switch (%s) {\n", turns ? "at[self]" : "0");
    return;
  }
  if (e->out->yields) PUT("int yielded = 0, holds = 0;\n");
  PUT("uint32_t left = n->ngangs, any, all; int32_t here = 0, next = DC_NOWHERE;\n"
      "#define DC_SAVE g->save\n"
      "#define DC_NEXT_ROUND g = n->gangs; %s\n"
      "#define DC_LEADS g->leads\n#define DC_YIELDS (n->nblocks > 1)\n"
      "#define DC_YIELD(at) { go_on = DC_AT_YIELD + at; goto yield; }\n"
      "#define DC_PAUSE(at, to) { go_on = to; goto pause; }\n"
      "#define DC_PAUSE_FROM(at, to, from, or) if (DC_RARE(next != to)) { if (next != DC_NOWHERE) DC_PAUSE(at, to) "
      "next = to; } %sif (++g != end) { if (from == or || here == from) goto E##from; goto E##or; } "
      "DC_NEXT_ROUND here = to; next = DC_NOWHERE; goto E##to;\n"
      "#define DC_LEAVE_STEP if (next != DC_APART) { for (dc_gang *q = n->gangs; q != end; q++) { "
      "if (q < g && next == DC_ENDED) q->live = 0, left--; q->node = (uint32_t)(q < g ? next : here); } "
      "any = next < 0 ? 0 : (uint32_t)next; all = next < 0 ? ~0u : (uint32_t)next; next = DC_APART; }\n"
      "gang: switch (next == DC_APART ? g->node : (uint32_t)here) {\n",
      e->reduces ? "sum = yes; every = no == 0; yes = no = 0;" : "", e->exits ? "g->live = M_word(act); " : "");
}

void dc_emit_end_gangs(emitter *e) {
  if (e->out->suspends) {
    PUT("done: if (DC_USUAL(next == DC_NOWHERE || next == DC_ENDED)) { "
        "next = DC_ENDED; if (++g == end) return DC_NATIVE_DONE; goto gang; }\n"
        "DC_LEAVE_STEP g->live = 0; if (!--left) return DC_NATIVE_DONE; goto step;\n"
        "pause: if (!M_any(act)) goto done;\n"
        "if (next == DC_NOWHERE) next = (int32_t)go_on;\n"
        "if (next == (int32_t)go_on) { %sif (++g != end) goto gang; "
        "DC_NEXT_ROUND here = next; next = DC_NOWHERE; goto gang; }\n"
        "DC_LEAVE_STEP g->node = go_on; g->live = M_word(act); any |= go_on; all &= go_on;\n",
        e->exits ? "g->live = M_word(act); " : "");
    if (e->out->yields)
      PUT("goto step;\nyield: DC_LEAVE_STEP g->node = go_on; g->live = M_word(act); yielded = 1;\n"
          "step: if (++g == end) { g = n->gangs; holds = yielded; yielded = 0; if (holds) goto first; ");
    else PUT("step: if (++g == end) { ");
    PUT("next = any == all && left == n->ngangs ? DC_NOWHERE : DC_APART; here = (int32_t)any; any = 0; all = ~0u; "
        "DC_NEXT_ROUND }\n");
    if (e->out->yields) PUT("first: if (holds && g->node < DC_AT_YIELD) goto step;\n");
    PUT("if (!g->live) goto step; goto gang;\n");
  } else {
    PUT("done: %s%sif (++g == end) return DC_NATIVE_DONE; goto gang;\n",
        e->k.shape.by_lane ? "if (left) goto lane; " : "",
        e->takes_turns ? "if (waits) { left = waits; waits = 0; goto lane; } " : "");
  }
}
