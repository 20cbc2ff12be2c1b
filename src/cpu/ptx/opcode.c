/*
** opcode.c - the vocabulary of PTX: types, spaces, special registers, and the words of opcodes.
**
** A word that is unknown for its opcode marks the form as refused rather than being ignored, so that no instruction
** runs with half its meaning.  Source: PTX ISA 9.0, chapters 9 and 10.
*/
#include "cpu/ptx/opcode.h"

#include <stdio.h>
#include <string.h>

#include "cpu/ptx/forms.h"
#include "cpu/ptx/matrix.h"

/* A word and its value. Tables end with a NULL word. */
typedef struct word_num {
  const char *word;
  int num;
} word_num;

static bool is(const char *s, size_t len, const char *word) { return strlen(word) == len && memcmp(s, word, len) == 0; }

static int find_word(const word_num *table, const char *s, size_t len) {
  for (; table->word; table++)
    if (is(s, len, table->word)) return table->num;
  return -1;
}

static const word_num types[] = {
  {"pred", PTX_PRED}, {"b8", PTX_B8}, {"b16", PTX_B16}, {"b32", PTX_B32}, {"b64", PTX_B64}, {"b128", PTX_B128},
  {"u8", PTX_U8}, {"u16", PTX_U16}, {"u32", PTX_U32}, {"u64", PTX_U64},
  {"s8", PTX_S8}, {"s16", PTX_S16}, {"s32", PTX_S32}, {"s64", PTX_S64},
  {"f16", PTX_F16}, {"f16x2", PTX_F16X2}, {"bf16", PTX_BF16}, {"bf16x2", PTX_BF16X2},
  {"f32", PTX_F32}, {"f64", PTX_F64}, {"tf32", PTX_TF32}, {"f32x2", PTX_F32X2},
  {"u16x2", PTX_U16X2}, {"s16x2", PTX_S16X2}, {"e4m3x2", PTX_E4M3X2}, {"e5m2x2", PTX_E5M2X2}, {NULL, 0}
};

static const word_num spaces[] = {
  {"global", PTX_GLOBAL}, {"shared", PTX_SHARED}, {"shared::cta", PTX_SHARED},
  {"shared::cluster", PTX_SHARED}, {"local", PTX_LOCAL},
  {"const", PTX_CONST}, {"param", PTX_PARAM}, {"param::entry", PTX_PARAM}, {"param::func", PTX_PARAM},
  {"reg", PTX_REGSPACE}, {NULL, 0}
};

static const word_num sregs[] = {
  {"%tid.x", PTX_SR_TID_X}, {"%tid.y", PTX_SR_TID_Y}, {"%tid.z", PTX_SR_TID_Z},
  {"%ntid.x", PTX_SR_NTID_X}, {"%ntid.y", PTX_SR_NTID_Y}, {"%ntid.z", PTX_SR_NTID_Z},
  {"%ctaid.x", PTX_SR_CTAID_X}, {"%ctaid.y", PTX_SR_CTAID_Y}, {"%ctaid.z", PTX_SR_CTAID_Z},
  {"%nctaid.x", PTX_SR_NCTAID_X}, {"%nctaid.y", PTX_SR_NCTAID_Y}, {"%nctaid.z", PTX_SR_NCTAID_Z},
  {"%laneid", PTX_SR_LANEID}, {"%warpid", PTX_SR_WARPID}, {"%nwarpid", PTX_SR_NWARPID},
  {"WARP_SZ", PTX_SR_WARP_SZ}, {"%smid", PTX_SR_SMID}, {"%nsmid", PTX_SR_NSMID}, {"%gridid", PTX_SR_GRIDID},
  {"%lanemask_eq", PTX_SR_LANEMASK_EQ}, {"%lanemask_le", PTX_SR_LANEMASK_LE}, {"%lanemask_lt", PTX_SR_LANEMASK_LT},
  {"%lanemask_ge", PTX_SR_LANEMASK_GE}, {"%lanemask_gt", PTX_SR_LANEMASK_GT},
  {"%clock", PTX_SR_CLOCK}, {"%clock_hi", PTX_SR_CLOCK_HI}, {"%clock64", PTX_SR_CLOCK64},
  {"%globaltimer", PTX_SR_GLOBALTIMER}, {"%globaltimer_lo", PTX_SR_GLOBALTIMER_LO},
  {"%globaltimer_hi", PTX_SR_GLOBALTIMER_HI}, {"%dynamic_smem_size", PTX_SR_DYNAMIC_SMEM_SIZE},
  {"%total_smem_size", PTX_SR_TOTAL_SMEM_SIZE}, {"%envreg1", PTX_SR_ENVREG1}, {"%envreg2", PTX_SR_ENVREG2},
  {"%clusterid.x", PTX_SR_CTAID_X}, {"%clusterid.y", PTX_SR_CTAID_Y}, {"%clusterid.z", PTX_SR_CTAID_Z},
  {"%nclusterid.x", PTX_SR_NCTAID_X}, {"%nclusterid.y", PTX_SR_NCTAID_Y}, {"%nclusterid.z", PTX_SR_NCTAID_Z},
  {"%cluster_ctaid.x", PTX_SR_ZERO}, {"%cluster_ctaid.y", PTX_SR_ZERO}, {"%cluster_ctaid.z", PTX_SR_ZERO},
  {"%cluster_nctaid.x", PTX_SR_ONE}, {"%cluster_nctaid.y", PTX_SR_ONE}, {"%cluster_nctaid.z", PTX_SR_ONE},
  {"%cluster_ctarank", PTX_SR_ZERO}, {"%cluster_nctarank", PTX_SR_ONE}, {"%is_explicit_cluster", PTX_SR_ZERO},
  {"%aggr_smem_size", PTX_SR_TOTAL_SMEM_SIZE},
  {"%current_graph_exec", PTX_SR_ZERO}, {NULL, 0}
};

static const word_num rounds[] = {
  {"rn", PTX_RN}, {"rz", PTX_RZ}, {"rm", PTX_RM}, {"rp", PTX_RP}, {"rni", PTX_RNI}, {"rzi", PTX_RZI},
  {"rmi", PTX_RMI}, {"rpi", PTX_RPI}, {"rna", PTX_RNA}, {NULL, 0}
};

static const word_num flag_words[] = {
  {"ftz", PTX_F_FTZ}, {"sat", PTX_F_SAT}, {"approx", PTX_F_APPROX}, {"full", PTX_F_FULL}, {"uni", PTX_F_UNI},
  {"cc", PTX_F_CC}, {"NaN", PTX_F_NAN}, {"relu", PTX_F_RELU}, {"satfinite", PTX_F_SATFINITE}, {NULL, 0}
};

/* Memory operations: semantics and the scope, then hints (larger scopes are, in one process with coherent memory). */
static const word_num memory_flags[] = {
  {"volatile", PTX_F_VOLATILE}, {"relaxed", PTX_F_RELAXED}, {"mmio", PTX_F_RELAXED}, {"acquire", PTX_F_ACQUIRE},
  {"release", PTX_F_RELEASE}, {"acq_rel", PTX_F_ACQUIRE | PTX_F_RELEASE}, {"sc", PTX_F_ACQUIRE | PTX_F_RELEASE},
  {"nc", PTX_F_NC}, {"cs", PTX_F_STREAMING}, {"cta", PTX_F_CTA}, {NULL, 0}
};
static const word_num memory_hints[] = {
  {"weak", 1}, {"cluster", 1}, {"gpu", 1}, {"gl", 1}, {"sys", 1}, {"ca", 1}, {"cg", 1},
  {"lu", 1}, {"cv", 1}, {"wb", 1}, {"wt", 1}, {"noftz", 1}, {"L1", 1}, {"L2", 1}, {"unified", 1}, {NULL, 0}
};

static const word_num cmps[] = {
  {"eq", PTX_EQ}, {"ne", PTX_NE}, {"lt", PTX_LT}, {"le", PTX_LE}, {"gt", PTX_GT}, {"ge", PTX_GE},
  {"lo", PTX_LO}, {"ls", PTX_LS}, {"hi", PTX_HI}, {"hs", PTX_HS},
  {"equ", PTX_EQU}, {"neu", PTX_NEU}, {"ltu", PTX_LTU}, {"leu", PTX_LEU}, {"gtu", PTX_GTU}, {"geu", PTX_GEU},
  {"num", PTX_NUM}, {"nan", PTX_NAN}, {NULL, 0}
};
static const word_num boolops[] = {{"and", 1}, {"or", 2}, {"xor", 3}, {NULL, 0}};

static const word_num halves[] = {{"lo", PTX_LO_HALF}, {"hi", PTX_HI_HALF}, {"wide", PTX_WIDE}, {NULL, 0}};
static const word_num prmts[] = {
  {"f4e", PTX_PRMT_F4E}, {"b4e", PTX_PRMT_B4E}, {"rc8", PTX_PRMT_RC8}, {"ecl", PTX_PRMT_ECL}, {"ecr", PTX_PRMT_ECR},
  {"rc16", PTX_PRMT_RC16}, {NULL, 0}
};
static const word_num shfls[] = {
  {"up", PTX_SHFL_UP}, {"down", PTX_SHFL_DOWN}, {"bfly", PTX_SHFL_BFLY}, {"idx", PTX_SHFL_IDX}, {NULL, 0}
};
static const word_num votes[] = {
  {"all", PTX_VOTE_ALL}, {"any", PTX_VOTE_ANY}, {"uni", PTX_VOTE_UNI}, {"ballot", PTX_VOTE_BALLOT}, {NULL, 0}
};
static const word_num matches[] = {{"any", PTX_MATCH_ANY}, {"all", PTX_MATCH_ALL}, {NULL, 0}};
static const word_num bars[] = {
  {"sync", PTX_BAR_SYNC}, {"arrive", PTX_BAR_ARRIVE}, {"popc", PTX_BAR_RED_POPC}, {"and", PTX_BAR_RED_AND},
  {"or", PTX_BAR_RED_OR}, {"warp", PTX_BAR_WARP}, {NULL, 0}
};
static const word_num atoms[] = {
  {"add", PTX_ATOM_ADD}, {"exch", PTX_ATOM_EXCH}, {"cas", PTX_ATOM_CAS}, {"min", PTX_ATOM_MIN}, {"max", PTX_ATOM_MAX},
  {"inc", PTX_ATOM_INC}, {"dec", PTX_ATOM_DEC}, {"and", PTX_ATOM_AND}, {"or", PTX_ATOM_OR}, {"xor", PTX_ATOM_XOR},
  {NULL, 0}
};
static const word_num testps[] = {
  {"finite", PTX_TESTP_FINITE}, {"infinite", PTX_TESTP_INFINITE}, {"number", PTX_TESTP_NUMBER},
  {"notanumber", PTX_TESTP_NOTANUMBER}, {"normal", PTX_TESTP_NORMAL}, {"subnormal", PTX_TESTP_SUBNORMAL}, {NULL, 0}
};
static const word_num mbarriers[] = {
  {"init", PTX_MB_INIT}, {"inval", PTX_MB_INVAL}, {"expect_tx", PTX_MB_EXPECT}, {"complete_tx", PTX_MB_COMPLETE},
  {"arrive", PTX_MB_ARRIVE}, {"arrive_drop", PTX_MB_DROP}, {"test_wait", PTX_MB_TEST}, {"try_wait", PTX_MB_TRY},
  {"pending_count", PTX_MB_PENDING}, {NULL, 0}
};
static const word_num copies[] = {
  {"commit_group", PTX_CP_COMMIT}, {"wait_group", PTX_CP_WAIT}, {"wait_all", PTX_CP_WAIT}, {"arrive", PTX_CP_ARRIVE},
  {NULL, 0}
};
static const word_num gathers[] = {
  {"r", PTX_GATHER_R}, {"g", PTX_GATHER_G}, {"b", PTX_GATHER_B}, {"a", PTX_GATHER_A}, {NULL, 0}
};
static const word_num queries[] = {
  {"width", PTX_Q_WIDTH}, {"height", PTX_Q_HEIGHT}, {"depth", PTX_Q_DEPTH}, {"channel_data_type", PTX_Q_DATA_TYPE},
  {"channel_order", PTX_Q_ORDER}, {"normalized_coords", PTX_Q_NORMALIZED}, {"array_size", PTX_Q_LAYERS},
  {"num_mipmap_levels", PTX_Q_LEVELS}, {"num_samples", PTX_Q_SAMPLES},
  {"force_unnormalized_coords", PTX_Q_UNNORMALIZED}, {"filter_mode", PTX_Q_FILTER},
  {"addr_mode_0", PTX_Q_ADDRESS_0}, {"addr_mode_1", PTX_Q_ADDRESS_1}, {"addr_mode_2", PTX_Q_ADDRESS_2}, {NULL, 0}
};
static const word_num geometries[] = {
  {"1d", PTX_GEOM_1D}, {"2d", PTX_GEOM_2D}, {"3d", PTX_GEOM_3D}, {"a1d", PTX_GEOM_A1D}, {"a2d", PTX_GEOM_A2D},
  {"cube", PTX_GEOM_CUBE}, {"acube", PTX_GEOM_ACUBE}, {NULL, 0}
};
static const word_num outsides[] = {
  {"trap", PTX_OUTSIDE_TRAP}, {"clamp", PTX_OUTSIDE_CLAMP}, {"zero", PTX_OUTSIDE_ZERO}, {NULL, 0}
};
static const word_num clamps[] = {{"clamp", PTX_L_CLAMP}, {"wrap", PTX_L_WRAP}, {NULL, 0}};

/* Words that one opcode alone knows: flags that they set, and the mode where none is set yet. */
static const struct own_word {
  const char *word;
  uint8_t op, mode;
  uint32_t flags;
} own_words[] = {
  {"to", PTX_OP_CVTA, 0, PTX_F_TO}, {"shiftamt", PTX_OP_BFIND, 0, PTX_F_SHIFTAMT}, {"idx", PTX_OP_BRX, 0, 0},
  {"pack", PTX_OP_CVT, PTX_CVT_PACK, 0}, {"clamp", PTX_OP_VSHL, 0, PTX_F_CLAMP}, {"wrap", PTX_OP_VSHL, 0, 0},
  {"clamp", PTX_OP_VSHR, 0, PTX_F_CLAMP}, {"wrap", PTX_OP_VSHR, 0, 0}, {"po", PTX_OP_VMAD, 0, PTX_F_PLUS_ONE},
  {"shr7", PTX_OP_VMAD, 0, PTX_F_SHR7}, {"shr15", PTX_OP_VMAD, 0, PTX_F_SHR15},
  {"parity", PTX_OP_MBARRIER, 0, PTX_F_PARITY}, {"noComplete", PTX_OP_MBARRIER, 0, 0},
  {"async", PTX_OP_CP, PTX_CP_COPY, 0} /* not the bulk and tensor copies: cp.async.bulk */,
  {"noinc", PTX_OP_CP, 0, PTX_F_NOINC}, {"mbarrier", PTX_OP_CP, 0, 0},
  {"base", PTX_OP_TEX, 0, 0}, {"level", PTX_OP_TEX, PTX_TEX_LEVEL, 0}, {"grad", PTX_OP_TEX, PTX_TEX_GRAD, 0},
  {"level", PTX_OP_TXQ, 0, 0}, {"b", PTX_OP_SULD, 0, 0}, {"b", PTX_OP_SUST, 0, 0}, {"p", PTX_OP_SUST, 0, PTX_F_TEXELS},
  {"b", PTX_OP_SURED, 0, 0}, {"p", PTX_OP_SURED, 0, PTX_F_TEXELS}
};

/* An opcode's operands, the table of its `mode` words, if any, and its traits. */
typedef struct op_info {
  const char *text;
  uint8_t shape, ndst_min, ndst_max, nsrc_min, nsrc_max;
  const word_num *modes;
  uint32_t traits;
} op_info;

#define FIXED(d, s) PTX_SHAPE_FIXED, d, d, s, s
#define RANGE(d0, d1, s0, s1) PTX_SHAPE_FIXED, d0, d1, s0, s1
#define SHAPE(shape) PTX_SHAPE_##shape, 0, 0, 0, 0

static const op_info infos[] = {
#define X(id, ...) [PTX_OP_##id] = {__VA_ARGS__},
#include "cpu/ptx/ptx_ops.def"
#undef X
};

uint32_t ptx_traits(unsigned op) { return infos[op].traits; }
const char *ptx_op_text(unsigned op) { return infos[op].text; }

static ptx_opcode find_op(const char *s, size_t len) {
  for (int i = 1; i < PTX_NOPCODES; i++)
    if (is(s, len, infos[i].text)) return (ptx_opcode)i;
  return PTX_OP_UNKNOWN;
}

static const char *find_text(const word_num *table, int num) {
  for (const word_num *w = table; w->word; w++)
    if (w->num == num) return w->word;
  return "";
}

const char *ptx_type_text(int type) { return find_text(types, type); }

const char *ptx_relation_text(int cmp) {
  return find_text(cmps, cmp >= PTX_LO && cmp <= PTX_HS ? cmp - PTX_LO + PTX_LT : cmp);
}

const char *ptx_atom_text(int mode) { return find_text(atoms, mode); }

ptx_type ptx_type_find(const char *word, size_t len) {
  int t = find_word(types, word, len);
  return t < 0 ? PTX_NOTYPE : (ptx_type)t;
}

int ptx_space_find(const char *word, size_t len) { return find_word(spaces, word, len); }

ptx_sreg ptx_sreg_find(const char *name, size_t len) {
  int r = find_word(sregs, name, len);
  if (r >= 0) return (ptx_sreg)r;
  bool unused = (len > 3 && memcmp(name, "%pm", 3) == 0) || (len > 7 && memcmp(name, "%envreg", 7) == 0);
  return unused ? PTX_SR_ZERO : PTX_SR_NONE; /* performance counters, registers that only a driver would set: 0 */
}

static bool has(const ptx_ins *ins, uint32_t traits) { return (infos[ins->op].traits & traits) != 0; }

/* bar and barrier. bar.warp.sync keeps the mode of its `warp`. */
static bool read_bar(ptx_ins *ins, const char *s, size_t len) {
  if (is(s, len, "cta") || is(s, len, "red") || is(s, len, "aligned")) return true;
  if (is(s, len, "cluster")) return (ins->flags |= PTX_F_CLUSTER) != 0;
  if (ins->flags & PTX_F_CLUSTER) {
    if (is(s, len, "wait")) return (ins->mode = PTX_BAR_SYNC) != 0;
    if (is(s, len, "acquire") || is(s, len, "release") || is(s, len, "relaxed")) return true;
  }
  int mode = find_word(bars, s, len);
  if (mode < 0) return false;
  if (ins->mode != PTX_BAR_WARP) ins->mode = (uint8_t)mode;
  return true;
}

/* shf.{l,r}.{wrap,clamp}: the order of the modes in enum ptx_mode is l.wrap, l.clamp, r.wrap, r.clamp. */
static bool read_shf(ptx_ins *ins, const char *s, size_t len) {
  if (is(s, len, "l")) ins->mode = PTX_L_WRAP;
  else if (is(s, len, "r")) ins->mode = PTX_R_WRAP;
  else if (is(s, len, "clamp") && (ins->mode == PTX_L_WRAP || ins->mode == PTX_R_WRAP)) ins->mode++;
  else if (!is(s, len, "wrap")) return false;
  return true;
}

static bool read_compare(ptx_ins *ins, const char *s, size_t len) {
  int v = find_word(cmps, s, len);
  if (v >= 0) return ins->cmp == PTX_CMP_NONE && (ins->cmp = (uint8_t)v) != 0;
  v = find_word(boolops, s, len);
  return v >= 0 && ins->boolop == 0 && (ins->boolop = (uint8_t)v) != 0;
}

static bool read_own_word(ptx_ins *ins, const char *s, size_t len) {
  for (const struct own_word *w = own_words; w < own_words + sizeof own_words / sizeof *own_words; w++) {
    if (w->op != ins->op || !is(s, len, w->word) || (w->mode && ins->mode)) continue;
    if (w->mode) ins->mode = w->mode;
    ins->flags |= w->flags;
    return true;
  }
  return false;
}

/* Words whose meaning depends on the opcode. False: it has none for this word. */
static bool read_opcode_word(const op_info *info, ptx_ins *ins, const char *s, size_t len, bool *sync) {
  int v;
  if (has(ins, PTX_T_BARRIER)) return read_bar(ins, s, len);
  if (ins->op == PTX_OP_SHF) return read_shf(ins, s, len);
  if (ins->op == PTX_OP_SETP || ins->op == PTX_OP_SET) return read_compare(ins, s, len);
  if (ins->op == PTX_OP_LOP3 && (v = find_word(boolops, s, len)) > 0 && v < 3) return (ins->boolop = (uint8_t)v) != 0;
  if ((ins->op == PTX_OP_VSET || ins->op == PTX_OP_VSET2 || ins->op == PTX_OP_VSET4) &&
      (v = find_word(cmps, s, len)) >= 0)
    return (ins->cmp = (uint8_t)v) != 0;
  if (has(ins, PTX_T_WARP_WIDE) && is(s, len, "sync")) return *sync = true;
  if (ins->op == PTX_OP_MBARRIER && ins->mode && is(s, len, "expect_tx")) return (ins->flags |= PTX_F_EXPECT) != 0;
  if (read_own_word(ins, s, len)) return true;
  if (has(ins, PTX_T_TEXTURE) && (v = find_word(geometries, s, len)) >= 0) return (ins->geometry = (uint8_t)v) != 0;
  if ((ins->op == PTX_OP_SULD || ins->op == PTX_OP_SUST || ins->op == PTX_OP_SURED) &&
      (v = find_word(outsides, s, len)) >= 0) {
    ins->outside = (uint8_t)v;
    return true;
  }
  if (has(ins, PTX_T_HINT) && ptx_type_find(s, len) == PTX_NOTYPE) return true;
  if (info->modes && (v = find_word(info->modes, s, len)) >= 0) {
    if (ins->mode && ins->mode != PTX_CP_COPY) return false;
    ins->mode = (uint8_t)v;
    return true;
  }
  if (has(ins, PTX_T_MEMORY)) {
    if ((v = find_word(memory_flags, s, len)) >= 0) return (ins->flags |= (uint32_t)v) != 0;
    if (find_word(memory_hints, s, len) >= 0) return true;
    if (len > 4 && (memcmp(s, "L1::", 4) == 0 || memcmp(s, "L2::", 4) == 0)) return true;
    if (len > 7 && memcmp(s, "level::", 7) == 0) return true;
  }
  return false;
}

static bool read_type(ptx_ins *ins, ptx_type t) {
  if (ins->type == PTX_NOTYPE) ins->type = (uint8_t)t;
  else if (ins->type2 == PTX_NOTYPE) ins->type2 = (uint8_t)t;
  else if ((has(ins, PTX_T_VIDEO) || ins->mode == PTX_CVT_PACK) && ins->type3 == PTX_NOTYPE)
    ins->type3 = (uint8_t)t;
  else return false;
  return true;
}

/* Words that mean the same everywhere: types, spaces, vectors, rounding, flags. */
static bool read_common_word(ptx_ins *ins, const char *s, size_t len) {
  int v;
  ptx_type t = ptx_type_find(s, len);
  if (t != PTX_NOTYPE) return read_type(ins, t);
  if ((v = find_word(spaces, s, len)) >= 0) {
    if (ins->space == PTX_GENERIC) ins->space = (uint8_t)v;
    else ins->space2 = (uint8_t)v;
    return true;
  }
  if (len == 2 && s[0] == 'v' && (s[1] == '2' || s[1] == '4' || s[1] == '8')) {
    ins->vec = (uint8_t)(s[1] - '0');
    return true;
  }
  if ((v = find_word(rounds, s, len)) >= 0) return ins->round == PTX_RND_NONE && (ins->round = (uint8_t)v) != 0;
  if ((v = find_word(flag_words, s, len)) >= 0) {
    const bool again = (ins->flags & (uint32_t)v & (PTX_F_FTZ | PTX_F_FULL)) != 0; /* ptxas takes others twice */
    ins->flags |= (uint32_t)v;
    return !again;
  }
  if (is(s, len, "xorsign")) return !(ins->flags & PTX_F_XORSIGN) && (ins->flags |= PTX_F_XORSIGN);
  if (!is(s, len, "abs")) return false;
  if (ins->op == PTX_OP_MIN || ins->op == PTX_OP_MAX) return (ins->flags & PTX_F_XORSIGN) || (ins->flags |= PTX_F_ABS);
  return ins->op == PTX_OP_REDUX && (ins->flags |= PTX_F_ABS);
}

static void set_counts(ptx_form *f, int ndst, int least, int most) {
  f->ndst_min = f->ndst_max = (uint8_t)ndst;
  f->nsrc_min = (uint8_t)least;
  f->nsrc_max = (uint8_t)most;
}

/* Operands of mbarrier and cp.async. */
static void refine_async(ptx_form *f) {
  switch (f->ins.mode) {
    case PTX_MB_INIT: case PTX_MB_EXPECT: case PTX_MB_COMPLETE: set_counts(f, 0, 2, 2); break;
    case PTX_MB_INVAL: case PTX_CP_ARRIVE: set_counts(f, 0, 1, 1); break;
    case PTX_MB_ARRIVE: case PTX_MB_DROP: set_counts(f, 1, 1, 2); break;
    case PTX_MB_TEST: set_counts(f, 1, 2, 2); break;
    case PTX_MB_TRY: set_counts(f, 1, 2, 3); break;
    case PTX_MB_PENDING: set_counts(f, 1, 1, 1); break;
    case PTX_CP_COPY: set_counts(f, 0, 3, 5); break;
    case PTX_CP_COMMIT: break;
    case PTX_CP_WAIT: set_counts(f, 0, 0, 1); break;
    default: f->refused = true;
  }
}

int ptx_coordinates(const ptx_ins *ins) {
  static const uint8_t counts[] = {0, 1, 2, 4, 2, 4, 4, 4};
  return counts[ins->geometry];
}

int ptx_gradients(const ptx_ins *ins) {
  static const uint8_t counts[] = {0, 1, 2, 4, 1, 2, 4, 4};
  return counts[ins->geometry];
}

/* Operands of instructions with coordinates.  Results of tex and tld4 may be followed by a predicate, sources by
** offsets; a depth to compare with is refused. */
static void refine_texture(ptx_form *f) {
  const ptx_ins *ins = &f->ins;
  const int n = 1 + ptx_coordinates(ins), along = ptx_gradients(ins);
  if (n == 1) f->refused = true;
  switch (ins->op) {
    case PTX_OP_SULD: set_counts(f, ins->vec, n, n); return;
    case PTX_OP_SUST: set_counts(f, 0, n + ins->vec, n + ins->vec); return;
    case PTX_OP_SURED: set_counts(f, 0, n + 1, n + 1); return;
    default: {
      const int least = n + (ins->mode == PTX_TEX_LEVEL ? 1 : ins->mode == PTX_TEX_GRAD ? 2 * along : 0);
      set_counts(f, ins->vec, least, least + along);
      f->ndst_max = (uint8_t)(ins->vec + 1);
    }
  }
}

/* Operand counts that depend on more than the base opcode. */
static void refine(ptx_form *f, bool sync) {
  ptx_ins *ins = &f->ins;
  if (has(ins, PTX_T_TEXTURE) && ins->op != PTX_OP_TXQ && ins->op != PTX_OP_SUQ) refine_texture(f);
  if (ins->op == PTX_OP_MBARRIER || ins->op == PTX_OP_CP) refine_async(f);
  if (has(ins, PTX_T_BARRIER)) {
    bool red = ins->mode >= PTX_BAR_RED_POPC && ins->mode <= PTX_BAR_RED_OR;
    f->ndst_min = f->ndst_max = red;
    f->nsrc_min = red || ins->mode == PTX_BAR_ARRIVE ? 2 : 1;
    f->nsrc_max = red ? 3 : ins->mode == PTX_BAR_WARP ? 1 : 2;
    if (ins->flags & PTX_F_CLUSTER) set_counts(f, 0, 0, 0);
    if (ins->mode == PTX_MODE_NONE) f->refused = true;
  }
  if (has(ins, PTX_T_CARRY_IN)) ins->flags |= PTX_F_CARRY_IN;
  if ((ins->op == PTX_OP_SETP || ins->op == PTX_OP_SET) && ins->boolop) f->nsrc_min = 3;
  else if (ins->op == PTX_OP_SETP || ins->op == PTX_OP_SET) f->nsrc_max = 2;
  bool pair = ins->type == PTX_F16X2 || ins->type == PTX_BF16X2;
  bool eight = ins->type == PTX_E4M3X2 || ins->type == PTX_E5M2X2;
  if (ins->mode == PTX_CVT_PACK) set_counts(f, 1, ins->type3 ? 3 : 2, ins->type3 ? 3 : 2);
  if (ins->op == PTX_OP_CVT && (pair || eight) && ins->type2 == PTX_F32) set_counts(f, 1, 2, 2);
  if (ins->op == PTX_OP_LOP3) set_counts(f, ins->boolop ? 2 : 1, ins->boolop ? 5 : 4, ins->boolop ? 5 : 4);
  if ((ins->op == PTX_OP_MIN || ins->op == PTX_OP_MAX) && ins->type != PTX_F32) f->nsrc_max = 2;
  if (has(ins, PTX_T_VIDEO) && ins->mode != PTX_MODE_NONE) f->nsrc_min = 3;
  if (has(ins, PTX_T_WARP_WIDE) && !sync) { /* the old form, without a member mask (expand.c) */
    f->refused = ins->op != PTX_OP_SHFL && ins->op != PTX_OP_VOTE;
    f->nsrc_min = f->nsrc_max = ins->op == PTX_OP_VOTE ? 1 : 3;
  }
}

/* Instructions of tensor cores have a description of their own. */
static void decode_matrix(ptx_form *form) {
  ptx_matrix m;
  ptx_ins *ins = &form->ins;
  if (!ptx_matrix_read(ins->text, &m)) {
    form->refused = true;
    return;
  }
  const int memory = ptx_matrix_in_memory(&m);
  ins->space = m.space;
  ins->type = PTX_B128; /* of an access in memory */
  switch (m.action) {
    case PTX_M_MULTIPLY: {
      const int n = m.nregs[PTX_A] + m.nregs[PTX_B] + m.nregs[PTX_C] + (m.sparse ? 2 : 0);
      set_counts(form, m.nregs[PTX_D], n, n);
      break;
    }
    case PTX_M_LOAD: set_counts(form, m.nregs[m.fragment], 1, 2); break;
    case PTX_M_STORE: set_counts(form, 0, 1 + m.nregs[PTX_D], 2 + m.nregs[PTX_D]); break;
    case PTX_M_STORE_ROWS: set_counts(form, 0, 1 + m.count, 1 + m.count); break;
    default: set_counts(form, m.count, 1, 1);
  }
  if (memory) ins->mode = m.action == PTX_M_STORE || m.action == PTX_M_STORE_ROWS ? PTX_MATRIX_STORE : PTX_MATRIX_LOAD;
}

/* The word behind *dot, and its length; *dot: the next one's, NULL behind the last. */
static const char *next_word(const char **dot, size_t *len) {
  const char *s = *dot + 1;
  *dot = strchr(s, '.');
  *len = *dot ? (size_t)(*dot - s) : strlen(s);
  return s;
}

static bool read_word(ptx_ins *ins, const char *s, size_t len, bool *sync) {
  return read_opcode_word(&infos[ins->op], ins, s, len, sync) || read_common_word(ins, s, len);
}

static void refuse_word(ptx_form *form, const char *s, size_t len) {
  const int shown = (int)(len < 20 ? len : 20);
  if (!form->why[0]) snprintf(form->why, sizeof form->why, "'.%.*s' does not belong there", shown, s);
  form->refused = true;
}

void ptx_form_check(ptx_form *form) {
  uint32_t odd = 0;
  const char *text = form->ins.text, *op = infos[form->ins.op].text;
  if (form->refused) return;
  switch (ptx_form_misfit(&form->ins, &odd)) {
    case PTX_FITS: return;
    case PTX_BAD_TYPES: snprintf(form->why, sizeof form->why, "'%s' does not have that type", op); break;
    case PTX_LACKS_MODIFIER: snprintf(form->why, sizeof form->why, "a modifier is missing"); break;
    default:
      for (const char *dot = strchr(text, '.'); dot;) {
        size_t len;
        bool sync;
        const char *s = next_word(&dot, &len);
        ptx_ins alone = {.op = form->ins.op, .vec = 1};
        if (read_word(&alone, s, len, &sync) && ptx_modifiers(&alone) & odd) refuse_word(form, s, len);
      }
  }
  form->refused = true;
}

void ptx_form_decode(const char *text, ptx_form *form) {
  memset(form, 0, sizeof *form);
  ptx_ins *ins = &form->ins;
  const char *dot = strchr(text, '.');
  size_t len = dot ? (size_t)(dot - text) : strlen(text);
  ins->op = (uint16_t)find_op(text, len);
  ins->vec = 1;
  ins->pred = -1;
  ins->text = text;
  const op_info *info = &infos[ins->op];
  form->shape = info->shape;
  set_counts(form, info->ndst_min, info->nsrc_min, info->nsrc_max);
  form->ndst_max = info->ndst_max;
  const bool by_name = info->shape == PTX_SHAPE_FREE; /* never decoded: refused by name if its kernel is launched */
  bool sync = false;
  if (info->traits & PTX_T_MATRIX) {
    decode_matrix(form);
    return;
  }
  while (dot) {
    const char *s = next_word(&dot, &len);
    if (by_name ? !read_common_word(ins, s, len) : !read_word(ins, s, len, &sync)) refuse_word(form, s, len);
  }
  if (by_name) form->refused = ins->op == PTX_OP_UNKNOWN;
  else refine(form, sync);
}

bool ptx_is_barrier(const ptx_ins *ins) { return has(ins, PTX_T_BARRIER) && ins->mode != PTX_BAR_WARP; }

bool ptx_is_whole_barrier(const ptx_ins *ins) {
  const bool red = ins->mode >= PTX_BAR_RED_POPC && ins->mode <= PTX_BAR_RED_OR;
  if (!has(ins, PTX_T_BARRIER) || ins->pred >= 0) return false;
  if (red ? ins->nsrc != 2 || ins->ndst != 1 : ins->mode != PTX_BAR_SYNC || ins->nsrc != 1) return false;
  return ins->opnd[ins->ndst].kind == PTX_IMM && ins->opnd[ins->ndst].imm == 0;
}

bool ptx_is_address(const ptx_ins *ins, int i) {
  if (has(ins, PTX_T_ADDRESS) || ins->mode == PTX_MATRIX_LOAD || ins->mode == PTX_MATRIX_STORE) return i == ins->ndst;
  switch (ins->op) {
    case PTX_OP_FENCE: return i == 0 && ins->nsrc > 0;
    case PTX_OP_MBARRIER: return i == ins->ndst && ins->mode != PTX_MB_PENDING;
    case PTX_OP_CP: return i == 0 ? ins->mode == PTX_CP_COPY || ins->mode == PTX_CP_ARRIVE
                                  : i == 1 && ins->mode == PTX_CP_COPY;
    default: return false;
  }
}

bool ptx_wants_predicate(const ptx_ins *ins, int i) {
  int src = i - ins->ndst; /* index among the sources, negative for destinations */
  if (has(ins, PTX_T_PAIR)) return i == 1 && ins->ndst == 2;
  switch (ins->op) {
    case PTX_OP_SETP: return src != 0 && src != 1;
    case PTX_OP_SET: return src == 2;
    case PTX_OP_SELP: return src == 2;
    case PTX_OP_LOP3: return i == 1 ? ins->ndst == 2 : src == 4;
    case PTX_OP_MBARRIER: return src < 0 && (ins->mode == PTX_MB_TEST || ins->mode == PTX_MB_TRY);
    case PTX_OP_VOTE: return src == 0 || (src < 0 && ins->mode != PTX_VOTE_BALLOT);
    case PTX_OP_TESTP: case PTX_OP_ISSPACEP: return src < 0;
    case PTX_OP_TEX: case PTX_OP_TLD4: return i == ins->vec && i < ins->ndst;
    case PTX_OP_BAR: case PTX_OP_BARRIER:
      if (ins->mode < PTX_BAR_RED_POPC || ins->mode > PTX_BAR_RED_OR) return false;
      return src == ins->nsrc - 1 || (src < 0 && ins->mode != PTX_BAR_RED_POPC);
    case PTX_OP_MOV: case PTX_OP_AND: case PTX_OP_OR: case PTX_OP_XOR: case PTX_OP_NOT: return ins->type == PTX_PRED;
    default: return false;
  }
}
