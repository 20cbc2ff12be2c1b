/*
** test_ops_memory.c - tier 0's loads, stores, atomics, moves and warp operations against plain loops.
**
** Addresses come in every shape that the operations treat apart (all the same, one after another, scattered,
** per-thread frames), by every base and width of address register, under full and partial masks.
*/
#include <pthread.h>
#include <setjmp.h>

#include "cpu/interp/interp.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"
#include "ops_harness.h"

static u64 low(u64 x, int bits) { return bits >= 64 ? x : x & (((u64)1 << bits) - 1); }

static void expect(u64 got, u64 want, const char *what, const char *where, int lane) {
  char detail[160];
  snprintf(detail, sizeof detail, "%s lane %d: %llx, not %llx", where, lane, (unsigned long long)got,
           (unsigned long long)want);
  check(got == want, what, detail);
}

/* --- addresses -------------------------------------------------------------------------------------------- */

static _Alignas(64) uint8_t arena[1 << 16], shadow[1 << 16];

enum { ALIKE, RUN, REVERSED, RANDOM, STRIDED, NO_REGISTER, FRAMES, NSHAPES };
static const char *const shape_names[] = {"alike", "run", "reversed", "random", "strided", "no register", "frames"};

/* Sets up o's address so that lane l's is arena + the returned offsets; `size` bytes an access. */
static void make_addresses(dc_uop *o, int shape, int addr_bits, u32 size, u64 *offset) {
  const u64 base = (u64)(uintptr_t)arena, start = rnd() % 64 * size;
  const bool flat = addr_bits == 64 && (rnd() & 1);
  o->base = flat ? DC_BASE_FLAT : shape >= FRAMES ? DC_BASE_LOCAL : DC_BASE_SHARED;
  o->imm = (s64)(rnd() % 16 * size);
  o->addr_bits = (uint8_t)(shape == NO_REGISTER ? 0 : addr_bits);
  o->a = SLOT(1);
  warp.base[DC_BASE_SHARED] = base;
  warp.base[DC_BASE_LOCAL] = base;
  warp.lane_stride[DC_BASE_LOCAL] = 1024;
  if (shape == NO_REGISTER) o->base = DC_BASE_SHARED;
  if (shape == FRAMES) o->base = DC_BASE_LOCAL;
  for (u64 l = 0; l < DC_LANES; l++) {
    u64 x = shape == ALIKE      ? start
            : shape == RUN      ? start + l * size
            : shape == REVERSED ? start + (31 - l) * size
            : shape == STRIDED  ? start + l * 3 * size
            : shape == FRAMES   ? rnd() % 8 * size
                                : rnd() % 500 * size;
    if (shape == NO_REGISTER) x = 0;
    offset[l] = x + (u64)o->imm + (shape == FRAMES ? l * 1024 : 0);
    const u64 reg = o->base == DC_BASE_FLAT ? base + x : x;
    put(SLOT(1), addr_bits, (int)l, reg);
  }
}

/* Lanes outside the mask must not touch memory: their addresses are wild. */
static void make_wild(u32 mask, int addr_bits) {
  for (int l = 0; l < DC_LANES; l++)
    if (!(mask >> l & 1)) put(SLOT(1), addr_bits, l, 0xdead000000000000u + (u64)l * 7);
}

static u32 make_mask(int i) {
  const u32 masks[] = {DC_ALL_LANES, 0x7fffffff, 0xfffffffe, 1, 0x80000000u, 0xffff};
  return i % 8 < 6 ? masks[i % 8] : (u32)rnd() & (u32)rnd();
}

static u64 load_shadow(const uint8_t *from, u64 at, int bits, bool sign, int container) {
  u64 x = 0;
  memcpy(&x, from + at, (size_t)bits / 8);
  if (sign && bits < 64 && x >> (bits - 1) & 1) x |= ~(u64)0 << bits;
  return low(x, container);
}

typedef struct width {
  const char *type;
  int bits;
  bool sign;
  int container;
} width;
static const width widths[] = {
    {"u8", 8, 0, 16},   {"s8", 8, 1, 16},   {"b8", 8, 0, 32},   {"s8", 8, 1, 32},   {"u8", 8, 0, 64},
    {"s8", 8, 1, 64},   {"u16", 16, 0, 16}, {"s16", 16, 1, 16}, {"f16", 16, 0, 16}, {"u16", 16, 0, 32},
    {"s16", 16, 1, 32}, {"s16", 16, 1, 64}, {"u32", 32, 0, 32}, {"s32", 32, 1, 32}, {"f32", 32, 0, 32},
    {"b32", 32, 0, 64}, {"s32", 32, 1, 64}, {"u64", 64, 0, 64}, {"f64", 64, 0, 64}, {"s64", 64, 1, 64},
};

static const u32 element_slots[8] = {SLOT(2), SLOT(3), SLOT(4), SLOT(5), SLOT(6), SLOT(7), SLOT(8), SLOT(9)};

static void test_load(const char *modifier, const width *t, int vec, int shape, int addr_bits, int i) {
  char text[64];
  u64 offset[DC_LANES];
  dc_uop o;
  ptx_form form;
  if (vec > 1)
    snprintf(text, sizeof text, "ld%s.global.v%d.%s", modifier, vec, t->type);
  else
    snprintf(text, sizeof text, "ld%s.global.%s", modifier, t->type);
  fresh_warp();
  if (!decode(text, &o, &form, vec, 1)) return;
  for (size_t k = 0; k < sizeof arena; k += 8) *(u64 *)(void *)(arena + k) = rnd();
  make_addresses(&o, shape, addr_bits, (u32)(t->bits / 8 * vec), offset);
  const bool in_place = vec == 1 && addr_bits == t->container && shape != NO_REGISTER && (rnd() & 1);
  o.d = vec > 1 ? DC_NO_OPERAND : in_place ? SLOT(1) : SLOT(2);
  o.v = vec > 1 ? element_slots : NULL;
  o.bits[0] = (uint8_t)t->container;
  if (!ops->select(&o)) {
    check(false, text, "is not supported");
    return;
  }
  const u32 mask = make_mask(i);
  if (!mask) return;
  make_wild(mask, addr_bits);
  const bool masked = rnd() & 1;
  ops->set_mask(&warp, mask);
  u64 before[DC_LANES];
  for (int l = 0; l < DC_LANES; l++) before[l] = get(o.d == DC_NO_OPERAND ? SLOT(2) : o.d, t->container, l);
  ops->run(&warp, &o, &o + 1, masked);
  check(warp.at == &o, text, "does not say who touches memory");
  for (int l = 0; l < DC_LANES; l++)
    for (int e = 0; e < vec; e++) {
      const u64 got = get(vec > 1 ? element_slots[e] : o.d, t->container, l);
      if (mask >> l & 1)
        expect(got, load_shadow(arena, offset[l] + (u64)(e * t->bits / 8), t->bits, t->sign, t->container), text,
               shape_names[shape], l);
      else if (masked && e == 0)
        expect(got, before[l], text, "inactive", l);
    }
}

static void test_store(const char *modifier, const width *t, int vec, int shape, int addr_bits, int i) {
  char text[64];
  u64 offset[DC_LANES];
  dc_uop o;
  ptx_form form;
  if (vec > 1)
    snprintf(text, sizeof text, "st%s.global.v%d.%s", modifier, vec, t->type);
  else
    snprintf(text, sizeof text, "st%s.global.%s", modifier, t->type);
  fresh_warp();
  if (!decode(text, &o, &form, 0, vec + 1)) return;
  make_addresses(&o, shape, addr_bits, (u32)(t->bits / 8 * vec), offset);
  o.b = SLOT(2);
  o.v = vec > 1 ? element_slots : NULL;
  o.bits[2] = (uint8_t)t->container;
  o.d = DC_NO_OPERAND;
  if (!ops->select(&o)) {
    check(false, text, "is not supported");
    return;
  }
  const u32 mask = make_mask(i);
  make_wild(mask, addr_bits);
  for (size_t k = 0; k < sizeof arena; k += 8) *(u64 *)(void *)(arena + k) = rnd();
  memcpy(shadow, arena, sizeof arena);
  for (int l = 0; l < DC_LANES; l++)
    for (int e = 0; e < vec; e++) {
      const u64 x = rnd();
      put(element_slots[e], t->container, l, x);
      if (mask >> l & 1) memcpy(shadow + offset[l] + (size_t)(e * t->bits / 8), &x, (size_t)t->bits / 8);
    }
  ops->set_mask(&warp, mask);
  if (mask) ops->run(&warp, &o, &o + 1, rnd() & 1);
  check(memcmp(arena, shadow, sizeof arena) == 0, text, shape_names[shape]);
}

static void test_accesses(void) {
  static const char *const modifiers[] = {"", "", ".volatile", ".relaxed.gpu", ".acquire.sys", ".release.cta"};
  for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
    for (int vec = 1; vec <= 4; vec *= 2)
      for (int shape = 0; shape < NSHAPES; shape++)
        for (int addr_bits = 32; addr_bits <= 64; addr_bits += 32)
          for (int i = 0; i < 8; i++) {
            const int m = (int)(rnd() % 5);
            test_load(modifiers[m], &widths[k], vec, shape, addr_bits, i);
            test_store(modifiers[m == 4 ? 5 : m], &widths[k], vec, shape, addr_bits, i);
          }
}

/* --- atomics ------------------------------------------------------------------------------------------------ */

typedef u64 (*step)(u64 x, u64 y, u64 z);
static u64 step_add(u64 x, u64 y, u64 z) { return (void)z, x + y; }
static u64 step_exch(u64 x, u64 y, u64 z) { return (void)x, (void)z, y; }
static u64 step_cas(u64 x, u64 y, u64 z) { return x == y ? z : x; }
static u64 step_and(u64 x, u64 y, u64 z) { return (void)z, x & y; }
static u64 step_or(u64 x, u64 y, u64 z) { return (void)z, x | y; }
static u64 step_xor(u64 x, u64 y, u64 z) { return (void)z, x ^ y; }
static u64 step_inc(u64 x, u64 y, u64 z) { return (void)z, x >= y ? 0 : x + 1; }
static u64 step_dec(u64 x, u64 y, u64 z) { return (void)z, x == 0 || x > y ? y : x - 1; }
static u64 step_umin(u64 x, u64 y, u64 z) { return (void)z, x < y ? x : y; }
static u64 step_umax(u64 x, u64 y, u64 z) { return (void)z, x > y ? x : y; }
static u64 step_min32(u64 x, u64 y, u64 z) { return (void)z, (s32)x < (s32)y ? x : y; }
static u64 step_max64(u64 x, u64 y, u64 z) { return (void)z, (s64)x > (s64)y ? x : y; }
static u64 step_addf(u64 x, u64 y, u64 z) { return (void)z, FB(F(x) + F(y)); }
static u64 step_addd(u64 x, u64 y, u64 z) { return (void)z, DB(D(x) + D(y)); }

static const struct {
  const char *text;
  int bits;
  step f;
  char values; /* 'i' integers, 's' small ones, 'f' floats */
} atoms[] = {
    {"add.u32", 32, step_add, 'i'},   {"add.s32", 32, step_add, 'i'},   {"add.u64", 64, step_add, 'i'},
    {"exch.b32", 32, step_exch, 'i'}, {"exch.b64", 64, step_exch, 'i'}, {"cas.b32", 32, step_cas, 's'},
    {"cas.b64", 64, step_cas, 's'},   {"cas.b16", 16, step_cas, 's'},   {"and.b32", 32, step_and, 'i'},
    {"or.b32", 32, step_or, 'i'},     {"xor.b32", 32, step_xor, 'i'},   {"and.b64", 64, step_and, 'i'},
    {"or.b64", 64, step_or, 'i'},     {"xor.b64", 64, step_xor, 'i'},   {"inc.u32", 32, step_inc, 's'},
    {"dec.u32", 32, step_dec, 's'},   {"min.u32", 32, step_umin, 'i'},  {"max.u64", 64, step_umax, 'i'},
    {"min.s32", 32, step_min32, 'i'}, {"max.s64", 64, step_max64, 'i'}, {"add.f32", 32, step_addf, 'f'},
    {"add.f64", 64, step_addd, 'd'},
};

static u64 atom_value(char kind) {
  double d = (double)(s64)(rnd() % 4096) / 16 - 100;
  if (kind == 'f') return FB((float)d);
  if (kind == 's') return rnd() % 5;
  if (kind == 'i') return rnd();
  return DB(d);
}

static void test_atom(int which, bool red, const char *where, int shape, int i) {
  char text[64];
  u64 offset[DC_LANES], want[DC_LANES] = {0};
  dc_uop o;
  ptx_form form;
  const int bits = atoms[which].bits;
  const bool cas = atoms[which].f == step_cas;
  snprintf(text, sizeof text, "%s%s.%s", red ? "red" : "atom", where, atoms[which].text);
  fresh_warp();
  if (!decode(text, &o, &form, red ? 0 : 1, 2 + cas)) return;
  make_addresses(&o, shape, 64, (u32)bits / 8, offset);
  o.d = red || i % 5 == 0 ? DC_NO_OPERAND : i % 3 == 0 ? SLOT(2) : SLOT(4);
  o.b = SLOT(2);
  o.c = SLOT(3);
  o.bits[0] = o.bits[2] = o.bits[3] = (uint8_t)bits;
  if (!ops->select(&o)) {
    check(false, text, "is not supported");
    return;
  }
  const u32 mask = make_mask(i);
  make_wild(mask, 64);
  for (size_t k = 0; k < sizeof arena; k += (size_t)bits / 8) {
    const u64 x = atom_value(atoms[which].values);
    memcpy(arena + k, &x, (size_t)bits / 8);
  }
  memcpy(shadow, arena, sizeof arena);
  for (int l = 0; l < DC_LANES; l++) {
    const u64 b = low(atom_value(atoms[which].values), bits), c = low(atom_value(atoms[which].values), bits);
    u64 x = 0;
    put(SLOT(2), bits, l, b);
    put(SLOT(3), bits, l, c);
    if (!(mask >> l & 1)) continue;
    memcpy(&x, shadow + offset[l], (size_t)bits / 8);
    want[l] = x;
    x = atoms[which].f(x, b, c);
    memcpy(shadow + offset[l], &x, (size_t)bits / 8);
  }
  ops->set_mask(&warp, mask);
  if (mask) ops->run(&warp, &o, &o + 1, true);
  check(memcmp(arena, shadow, sizeof arena) == 0, text, shape_names[shape]);
  for (int l = 0; l < DC_LANES && o.d != DC_NO_OPERAND; l++)
    if (mask >> l & 1) expect(get(o.d, bits, l), want[l], text, shape_names[shape], l);
}

/* Two threads count in one word, and in a word a lane. */
typedef struct counter {
  _Alignas(64) uint8_t regs[4096];
  dc_warp w;
  dc_uop o;
  u32 preds[4];
} counter;

static void *count_up(void *arg) {
  counter *c = arg;
  for (int i = 0; i < 2000; i++) ops->run(&c->w, &c->o, &c->o + 1, false);
  return NULL;
}

static void test_threads(const char *text, bool alike) {
  static _Alignas(64) counter c[2];
  static _Alignas(64) float words[DC_LANES];
  pthread_t thread;
  ptx_form form;
  memset(c, 0, sizeof c);
  memset(words, 0, sizeof words);
  for (int i = 0; i < 2; i++) {
    if (!decode(text, &c[i].o, &form, 0, 2)) return;
    c[i].w.fault = on_fault;
    c[i].w.regs = c[i].regs;
    c[i].w.preds = c[i].preds;
    c[i].o.addr_bits = 64;
    c[i].o.b = 512;
    for (int l = 0; l < DC_LANES; l++) {
      const u64 at = (u64)(uintptr_t)&words[alike ? 0 : l];
      const float one = 1;
      memcpy(c[i].regs + l * 8, &at, 8);
      memcpy(c[i].regs + 512 + l * 4, &one, 4);
    }
    ops->set_mask(&c[i].w, DC_ALL_LANES);
    if (!ops->select(&c[i].o)) {
      check(false, text, "is not supported");
      return;
    }
  }
  pthread_create(&thread, NULL, count_up, &c[1]);
  count_up(&c[0]);
  pthread_join(thread, NULL);
  float sum = 0;
  for (int l = 0; l < DC_LANES; l++) sum += words[l];
  check(sum == 2 * 2000 * DC_LANES, text, "across threads");
}

static void test_atomics(void) {
  static const char *const wheres[] = {".global", ".shared", "", ".acq_rel.gpu", ".global.sys", ".relaxed.cta"};
  for (int k = 0; k < (int)(sizeof atoms / sizeof *atoms); k++)
    for (int shape = 0; shape < NSHAPES; shape++)
      for (int i = 0; i < 24; i++) {
        const bool red = i % 4 == 1 && atoms[k].f != step_exch && atoms[k].f != step_cas;
        test_atom(k, red, wheres[rnd() % 6], shape, i);
      }
  test_threads("red.global.add.f32", true);
  test_threads("red.global.add.f32", false);
}

/* --- moves ------------------------------------------------------------------------------------------------------ */

static void test_pack(const char *text, int whole, int n, int container) {
  const int part = whole / n;
  dc_uop o;
  ptx_form form;
  fresh_warp();
  if (!decode(text, &o, &form, 1, n)) return;
  o.d = SLOT(0);
  o.v = element_slots;
  o.bits[0] = (uint8_t)whole;
  o.bits[1] = (uint8_t)container;
  if (!ops->select(&o)) {
    check(false, text, "is not supported");
    return;
  }
  for (int e = 0; e < n; e++)
    for (int l = 0; l < DC_LANES; l++) put(element_slots[e], container, l, rnd());
  const u32 mask = (u32)rnd();
  ops->set_mask(&warp, mask);
  const u64 before = get(SLOT(0), whole, 3);
  ops->run(&warp, &o, &o + 1, true);
  for (int l = 0; l < DC_LANES; l++) {
    u64 want = 0;
    for (int e = 0; e < n; e++) want |= low(get(element_slots[e], container, l), part) << (e * part);
    if (mask >> l & 1)
      expect(get(SLOT(0), whole, l), want, text, "packs", l);
    else if (l == 3)
      expect(get(SLOT(0), whole, l), before, text, "inactive", l);
  }
  fresh_warp();
  if (!decode(text, &o, &form, n, 1)) return;
  o.d = DC_NO_OPERAND;
  o.a = SLOT(0);
  o.bits[0] = (uint8_t)container;
  o.bits[1] = (uint8_t)whole;
  u32 slots[8];
  memcpy(slots, element_slots, sizeof slots);
  slots[1] = DC_NO_OPERAND;
  o.v = slots;
  if (!ops->select(&o)) {
    check(false, text, "does not unpack");
    return;
  }
  for (int l = 0; l < DC_LANES; l++) put(SLOT(0), whole, l, rnd());
  ops->run(&warp, &o, &o + 1, false);
  for (int l = 0; l < DC_LANES; l++)
    for (int e = 0; e < n; e++)
      if (slots[e] != DC_NO_OPERAND)
        expect(get(slots[e], container, l), low(get(SLOT(0), whole, l) >> (e * part), part), text, "unpacks", l);
}

static u64 move_sreg(const char *text, int bits, ptx_sreg sreg, int lane) {
  dc_uop o;
  ptx_form form;
  ptx_operand operands[2] = {{.kind = PTX_REG}, {.kind = PTX_SREG, .sreg = (uint8_t)sreg, .reg = -1}};
  if (!decode(text, &o, &form, 1, 1)) return 0;
  form.ins.opnd = operands;
  o.d = SLOT(0);
  o.a = DC_NO_OPERAND;
  o.bits[0] = (uint8_t)bits;
  if (!ops->select(&o))
    check(false, text, "reads no special register");
  else
    ops->run(&warp, &o, &o + 1, false);
  return get(SLOT(0), bits, lane);
}

static void test_sregs(void) {
  fresh_warp();
  grid = (dc_grid){.grid = {7, 8, 9},
                   .block = {33, 3, 2},
                   .nwarps = 7,
                   .shared_bytes = 1000,
                   .dynamic_shared = 900,
                   .nsm = 5,
                   .id = 77};
  block = (dc_block_state){.grid = &grid, .ctaid = {1, 2, 3}, .smid = 4};
  static _Alignas(64) u32 threads[3][DC_LANES];
  warp.tid = (const u32(*)[DC_LANES])threads;
  warp.warpid = 6;
  for (u32 l = 0; l < DC_LANES; l++)
    for (u32 k = 0; k < 3; k++) threads[k][l] = 100 * k + l;
  const struct {
    ptx_sreg sreg;
    u64 want;
  } t[] = {
      {PTX_SR_TID_X, 9},
      {PTX_SR_TID_Y, 109},
      {PTX_SR_TID_Z, 209},
      {PTX_SR_NTID_X, 33},
      {PTX_SR_NTID_Y, 3},
      {PTX_SR_NTID_Z, 2},
      {PTX_SR_CTAID_X, 1},
      {PTX_SR_CTAID_Y, 2},
      {PTX_SR_CTAID_Z, 3},
      {PTX_SR_NCTAID_X, 7},
      {PTX_SR_NCTAID_Y, 8},
      {PTX_SR_NCTAID_Z, 9},
      {PTX_SR_LANEID, 9},
      {PTX_SR_WARPID, 6},
      {PTX_SR_NWARPID, 7},
      {PTX_SR_WARP_SZ, 32},
      {PTX_SR_SMID, 4},
      {PTX_SR_NSMID, 5},
      {PTX_SR_GRIDID, 77},
      {PTX_SR_LANEMASK_EQ, 0x200},
      {PTX_SR_LANEMASK_LE, 0x3ff},
      {PTX_SR_LANEMASK_LT, 0x1ff},
      {PTX_SR_LANEMASK_GE, 0xfffffe00u},
      {PTX_SR_LANEMASK_GT, 0xfffffc00u},
      {PTX_SR_DYNAMIC_SMEM_SIZE, 900},
      {PTX_SR_TOTAL_SMEM_SIZE, 1000},
  };
  for (size_t i = 0; i < sizeof t / sizeof *t; i++)
    expect(move_sreg("mov.u32", 32, t[i].sreg, 9), t[i].want, "mov.u32", "sreg", (int)i);
  const u64 before = move_sreg("mov.u64", 64, PTX_SR_GLOBALTIMER, 0),
            after = move_sreg("mov.u64", 64, PTX_SR_GLOBALTIMER, 31);
  check(before > 0 && after >= before && after - before < 1000000000u, "mov.u64", "%globaltimer");
  const u64 first = move_sreg("mov.u64", 64, PTX_SR_CLOCK64, 0);
  check(move_sreg("mov.u64", 64, PTX_SR_CLOCK64, 0) > first, "mov.u64", "%clock64");
}

static void test_cvta(const char *text, dc_base base, bool to, u64 stride) {
  dc_uop o;
  ptx_form form;
  fresh_warp();
  if (!decode(text, &o, &form, 1, 1)) return;
  o.d = SLOT(0);
  o.a = SLOT(1);
  o.bits[0] = o.bits[1] = 64;
  o.base = (uint8_t)base;
  warp.base[base] = base == DC_BASE_FLAT ? 0 : 0x700000001000u;
  warp.lane_stride[base] = stride;
  if (!ops->select(&o)) {
    check(false, text, "is not supported");
    return;
  }
  for (int l = 0; l < DC_LANES; l++) put(SLOT(1), 64, l, 0x123456789u + (u64)l);
  ops->run(&warp, &o, &o + 1, rnd() & 1);
  for (u64 l = 0; l < DC_LANES; l++) {
    const u64 window = base == DC_BASE_FLAT ? 0 : 0x700000001000u + stride * l, x = 0x123456789u + l;
    expect(get(SLOT(0), 64, (int)l), to ? x - window : x + window, text, "", (int)l);
  }
}

static void test_moves(void) {
  for (int i = 0; i < 20; i++) {
    test_pack("mov.b32", 32, 2, 16);
    test_pack("mov.b64", 64, 2, 32);
    test_pack("mov.b64", 64, 4, 16);
    test_pack("mov.b32", 32, 4, 16);
    test_pack("mov.b16", 16, 2, 16);
  }
  test_sregs();
  test_cvta("cvta.global.u64", DC_BASE_FLAT, false, 0);
  test_cvta("cvta.to.global.u64", DC_BASE_FLAT, true, 0);
  test_cvta("cvta.shared.u64", DC_BASE_SHARED, false, 0);
  test_cvta("cvta.to.shared.u64", DC_BASE_SHARED, true, 0);
  test_cvta("cvta.local.u64", DC_BASE_LOCAL, false, 4096);
  test_cvta("cvta.to.local.u64", DC_BASE_LOCAL, true, 4096);
  test_cvta("cvta.const.u64", DC_BASE_CONST, false, 0);
}

/* --- between lanes --------------------------------------------------------------------------------------------------
 */

/* The ISA's pseudo code for lane `lane`. */
static int shfl_from(int mode, int lane, u32 b, u32 c, bool *inside) {
  const int bval = (int)(b & 31), cval = (int)(c & 31), mask = (int)(c >> 8 & 31);
  const int most = (lane & mask) | (cval & ~mask), first = lane & mask;
  int j;
  switch (mode) {
    case 0:
      j = lane - bval;
      *inside = j >= most;
      break;
    case 1:
      j = lane + bval;
      *inside = j <= most;
      break;
    case 2:
      j = lane ^ bval;
      *inside = j <= most;
      break;
    default: j = first | (bval & ~mask); *inside = j <= most;
  }
  return *inside ? j : lane;
}

static void test_shfl(int mode, bool with_pred) {
  static const char *const texts[] = {"shfl.sync.up.b32", "shfl.sync.down.b32", "shfl.sync.bfly.b32",
                                      "shfl.sync.idx.b32"};
  dc_uop o;
  ptx_form form;
  fresh_warp();
  if (!decode(texts[mode], &o, &form, with_pred ? 2 : 1, 4)) return;
  const bool in_place = rnd() & 1;
  o.d = in_place ? SLOT(1) : SLOT(0);
  o.a = SLOT(1);
  o.b = SLOT(2);
  o.c = SLOT(3);
  o.e = SLOT(4);
  o.d2 = with_pred ? 2 : DC_NO_OPERAND;
  o.bits[0] = o.bits[1] = o.bits[2] = o.bits[3] = 32;
  if (!ops->select(&o)) {
    check(false, texts[mode], "is not supported");
    return;
  }
  u64 a[DC_LANES], b[DC_LANES], c[DC_LANES], members[DC_LANES];
  const u64 part = (u64)1 << rnd() % 6, segments = (32 - part) << 8, clamp = mode == 0 ? 0 : 31, amount = rnd() % 32;
  for (int l = 0; l < DC_LANES; l++) {
    put(SLOT(1), 32, l, a[l] = low(rnd(), 32));
    put(SLOT(2), 32, l, b[l] = rnd() & 1 ? amount : rnd() % 64);
    put(SLOT(3), 32, l, c[l] = segments | clamp);
    put(SLOT(4), 32, l, members[l] = rnd() & 1 ? ~(u32)0 : (u32)rnd() | 1u << l);
  }
  preds[2] = 0x12345678;
  const u32 mask = rnd() % 3 ? DC_ALL_LANES : (u32)rnd();
  ops->set_mask(&warp, mask);
  ops->run(&warp, &o, &o + 1, true);
  for (int l = 0; l < DC_LANES; l++) {
    bool inside;
    if (!(mask >> l & 1)) continue;
    const int from = shfl_from(mode, l, (u32)b[l], (u32)c[l], &inside);
    const bool here = (mask & members[l]) >> from & 1; /* else 0, as an H200 gives */
    expect(get(o.d, 32, l), here ? a[from] : 0, texts[mode], "", l);
    if (with_pred) expect(preds[2] >> l & 1, inside, texts[mode], "predicate", l);
  }
  if (with_pred) check(((preds[2] ^ 0x12345678) & ~mask) == 0, texts[mode], "touches inactive predicates");
}

/* vote, match and redux: one word or one bit a lane, from two groups that pass at once. */
static void test_group(const char *text, int ndst, int bits, bool pred_in, bool pred_out,
                       u64 (*want)(const u64 *a, u32 group, int lane, bool *second)) {
  dc_uop o;
  ptx_form form;
  fresh_warp();
  if (!decode(text, &o, &form, ndst, 2)) return;
  o.d = pred_out ? 1 : SLOT(0);
  o.d2 = ndst > 1 ? 2 : DC_NO_OPERAND;
  o.a = pred_in ? 3 : SLOT(1);
  o.b = SLOT(2);
  o.bits[0] = pred_out ? 1 : 32;
  o.bits[1] = pred_in ? 1 : (uint8_t)bits;
  o.bits[2] = 32;
  if (!ops->select(&o)) {
    check(false, text, "is not supported");
    return;
  }
  const u32 some = (u32)rnd(), mask = rnd() & 1 ? DC_ALL_LANES : (u32)rnd();
  u64 a[DC_LANES];
  const u64 kinds = rnd() % 4 + 1;
  for (int l = 0; l < DC_LANES; l++) {
    a[l] = pred_in ? (kinds == 1 ? some & 1 : rnd() & 1) : rnd() % kinds * 0x100000001u;
    if (pred_in)
      preds[3] = (preds[3] & ~(1u << l)) | (u32)a[l] << l;
    else
      put(SLOT(1), bits, l, a[l] = low(a[l], bits));
    put(SLOT(2), 32, l, some >> l & 1 ? some : ~some);
  }
  o.neg_a = pred_in && (rnd() & 1);
  for (int l = 0; l < DC_LANES && o.neg_a; l++) a[l] ^= 1;
  ops->set_mask(&warp, mask);
  if (mask) ops->run(&warp, &o, &o + 1, true);
  for (int l = 0; l < DC_LANES; l++) {
    bool second = false;
    if (!(mask >> l & 1)) continue;
    const u32 group = (some >> l & 1 ? some : ~some) & mask;
    const u64 w = want(a, group, l, &second);
    expect(pred_out ? preds[1] >> l & 1 : get(SLOT(0), 32, l), w, text, "", l);
    if (ndst > 1) expect(preds[2] >> l & 1, second, text, "predicate", l);
  }
}

#define EACH(l, group)                                                                                                 \
  for (int l = 0; l < DC_LANES; l++)                                                                                   \
    if (group >> l & 1)
#define WANT(name) static u64 name(const u64 *a, u32 group, int lane, bool *second)
WANT(want_ballot) {
  u64 r = 0;
  (void)lane, (void)second;
  EACH(l, group) r |= a[l] << l;
  return r;
}
WANT(want_all) { return want_ballot(a, group, lane, second) == group; }
WANT(want_any) { return want_ballot(a, group, lane, second) != 0; }
WANT(want_uni) { return want_all(a, group, lane, second) || !want_any(a, group, lane, second); }
WANT(want_match) {
  u64 r = 0;
  (void)second;
  EACH(l, group) r |= (u64)(a[l] == a[lane]) << l;
  return r;
}
WANT(want_match_all) {
  const u64 r = want_match(a, group, lane, second);
  *second = r == group;
  return *second ? r : 0;
}
#define REDUX(name, start, expr)                                                                                       \
  WANT(name) {                                                                                                         \
    u64 r = start;                                                                                                     \
    (void)lane, (void)second;                                                                                          \
    EACH(l, group) r = expr;                                                                                           \
    return (u32)r;                                                                                                     \
  }
REDUX(want_add, 0, r + a[l])
REDUX(want_and, ~(u64)0, r &a[l])
REDUX(want_or, 0, r | a[l])
REDUX(want_xor, 0, r ^ a[l])
REDUX(want_umin, ~(u32)0, a[l] < r ? a[l] : r)
REDUX(want_smax, 0x80000000u, (s32)a[l] > (s32)r ? a[l] : r)

static void test_between_lanes(void) {
  for (int i = 0; i < 300; i++) {
    for (int mode = 0; mode < 4; mode++) test_shfl(mode, i & 1);
    test_group("vote.sync.ballot.b32", 1, 32, true, false, want_ballot);
    test_group("vote.sync.all.pred", 1, 32, true, true, want_all);
    test_group("vote.sync.any.pred", 1, 32, true, true, want_any);
    test_group("vote.sync.uni.pred", 1, 32, true, true, want_uni);
    test_group("match.any.sync.b32", 1, 32, false, false, want_match);
    test_group("match.any.sync.b64", 1, 64, false, false, want_match);
    test_group("match.all.sync.b32", 2, 32, false, false, want_match_all);
    test_group("match.all.sync.b64", 2, 64, false, false, want_match_all);
    test_group("redux.sync.add.u32", 1, 32, false, false, want_add);
    test_group("redux.sync.and.b32", 1, 32, false, false, want_and);
    test_group("redux.sync.or.b32", 1, 32, false, false, want_or);
    test_group("redux.sync.xor.b32", 1, 32, false, false, want_xor);
    test_group("redux.sync.min.u32", 1, 32, false, false, want_umin);
    test_group("redux.sync.max.s32", 1, 32, false, false, want_smax);
  }
}

/* isspacep: windows of spaces, and what is in none. */
static void test_isspacep(const char *text, dc_base base, const bool want[4]) {
  const u64 at[4] = {0x1000, 0x1fff, 0x5000, 0x9000};
  dc_uop o;
  ptx_form form;
  fresh_warp();
  if (!decode(text, &o, &form, 1, 1)) return;
  o.d = 1;
  o.a = SLOT(1);
  o.bits[1] = 64;
  o.base = (uint8_t)base;
  warp.low[DC_BASE_SHARED] = 0x1000, warp.high[DC_BASE_SHARED] = 0x2000;
  warp.low[DC_BASE_LOCAL] = 0x5000, warp.high[DC_BASE_LOCAL] = 0x5001;
  if (!ops->select(&o)) {
    check(false, text, "is not supported");
    return;
  }
  for (int l = 0; l < DC_LANES; l++) put(SLOT(1), 64, l, at[l % 4]);
  ops->run(&warp, &o, &o + 1, false);
  for (int l = 0; l < DC_LANES; l++) expect(preds[1] >> l & 1, want[l % 4], text, "", l);
}

/* Misaligned accesses give up the launch: here, by coming back to the test. */
static jmp_buf given_up;
static u64 blamed_address;
static int blamed_lane;
static _Noreturn void warp_fault(dc_warp *w, const dc_uop *o, dc_fault_kind kind, int lane, uint64_t address) {
  (void)w, (void)o;
  blamed_address = address;
  blamed_lane = lane;
  longjmp(given_up, kind == DC_FAULT_MISALIGNED ? 1 : 2);
}

static void test_misaligned(const char *text, bool load, int vec, u64 pace, u64 start, int wrong_lane) {
  dc_uop o;
  ptx_form form;
  fresh_warp();
  if (!decode(text, &o, &form, load ? vec : 0, 1 + !load * vec)) return;
  o.a = SLOT(1);
  o.d = o.b = o.c = SLOT(2);
  if (vec > 1) o.v = element_slots;
  o.addr_bits = 64;
  if (!ops->select(&o)) {
    check(false, text, "is not supported");
    return;
  }
  for (int l = 0; l < DC_LANES; l++) put(SLOT(1), 64, l, (u64)(uintptr_t)arena + start + pace * (u64)l);
  switch (setjmp(given_up)) {
    case 0:
      ops->run(&warp, &o, &o + 1, false);
      check(wrong_lane < 0, text, "bears a misaligned address");
      break;
    case 1:
      check(blamed_lane == wrong_lane, text, "blames another lane");
      check(blamed_address == (u64)(uintptr_t)arena + start + pace * (u64)wrong_lane, text, "blames another address");
      break;
    default: check(false, text, "fails in another way");
  }
}

static void test_faults(void) {
  test_misaligned("ld.global.u32", true, 1, 4, 2, 0);
  test_misaligned("ld.global.u32", true, 1, 0, 1, 0);
  test_misaligned("ld.global.u32", true, 1, 6, 4, 1);
  test_misaligned("ld.global.u32", true, 1, 12, 4, -1);
  test_misaligned("ld.global.u8", true, 1, 3, 1, -1);
  test_misaligned("ld.global.v4.f32", true, 4, 16, 4, 0);
  test_misaligned("ld.global.v4.f32", true, 4, 16, 16, -1);
  test_misaligned("ld.global.v2.u64", true, 2, 24, 0, 1);
  test_misaligned("ld.volatile.global.u64", true, 1, 4, 0, 1);
  test_misaligned("st.global.u16", false, 1, 2, 1, 0);
  test_misaligned("st.global.v2.f32", false, 2, 12, 0, 1);
  test_misaligned("red.global.add.u32", false, 1, 2, 0, 1);
}

/* Instructions that do nothing here, and some that must be refused. */
static void test_selection(void) {
  static const char *const fine[] = {"membar.gl",    "membar.cta",        "membar.sys",
                                     "fence.sc.cta", "fence.acq_rel.gpu", "prefetch.global.L2"};
  static const char *const refused[] = {"add.f16x3",         "atom.global.add.b32",
                                        "setp.lo.f32",
                                        "sin.approx.f64"};
  dc_uop o;
  ptx_form form;
  for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
    fresh_warp();
    if (!decode(fine[i], &o, &form, 0, i == 5)) continue;
    check(ops->select(&o), fine[i], "is not supported");
    if (o.fn) ops->run(&warp, &o, &o + 1, false);
  }
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    ptx_form_decode(refused[i], &form);
    memset(&o, 0, sizeof o);
    o.ins = &form.ins;
    form.ins.ndst = 1;
    form.ins.nsrc = 2;
    check(form.refused || !ops->select(&o), refused[i], "is not refused");
  }
}

static void test_all(void) {
  test_accesses();
  test_atomics();
  test_moves();
  test_between_lanes();
  test_isspacep("isspacep.shared", DC_BASE_SHARED, (const bool[]){true, true, false, false});
  test_isspacep("isspacep.local", DC_BASE_LOCAL, (const bool[]){false, false, true, false});
  test_isspacep("isspacep.global", DC_BASE_FLAT, (const bool[]){false, false, false, true});
  test_faults();
  test_selection();
}

int main(void) {
  on_fault = warp_fault;
  return on_every_isa(test_all);
}
