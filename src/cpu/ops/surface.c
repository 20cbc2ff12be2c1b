/*
** surface.c - suld, sust, sured: surfaces by integer coordinates; PTX ISA 9.7.11.
**
** x counts bytes, with .p texels; y, z and the layer count rows and slices.  Outside of the surface .trap ends the
** launch, .clamp takes the nearest place, .zero reads zeros and writes nothing; layers count as coordinates, too.  An
** access must be aligned to its own size (PTX: undefined).  sust.p converts 32-bit values to texels: floats to float16,
** integers to narrower ones, which clamps them.
*/
#include "cpu/ops/objects.h"
#include "cpu/ops/texels.h"
#include "cpu/ptx/opcode.h"

/* Where the lanes of a group access their surface; the other lanes' places are inside of it, too. */
typedef struct places {
  uint8_t *texels;
  offsets at;
  bool far;
  u32 inside; /* lanes that are to access it; the others of the group read zeros and write nothing */
} places;

/* The most coordinate, and bytes from one to the next, along x (in bytes), y and z or the layers. */
typedef struct extent {
  s64 most;
  u64 stride;
} extent;

INLINE void put_axis(dc_warp *w, const dc_uop *o, u32 slot, extent e, u32 group, places *p) {
  const s32 *x = REG(s32, slot), most = (s32)(e.most < INT32_MAX ? e.most : INT32_MAX);
  u32 wrong = 0;
  for (u32 g = 0; g < DC_LANES; g += DC_NW) {
    dc_u at;
    memcpy(&at, x + g, sizeof at);
    wrong |= n_word((dc_m)(at > (u32)most)) << g;
  }
  if (most < 0) wrong = DC_ALL_LANES;
  wrong &= group;
  if (DC_RARE(wrong) && (o->ins->outside == PTX_OUTSIDE_TRAP || most < 0)) {
    const u32 l = (u32)__builtin_ctz(wrong);
    w->fault(w, o, DC_FAULT_OUTSIDE, (int)l, REG(u64, o->v[o->ins->ndst])[l]);
  }
  if (o->ins->outside == PTX_OUTSIDE_ZERO) p->inside &= ~wrong;
  if (p->far)
    LANES(l) {
      const s32 low = x[l] > 0 ? x[l] : 0;
      p->at.far[l] += (u64)(low < most ? low : most) * e.stride;
    }
  else
    LANES(l) {
      const s32 low = x[l] > 0 ? x[l] : 0;
      p->at.near[l] += (u32)(low < most ? low : most) * (u32)e.stride;
    }
}

/* `bytes`: of an access; `unit`: what x counts. */
INLINE void place(dc_warp *w, const dc_uop *o, const dc_cpu_texture *t, u32 group, u32 bytes, u32 unit, places *p) {
  const dc_cpu_level *level = t->level;
  const ptx_ins *ins = o->ins;
  const uint32_t *v = o->v + ins->ndst + 1;
  const u64 row = (u64)level->width * dc_texel_size(t->shape.texel);
  p->texels = level->texels;
  p->far = is_far(t, level);
  p->inside = group;
  if (p->far) LANES(l) p->at.far[l] = 0;
  else LANES(l) p->at.near[l] = 0;
  if (ins->geometry == PTX_GEOM_A1D || ins->geometry == PTX_GEOM_A2D)
    put_axis(w, o, *v++, (extent){(s64)t->shape.layers - 1, level->slice}, group, p);
  const s64 most = (s64)row - (s64)bytes;
  put_axis(w, o, v[0], (extent){unit == 1 ? most : most / unit, unit}, group, p);
  if (ins->geometry == PTX_GEOM_2D || ins->geometry == PTX_GEOM_A2D || ins->geometry == PTX_GEOM_3D)
    put_axis(w, o, v[1], (extent){(s64)level->height - 1, level->row}, group, p);
  if (ins->geometry == PTX_GEOM_3D) put_axis(w, o, v[2], (extent){(s64)level->depth - 1, level->slice}, group, p);
  if (unit != 1 || bytes == 1) return;
  const s32 *x = REG(s32, v[0]);
  dc_u low = {0};
  for (u32 g = 0; g < DC_LANES; g += DC_NW) {
    dc_u at, m;
    memcpy(&at, x + g, sizeof at);
    memcpy(&m, w->m32 + g, sizeof m);
    low |= at & m;
  }
  if (n_word((dc_m)((low & (bytes - 1)) != 0)))
    EACH_LANE(l, p->inside) if (x[l] & (s32)(bytes - 1)) w->fault(w, o, DC_FAULT_UNALIGNED, (int)l, bytes);
}

static uint8_t *place_of(const places *p, u32 l) { return p->texels + (p->far ? p->at.far[l] : p->at.near[l]); }

static u32 element_bytes(const ptx_ins *ins) { return (u32)ptx_type_bits((ptx_type)ins->type) / 8; }

/* ACCESS(memory type, container) by their sizes: of an element, in bytes, and of its register, in bits. */
#define BY_SIZES(size, bits, ACCESS)                                                                                   \
  switch (size * 256 + bits) {                                                                                         \
    case 256 + 16: ACCESS(u8, u16);                                                                                    \
    case 256 + 32: ACCESS(u8, u32);                                                                                    \
    case 512 + 16: ACCESS(u16, u16);                                                                                   \
    case 512 + 32: ACCESS(u16, u32);                                                                                   \
    case 1024 + 32: ACCESS(u32, u32);                                                                                  \
    case 1024 + 64: ACCESS(u32, u64);                                                                                  \
    default: ACCESS(u64, u64);                                                                                         \
  }

/* Element e of lane l's words. */
#define ELEMENT_u8(v) (u8)((v)[e / 4][l] >> e % 4 * 8)
#define ELEMENT_u16(v) (u16)((v)[e / 2][l] >> e % 2 * 16)
#define ELEMENT_u32(v) (v)[e][l]
#define ELEMENT_u64(v) ((v)[2 * e][l] | (u64)(v)[2 * e + 1][l] << 32)

/* Element e of all lanes, from words to a container of D. */
#define LOAD(S, D)                                                                                                     \
  for (u32 e = 0; e < n; e++) {                                                                                        \
    if (o->v[e] == DC_NO_OPERAND) continue;                                                                            \
    D *d = REG(D, o->v[e]);                                                                                            \
    if (p.inside == DC_ALL_LANES) LANES(l) d[l] = ELEMENT_##S(v);                                                      \
    else EACH_LANE(l, group) d[l] = (D)(p.inside >> l & 1 ? ELEMENT_##S(v) : 0);                                       \
  }                                                                                                                    \
  break
/* n elements of `size` bytes, to registers of `bits`. */
INLINE void load_elements(dc_warp *w, const dc_uop *o, u32 size, u32 n, u32 bits) {
  EACH_OBJECT(w, o, t, group) {
    places p;
    words v;
    place(w, o, t, group, size * n, 1, &p);
    load_texels(p.texels, &p.at, p.far, size * n, v);
    BY_SIZES(size, bits, LOAD)
  }
}
static void suld(dc_warp *w, const dc_uop *o) {
  load_elements(w, o, element_bytes(o->ins), o->ins->vec, o->bits[0]);
}
static void suld_word(dc_warp *w, const dc_uop *o) { load_elements(w, o, 4, 1, 32); }

/* Puts element e of lane l, whose words are zero, into them. */
#define PUT_u8(v, x) (v)[e / 4][l] |= (u32)(u8)(x) << e % 4 * 8
#define PUT_u16(v, x) (v)[e / 2][l] |= (u32)(u16)(x) << e % 2 * 16
#define PUT_u32(v, x) (v)[e][l] = (u32)(x)
#define PUT_u64(v, x) (v)[2 * e][l] = (u32)(x), (v)[2 * e + 1][l] = (u32)((u64)(x) >> 32)

INLINE void clear(u32 (*v)[DC_LANES], u32 n) {
  for (u32 i = 0; i < n; i++) LANES(l) v[i][l] = 0;
}

#define STORE(S, D)                                                                                                    \
  for (u32 e = 0; e < n; e++) {                                                                                        \
    const D *x = REG(D, from[e]);                                                                                      \
    LANES(l) PUT_##S(v, x[l]);                                                                                         \
  }                                                                                                                    \
  break
INLINE void store_elements(dc_warp *w, const dc_uop *o, u32 size, u32 n, u32 bits) {
  const uint32_t *from = o->v + 1 + ptx_coordinates(o->ins);
  EACH_OBJECT(w, o, t, group) {
    places p;
    words v;
    place(w, o, t, group, size * n, 1, &p);
    if (size < 4) clear(v, (size * n + 3) / 4);
    BY_SIZES(size, bits, STORE)
    store_texels(p.texels, &p.at, p.far, size * n, v, p.inside);
  }
}
static void sust(dc_warp *w, const dc_uop *o) {
  store_elements(w, o, element_bytes(o->ins), o->ins->vec, o->bits[2]);
}
static void sust_word(dc_warp *w, const dc_uop *o) { store_elements(w, o, 4, 1, 32); }

/* A 32-bit value as a channel of the texel, in its low bits. */
static u32 to_channel(dc_texel texel, u32 x) {
  if (texel.bits == 32) return x;
  if (texel.channel == DC_CHANNEL_FLOAT) return s_to_f16(x);
  const s32 most = (1 << (texel.bits - 1)) - 1, v = (s32)x;
  if (texel.channel == DC_CHANNEL_INT) return (u32)(v > most ? most : v < -most - 1 ? -most - 1 : v);
  return x > 2 * (u32)most + 1 ? 2 * (u32)most + 1 : x;
}

static void sust_texels(dc_warp *w, const dc_uop *o) {
  const uint32_t *from = o->v + 1 + ptx_coordinates(o->ins);
  EACH_OBJECT(w, o, t, group) {
    const dc_texel texel = t->shape.texel;
    const u32 size = dc_texel_size(texel), n = texel.channels < o->ins->vec ? texel.channels : o->ins->vec;
    places p;
    words v;
    place(w, o, t, group, size, size, &p);
    clear(v, 4);
    for (u32 e = 0; e < n; e++) {
      const u32 *x = REG(u32, from[e]);
      switch (texel.bits) {
        case 8: LANES(l) PUT_u8(v, to_channel(texel, x[l])); break;
        case 16: LANES(l) PUT_u16(v, to_channel(texel, x[l])); break;
        default: LANES(l) PUT_u32(v, x[l]);
      }
    }
    store_texels(p.texels, &p.at, p.far, n * texel.bits / 8, v, p.inside);
  }
}

#define REDUCE(T)                                                                                                      \
  {                                                                                                                    \
    const T y = (T)value;                                                                                              \
    T *at = HOST(T, place), x = __atomic_load_n(at, __ATOMIC_RELAXED), r;                                              \
    do {                                                                                                               \
      switch (mode) {                                                                                                  \
        case PTX_ATOM_ADD: r = (T)(x + y); break;                                                                      \
        case PTX_ATOM_MIN: r = x < y ? x : y; break;                                                                   \
        case PTX_ATOM_MAX: r = x > y ? x : y; break;                                                                   \
        case PTX_ATOM_AND: r = x & y; break;                                                                           \
        default: r = x | y;                                                                                            \
      }                                                                                                                \
    } while (!__atomic_compare_exchange_n(at, &x, r, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));                       \
  }
static void reduce(u64 place, int mode, int bits, bool sign, u64 value) {
  if (bits == 32 && sign) REDUCE(s32)
  else if (bits == 32) REDUCE(u32)
  else if (sign) REDUCE(s64)
  else REDUCE(u64)
}

/* sured.b: of the instruction's type; .p: of a channel of 32 bits, the surface's. */
static void sured(dc_warp *w, const dc_uop *o) {
  const bool texels = (o->ins->flags & PTX_F_TEXELS) != 0;
  const int bits = ptx_type_bits((ptx_type)o->ins->type);
  const uint32_t value = o->v[1 + ptx_coordinates(o->ins)];
  EACH_OBJECT(w, o, t, group) {
    const bool sign = texels ? t->shape.texel.channel == DC_CHANNEL_INT : ptx_is_signed(o->ins->type);
    const u32 unit = texels ? dc_texel_size(t->shape.texel) : 1;
    places p;
    place(w, o, t, group, (u32)bits / 8, unit, &p);
    EACH_LANE(l, p.inside)
      reduce((u64)(uintptr_t)place_of(&p, l), o->ins->mode, bits, sign,
             bits == 32 ? REG(u32, value)[l] : REG(u64, value)[l]);
  }
}

bool PER_ISA(dc_select_surface)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const int bits = ptx_type_bits((ptx_type)ins->type);
  const bool texels = (ins->flags & PTX_F_TEXELS) != 0;
  if (ins->op != PTX_OP_SULD && ins->op != PTX_OP_SUST && ins->op != PTX_OP_SURED) return false;
  if (ins->geometry >= PTX_GEOM_CUBE || bits < 8 || bits > 64 || ins->vec * bits > 128) return false;
  if (ins->op == PTX_OP_SURED) {
    const bool known = ins->mode == PTX_ATOM_ADD || ins->mode == PTX_ATOM_MIN || ins->mode == PTX_ATOM_MAX ||
                       ins->mode == PTX_ATOM_AND || ins->mode == PTX_ATOM_OR;
    return known && bits >= 32 && (bits == 32 || !texels) && o->bits[2] == bits && PICK_RARE(sured);
  }
  const int container = ins->op == PTX_OP_SULD ? o->bits[0] : o->bits[2];
  if (container < bits || (bits < 32 && container > 32) || (texels && bits != 32)) return false;
  const bool word = bits == 32 && container == 32 && ins->vec == 1;
  if (ins->op == PTX_OP_SULD) return word ? PICK_RARE(suld_word) : PICK_RARE(suld);
  return texels ? PICK_RARE(sust_texels) : word ? PICK_RARE(sust_word) : PICK_RARE(sust);
}
