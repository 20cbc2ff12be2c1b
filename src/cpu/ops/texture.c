/*
** texture.c - tex, tld4, txq, suq: reading textures.  CUDA C++ Programming Guide, "Texture Fetching"; PTX ISA 9.7.10.
**
** A gang of lanes is sampled together, step by step: coordinates in texels; along each axis the one or two texels and
** the weight of the second; then the texels, corner by corner.  Lanes that do not run are sampled too, inside the
** texture, and not written.
**
** What the guide leaves open, and other choices:
**   - Coordinates are float64 from their first product on, so i and the fraction are those of the exact x.  With linear
**     filtering x - 0.5 is rounded to a multiple of 1/256, halves up: the guide's fixed point with 8 bits of fraction.
**     The weights' products and the sum are float32 and not rounded further.  A texel of weight 0 is not read: its
**     infinity or NaN does not matter.
**   - NaN coordinates are 0; so are infinite ones that are to be wrapped or mirrored.
**   - A layer is an unsigned number (so it is in PTX, and in ptxas' code for sm_90) and clamped to the last one.
**   - Where two axes of a cube's direction are largest, z comes before y and y before x.  Faces are filtered by
**     themselves, with the texture's address modes at their edges.
**   - As an H200 does: channels that the texture does not have are 0, the fourth too; the second channel of two is
**     not converted from sRGB; the border's colour is rounded to the texels' format.
**   - Without .level and .grad the level of detail is -32 (as in ptxas' code for sm_90), so the least level is read,
**     whatever the bias.  That of .grad is log2 of the longer gradient, in texels; there is no anisotropic filtering.
**     Between two levels, a level of detail is rounded to a multiple of 1/256.
*/
#include <math.h>

#include "cpu/ops/objects.h"
#include "cpu/ops/texels.h"
#include "cpu/ptx/opcode.h"

typedef f32 lanes_f32[DC_LANES] BUFFER;
typedef f64 lanes_f64[DC_LANES] BUFFER;

typedef enum way { NEAREST, LINEAR, GATHER } way;

/* What the code for a sample depends on: parameters of the functions below, which are constants for frequent forms. */
typedef struct form {
  uint8_t how;          /* a way */
  uint8_t naxes;
  dc_texel texel;
  bool normalized_read, srgb;
  bool whole;           /* coordinates are integers */
  bool layered, cube;
  bool bordered;        /* along some axis */
  bool far;             /* of the level: see texels.h */
} form;

/* Equal for equal forms; `far` is left out. */
INLINE u32 key_of(const form f) {
  return f.how | (u32)f.naxes << 4 | (u32)f.texel.channel << 8 | (u32)f.texel.channels << 12 | (u32)f.texel.bits << 16 |
         (u32)f.normalized_read << 24 | (u32)f.srgb << 25 | (u32)f.whole << 26 | (u32)f.layered << 27 |
         (u32)f.cube << 28 | (u32)f.bordered << 29;
}

/* How one instruction reads one texture. */
typedef struct reading {
  const dc_cpu_texture *t;
  form f;
  u32 key;
  uint8_t address[3];  /* dc_address_mode */
  bool normalized;
  bool is_float;       /* what is read, not what it is stored as */
  int channel;         /* of tld4, else -1 */
  float border[4];
  const void *at[3];   /* coordinates, s32 if they are whole, else f32; a cube's: its directions */
  const s32 *offset[3]; /* in texels; NULL: none */
  lanes_u32 layer;
  u32 one_layer;       /* of all lanes, where form.layered is false */
  lanes_f64 on_face[2]; /* coordinates on the faces of cubes */
} reading;

INLINE void copy_lanes(u32 *to, const u32 *from) { LANES(l) to[l] = from[l]; }

/* --- coordinates along an axis ---------------------------------------------------------------------------- */

/* The texel below the coordinate and the one above; the nearest is [0]. */
typedef struct axis {
  lanes_s32 texel[2];
  lanes_u32 near[2];   /* in bytes, modulo 2^32 */
  lanes_u32 inside[2]; /* all bits or none: the border's */
  lanes_f32 weight[2];
} axis;

/* [floor(unit x)] of coordinates in texels, exactly, and what is far outside to what is surely outside. */
#define FLOOR_UNITS(T)                                                                                                 \
  {                                                                                                                    \
    const T least = -2 * (T)unit, most = 2 * (T)size * (T)unit;                                                        \
    LANES(l) {                                                                                                         \
      const T v = x[l] == x[l] ? x[l] * (T)unit : 0, low = v > least ? v : least;                                      \
      units[l] = (s32)(T)__builtin_floor(low < most ? low : most);                                                     \
    }                                                                                                                  \
  }
INLINE void floor_f32(const f32 *x, s32 size, s32 unit, s32 *units) FLOOR_UNITS(f32)
INLINE void floor_f64(const f64 *x, s32 size, s32 unit, s32 *units) FLOOR_UNITS(f64)

/* Those of an axis, by the address mode reduced to [0, size), or to [0, 2 size) to be mirrored.  `unit`, a power of
** two: units of a texel. */
INLINE void find_units(const reading *r, const form f, int d, s32 size, s32 unit, s32 *units) {
  const s32 *offset = r->offset[d];
  const int mode = r->address[d];
  const f32 *u = r->at[d];
  lanes_f64 x;
  if (!r->normalized && !offset) {
    floor_f32(u, size, unit, units);
    return;
  }
  const f64 scale = r->normalized ? size : 1;
  if (f.cube && d < 2) LANES(l) x[l] = r->on_face[d][l] * scale;
  else LANES(l) x[l] = u[l] * scale;
  if (offset) LANES(l) x[l] += offset[l];
  if (mode == DC_ADDRESS_WRAP || mode == DC_ADDRESS_MIRROR) {
    const f64 turns = mode == DC_ADDRESS_MIRROR ? 0.5 : 1, period = size / turns;
    if (offset || f.cube) LANES(l) x[l] -= period * __builtin_floor(x[l] / period);
    else LANES(l) x[l] -= period * __builtin_floor(u[l] * turns); /* the same quotient, exactly */
  }
  floor_f64(x, size, unit, units);
}

/* Texels i by the address mode; to be wrapped or mirrored, at most two outside of [0, size) or [0, 2 size). */
INLINE void fold(s32 *i, u32 *inside, int mode, s32 size) {
  if (mode == DC_ADDRESS_WRAP) LANES(l) i[l] += i[l] < 0 ? size : i[l] >= size ? -size : 0;
  if (mode == DC_ADDRESS_MIRROR) {
    LANES(l) i[l] = i[l] < 0 ? -1 - i[l] : i[l];
    LANES(l) i[l] = i[l] >= size ? 2 * size - 1 - i[l] : i[l];
  }
  if (mode == DC_ADDRESS_BORDER) LANES(l) inside[l] = i[l] >= 0 && i[l] < size ? ~(u32)0 : 0;
  LANES(l) {
    const s32 low = i[l] > 0 ? i[l] : 0;
    i[l] = low < size ? low : size - 1;
  }
}

/* Integer coordinates, which clamp or have a border. */
INLINE void find_whole(const reading *r, int d, s32 size, s32 *texel) {
  const s32 *x = r->at[d], *offset = r->offset[d];
  if (!offset) copy_lanes((u32 *)texel, (const u32 *)x);
  else
    LANES(l) {
      const s64 v = (s64)x[l] + offset[l], low = v > -1 ? v : -1;
      texel[l] = (s32)(low < size ? low : size);
    }
}

/* `stride`: bytes from texel to texel. */
INLINE void place(const reading *r, const form f, int d, s32 size, u32 stride, axis *a) {
  lanes_s32 units;
  if (f.whole) find_whole(r, d, size, a->texel[0]);
  else switch (f.how) {
    case NEAREST: find_units(r, f, d, size, 1, a->texel[0]); break;
    case GATHER:
      find_units(r, f, d, size, 2, units);
      LANES(l) a->texel[0][l] = (units[l] - 1) >> 1;
      break;
    case LINEAR:
      find_units(r, f, d, size, 512, units);
      LANES(l) {
        const s32 fixed = (units[l] - 255) >> 1;
        const f32 part = (f32)(fixed & 255) * (1 / 256.0f);
        a->texel[0][l] = fixed >> 8;
        a->weight[0][l] = 1 - part;
        a->weight[1][l] = part;
      }
  }
  if (f.how != NEAREST) LANES(l) a->texel[1][l] = a->texel[0][l] + 1;
  for (int k = f.how == NEAREST ? 0 : 1; k >= 0; k--) {
    fold(a->texel[k], a->inside[k], r->address[d], size);
    LANES(l) a->near[k][l] = (u32)a->texel[k][l] * stride;
  }
}

/* --- texels ----------------------------------------------------------------------------------------------- */

static f32 from_srgb(f32 c) { return c <= 0.04045f ? c / 12.92f : (f32)pow(((f64)c + 0.055) / 1.055, 2.4); }

/* f16 to f32, or back. */
INLINE void convert_halves(u32 *v, bool widens) {
  for (u32 g = 0; g < DC_LANES; g += DC_NW) {
    dc_u h;
    memcpy(&h, v + g, sizeof h);
    h = widens ? n_widen_f16(h) : n_to_f16(h);
    memcpy(v + g, &h, sizeof h);
  }
}

/* Whether sRGB is about channel c: not about the last one of two or four. */
static bool is_coloured(dc_texel texel, int c) { return c < 3 && (texel.channels != 2 || c == 0); }

/* x / most, exactly: a quotient by a multiplication is corrected by its remainder (Markstein 1990), right for all x of
** 16 bits. */
INLINE u32 fraction_of(s32 x, f32 most) {
#if defined(__FMA__)
  const f32 part = 1 / most, q = (f32)x * part;
  return f32_bits(__builtin_fmaf(__builtin_fmaf(-q, most, (f32)x), part, q));
#else
  return f32_bits((f32)x / most);
#endif
}

/* Channel c of texels, as read: into v, or where it stands in w.  `x` is in words: gcc packs what is of type u8. */
#define CHANNEL(bits, expr)                                                                                            \
  LANES(l) {                                                                                                           \
    const s32 x = bits;                                                                                                \
    v[l] = (u32)(expr);                                                                                                \
  }                                                                                                                    \
  break
#define UNSIGNED(n) (s32)(from[l] >> shift & (((u32)1 << (n)) - 1))
#define SIGNED(n) (s32)(from[l] << (32 - (n) - shift)) >> (32 - (n))
INLINE const u32 *channel(const form f, u32 (*w)[DC_LANES], int c, u32 *v) {
  const dc_texel texel = f.texel;
  const int kind = (texel.bits == 8 ? 0 : 4) + (texel.channel == DC_CHANNEL_INT ? 2 : 0) +
                   (f.normalized_read ? 1 : 0);
  const int shift = c * texel.bits % 32;
  const u32 *from = w[c * texel.bits / 32];
  if (texel.bits == 32) return from;
  if (texel.channel == DC_CHANNEL_FLOAT) {
    LANES(l) v[l] = (u16)(from[l] >> shift);
    convert_halves(v, true);
    return v;
  }
  switch (kind) {
    case 0: CHANNEL(UNSIGNED(8), x);
    case 1: CHANNEL(UNSIGNED(8), fraction_of(x, 255));
    case 2: CHANNEL(SIGNED(8), x);
    case 3: CHANNEL(SIGNED(8), fraction_of(x > -127 ? x : -127, 127));
    case 4: CHANNEL(UNSIGNED(16), x);
    case 5: CHANNEL(UNSIGNED(16), fraction_of(x, 65535));
    case 6: CHANNEL(SIGNED(16), x);
    default: CHANNEL(SIGNED(16), fraction_of(x > -32767 ? x : -32767, 32767));
  }
  if (kind == 1 && f.srgb && is_coloured(texel, c)) LANES(l) v[l] = f32_bits(from_srgb(bits_f32(v[l])));
  return v;
}

/* The same of one corner: border, missing channels and all. */
INLINE const u32 *channel_of_corner(const reading *r, const form f, u32 (*w)[DC_LANES], const u32 *inside, int c,
                                    u32 *v) {
  static const lanes_u32 none;
  if (c >= f.texel.channels) return none;
  const u32 *x = channel(f, w, c, v);
  if (!f.bordered) return x;
  const u32 border = r->is_float ? f32_bits(r->border[c]) : 0;
  LANES(l) v[l] = (x[l] & inside[l]) | (border & ~inside[l]);
  return v;
}

typedef struct corner {
  words texels;
  lanes_u32 inside;
  lanes_f32 weight;
} corner;

static DC_NOINLINE void find_far(const reading *r, const dc_cpu_level *level, const axis *axes, int k, u64 *far) {
  const u64 strides[3] = {dc_texel_size(r->t->shape.texel), level->row, level->slice};
  for (int l = 0; l < DC_LANES; l++) {
    far[l] = r->f.layered ? r->layer[l] * level->slice : 0;
    for (int d = 0; d < r->f.naxes; d++) far[l] += (u64)axes[d].texel[k >> d & 1][l] * strides[d];
  }
}

/* Bit d of k: the second texel of axis d. */
INLINE void load_corner(const reading *r, const form f, const dc_cpu_level *level, const axis *axes, int k, corner *c) {
  offsets at;
  if (f.far) find_far(r, level, axes, k, at.far);
  else {
    copy_lanes(at.near, axes[0].near[k & 1]);
    if (f.layered) LANES(l) at.near[l] += r->layer[l] * (u32)level->slice;
    for (int d = 1; d < f.naxes; d++) LANES(l) at.near[l] += axes[d].near[k >> d & 1][l];
  }
  load_texels(level->texels, &at, f.far, dc_texel_size(f.texel), c->texels);
  if (f.how == LINEAR) {
    LANES(l) c->weight[l] = axes[0].weight[k & 1][l];
    for (int d = 1; d < f.naxes; d++) LANES(l) c->weight[l] *= axes[d].weight[k >> d & 1][l];
  }
  if (!f.bordered) return;
  LANES(l) c->inside[l] = ~(u32)0;
  for (int d = 0; d < f.naxes; d++)
    if (r->address[d] == DC_ADDRESS_BORDER) LANES(l) c->inside[l] &= axes[d].inside[k >> d & 1][l];
}

/* The corner's part of each channel's sum, of which the first corner makes the beginning. */
INLINE void add_corner(const reading *r, const form f, corner *c, bool first, f32 (*sum)[DC_LANES]) {
  for (int e = 0; e < f.texel.channels; e++) {
    lanes_u32 buffer;
    const u32 *v = channel_of_corner(r, f, c->texels, c->inside, e, buffer);
    f32 *to = sum[e];
    if (first) LANES(l) to[l] = c->weight[l] != 0 ? c->weight[l] * bits_f32(v[l]) : 0;
    else LANES(l) to[l] += c->weight[l] != 0 ? c->weight[l] * bits_f32(v[l]) : 0;
  }
}

INLINE void sample_form(const reading *r, const form f, const dc_cpu_level *level, u32 (*out)[DC_LANES]) {
  static const uint8_t gathered[4] = {2, 3, 1, 0}; /* counter-clockwise, from the texel with the smaller x, larger y */
  const u32 sizes[3] = {level->width, level->height, level->depth};
  const u64 strides[3] = {dc_texel_size(f.texel), level->row, level->slice};
  const int corners = 1 << f.naxes;
  lanes_u32 buffer;
  lanes_f32 sum[4];
  axis axes[3];
  corner c;
  UNROLL for (int d = 0; d < f.naxes; d++) place(r, f, d, (s32)sizes[d], (u32)strides[d], &axes[d]);
  switch (f.how) {
    case NEAREST:
      load_corner(r, f, level, axes, 0, &c);
      for (int e = 0; e < 4; e++) copy_lanes(out[e], channel_of_corner(r, f, c.texels, c.inside, e, buffer));
      return;
    case GATHER:
      for (int e = 0; e < 4; e++) {
        load_corner(r, f, level, axes, gathered[e], &c);
        copy_lanes(out[e], channel_of_corner(r, f, c.texels, c.inside, r->channel, buffer));
      }
      return;
    default:
      UNROLL for (int k = 0; k < corners; k++) {
        load_corner(r, f, level, axes, k, &c);
        add_corner(r, f, &c, k == 0, sum);
      }
      for (int e = 0; e < 4; e++)
        if (e < f.texel.channels) LANES(l) out[e][l] = f32_bits(sum[e][l]);
        else LANES(l) out[e][l] = 0;
  }
}

/* Frequent forms, which are compiled by themselves. */
#define FLOATS {DC_CHANNEL_FLOAT, 32, 1}
#define BYTES4 {DC_CHANNEL_UINT, 8, 4}
#define BYTES {DC_CHANNEL_UINT, 8, 1}
#define FORMS(X)                                                                                                       \
  X(linear_floats, .how = LINEAR, .naxes = 2, .texel = FLOATS)                                                         \
  X(linear_normalized_bytes4, .how = LINEAR, .naxes = 2, .texel = BYTES4, .normalized_read = true)                     \
  X(linear_normalized_bytes, .how = LINEAR, .naxes = 2, .texel = BYTES, .normalized_read = true)                       \
  X(nearest_floats, .how = NEAREST, .naxes = 2, .texel = FLOATS)                                                       \
  X(nearest_bytes, .how = NEAREST, .naxes = 2, .texel = BYTES)                                                         \
  X(nearest_normalized_bytes, .how = NEAREST, .naxes = 2, .texel = BYTES, .normalized_read = true)                     \
  X(nearest_normalized_bytes4, .how = NEAREST, .naxes = 2, .texel = BYTES4, .normalized_read = true)                   \
  X(volume_floats, .how = LINEAR, .naxes = 3, .texel = FLOATS)                                                         \
  X(volume_normalized_bytes, .how = LINEAR, .naxes = 3, .texel = BYTES, .normalized_read = true)                       \
  X(fetched_floats, .how = NEAREST, .naxes = 1, .texel = FLOATS, .whole = true, .bordered = true)
#define SAMPLE_FORM(name, ...)                                                                                         \
  static DC_NOINLINE void name(const reading *r, const dc_cpu_level *level, u32 (*out)[DC_LANES]) {                    \
    sample_form(r, (form){__VA_ARGS__}, level, out);                                                                   \
  }
FORMS(SAMPLE_FORM)

/* Four channels of a level for all lanes; of tld4 one channel of four texels. */
static void sample_level(reading *r, const dc_cpu_level *all, u32 (*out)[DC_LANES]) {
  dc_cpu_level one = *all;
  const dc_cpu_level *const level = &one;
  one.texels += r->one_layer * all->slice;
  r->f.far = is_far(r->t, all);
#define TRY_FORM(name, ...)                                                                                            \
  if (!r->f.far && r->key == key_of((form){__VA_ARGS__})) name(r, level, out);                                         \
  else
  FORMS(TRY_FORM) sample_form(r, r->f, level, out);
}

/* --- cubes ------------------------------------------------------------------------------------------------ */

/* The face that a direction meets: +x, -x, +y, -y, +z, -z. */
INLINE u32 face_of(f64 x, f64 y, f64 z) {
  const f64 ax = fabs(x), ay = fabs(y), az = fabs(z);
  const u32 along = ((az >= ax) & (az >= ay)) ? 4 : ay >= ax ? 2 : 0;
  const f64 most = along == 4 ? z : along == 2 ? y : x;
  return along + (most >= 0 ? 0 : 1);
}

/* Its direction, and s and t on it of a vector, in the guide's terms. */
INLINE f64 outwards(u32 face, f64 x, f64 y, f64 z) {
  const f64 along = face >= 4 ? z : face >= 2 ? y : x;
  return face & 1 ? -along : along;
}
INLINE f64 sideways(u32 face, f64 x, f64 z) {
  const f64 along = face < 2 ? -z : x;
  return face == 1 || face == 5 ? -along : along;
}
INLINE f64 downwards(u32 face, f64 y, f64 z) { return face == 2 ? z : face == 3 ? -z : -y; }

/* Gradients of a direction (three vectors of lanes) to those of the coordinates s and t, divided by m, on its faces:
** into the first two. */
static void gradients_on_faces(f64 (*grads)[DC_LANES], const u32 *face, const f64 *s, const f64 *t, const f64 *m) {
  LANES(l) {
    const f64 x = grads[0][l], y = grads[1][l], z = grads[2][l], dm = outwards(face[l], x, y, z);
    grads[0][l] = (sideways(face[l], x, z) - s[l] * dm) / (2 * m[l]);
    grads[1][l] = (downwards(face[l], y, z) - t[l] * dm) / (2 * m[l]);
  }
}

/* Directions to coordinates on faces; adds the faces to the layers.  `grads`: six vectors of lanes, the gradients of
** the directions along x and y of the screen, whose first two become those of the coordinates; or NULL. */
static void to_faces(reading *r, f64 (*grads)[DC_LANES]) {
  const f32 *x = r->at[0], *y = r->at[1], *z = r->at[2];
  lanes_u32 face;
  lanes_f64 s, t, m;
  LANES(l) face[l] = face_of(x[l], y[l], z[l]);
  LANES(l) m[l] = outwards(face[l], x[l], y[l], z[l]);
  LANES(l) s[l] = sideways(face[l], x[l], z[l]) / m[l];
  LANES(l) t[l] = downwards(face[l], y[l], z[l]) / m[l];
  LANES(l) r->on_face[0][l] = (s[l] + 1) / 2;
  LANES(l) r->on_face[1][l] = (t[l] + 1) / 2;
  LANES(l) r->layer[l] += face[l];
  if (!grads) return;
  gradients_on_faces(grads, face, s, t, m);
  gradients_on_faces(grads + 3, face, s, t, m);
}

/* --- levels ----------------------------------------------------------------------------------------------- */

/* Levels of detail from six vectors of gradients. */
static void lod_of(const reading *r, f64 (*grads)[DC_LANES], f32 *lod) {
  const dc_cpu_level *top = r->t->level;
  const u32 sizes[3] = {top->width, top->height, top->depth};
  for (int l = 0; l < DC_LANES; l++) {
    f64 square[2] = {0, 0};
    for (int i = 0; i < 2; i++)
      for (int d = 0; d < r->f.naxes; d++) {
        const f64 g = grads[3 * i + d][l] * (r->normalized ? sizes[d] : 1);
        square[i] += g * g;
      }
    lod[l] = (f32)(0.5 * log2(square[0] > square[1] ? square[0] : square[1]));
  }
}

/* Bias and limits, in units of 1/256. */
static void to_levels(const reading *r, const f32 *lod, s32 *fixed) {
  const dc_sampling *s = &r->t->sampling;
  const f32 most = (f32)(r->t->shape.levels - 1);
  const f32 step = s->mipmap_filter == DC_FILTER_LINEAR ? 256 : 1;
  LANES(l) {
    f32 v = lod[l] + s->bias;
    v = v > s->min_level ? v : s->min_level;
    v = v < s->max_level ? v : s->max_level;
    v = v > 0 ? v : 0;
    v = v < most ? v : most;
    fixed[l] = (s32)(v * step + 0.5f) * (s32)(256 / step);
  }
}

/* Lanes of `group`, level by level. */
static void sample_levels(reading *r, const f32 *lod, u32 group, u32 (*out)[DC_LANES]) {
  lanes_s32 fixed;
  to_levels(r, lod, fixed);
  for (u32 rest = group; rest;) {
    const s32 level = fixed[__builtin_ctz(rest)] >> 8;
    u32 same = 0, between = 0, low[4][DC_LANES] BUFFER, high[4][DC_LANES] BUFFER;
    EACH_LANE(l, rest) {
      same |= (u32)(fixed[l] >> 8 == level) << l;
      between |= (u32)(fixed[l] >> 8 == level && (fixed[l] & 255)) << l;
    }
    sample_level(r, &r->t->level[level], low);
    if (between) sample_level(r, &r->t->level[level + 1], high);
    for (int e = 0; e < 4; e++) {
      EACH_LANE(l, same) out[e][l] = low[e][l];
      EACH_LANE(l, between) {
        const f32 part = (f32)(fixed[l] & 255) / 256;
        out[e][l] = f32_bits((1 - part) * bits_f32(low[e][l]) + part * bits_f32(high[e][l]));
      }
    }
    rest &= ~same;
  }
}

/* --- one instruction, one texture ------------------------------------------------------------------------- */

static int axes_of(int kind) {
  return kind == DC_TEXTURE_3D ? 3 : kind == DC_TEXTURE_1D || kind == DC_TEXTURE_1D_LAYERED ? 1 : 2;
}

static bool is_layered(int kind) {
  return kind == DC_TEXTURE_1D_LAYERED || kind == DC_TEXTURE_2D_LAYERED || kind == DC_TEXTURE_CUBE_LAYERED;
}

static bool is_cube(int kind) { return kind == DC_TEXTURE_CUBE || kind == DC_TEXTURE_CUBE_LAYERED; }

/* The border's colour as a texel has it: as a fraction of its largest integer, or as a half. That of signed texels of 8
** bits is a fraction of 32767 besides: an H200 gives 20899/32767 for 81/127. */
static float border_of(const dc_cpu_texture *t, float v) {
  const dc_texel texel = t->shape.texel;
  if (texel.channel == DC_CHANNEL_FLOAT) return texel.bits == 16 ? f16_to_f32(f32_to_f16(v)) : v;
  const bool is_signed = texel.channel == DC_CHANNEL_INT;
  const float most = (float)((1u << (is_signed ? texel.bits - 1 : texel.bits)) - 1);
  const float rounded = roundf(fminf(1, fmaxf(v, is_signed ? -1 : 0)) * most) / most;
  return is_signed && texel.bits == 8 ? roundf(rounded * 32767) / 32767 : rounded;
}

static void prepare(reading *r, const dc_cpu_texture *t, const ptx_ins *ins) {
  const bool whole = ins->type2 == PTX_S32, fetched = t->linear && t->shape.kind == DC_TEXTURE_1D;
  const bool is_float = t->shape.texel.channel == DC_CHANNEL_FLOAT || t->sampling.normalized_read;
  const int kind = t->shape.kind;
  r->t = t;
  r->f = (form){
    .how = ins->op == PTX_OP_TLD4                                             ? GATHER
           : !whole && is_float && t->sampling.filter == DC_FILTER_LINEAR ? LINEAR
                                                                              : NEAREST,
    .naxes = (uint8_t)axes_of(kind), .texel = t->shape.texel, .normalized_read = t->sampling.normalized_read,
    .srgb = t->sampling.srgb, .whole = whole, .layered = is_layered(kind) || is_cube(kind), .cube = is_cube(kind),
  };
  r->normalized = !whole && (t->sampling.normalized || is_cube(kind));
  r->is_float = is_float;
  r->one_layer = 0;
  r->channel = ins->op == PTX_OP_TLD4 ? ins->mode - PTX_GATHER_R : -1;
  for (int d = 0; d < 3; d++) {
    const uint8_t mode = fetched ? DC_ADDRESS_BORDER : t->sampling.address[d];
    r->address[d] = r->normalized || mode == DC_ADDRESS_BORDER ? mode : DC_ADDRESS_CLAMP;
    r->f.bordered |= d < r->f.naxes && mode == DC_ADDRESS_BORDER;
    r->offset[d] = NULL;
  }
  r->key = key_of(r->f);
  for (int c = 0; c < 4; c++)
    r->border[c] = r->f.bordered && r->is_float && !fetched ? border_of(t, t->sampling.border[c]) : 0;
}

/* The lanes of `group` read one layer: as a texture without layers. */
static void read_one_layer(reading *r, u32 group) {
  const u32 layer = r->layer[__builtin_ctz(group)];
  u32 others = 0;
  LANES(l) others |= (u32)(r->layer[l] != layer) << l;
  if (r->f.cube || others & group) return;
  r->one_layer = layer;
  r->f.layered = false;
  r->key = key_of(r->f);
}

/* Coordinates and layers from the registers `v`. */
static void read_coordinates(dc_warp *w, const uint32_t *v, u32 group, reading *r) {
  const int kind = r->t->shape.kind;
  const bool layered = is_layered(kind);
  const u32 last = (kind == DC_TEXTURE_CUBE_LAYERED ? r->t->shape.layers / 6 : r->t->shape.layers) - 1;
  const int n = r->f.cube ? 3 : r->f.naxes;
  if (kind == DC_TEXTURE_CUBE) memset(r->layer, 0, sizeof r->layer);
  if (layered) {
    const u32 *layer = REG(u32, *v++), faces = kind == DC_TEXTURE_CUBE_LAYERED ? 6 : 1;
    LANES(l) r->layer[l] = (layer[l] < last ? layer[l] : last) * faces;
    read_one_layer(r, group);
  }
  for (int d = 0; d < n; d++) r->at[d] = w->regs + v[d];
}

static void sample(dc_warp *w, const dc_uop *o, const dc_cpu_texture *t, u32 group, u32 (*out)[DC_LANES]) {
  const ptx_ins *ins = o->ins;
  const uint32_t *v = o->v + ins->ndst + 1, *rest = v + ptx_coordinates(ins);
  const int along = ptx_gradients(ins), ngrads = ins->mode == PTX_TEX_GRAD ? 2 : 0;
  lanes_f64 grads[6];
  lanes_f32 lod;
  reading r;
  prepare(&r, t, ins);
  read_coordinates(w, v, group, &r);
  const int used = ngrads * along + (ins->mode == PTX_TEX_LEVEL);
  if (ins->nsrc > 1 + ptx_coordinates(ins) + used)
    for (int d = 0; d < r.f.naxes; d++) r.offset[d] = REG(s32, rest[used + d]);
  for (int i = 0; i < ngrads; i++)
    for (int d = 0; d < (along < 3 ? along : 3); d++) {
      const f32 *g = REG(f32, rest[i * along + d]);
      LANES(l) grads[3 * i + d][l] = g[l];
    }
  if (is_cube(t->shape.kind)) to_faces(&r, ngrads ? grads : NULL);
  if (t->shape.levels == 1 || r.f.how == GATHER) {
    sample_level(&r, t->level, out);
    return;
  }
  LANES(l) lod[l] = -32;
  if (ins->mode == PTX_TEX_LEVEL) memcpy(lod, w->regs + rest[0], sizeof lod);
  if (ngrads) lod_of(&r, grads, lod);
  sample_levels(&r, lod, group, out);
}

/* --- operations ------------------------------------------------------------------------------------------- */

static void put_halves(dc_warp *w, const dc_uop *o, u32 (*out)[DC_LANES]) {
  for (int e = 0; e < 4; e++) convert_halves(out[e], false);
  for (int e = 0; e < o->ins->vec; e++) {
    if (o->v[e] == DC_NO_OPERAND) continue;
    if (o->ins->vec == 4) {
      u16 *d = REG(u16, o->v[e]);
      LANES(l) d[l] = w->m32[l] ? (u16)out[e][l] : d[l];
    } else {
      LANES(l) out[e][l] = out[2 * e][l] | out[2 * e + 1][l] << 16;
      PUT_MASKED(u32, o->v[e], out[e]);
    }
  }
}

static void tex(dc_warp *w, const dc_uop *o) {
  u32 out[4][DC_LANES] BUFFER, some[4][DC_LANES] BUFFER;
  if (!w->mask) return;
  EACH_OBJECT(w, o, t, group) {
    if (group == w->mask) {
      sample(w, o, t, group, out);
      break;
    }
    sample(w, o, t, group, some);
    for (int e = 0; e < 4; e++) EACH_LANE(l, group) out[e][l] = some[e][l];
  }
  if (o->d2 != DC_NO_OPERAND) put_pred_masked(w, o->d2, DC_ALL_LANES); /* all texels are there */
  if (o->ins->type == PTX_F16 || o->ins->type == PTX_F16X2) {
    put_halves(w, o, out);
    return;
  }
  for (int e = 0; e < 4; e++)
    if (o->v[e] != DC_NO_OPERAND) PUT_MASKED(u32, o->v[e], out[e]);
}

/* OpenCL's numbers for channels, which PTX uses. */
static u32 data_type(const dc_cpu_texture *t) {
  const dc_texel x = t->shape.texel;
  const u32 size = x.bits == 8 ? 0 : x.bits == 16 ? 1 : 2;
  if (x.channel == DC_CHANNEL_FLOAT) return x.bits == 16 ? 0x10dd : 0x10de;
  if (!t->surface && t->sampling.normalized_read) return (x.channel == DC_CHANNEL_INT ? 0x10d0 : 0x10d2) + size;
  return (x.channel == DC_CHANNEL_INT ? 0x10d7 : 0x10da) + size;
}

static u32 query(const dc_cpu_texture *t, int what, u32 number) {
  const dc_texture_shape *s = &t->shape;
  const u32 level = number < s->levels ? number : s->levels - 1;
  switch (what) {
    case PTX_Q_WIDTH: return t->level[level].width;
    case PTX_Q_HEIGHT: return axes_of(s->kind) > 1 ? t->level[level].height : 0;
    case PTX_Q_DEPTH: return axes_of(s->kind) > 2 ? t->level[level].depth : 0;
    case PTX_Q_DATA_TYPE: return data_type(t);
    case PTX_Q_ORDER: return s->texel.channels == 1 ? 0x10b0 : s->texel.channels == 2 ? 0x10b2 : 0x10b5;
    case PTX_Q_NORMALIZED: return t->sampling.normalized;
    case PTX_Q_LAYERS: return is_cube(s->kind) ? s->layers / 6 : s->layers;
    case PTX_Q_LEVELS: return s->levels;
    case PTX_Q_SAMPLES: return 1;
    case PTX_Q_UNNORMALIZED: return !t->sampling.normalized;
    case PTX_Q_FILTER: return t->sampling.filter == DC_FILTER_LINEAR;
    default: { /* PTX's numbers: wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border */
      static const uint8_t modes[] = {[DC_ADDRESS_WRAP] = 0, [DC_ADDRESS_CLAMP] = 3, [DC_ADDRESS_MIRROR] = 1,
                                      [DC_ADDRESS_BORDER] = 4};
      return modes[t->sampling.address[what - PTX_Q_ADDRESS_0]];
    }
  }
}

static void ask(dc_warp *w, const dc_uop *o) {
  const ptx_ins *ins = o->ins;
  lanes_u32 out;
  if (!w->mask) return;
  EACH_OBJECT(w, o, t, group) {
    const u32 *number = ins->nsrc > 1 ? REG(u32, o->v[2]) : NULL;
    EACH_LANE(l, group) out[l] = query(t, ins->mode, number ? number[l] : 0);
  }
  PUT_MASKED(u32, o->d, out);
}

bool PER_ISA(dc_select_texture)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  switch (ins->op) {
    case PTX_OP_TEX: case PTX_OP_TLD4: {
      const bool pairs = ins->type == PTX_F16X2, halves = ins->type == PTX_F16;
      const int used = ins->mode == PTX_TEX_GRAD ? 2 * ptx_gradients(ins) : ins->mode == PTX_TEX_LEVEL;
      const int more = ins->nsrc - 1 - ptx_coordinates(ins) - used;
      if (!pairs && !halves && ins->type != PTX_F32 && ins->type != PTX_U32 && ins->type != PTX_S32) return false;
      if ((more && more != ptx_gradients(ins)) || (more && ins->geometry >= PTX_GEOM_CUBE)) return false;
      if (ins->op == PTX_OP_TLD4 && (ins->mode < PTX_GATHER_R || ins->geometry == PTX_GEOM_1D ||
                                     ins->geometry == PTX_GEOM_A1D || ins->geometry == PTX_GEOM_3D))
        return false;
      if (ins->vec != (pairs ? 2 : 4) || (ins->type2 != PTX_F32 && ins->type2 != PTX_S32)) return false;
      if (ins->type2 == PTX_S32 && (ins->geometry >= PTX_GEOM_CUBE || ins->op == PTX_OP_TLD4)) return false;
      return dc_shaped(o, halves ? 16 : 32, 0, 0, 0) && PICK_RARE(tex);
    }
    case PTX_OP_TXQ: case PTX_OP_SUQ: return ins->mode >= PTX_Q_WIDTH && dc_shaped(o, 32, 0, 0, 0) && PICK_RARE(ask);
    default: return false;
  }
}
