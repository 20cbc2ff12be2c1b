/*
** async.c - cp.async and mbarrier; PTX ISA 9.7.9 and 9.7.13.
**
** A copy is complete when it is issued, so groups have nothing to commit or to wait for.
*/
#include "cpu/ops/address.h"
#include "cpu/ptx/opcode.h"
#include "cpu/simd/mbarrier.h"

/* --- copies -------------------------------------------------------------------------------------------- */

/* o->v: two operations, target and source; b: bytes to copy, the rest becoming zeros, or (bits 1) a predicate, true:
** none. */
static void copy_async(dc_warp *w, const dc_uop *o) {
  const dc_uop *target = (const dc_uop *)(const void *)o->v, *source = target + 1;
  const u32 size = (u32)ptx_type_bits((ptx_type)source->ins->type) / 8;
  u64 from[DC_LANES] BUFFER, to[DC_LANES] BUFFER;
  if (!w->mask) return;
  const u32 ignored = o->bits[2] == 1 ? (o->neg_b ? ~w->preds[o->b] : w->preds[o->b]) : 0;
  addresses(w, source, from);
  addresses(w, target, to);
  begin_access(w, source);
  check_each(w, source, from, size);
  begin_access(w, target);
  check_each(w, target, to, size);
  uint8_t bytes[DC_LANES][16] BUFFER;
  begin_access(w, source);
  if (size == 16 && !o->bits[2]) { /* the usual form, with a size that C compilers know */
    EACH_LANE(l, w->mask) memcpy(bytes[l], HOST(const void, from[l]), 16);
    begin_access(w, target);
    EACH_LANE(l, w->mask) memcpy(HOST(void, to[l]), bytes[l], 16);
    return;
  }
  memset(bytes, 0, sizeof bytes);
  EACH_LANE(l, w->mask) {
    const u32 n = ignored >> l & 1 ? 0 : o->bits[2] == 32 ? REG(u32, o->b)[l] : size;
    memcpy(bytes[l], HOST(const void, from[l]), n < size ? n : size);
  }
  begin_access(w, target);
  EACH_LANE(l, w->mask) memcpy(HOST(void, to[l]), bytes[l], size);
}

/* --- mbarrier ------------------------------------------------------------------------------------------ */

/* The barrier after an operation with count n. */
static dc_mbarrier change(const ptx_ins *ins, dc_mbarrier b, u32 n) {
  switch (ins->mode) {
    case PTX_MB_INIT: return (dc_mbarrier){n, n, 0, 0};
    case PTX_MB_INVAL: return (dc_mbarrier){0, 0, 0, 0};
    case PTX_MB_EXPECT: b.bytes += (s32)n; return b;
    case PTX_MB_COMPLETE: b.bytes -= (s32)n; break;
    case PTX_MB_DROP: b.expected -= ins->flags & PTX_F_EXPECT ? 1 : n; /* fall through */
    default:
      if (ins->flags & PTX_F_EXPECT) {
        b.bytes += (s32)n;
        n = 1;
      }
      b.pending -= n;
  }
  return dc_mbarrier_after(b);
}

/* Whether all lanes of w->mask have the address of the first of them: the usual case. */
static inline bool is_one_address(const dc_warp *w, const u64 *at) {
  const u64 first = at[__builtin_ctz(w->mask)];
  u64 differs = 0;
  LANES(l) differs |= w->m32[l] ? at[l] ^ first : 0;
  return differs == 0;
}

/* Arrivals at one barrier, as many for each lane, that end no phase only count down.  False: they are others. */
static bool count_down(dc_warp *w, const dc_uop *o, const u64 *at, u64 *before) {
  const u32 lanes = w->mask, first = (u32)__builtin_ctz(lanes), *n = o->bits[2] ? REG(u32, o->b) : NULL;
  const u32 each = n ? n[first] : 1;
  u64 *const p = HOST(u64, at[first]), arrivals = (u64)each * (u32)__builtin_popcount(lanes);
  u32 differs = 0;
  if (o->ins->mode != PTX_MB_ARRIVE || o->ins->flags & PTX_F_EXPECT || !is_one_address(w, at)) return false;
  if (n) LANES(l) differs |= w->m32[l] ? n[l] ^ each : 0;
  if (differs || arrivals >= dc_mbarrier_of(*p).pending) return false;
  LANES(l) before[l] = *p - (u64)each * (u32)__builtin_popcount(lanes & (((u32)1 << l) - 1));
  *p -= arrivals;
  return true;
}

static void mbarrier_change(dc_warp *w, const dc_uop *o) {
  u64 at[DC_LANES] BUFFER, before[DC_LANES] BUFFER;
  if (!w->mask) return;
  begin_each(w, o, at, 8);
  if (!count_down(w, o, at, before))
    EACH_LANE(l, w->mask) {
      u64 *p = HOST(u64, at[l]);
      before[l] = *p;
      *p = dc_mbarrier_word(change(o->ins, dc_mbarrier_of(*p), o->bits[2] ? REG(u32, o->b)[l] : 1));
    }
  if (o->d != DC_NO_OPERAND) PUT_MASKED(u64, o->d, before);
}

static void mbarrier_wait(dc_warp *w, const dc_uop *o) {
  u64 at[DC_LANES] BUFFER, now[DC_LANES] BUFFER;
  u32 over[DC_LANES] BUFFER, done = 0;
  if (!w->mask) return;
  begin_each(w, o, at, 8);
  if (is_one_address(w, at)) {
    const u64 one = *HOST(u64, at[__builtin_ctz(w->mask)]);
    LANES(l) now[l] = one;
  } else {
    EACH_LANE(l, w->mask) now[l] = *HOST(u64, at[l]);
  }
  if (o->ins->flags & PTX_F_PARITY) LANES(l) over[l] = (u32)(now[l] >> DC_PHASE_AT ^ REG(u32, o->b)[l]) & 1;
  else LANES(l) over[l] = (now[l] ^ REG(u64, o->b)[l]) >> DC_PHASE_AT != 0;
  LANES(l) done |= over[l] << l;
  put_pred_masked(w, o->d, done);
}

RARE1(mbarrier_pending, u32, u64, dc_mbarrier_of(x).pending)

/* The copies before it are complete: an arrival with .noinc; else its increment cancels it. */
static void arrive_copied(dc_warp *w, const dc_uop *o) {
  if (o->ins->flags & PTX_F_NOINC) mbarrier_change(w, o);
}

static bool select_mbarrier(dc_uop *o) {
  const bool parity = (o->ins->flags & PTX_F_PARITY) != 0;
  if (o->ins->mode == PTX_MB_PENDING) return dc_shaped(o, 32, 64, 0, 0) && PICK_RARE(mbarrier_pending);
  if (ptx_tests_phase(o->ins)) return dc_shaped(o, 0, 0, parity ? 32 : 64, 0) && PICK_RARE(mbarrier_wait);
  return dc_shaped(o, o->d == DC_NO_OPERAND ? 0 : 64, 0, o->bits[2] ? 32 : 0, 0) && PICK_RARE(mbarrier_change);
}

bool PER_ISA(dc_select_async)(dc_uop *o) {
  if (o->ins->op == PTX_OP_MBARRIER) return select_mbarrier(o);
  if (o->ins->op != PTX_OP_CP) return false;
  switch (o->ins->mode) {
    case PTX_CP_COPY: return PICK_RARE(copy_async);
    case PTX_CP_ARRIVE: return PICK_RARE(arrive_copied);
    default: return PICK_RARE(no_operation);
  }
}
