/*
** test_native.c - the operations of natively compiled code (simd/, by interp/op_names.c) against tier 0's.
**
** Every instruction that has a function there, out of all spellings below, becomes functions of one C file: on W
** lanes, on scalars, with constant operands.  The file is compiled by cc for each instruction set of this machine,
** loaded, and run on random and edge values beside tier 0's operation.  Has to be run in the repository's root.
**
** usage: test_native [all | baseline | avx2 | avx512]   (all: with gangs of 16 lanes for each)
*/
/* The cases of ops_cases.h are not used here, its values are. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu/interp/op_names.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"
#include "cpu/runtime/isa.h"
#include "ops_cases.h"

/* --- all instructions ----------------------------------------------------------------------------------------- */

typedef struct row {
  char text[48];
  ptx_form form;
  ptx_operand operands[6];
  dc_native_form native;
  int dst_bits[2], src_bits[4];
  int fn;              /* the row whose functions it shares */
  u64 constants[3][4]; /* of the sources, by which mode of constants */
} row;
static row rows[3000];
static int nrows;

/* Bits of a source's register. */
static int source_bits(const row *r, int i) {
  const ptx_ins *ins = &r->form.ins;
  const int kind = r->native.src[i], type = ins->op == PTX_OP_CVT ? ins->type2 : ins->type;
  const bool amount = i == 1 && (ins->op == PTX_OP_SHL || ins->op == PTX_OP_SHR);
  const bool third = i == 2 && (ins->op == PTX_OP_SLCT || ins->mode == PTX_WIDE);
  if (kind != 'w') return kind == 'p' ? 1 : 64;
  const int bits = ptx_type_bits((ptx_type)type) / (ins->op == PTX_OP_MOV ? ins->nsrc : 1);
  return bits <= 16 && !amount && !third ? 16 : 32;
}

static void add_row(const char *text, int ndst, int nsrc) {
  row *r = &rows[nrows];
  memset(r, 0, sizeof *r);
  snprintf(r->text, sizeof r->text, "%s", text);
  ptx_form_decode(r->text, &r->form);
  if (r->form.refused || r->form.ins.op == PTX_OP_UNKNOWN) return;
  r->form.ins.ndst = (uint16_t)ndst;
  r->form.ins.nsrc = (uint16_t)nsrc;
  r->form.ins.opnd = r->operands;
  if (!dc_native_op(&r->form.ins, &r->native)) return;
  for (int i = 0; i < ndst; i++) r->dst_bits[i] = r->native.dst_bits[i];
  for (int i = 0; i < nsrc; i++) r->src_bits[i] = source_bits(r, i);
  r->fn = nrows;
  for (int i = nrows - 1; i >= 0; i--)
    if (memcmp(&rows[i].native, &r->native, sizeof r->native) == 0 &&
        memcmp(rows[i].src_bits, r->src_bits, sizeof r->src_bits) == 0)
      r->fn = rows[i].fn;
  nrows++;
}

static bool has_row(const char *text) {
  for (int i = 0; i < nrows; i++)
    if (strcmp(rows[i].text, text) == 0) return true;
  return false;
}

/* Every spelling of a pattern: words in parentheses are alternatives, "()" nothing. */
static void spell(const char *pattern, char *text, size_t n, int ndst, int nsrc) {
  while (*pattern && *pattern != '(') text[n++] = *pattern++;
  if (*pattern == 0) {
    text[n] = 0;
    if (!has_row(text)) add_row(text, ndst, nsrc);
    return;
  }
  const char *end = strchr(pattern, ')'), *word = pattern + 1;
  for (;;) {
    size_t len = strcspn(word, "|)");
    memcpy(text + n, word, len);
    spell(end + 1, text, n + len, ndst, nsrc);
    if (word[len] == ')') break;
    word += len + 1;
  }
}
static void each(const char *pattern, int ndst, int nsrc) {
  char text[128];
  spell(pattern, text, 0, ndst, nsrc);
}

#define INTEGERS "(s16|u16|s32|u32|s64|u64)"
#define BITS "(b16|b32|b64)"
static void make_rows(void) {
  each("(add|sub|mul.lo|mul.hi|mul.wide|div|rem|min|max)." INTEGERS, 1, 2);
  each("(mad.lo|mad.hi|mad.wide|sad)." INTEGERS, 1, 3);
  each("(neg|abs).(s16|s32|s64)", 1, 1);
  each("(and|or|xor).(b16|b32|b64|pred)", 1, 2);
  each("not.(b16|b32|b64|pred)", 1, 1);
  each("shl." BITS, 1, 2);
  each("shr.(s16|u16|b16|s32|u32|b32|s64|u64|b64)", 1, 2);
  each("shf.(l|r).(wrap|clamp).b32", 1, 3);
  each("bfe.(u32|s32|u64|s64)", 1, 3);
  each("bfi.(b32|b64)", 1, 4);
  each("(popc|clz|brev).(b32|b64)", 1, 1);
  each("bfind(|.shiftamt).(u32|s32|u64|s64)", 1, 1);
  each("prmt.b32", 1, 3);
  each("lop3.b32", 1, 4);
  each("(dp4a|dp2a.lo|dp2a.hi).(s32|u32).(s32|u32)", 1, 3);
  each("setp.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs)." INTEGERS, 1, 2);
  each("setp.(eq|ne).(b16|b32|b64)", 1, 2);
  each("setp.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan)(|.ftz).(f32|f64)", 1, 2);
  each("setp.(eq|lt|ge|neu|ltu|num).(and|or|xor)(|.ftz).(s32|u64|u16|f32|f64)", 1, 3);
  each("selp.(b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64)", 1, 3);
  each("slct(|.ftz).(b16|u32|f32|b64|f64).(s32|f32)", 1, 3);
  each("mov.(b16|u16|b32|u32|f32|b64|u64|f64|pred)", 1, 1);
  each("(add|sub|mul)(|.rn|.rm|.rp|.rz)(|.ftz)(|.sat).(f32|f64)", 1, 2);
  each("(fma.rn|fma.rm|fma.rp|fma.rz|mad.rn)(|.ftz)(|.sat).(f32|f64)", 1, 3);
  each("(div.rn|div.approx|div.full)(|.ftz).(f32|f64)", 1, 2);
  each("(sqrt.rn|rcp.rn|sqrt.approx|rcp.approx|rsqrt.approx)(|.ftz).(f32|f64)", 1, 1);
  each("(ex2|lg2|sin|cos|tanh).approx(|.ftz).f32", 1, 1);
  each("(min|max)(|.ftz).(f32|f64)", 1, 2);
  each("(neg|abs)(|.ftz).(f32|f64)", 1, 1);
  each("copysign.(f32|f64)", 1, 2);
  each("testp.(finite|infinite|number|notanumber|normal|subnormal).(f32|f64)", 1, 1);
  each("cvt(|.rn|.rm|.rp|.rz|.rni|.rmi|.rpi|.rzi)(|.ftz)(|.sat)"
       ".(u8|s8|u16|s16|u32|s32|u64|s64|f16|bf16|f32|f64).(u8|s8|u16|s16|u32|s32|u64|s64|f16|bf16|f32|f64)", 1, 1);
  each("cvt.(rn|rz).(f16x2|bf16x2).f32", 1, 2);
  each("setp.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan).f16", 1, 2);
  each("setp.(eq|gtu).(and|or|xor).f16", 1, 3);
  each("(add|sub).sat.s32", 1, 2);
  each("(min|max).relu.s32", 1, 2);
  each("(add|min|max).(u16x2|s16x2)", 1, 2);
  each("(min|max).relu.s16x2", 1, 2);
  each("(mad.hi.sat.s32|mad24.hi.sat.s32)", 1, 3);
  each("mul24.(lo|hi).(s32|u32)", 1, 2);
  each("mad24.(lo|hi).(s32|u32)", 1, 3);
  each("cnot.(b16|b32|b64)", 1, 1);
  each("prmt.b32.(f4e|b4e|rc8|ecl|ecr|rc16)", 1, 3);
  each("bmsk.(clamp|wrap).b32", 1, 2);
  each("szext.(clamp|wrap).(s32|u32)", 1, 2);
  each("fns.b32", 1, 3);
  each("(add|sub|mul)(.rn|.rm|.rp|.rz)(|.ftz).f32x2", 1, 2);
  each("fma(.rn|.rm|.rp|.rz)(|.ftz).f32x2", 1, 3);
  each("(neg|abs).ftz.(f16|f16x2)", 1, 1);
  each("(neg|abs).(bf16|bf16x2)", 1, 1);
  each("(add|sub|mul|min|max)(|.rn).(f16|f16x2)", 1, 2);
  each("fma.rn.(f16|f16x2)", 1, 3);
  each("(neg|abs).(f16|f16x2)", 1, 1);
}
/* mov that packs or unpacks has the spelling of a plain one. */
static void make_packing_rows(void) {
  add_row("mov.b32", 1, 2);
  add_row("mov.b64", 1, 2);
  add_row("mov.b32", 2, 1);
  add_row("mov.b64", 2, 1);
}

/* --- values --------------------------------------------------------------------------------------------------- */

static u64 source_value(const row *r, int i) {
  const ptx_ins *ins = &r->form.ins;
  const int type = ins->op == PTX_OP_CVT || (ins->op == PTX_OP_SLCT && i == 2) ? ins->type2 : ins->type;
  const int bits = r->src_bits[i];
  const bool position = i > 0 && (ins->op == PTX_OP_SHL || ins->op == PTX_OP_SHR || ins->op == PTX_OP_BFE);
  if (bits == 1) return rnd() & 1;
  if (position || (ins->op == PTX_OP_BFI && i > 1) || (ins->op == PTX_OP_SHF && i == 2))
    return make_value((operand_kind){'s', 32});
  switch (type) {
    case PTX_F32: return make_f32();
    case PTX_F32X2: return make_f32() << 32 | make_f32();
    case PTX_F64: return make_f64();
    case PTX_F16: return make_half();
    case PTX_F16X2: return make_half() << 16 | make_half();
    case PTX_BF16: return make_f32() >> 16;
    default: return make_int(bits);
  }
}

/* Equal as the destination's type has it: any NaN is as good as another. */
static bool alike(const row *r, u64 x, u64 y) {
  operand_kind k = {'i', 0};
  const operand_kind f32 = {'f', 32};
  switch (r->form.ins.type) {
    case PTX_F32X2: return same(f32, (u32)x, (u32)y) && same(f32, x >> 32, y >> 32);
    case PTX_F32: k = f32; break;
    case PTX_F64: k = (operand_kind){'f', 64}; break;
    case PTX_F16: k = (operand_kind){'h', 16}; break;
    case PTX_BF16: k = (operand_kind){'b', 16}; break;
    case PTX_BF16X2: k = (operand_kind){'q', 32}; break;
    case PTX_F16X2: k = (operand_kind){'p', 32}; break;
    default: break;
  }
  return r->native.dst[0] == 'p' ? x == y : same(k, x, y);
}

/* --- the C file ----------------------------------------------------------------------------------------------- */

/*
** Constant operands, which compilers fold into something else: the last source alone (only where folding goes by it),
** or all sources, where the compiler works out the result itself, as the machine's instruction has to give it.
*/
enum { NO_CONSTANT = -1, LAST_CONSTANT, ALL_CONSTANT, ALL_CONSTANT_TOO, NMODES };

static bool is_constant(const row *r, int i, int mode) {
  if (mode == NO_CONSTANT || r->native.src[i] == 'p') return false;
  return mode != LAST_CONSTANT || i == r->native.nsrc - 1;
}

static bool has_mode(const row *r, int mode) {
  if (mode != LAST_CONSTANT) return true;
  switch (r->form.ins.op) {
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_SHF:
    case PTX_OP_BFE:
    case PTX_OP_BFI:
    case PTX_OP_PRMT:
    case PTX_OP_LOP3:
    case PTX_OP_MUL: return is_constant(r, r->native.nsrc - 1, mode) && rows[r->fn].form.ins.type < PTX_F16;
    default: return false;
  }
}

static const char *scalar_type(int bits) { return bits == 64 ? "u64" : bits == 16 ? "uint16_t" : "u32"; }
static const char *vector_prefix(int bits) { return bits == 64 ? "V64" : bits == 16 ? "V16" : "V32"; }

static void write_source(FILE *f, const row *r, int i, bool vector, int mode) {
  const int bits = r->src_bits[i];
  if (is_constant(r, i, mode))
    fprintf(f, bits == 64 ? "V64_splat(%lluu)" : "V32_splat(%lluu)", (unsigned long long)r->constants[mode][i]);
  else if (bits == 1)
    fprintf(f, vector ? "P_from(*(const u32 *)s[%d])" : "*(const u32 *)s[%d] >> l & 1", i);
  else if (vector)
    fprintf(f, "%s_load((const %s *)s[%d])", vector_prefix(bits), scalar_type(bits), i);
  else
    fprintf(f, "((const %s *)s[%d])[l]", scalar_type(bits), i);
}

/* Of a row's functions: on lanes with each mode of constants, and on scalars. */
static const char *const names[] = {"v", "k", "c", "e", "s"};

static void write_vector(FILE *f, const row *r, int n, int mode) {
  const dc_native_form *form = &r->native;
  fprintf(f, "void %s_%d(const void *const *s, void *const *d) {\n  ", names[1 + mode], n);
  const char *type = form->dst[0] == 'p' ? "P" : form->dst[0] == 'd' ? "V64" : "V32";
  if (form->ndst == 2)
    fprintf(f, "%s r, q;\n  v_%s(&r, &q", type, form->name);
  else
    fprintf(f, "const %s r = v_%s(", type, form->name);
  for (int i = 0; i < form->nsrc; i++) {
    fputs(i || form->ndst == 2 ? ", " : "", f);
    write_source(f, r, i, true, mode);
  }
  fputs(");\n", f);
  for (int i = 0; i < form->ndst; i++) {
    const char *value = i ? "q" : "r";
    if (form->dst[i] == 'p')
      fprintf(f, "  *(u32 *)d[%d] = P_word(%s);\n", i, value);
    else
      fprintf(f, "  %s_store((%s *)d[%d], %s);\n", vector_prefix(r->dst_bits[i]), scalar_type(r->dst_bits[i]), i,
              value);
  }
  fputs("}\n", f);
}

static void write_scalar(FILE *f, const row *r, int n) {
  const dc_native_form *form = &r->native;
  const char *type = form->dst[0] == 'p' ? "u32" : form->dst[0] == 'd' ? "u64" : "u32";
  fprintf(f, "void s_%d(const void *const *s, void *const *d) {\n", n);
  if (form->dst[0] == 'p') fputs("  *(u32 *)d[0] = 0;\n", f);
  fprintf(f, "  for (int l = 0; l < DC_W; l++) {\n    ");
  if (form->ndst == 2)
    fprintf(f, "%s r, q;\n    s_%s(&r, &q", type, form->name);
  else
    fprintf(f, "const %s r = s_%s(", type, form->name);
  for (int i = 0; i < form->nsrc; i++) {
    fputs(i || form->ndst == 2 ? ", " : "", f);
    write_source(f, r, i, false, NO_CONSTANT);
  }
  fputs(");\n", f);
  for (int i = 0; i < form->ndst; i++) {
    const char *value = i ? "q" : "r";
    if (form->dst[i] == 'p')
      fprintf(f, "    *(u32 *)d[%d] |= %s << l;\n", i, value);
    else /* a narrow value has to be extended already */
      fprintf(f, "    ((%s *)d[%d])[l] = %s%s;\n", scalar_type(r->dst_bits[i]), i,
              r->dst_bits[i] == 16 ? "(u16)(r >> 16 ? ~0u : 0) | " : "", value);
  }
  fputs("  }\n}\n", f);
}

static bool write_file(const char *path) {
  FILE *f = fopen(path, "w");
  if (f == NULL) return false;
  fputs("#include \"lanes.h\"\ntypedef uint16_t u16;\n", f);
  for (int i = 0; i < nrows; i++) {
    if (rows[i].fn != i) continue;
    for (int mode = NO_CONSTANT; mode < NMODES; mode++)
      if (mode == NO_CONSTANT || has_mode(&rows[i], mode)) write_vector(f, &rows[i], i, mode);
    write_scalar(f, &rows[i], i);
  }
  return fclose(f) == 0;
}

/* --- running -------------------------------------------------------------------------------------------------- */

typedef void (*native_fn)(const void *const *s, void *const *d);

static bool place_row(row *r, dc_uop *o) {
  u32 *places[4] = {&o->a, &o->b, &o->c, &o->e};
  static u32 elements[2];
  memset(o, 0, sizeof *o);
  o->ins = &r->form.ins;
  o->d2 = DC_NO_OPERAND;
  o->bits[0] = (uint8_t)r->dst_bits[0];
  o->d = r->dst_bits[0] == 1 ? 8 : SLOT(8);
  for (int i = 0; i < r->native.nsrc; i++) {
    *places[i] = r->src_bits[i] == 1 ? (u32)i : SLOT(i);
    if (i < 3) o->bits[i + 1] = (uint8_t)r->src_bits[i];
  }
  const bool unpack = r->native.ndst == 2, pack = r->form.ins.op == PTX_OP_MOV && r->native.nsrc == 2;
  for (int i = 0; i < 2; i++) elements[i] = SLOT(unpack ? 8 + i : i);
  if (unpack || pack) o->v = elements;
  return ops->select(o);
}

static void fill_sources(const row *r, int mode) {
  for (int i = 0; i < r->native.nsrc; i++)
    for (int l = 0; l < DC_LANES; l++) {
      u64 x = source_value(r, i);
      if (i == 1 && r->src_bits[1] == r->src_bits[0] && r->src_bits[1] > 1 && rnd() % 6 == 0)
        x = get(SLOT(0), r->src_bits[0], l);
      if (is_constant(r, i, mode)) x = r->constants[mode][i];
      if (r->src_bits[i] == 1)
        preds[i] = (preds[i] & ~(1u << l)) | (u32)x << l;
      else
        put(SLOT(i), r->src_bits[i], l, x);
    }
}

static bool compare_row(const row *r, native_fn fn, const char *what, int lanes) {
  static _Alignas(64) uint8_t out[2][512];
  for (int first = 0; first < DC_LANES; first += lanes) {
    const void *s[4];
    void *d[2] = {out[0], out[1]};
    u32 words[4];
    for (int i = 0; i < r->native.nsrc; i++) {
      words[i] = preds[i] >> first;
      s[i] = r->src_bits[i] == 1 ? (const void *)&words[i]
                                 : file + SLOT(i) + (size_t)first * (size_t)(r->src_bits[i] / 8);
    }
    memset(out, 0x5a, sizeof out);
    fn(s, d);
    for (int i = 0; i < r->native.ndst; i++)
      for (int l = 0; l < lanes; l++) {
        const int bits = r->dst_bits[i];
        u64 got = 0;
        if (bits == 1) got = *(const u32 *)(const void *)out[i] >> l & 1;
        else memcpy(&got, out[i] + l * bits / 8, (size_t)bits / 8);
        const u64 want = bits == 1 ? preds[8] >> (first + l) & 1 : get(SLOT(8 + i), bits, first + l);
        if (alike(r, got, want)) continue;
        char detail[300];
        int n = snprintf(detail, sizeof detail, "%s_%s (%d lanes) of", what, r->native.name, lanes);
        for (int k = 0; k < r->native.nsrc; k++)
          n += snprintf(detail + n, sizeof detail - (size_t)n, " %llx",
                        (unsigned long long)(r->src_bits[k] == 1 ? preds[k] >> (first + l) & 1
                                                                 : get(SLOT(k), r->src_bits[k], first + l)));
        snprintf(detail + n, sizeof detail - (size_t)n, " gives %llx, tier 0 %llx", (unsigned long long)got,
                 (unsigned long long)want);
        check(false, r->text, detail);
        return false;
      }
  }
  return true;
}

static bool run_row(row *r, dc_uop *o, native_fn fn, const char *what, int lanes, int mode) {
  for (int round = 0; round < 40; round++) {
    fill_sources(r, mode);
    ops->set_mask(&warp, DC_ALL_LANES);
    ops->run(&warp, o, o + 1, false);
    if (!compare_row(r, fn, what, lanes)) return false;
  }
  passed++;
  return true;
}

static void run_library(const char *path, int lanes) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    check(false, path, dlerror());
    return;
  }
  fresh_warp();
  for (int i = 0; i < nrows; i++) {
    row *r = &rows[i];
    char name[16];
    dc_uop o;
    if (!place_row(r, &o)) {
      check(false, r->text, "is not known to tier 0");
      continue;
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
      const int mode = k <= NMODES ? (int)k - 1 : NO_CONSTANT;
      if (mode != NO_CONSTANT && !has_mode(r, mode)) continue;
      snprintf(name, sizeof name, "%s_%d", names[k], r->fn);
      native_fn fn = (native_fn)dlsym(library, name);
      if (fn == NULL) check(false, r->text, "has no function");
      else run_row(r, &o, fn, names[k], lanes, mode);
    }
  }
  dlclose(library);
}

/* --- compiling ------------------------------------------------------------------------------------------------ */

#define AVX2 "-mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt"
#define AVX512 AVX2 " -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd"
typedef struct target {
  const char *isa, *flags;
  int lanes;
} target;
static const target targets[] = {{"avx512", AVX512, 32}, {"avx512", AVX512, 16}, {"avx2", AVX2, 32},
                                 {"baseline", "", 32},   {"baseline", "-DDC_PLAIN", 32},
                                 {"avx2", AVX2, 16},     {"baseline", "", 16}};
enum { NTARGETS = sizeof targets / sizeof *targets, USUAL = 4 }; /* the last ones only when asked for */

static bool available(const target *t) {
  setenv("DOTCOMPUTE_CPU_ISA", t->isa, 1);
  ops = dc_ops_best();
  return strcmp(ops->isa, t->isa) == 0;
}

static int compile(const char *dir, const target *t, int index) {
  const char *cc = getenv("CC");
  char command[1000];
  snprintf(command, sizeof command,
           "%s -O2 -ffp-contract=off -fno-math-errno -fno-trapping-math -fwrapv -fno-strict-aliasing -w -fPIC -shared "
           "%s -DDC_W=%d -iquote src/cpu/simd -o %s/t%d.so %s/ops.c -lm",
           cc ? cc : "cc", t->flags, t->lanes, dir, index, dir);
  return system(command);
}

int main(int argc, char **argv) {
  char dir[] = "/tmp/dc-native-XXXXXX", path[64];
  const char *only = argc > 1 ? argv[1] : NULL; /* an instruction set, or "all" */
  const int ntargets = only ? NTARGETS : USUAL;
  make_rows();
  make_packing_rows();
  for (int i = 0; i < nrows; i++)
    for (int k = 0; k < NMODES * 4; k++)
      rows[i].constants[k / 4][k % 4] = k % 4 < rows[i].native.nsrc ? source_value(&rows[i], k % 4) : 0;
  for (int i = 0; i < nrows; i++) memcpy(rows[i].constants, rows[rows[i].fn].constants, sizeof rows[i].constants);
  if (mkdtemp(dir) == NULL) return 1;
  snprintf(path, sizeof path, "%s/ops.c", dir);
  if (!write_file(path)) return 1;
  pid_t children[NTARGETS];
  for (int i = 0; i < NTARGETS; i++) {
    const bool wanted = i < ntargets && (!only || strcmp(only, "all") == 0 || strcmp(only, targets[i].isa) == 0);
    children[i] = -1;
    if (!wanted || !available(&targets[i])) continue;
    fflush(NULL);
    children[i] = fork();
    if (children[i] == 0) _exit(compile(dir, &targets[i], i) == 0 ? 0 : 1);
  }
  for (int i = 0; i < NTARGETS; i++) {
    int status = 0;
    if (children[i] < 0) continue;
    available(&targets[i]);
    waitpid(children[i], &status, 0);
    snprintf(path, sizeof path, "%s/t%d.so", dir, i);
    if (status != 0) check(false, targets[i].isa, "does not compile");
    else run_library(path, targets[i].lanes);
    if (!getenv("KEEP")) unlink(path);
  }
  snprintf(path, sizeof path, "%s/ops.c", dir);
  if (!getenv("KEEP")) unlink(path), rmdir(dir);
  printf("%d instructions: %d passed, %d failed\n", nrows, passed, failed);
  return failed != 0;
}
