/*
** ops_harness.h - what the tests of tier 0's operations share: random and edge values, and a warp to run
** one instruction in.  Included by one file of a program.
*/
#ifndef OPS_HARNESS_H
#define OPS_HARNESS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/interp/interp.h"
#include "cpu/ops/table.h"
#include "cpu/ptx/opcode.h"
#include "cpu/runtime/isa.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

static int passed, failed;
static const dc_isa *ops;

static char last_failed[200];

static void check(bool ok, const char *what, const char *detail) {
  if (ok)
    passed++;
  else if (failed++ < 100 && strcmp(what, last_failed))
    fprintf(stderr, "FAILED %s: %s %s\n", ops ? ops->isa : "", what, detail);
  if (!ok) snprintf(last_failed, sizeof last_failed, "%s", what);
}

/* --- values ------------------------------------------------------------------------------------------ */

static u64 random_state = 0x9e3779b97f4a7c15u;
static u64 rnd(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state * 0x2545f4914f6cdd1du;
}

static inline float F(u64 x) {
  u32 u = (u32)x;
  float f;
  memcpy(&f, &u, 4);
  return f;
}
static inline double D(u64 x) {
  double d;
  memcpy(&d, &x, 8);
  return d;
}
static inline u64 FB(float f) {
  u32 u;
  memcpy(&u, &f, 4);
  return u;
}
static inline u64 DB(double d) {
  u64 u;
  memcpy(&u, &d, 8);
  return u;
}

static const u64 int_edges[] = {0,
                                1,
                                2,
                                7,
                                31,
                                32,
                                63,
                                64,
                                127,
                                128,
                                255,
                                256,
                                0x7fff,
                                0x8000,
                                0xffff,
                                0x10000,
                                0x7ffffffe,
                                0x7fffffff,
                                0x80000000u,
                                0x80000001u,
                                0xffffffffu,
                                0x100000000u,
                                0x7fffffffffffffffu,
                                0x8000000000000000u,
                                0x8000000000000001u,
                                ~(u64)0,
                                ~(u64)1};
static inline u64 make_int(int bits) {
  u64 x = rnd() % 3 ? rnd() >> (rnd() % 64) : int_edges[rnd() % (sizeof int_edges / sizeof *int_edges)];
  if (rnd() % 4 == 0) x = 0 - x;
  return bits == 64 ? x : x & (((u64)1 << bits) - 1);
}

/* --- a warp to run one instruction in ------------------------------------------------------------------ */

#define FILE_BYTES (64 * 512)
static _Alignas(64) uint8_t file[FILE_BYTES];
static u32 preds[16];
static _Alignas(64) dc_warp warp;
static dc_block_state block;
static dc_grid grid;

static void put(u32 slot, int bits, int lane, u64 x) {
  memcpy(file + slot + (size_t)lane * (size_t)(bits <= 16 ? 2 : bits / 8), &x, (size_t)(bits <= 16 ? 2 : bits / 8));
}
static u64 get(u32 slot, int bits, int lane) {
  u64 x = 0;
  memcpy(&x, file + slot + (size_t)lane * (size_t)(bits <= 16 ? 2 : bits / 8), (size_t)(bits <= 16 ? 2 : bits / 8));
  return x;
}

/* What an operation calls that finds a fault; a test that expects faults sets its own. */
static _Noreturn void no_fault(dc_warp *w, const dc_uop *o, dc_fault_kind kind, int lane, uint64_t address) {
  (void)w, (void)o, (void)kind, (void)lane, (void)address;
  abort();
}
static dc_fault_fn on_fault = no_fault;

static void fresh_warp(void) {
  memset(&warp, 0, sizeof warp);
  warp.fault = on_fault;
  memset(file, 0xa5, sizeof file);
  warp.regs = file;
  warp.preds = preds;
  warp.block = &block;
  block.grid = &grid;
  ops->set_mask(&warp, DC_ALL_LANES);
}

/* Operand i lives in slot (i + 1) * 512, or in predicate i + 1. */
#define SLOT(i) ((u32)((i) + 1) * 512)

static bool decode(const char *text, dc_uop *o, ptx_form *form, int ndst, int nsrc) {
  ptx_form_decode(text, form);
  memset(o, 0, sizeof *o);
  form->ins.ndst = (uint8_t)ndst;
  form->ins.nsrc = (uint8_t)nsrc;
  o->ins = &form->ins;
  o->d2 = DC_NO_OPERAND;
  if (form->refused) {
    check(false, text, "the parser refuses it");
    return false;
  }
  return true;
}

/* Runs f under each instruction set that this machine has; the result is main's. */
static int on_every_isa(void (*f)(void)) {
  const char *names[] = {"baseline", "avx2", "avx512"};
  for (int i = 0; i < 3; i++) {
    setenv("DOTCOMPUTE_CPU_ISA", names[i], 1);
    ops = dc_ops_best();
    if (strcmp(ops->isa, names[i]) == 0) f();
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}

#endif
