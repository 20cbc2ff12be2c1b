/*
** op_names.c - PTX instructions to functions of simd/: the name that opcode, type and modes spell, looked up among the
** rows of simd/functions.def.
*/
#include "cpu/interp/op_names.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

/* --- the functions -------------------------------------------------------------------------------------------- */

#define F1(R, A, name) {#name, #R "_" #A},
#define F2(R, A, B, name) {#name, #R "_" #A #B},
#define F3(R, A, B, C, name) {#name, #R "_" #A #B #C},
#define F4(R, A, B, C, E, name) {#name, #R "_" #A #B #C #E},
#define TEST2(A, name) {#name, "p_" #A #A},
#define PRED1(name, words) {#name, "p_p"},
#define PRED2(name, words) {#name, "p_pp"},
#define PACK(R, A, name) {#name, #R "_" #A #A},
#define UNPACK(R, A, name) {#name, #R #R "_" #A},
const dc_function dc_functions[] = {
#include "cpu/simd/functions.def"
  {NULL, NULL},
};
enum { NFUNCTIONS = sizeof dc_functions / sizeof *dc_functions - 1, NPLACES = 2048 };
_Static_assert(NFUNCTIONS * 2 < NPLACES, "the hash table of functions is too small");

static int16_t places[NPLACES]; /* open addressing: row + 1 of the first row of a name; 0: empty */

static int16_t *hash_place(const char *name) {
  uint32_t h = 2166136261u; /* FNV-1a */
  for (const char *c = name; *c; c++) h = (h ^ (uint8_t)*c) * 16777619u;
  while (places[h % NPLACES] && strcmp(dc_functions[places[h % NPLACES] - 1].name, name) != 0) h++;
  return &places[h % NPLACES];
}
static void fill_places(void) {
  for (int i = 0; i < NFUNCTIONS; i++) {
    int16_t *place = hash_place(dc_functions[i].name);
    if (*place == 0) *place = (int16_t)(i + 1);
  }
}
/* The first row with that name; -1: there is none. */
static int find_function(const char *name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill_places);
  return *hash_place(name) - 1;
}

/* --- names ---------------------------------------------------------------------------------------------------- */

typedef struct spelling {
  char name[40];
} spelling;

static int bits_of(int type) { return ptx_type_bits((ptx_type)type); }
static char letter(int type) { return ptx_is_signed(type) ? 's' : 'u'; }

static bool named(spelling *s, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  int n = vsnprintf(s->name, sizeof s->name, format, ap);
  va_end(ap);
  return n > 0 && n < (int)sizeof s->name;
}
static bool by_width(const ptx_ins *ins, spelling *s, const char *op) {
  return named(s, "%s_%d", op, bits_of(ins->type));
}

static const char *suffix(const ptx_ins *ins) {
  return ins->flags & PTX_F_SAT ? "_sat" : "";
}

/* Integers by the opcode's traits: add_32, min_s32, add_sat_s32; and_pred. */
static bool regular(const ptx_ins *ins, spelling *s) {
  const char *op = ptx_op_text(ins->op);
  if (ins->type == PTX_PRED) return named(s, "%s_pred", op);
  if (!ptx_is_integer(ins->type)) return false;
  if (ptx_traits(ins->op) & PTX_T_BY_WIDTH && !*suffix(ins)) return by_width(ins, s, op);
  return named(s, "%s%s_%c%d", op, suffix(ins), letter(ins->type), bits_of(ins->type));
}

/* --- integers ------------------------------------------------------------------------------------------------- */

static bool product(const ptx_ins *ins, spelling *s) {
  const char *op = ptx_op_text(ins->op), *half = ins->mode == PTX_WIDE ? "wide" : ins->mode == PTX_HI_HALF ? "hi" : "";
  if (!ptx_is_integer(ins->type)) return false;
  if (!*half) return !*suffix(ins) && by_width(ins, s, op);
  return named(s, "%s%s%s_%c%d", op, half, suffix(ins), letter(ins->type), bits_of(ins->type));
}

static bool dot(const ptx_ins *ins, spelling *s) {
  return named(s, "dp4a_%c%c", letter(ins->type), letter(ins->type2));
}

static bool funnel(const ptx_ins *ins, spelling *s) {
  static const char *const names[] = {[PTX_L_WRAP] = "l_wrap", [PTX_L_CLAMP] = "l_clamp", [PTX_R_WRAP] = "r_wrap",
                                      [PTX_R_CLAMP] = "r_clamp"};
  return ins->mode >= PTX_L_WRAP && ins->mode <= PTX_R_CLAMP && named(s, "shf_%s", names[ins->mode]);
}

/* --- comparing and choosing ----------------------------------------------------------------------------------- */

/* "lt_s32": the relation and the operands' type. */
static bool relation(const ptx_ins *ins, int type, char *text, size_t size) {
  int cmp = ins->cmp, bits = bits_of(type);
  bool spelled_unsigned = cmp >= PTX_LO && cmp <= PTX_HS, equality = cmp == PTX_EQ || cmp == PTX_NE;
  if (cmp == PTX_CMP_NONE || cmp > PTX_NAN) return false;
  if (type == PTX_F32 || type == PTX_F64 || type == PTX_F16) {
    bool ftz = (ins->flags & PTX_F_FTZ) != 0;
    if (spelled_unsigned || (ftz && type == PTX_F16)) return false;
    const char *form = type == PTX_F64 ? "f64" : type == PTX_F16 ? "f16" : ftz ? "ftz" : "f32";
    return snprintf(text, size, "%s_%s", ptx_relation_text(cmp), form) > 0;
  }
  if (!ptx_is_integer(type) || bits < 16 || cmp > PTX_HS) return false;
  char sign = ptx_is_signed(type) && !spelled_unsigned && !equality ? 's' : 'u';
  return snprintf(text, size, "%s_%c%d", ptx_relation_text(cmp), sign, bits) > 0;
}

static bool setp(const ptx_ins *ins, spelling *s) {
  char text[12];
  return relation(ins, ins->type, text, sizeof text) && named(s, "setp_%s", text);
}

static bool selp(const ptx_ins *ins, spelling *s) {
  const int bits = bits_of(ins->type);
  return bits >= 16 && named(s, "selp_%d", bits == 16 ? 32 : bits);
}

/* --- moves ---------------------------------------------------------------------------------------------------- */

static bool mov(const ptx_ins *ins, spelling *s) {
  if (ins->opnd && ins->opnd[ins->ndst].kind == PTX_SREG) return false;
  if (ins->type == PTX_PRED) return named(s, "mov_pred");
  return by_width(ins, s, ins->ndst > 1 ? "unpack" : ins->nsrc > 1 ? "pack" : "mov");
}

/* --- floats --------------------------------------------------------------------------------------------------- */

static const char *directed(int round) {
  return round == PTX_RM ? "_rm" : round == PTX_RP ? "_rp" : round == PTX_RZ ? "_rz" : "";
}

static bool floating(const ptx_ins *ins, spelling *s) {
  const bool ftz = (ins->flags & PTX_F_FTZ) != 0;
  const bool approximate = (ins->flags & (PTX_F_APPROX | PTX_F_FULL)) != 0, wide = ins->type == PTX_F64;
  const char *op = ins->op == PTX_OP_MAD ? "fma" : ptx_op_text(ins->op); /* mad.f32 is fma from sm_20 on */
  if (wide && approximate) {
    if (ins->op == PTX_OP_RSQRT && !ftz) return named(s, "rsqrt_f64");
    return ftz && (ins->op == PTX_OP_RSQRT || ins->op == PTX_OP_RCP) && named(s, "%s_gross", op);
  }
  if (ins->flags & PTX_F_SAT) return false;
  if (wide) return !ftz && named(s, "%s%s_f64", op, directed(ins->round));
  if (ins->op == PTX_OP_DIV && ins->flags & PTX_F_APPROX) op = "div_approx";
  return named(s, "%s%s_%s", op, directed(ins->round), ftz ? "ftz" : "f32");
}

/* f16, bf16 and pairs of them; signs of both are changed alike. */
static bool halves(const ptx_ins *ins, spelling *s) {
  const bool sign = ins->op == PTX_OP_NEG || ins->op == PTX_OP_ABS, ftz = (ins->flags & PTX_F_FTZ) != 0;
  const bool brain = ins->type == PTX_BF16 || ins->type == PTX_BF16X2;
  if (ftz && (!sign || brain)) return false;
  if (ins->flags & PTX_F_SAT) return false;
  return named(s, "%s%s_%s%s", ptx_op_text(ins->op), ftz ? "_ftz" : "", brain && !sign ? "bf16" : "f16",
               bits_of(ins->type) == 32 ? "x2" : "");
}

/* --- conversions ---------------------------------------------------------------------------------------------- */

/* Taking the narrower type out of the source: see ops/convert.c. */
static bool integer_to_integer(const ptx_ins *ins, spelling *s) {
  int to = bits_of(ins->type), from = bits_of(ins->type2);
  if (ins->flags & PTX_F_SAT) return false;
  if (to == 64 && from == 64) return named(s, "mov_64");
  const int container = ptx_container(to), type = to < from || (to == from && to < container) ? ins->type : ins->type2;
  int bits = to < from ? to : from;
  bool sign = ptx_is_signed(type) && (bits < 32 || container == 64);
  if (bits == 64) bits = 32, sign = false;
  return named(s, "cvt_i%d_%c%d_%c", container, sign ? 's' : 'u', bits, from == 64 ? 'd' : 'w');
}

static bool integer_to_float(const ptx_ins *ins, spelling *s) {
  const char *round = *directed(ins->round) ? directed(ins->round) : "_rn";
  if ((ins->type != PTX_F32 && ins->type != PTX_F64) || ins->flags & PTX_F_SAT) return false;
  return ins->round < PTX_RNI &&
         named(s, "cvt%s_f%d_%c%d", round, bits_of(ins->type), letter(ins->type2), bits_of(ins->type2));
}

/* To a whole number. */
static const char *whole(int round) {
  static const char *const names[] = {[PTX_RNI] = "rni", [PTX_RZI] = "rzi", [PTX_RMI] = "rmi", [PTX_RPI] = "rpi"};
  return round >= PTX_RNI && round <= PTX_RPI ? names[round] : NULL;
}

static bool float_to_integer(const ptx_ins *ins, spelling *s) {
  const char *round = ins->round == PTX_RND_NONE ? "rzi" : whole(ins->round);
  const bool away = ins->round == PTX_RMI || ins->round == PTX_RPI;
  if (!round || (ins->type2 != PTX_F16 && ins->type2 != PTX_F32 && ins->type2 != PTX_F64)) return false;
  if (ins->flags & PTX_F_FTZ && away) return false;
  return named(s, "cvt_%s_%c%d_f%d", round, letter(ins->type), bits_of(ins->type), bits_of(ins->type2));
}

static bool float_to_float(const ptx_ins *ins, spelling *s) {
  const bool ftz = (ins->flags & PTX_F_FTZ) != 0, sat = (ins->flags & PTX_F_SAT) != 0;
  const bool brain = ins->type == PTX_BF16 || ins->type2 == PTX_BF16;
  const bool half = ins->type == PTX_F16 || ins->type == PTX_BF16;
  const int bits = bits_of(ins->type);
  if (*directed(ins->round)) {
    if (!half || ins->type2 != PTX_F32 || ftz || sat) return false;
    return named(s, "cvt%s_%s_f32", directed(ins->round), ptx_type_text(ins->type));
  }
  if (ins->type == ins->type2 && !brain) {
    const char *round = whole(ins->round);
    if ((round || ins->type != PTX_F32) && (ftz || sat)) return false;
    if (round) return named(s, "cvt_%s_f%d_f%d", round, bits, bits);
    if (half) return false;
    if (ftz || sat) return named(s, "cvt%s%s_f32_f32", ftz ? "_ftz" : "", sat ? "_sat" : "");
    return named(s, "mov_%d", bits);
  }
  if (sat || (ftz && brain) || (ins->round != PTX_RN && ins->round != PTX_RND_NONE)) return false;
  return named(s, "cvt%s_%s_%s", ftz && (bits == 64 || ins->type2 == PTX_F64) ? "_ftz" : "", ptx_type_text(ins->type),
               ptx_type_text(ins->type2));
}

static bool is_real(int type) { return type >= PTX_F16 && type <= PTX_F64; }

/* cvt.rn.f16x2.f32 d, a, b */
static bool to_pair(const ptx_ins *ins, spelling *s) {
  if (ins->type2 != PTX_F32 || ins->flags & (PTX_F_SAT | PTX_F_FTZ)) return false;
  if (ins->round != PTX_RN && ins->round != PTX_RZ) return false;
  return named(s, "cvt%s_%s_f32", directed(ins->round), ptx_type_text(ins->type));
}

static bool to_tf32(const ptx_ins *ins, spelling *s) {
  const char *round = ins->round == PTX_RNA ? "rna" : ins->round == PTX_RN ? "rn" : "rz";
  if (ins->type2 != PTX_F32 || ins->flags & (PTX_F_SAT | PTX_F_FTZ)) return false;
  if (ins->round != PTX_RNA && ins->round != PTX_RN && ins->round != PTX_RZ) return false;
  return named(s, "cvt_%s_tf32_f32", round);
}

static bool cvt(const ptx_ins *ins, spelling *s) {
  if (ins->type == PTX_F16X2 || ins->type == PTX_BF16X2) return to_pair(ins, s);
  if (ins->type == PTX_TF32) return to_tf32(ins, s);
  const bool from_integer = ptx_is_integer(ins->type2), to_integer = ptx_is_integer(ins->type);
  if (from_integer && to_integer) return integer_to_integer(ins, s);
  if (from_integer) return integer_to_float(ins, s);
  if (to_integer) return float_to_integer(ins, s);
  return is_real(ins->type) && is_real(ins->type2) && float_to_float(ins, s);
}

/* --- all ------------------------------------------------------------------------------------------------------ */

static bool spell(const ptx_ins *ins, spelling *s) {
  const uint32_t known = PTX_F_FTZ | PTX_F_SAT | PTX_F_APPROX | PTX_F_FULL;
  const char *wrap = ins->mode == PTX_L_CLAMP ? "clamp" : "wrap";
  if (ins->flags & ~known) return false;
  switch (ins->op) {
    case PTX_OP_SHF: return funnel(ins, s);
    case PTX_OP_PRMT: return ins->mode == PTX_MODE_NONE && named(s, "prmt");
    case PTX_OP_FNS: return named(s, "fns");
    case PTX_OP_BMSK: return named(s, "bmsk_%s", wrap);
    case PTX_OP_SZEXT: return named(s, "szext_%s_%c32", wrap, letter(ins->type));
    case PTX_OP_SETP: return setp(ins, s);
    case PTX_OP_SELP: return selp(ins, s);
    case PTX_OP_MOV: return mov(ins, s);
    case PTX_OP_CVT: return cvt(ins, s);
    default: break;
  }
  if (ins->type == PTX_F32 || ins->type == PTX_F64) return floating(ins, s);
  if (ins->type >= PTX_F16 && ins->type <= PTX_BF16X2) return halves(ins, s);
  if (ptx_traits(ins->op) & (PTX_T_BY_WIDTH | PTX_T_BY_TYPE)) return regular(ins, s);
  switch (ins->op) {
    case PTX_OP_MUL: case PTX_OP_MAD: return product(ins, s);
    case PTX_OP_DP4A: return dot(ins, s);
    default: return false;
  }
}

static int bits_of_kind(char kind) { return kind == 'p' ? 1 : kind == 'h' ? 16 : kind == 'w' ? 32 : 64; }

/* The row of a name whose result has the bits of the type, or the first one: names with rows of several kinds give
** what the type says. */
static const dc_function *row_of_type(int row, int type) {
  const dc_function *first = &dc_functions[row];
  for (const dc_function *f = first; f->name && strcmp(f->name, first->name) == 0; f++)
    if (bits_of_kind(f->kinds[0]) == ptx_container(bits_of(type))) return f;
  return first;
}

bool dc_native_op(const ptx_ins *ins, dc_native_form *form) {
  spelling s;
  memset(form, 0, sizeof *form);
  form->row = spell(ins, &s) ? find_function(s.name) : -1;
  if (form->row < 0) return false;
  const dc_function *f = row_of_type(form->row, ins->type);
  const char *kinds = f->kinds;
  form->name = f->name;
  for (; *kinds != '_'; kinds++) {
    form->dst_bits[form->ndst] = (uint8_t)bits_of_kind(*kinds);
    form->dst[form->ndst++] = *kinds == 'h' ? 'w' : *kinds;
  }
  while (*++kinds) form->src[form->nsrc++] = *kinds == 'h' ? 'w' : *kinds;
  return form->ndst == ins->ndst && form->nsrc == ins->nsrc;
}

void dc_atom_name(const ptx_ins *ins, char name[16]) {
  const char *op = ptx_atom_text(ins->mode);
  switch (ins->mode) {
    case PTX_ATOM_ADD: case PTX_ATOM_MIN: case PTX_ATOM_MAX: case PTX_ATOM_INC: case PTX_ATOM_DEC:
      snprintf(name, 16, "%s_%s", op, ptx_type_text(ins->type));
      return;
    default: snprintf(name, 16, "%s_%d", op ? op : "", bits_of(ins->type));
  }
}
