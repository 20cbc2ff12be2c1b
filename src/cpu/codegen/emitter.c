/* emitter.c - see emitter.h. */
#include "cpu/codegen/emitter.h"

#include <stdio.h>

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

/* --- operands ------------------------------------------------------------------------------------------- */

static bool wide(char kind) { return kind == 'd' || kind == 'D'; }

void dc_emit_wrapped(emitter *e, const dc_value_shape *s, const char *first) {
  PUT("dc_wrapped(%s, x%d, %lldll, %lldll, %lldll, %d)", first, s->origin, (long long)s->step, (long long)s->exact,
      (long long)s->times, dc_emit_is_signed(e, s->origin));
}

/* A varying register's lanes, as words where they are short. */
static void put_lanes(emitter *e, int32_t reg) {
  const char *widen = e->lane_bits[reg] == 0 ? "" : e->lane_bits[reg] == 8 ? "w_of_b" : "w_of_h";
  PUT(*widen ? "%s(v%d)" : "%sv%d", widen, reg);
}

/* The value of `lane`. */
static void of_lane(emitter *e, int32_t reg, char kind) {
  const dc_value_shape *s = dc_emit_shape(e, reg);
  e->read[reg] |= s->tag == DC_VARYING;
  if (kind == 'P') PUT(e->word[reg] ? "(int)(p%d >> lane & 1)" : "(int)(P_word(p%d) >> lane & 1)", reg);
  else if (s->tag == DC_VARYING) PUT("V%d_lane(", wide(kind) ? 64 : 32), put_lanes(e, reg), PUT(", lane)");
  else if (s->tag == DC_INDEXED)
    PUT("dc_element(s%d, V32_lane(i%d, lane), %lldull, %d)", reg, s->origin, (long long)s->times,
        dc_emit_is_signed(e, s->origin));
  else if (s->origin < 0 || !wide(kind))
    PUT("(s%d + (uint%d_t)%lldll * lane)", reg, wide(kind) ? 64 : 32, (long long)dc_value_stride(s));
  else
    PUT("dc_lane_of_row(s%d, x%d, %lldll, %lldll, %lldll, %d, lane)", reg, s->origin, (long long)s->step,
        (long long)s->exact, (long long)s->times, dc_emit_is_signed(e, s->origin));
}

void dc_emit_register(emitter *e, int32_t reg, char kind) {
  const dc_value_shape *s = dc_emit_shape(e, reg);
  if (kind < 'a' && e->alone && s->tag != DC_UNIFORM) {
    of_lane(e, reg, kind);
  } else if (kind < 'a' && s->tag == DC_VARYING) { /* lane 0's */
    if (kind == 'P') PUT(e->word[reg] ? "(int)(p%d & 1)" : "(int)(P_word(p%d) & 1)", reg);
    else PUT("V%d_first(", wide(kind) ? 64 : 32), put_lanes(e, reg), PUT(")");
    e->read[reg] = true;
  } else if (kind < 'a') {
    PUT("s%d", reg);
  } else if (s->tag == DC_VARYING) {
    const bool truth = kind == 'p' || kind == 'm';
    if (kind == 'w') put_lanes(e, reg);
    else if (!truth || e->word[reg] == (kind == 'm')) PUT("%c%d", truth ? 'p' : 'v', reg);
    else PUT(kind == 'm' ? "P_word(p%d)" : "P_from(p%d)", reg);
    e->read[reg] = true;
  } else if (kind == 'p' || kind == 'm') {
    PUT("%c_splat((int)s%d)", kind - 'a' + 'A', reg);
  } else if (kind == 'b' || kind == 'h') { /* of one value */
    PUT("%c_splat(s%d)", kind, reg);
  } else if (s->tag == DC_UNIFORM) {
    PUT("V%d_splat(s%d)", wide(kind) ? 64 : 32, reg);
  } else if (s->tag == DC_INDEXED) {
    PUT("dc_indexed(s%d, i%d, %lldll, %d)", reg, s->origin, (long long)s->times, dc_emit_is_signed(e, s->origin));
  } else if (!wide(kind)) {
    PUT("V32_affine(s%d, %uu)", reg, (unsigned)dc_value_stride(s));
  } else if (s->origin < 0) {
    PUT("V64_affine(s%d, %lldull)", reg, (long long)dc_value_stride(s));
  } else {
    char first[16];
    snprintf(first, sizeof first, "s%d", reg);
    PUT("(ok%d ? V64_affine(%s, %lldull) : ", s->origin, first, (long long)dc_value_stride(s));
    dc_emit_wrapped(e, s, first);
    PUT(")");
  }
}

const char *dc_emit_module_base(const ptx_sym *sym) {
  if (sym == NULL) return "";
  if (sym->kind == PTX_SYM_FUNC) return "functions + ";
  return sym->space == PTX_GLOBAL ? "variables + " : "";
}

static void put_constant(emitter *e, const ptx_operand *o, bool is_wide) {
  uint64_t v = (uint64_t)o->imm;
  if (o->kind == PTX_SYM) {
    v += (uint64_t)dc_code_offset(o->sym);
    PUT("(uint%d_t)(%s", is_wide ? 64 : 32, dc_emit_module_base(o->sym));
  }
  if (is_wide) PUT("%lluull", (unsigned long long)v);
  else PUT("%uu", (unsigned)v);
  if (o->kind == PTX_SYM) PUT(")");
}

void dc_emit_operand(emitter *e, const ptx_operand *o, char kind) {
  if (o->kind == PTX_REG) {
    bool scalar = kind < 'a';
    if (o->negated) PUT(scalar ? "!" : kind == 'm' ? "M_not(" : "P_not(");
    dc_emit_register(e, o->reg, kind);
    if (o->negated && !scalar) PUT(")");
    return;
  }
  switch (kind) {
    case 'W': put_constant(e, o, false); return;
    case 'D': put_constant(e, o, true); return;
    case 'P': PUT("%d", (o->imm != 0) != o->negated); return;
    case 'b': case 'h': PUT("%c_splat(", kind); put_constant(e, o, false); PUT(")"); return;
    case 'w': PUT("V32_splat("); put_constant(e, o, false); PUT(")"); return;
    case 'd': PUT("V64_splat("); put_constant(e, o, true); PUT(")"); return;
    default: PUT("%c_splat(%d)", kind - 'a' + 'A', (o->imm != 0) != o->negated); return;
  }
}

/* --- results -------------------------------------------------------------------------------------------- */

static void begin_assignment(emitter *e, int32_t reg, const char *mask, bool keep) {
  const int bits = dc_emit_bits(e, reg);
  PUT("%c%d = ", bits == 1 ? 'p' : 'v', reg);
  e->read[reg] |= keep;
  if (!keep || e->lane_bits[reg]) return; /* short lanes are read where they were written */
  PUT("%s_%s(%s, ", e->word[reg] ? "M" : bits == 1 ? "P" : bits == 64 ? "V64" : "V32",
      e->chooses ? "choose" : "select", mask);
}

void dc_emit_assign(emitter *e, int32_t reg, const char *mask, bool keep) {
  if (dc_is_scalar(dc_emit_shape(e, reg))) {
    PUT("s%d = ", reg);
    return;
  }
  begin_assignment(e, reg, mask, keep);
  if (e->word[reg]) PUT("P_word(");
  if (e->lane_bits[reg]) PUT(e->lane_bits[reg] == 8 ? "b_of_w(" : "h_of_w(");
}

void dc_emit_assign_word(emitter *e, int32_t reg, const char *mask, bool keep) {
  begin_assignment(e, reg, mask, keep);
  PUT("(");
}

void dc_emit_assign_end(emitter *e, int32_t reg, bool keep) {
  if (e->word[reg] || e->lane_bits[reg]) PUT(")");
  if (keep && !e->lane_bits[reg] && !dc_is_scalar(dc_emit_shape(e, reg)))
    PUT(", %c%d)", dc_emit_bits(e, reg) == 1 ? 'p' : 'v', reg);
  PUT(";\n");
}
