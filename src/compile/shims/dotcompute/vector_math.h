/* Arithmetic of vectors under the names that CUDA's samples use: operators by component, dot, cross, length, normalize,
** lerp, clamp, and conversions between lengths. */
#ifndef DC_SHIM_VECTOR_MATH_H
#define DC_SHIM_VECTOR_MATH_H
/* Templates, to which the source's own functions of the same parameters are preferred. */
#define DC_SHIM_DEVICE template <class dc_t = void> __host__ __device__ static __forceinline__

/* E(x) makes a component's value; the lists of two to four of them. */
#define DC_SHIM_2(V, E) make_##V(E(x), E(y))
#define DC_SHIM_3(V, E) make_##V(E(x), E(y), E(z))
#define DC_SHIM_4(V, E) make_##V(E(x), E(y), E(z), E(w))
#define DC_SHIM_ADD(c) a.c + b.c
#define DC_SHIM_ADD_S(c) a.c + s
#define DC_SHIM_S_ADD(c) s + b.c
#define DC_SHIM_SUB(c) a.c - b.c
#define DC_SHIM_SUB_S(c) a.c - s
#define DC_SHIM_S_SUB(c) s - b.c
#define DC_SHIM_MUL(c) a.c * b.c
#define DC_SHIM_MUL_S(c) a.c * s
#define DC_SHIM_S_MUL(c) s * b.c
#define DC_SHIM_DIV(c) a.c / b.c
#define DC_SHIM_DIV_S(c) a.c / s
#define DC_SHIM_S_DIV(c) s / b.c
#define DC_SHIM_NEG(c) -a.c
#define DC_SHIM_SAME(c) s
#define DC_SHIM_LOWER(c) (a.c < b.c ? a.c : b.c)
#define DC_SHIM_UPPER(c) (a.c > b.c ? a.c : b.c)
#define DC_SHIM_WITHIN(c) (v.c < a.c ? a.c : v.c > b.c ? b.c : v.c)
#define DC_SHIM_WITHIN_S(c) (v.c < s ? s : v.c > t ? t : v.c)

#define DC_SHIM_OPERATOR(V, S, L, O, E) \
  DC_SHIM_DEVICE V operator O(V a, V b) { return L(V, DC_SHIM_##E); } \
  DC_SHIM_DEVICE V operator O(V a, S s) { return L(V, DC_SHIM_##E##_S); } \
  DC_SHIM_DEVICE V operator O(S s, V b) { return L(V, DC_SHIM_S_##E); } \
  DC_SHIM_DEVICE void operator O##=(V &a, V b) { a = L(V, DC_SHIM_##E); } \
  DC_SHIM_DEVICE void operator O##=(V &a, S s) { a = L(V, DC_SHIM_##E##_S); }
#define DC_SHIM_VECTOR(V, S, L) \
  DC_SHIM_OPERATOR(V, S, L, +, ADD) DC_SHIM_OPERATOR(V, S, L, -, SUB) DC_SHIM_OPERATOR(V, S, L, *, MUL) \
  DC_SHIM_DEVICE V make_##V(S s) { return L(V, DC_SHIM_SAME); } \
  DC_SHIM_DEVICE V min(V a, V b) { return L(V, DC_SHIM_LOWER); } \
  DC_SHIM_DEVICE V max(V a, V b) { return L(V, DC_SHIM_UPPER); } \
  DC_SHIM_DEVICE V clamp(V v, V a, V b) { return L(V, DC_SHIM_WITHIN); } \
  DC_SHIM_DEVICE V clamp(V v, S s, S t) { return L(V, DC_SHIM_WITHIN_S); }
DC_SHIM_VECTOR(float2, float, DC_SHIM_2) DC_SHIM_VECTOR(float3, float, DC_SHIM_3)
DC_SHIM_VECTOR(float4, float, DC_SHIM_4) DC_SHIM_VECTOR(int2, int, DC_SHIM_2) DC_SHIM_VECTOR(int3, int, DC_SHIM_3)
DC_SHIM_VECTOR(int4, int, DC_SHIM_4) DC_SHIM_VECTOR(uint2, unsigned, DC_SHIM_2)
DC_SHIM_VECTOR(uint3, unsigned, DC_SHIM_3) DC_SHIM_VECTOR(uint4, unsigned, DC_SHIM_4)
DC_SHIM_DEVICE float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
DC_SHIM_DEVICE int clamp(int f, int a, int b) { return max(a, min(f, b)); }
DC_SHIM_DEVICE unsigned clamp(unsigned f, unsigned a, unsigned b) { return max(a, min(f, b)); }
DC_SHIM_DEVICE float saturate(float f) { return __saturatef(f); }
DC_SHIM_DEVICE float lerp(float a, float b, float t) { return a + t * (b - a); }
DC_SHIM_DEVICE float smoothstep(float a, float b, float x) {
  float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}

/* What needs fractions, or is a sum over components. */
#define DC_SHIM_ABS(c) fabsf(a.c)
#define DC_SHIM_FLOOR(c) floorf(a.c)
#define DC_SHIM_FRACTION(c) (a.c - floorf(a.c))
#define DC_SHIM_MODULO(c) fmodf(a.c, b.c)
#define DC_SHIM_LEAST(c) fminf(a.c, b.c)
#define DC_SHIM_MOST(c) fmaxf(a.c, b.c)
#define DC_SHIM_FLOATS(V, L, SUM) \
  DC_SHIM_OPERATOR(V, float, L, /, DIV) \
  DC_SHIM_DEVICE V operator-(V &a) { return L(V, DC_SHIM_NEG); } \
  DC_SHIM_DEVICE V operator-(const V &a) { return L(V, DC_SHIM_NEG); } \
  DC_SHIM_DEVICE float dot(V a, V b) { return SUM; } \
  DC_SHIM_DEVICE float length(V a) { return sqrtf(dot(a, a)); } \
  DC_SHIM_DEVICE V normalize(V a) { return a * rsqrtf(dot(a, a)); } \
  DC_SHIM_DEVICE V lerp(V a, V b, float t) { return a + t * (b - a); } \
  DC_SHIM_DEVICE V smoothstep(V a, V b, V x) { \
    V y = clamp((x - a) / (b - a), 0.0f, 1.0f); \
    return y * y * (make_##V(3.0f) - make_##V(2.0f) * y); \
  } \
  DC_SHIM_DEVICE V reflect(V a, V b) { return a - 2.0f * b * dot(b, a); } \
  DC_SHIM_DEVICE V fabs(V a) { return L(V, DC_SHIM_ABS); } \
  DC_SHIM_DEVICE V floorf(V a) { return L(V, DC_SHIM_FLOOR); } \
  DC_SHIM_DEVICE V fracf(V a) { return L(V, DC_SHIM_FRACTION); } \
  DC_SHIM_DEVICE V fmodf(V a, V b) { return L(V, DC_SHIM_MODULO); } \
  DC_SHIM_DEVICE V fminf(V a, V b) { return L(V, DC_SHIM_LEAST); } \
  DC_SHIM_DEVICE V fmaxf(V a, V b) { return L(V, DC_SHIM_MOST); }
DC_SHIM_DEVICE float fracf(float a) { return a - floorf(a); }
DC_SHIM_FLOATS(float2, DC_SHIM_2, a.x * b.x + a.y * b.y)
DC_SHIM_FLOATS(float3, DC_SHIM_3, a.x * b.x + a.y * b.y + a.z * b.z)
DC_SHIM_FLOATS(float4, DC_SHIM_4, a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w)
DC_SHIM_DEVICE int2 operator-(int2 &a) { return make_int2(-a.x, -a.y); }
DC_SHIM_DEVICE int3 operator-(int3 &a) { return make_int3(-a.x, -a.y, -a.z); }
DC_SHIM_DEVICE int4 operator-(int4 &a) { return make_int4(-a.x, -a.y, -a.z, -a.w); }
DC_SHIM_DEVICE int dot(int2 a, int2 b) { return a.x * b.x + a.y * b.y; }
DC_SHIM_DEVICE int dot(int3 a, int3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DC_SHIM_DEVICE int dot(int4 a, int4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
DC_SHIM_DEVICE float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* Vectors of other lengths and types. */
DC_SHIM_DEVICE float2 make_float2(float3 a) { return make_float2(a.x, a.y); }
DC_SHIM_DEVICE float2 make_float2(int2 a) { return make_float2((float)a.x, (float)a.y); }
DC_SHIM_DEVICE float2 make_float2(uint2 a) { return make_float2((float)a.x, (float)a.y); }
DC_SHIM_DEVICE float3 make_float3(float2 a) { return make_float3(a.x, a.y, 0.0f); }
DC_SHIM_DEVICE float3 make_float3(float2 a, float z) { return make_float3(a.x, a.y, z); }
DC_SHIM_DEVICE float3 make_float3(float4 a) { return make_float3(a.x, a.y, a.z); }
DC_SHIM_DEVICE float3 make_float3(int3 a) { return make_float3((float)a.x, (float)a.y, (float)a.z); }
DC_SHIM_DEVICE float3 make_float3(uint3 a) { return make_float3((float)a.x, (float)a.y, (float)a.z); }
DC_SHIM_DEVICE float4 make_float4(float3 a) { return make_float4(a.x, a.y, a.z, 0.0f); }
DC_SHIM_DEVICE float4 make_float4(float3 a, float w) { return make_float4(a.x, a.y, a.z, w); }
DC_SHIM_DEVICE float4 make_float4(int4 a) { return make_float4((float)a.x, (float)a.y, (float)a.z, (float)a.w); }
DC_SHIM_DEVICE int2 make_int2(float2 a) { return make_int2((int)a.x, (int)a.y); }
DC_SHIM_DEVICE int2 make_int2(int3 a) { return make_int2(a.x, a.y); }
DC_SHIM_DEVICE int2 make_int2(uint2 a) { return make_int2((int)a.x, (int)a.y); }
DC_SHIM_DEVICE int3 make_int3(float3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
DC_SHIM_DEVICE int3 make_int3(int2 a, int z) { return make_int3(a.x, a.y, z); }
DC_SHIM_DEVICE int3 make_int3(uint3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
DC_SHIM_DEVICE int4 make_int4(float4 a) { return make_int4((int)a.x, (int)a.y, (int)a.z, (int)a.w); }
DC_SHIM_DEVICE int4 make_int4(int3 a, int w) { return make_int4(a.x, a.y, a.z, w); }
DC_SHIM_DEVICE uint2 make_uint2(int2 a) { return make_uint2((unsigned)a.x, (unsigned)a.y); }
DC_SHIM_DEVICE uint3 make_uint3(int3 a) { return make_uint3((unsigned)a.x, (unsigned)a.y, (unsigned)a.z); }
#undef DC_SHIM_OPERATOR
#undef DC_SHIM_VECTOR
#undef DC_SHIM_FLOATS
#undef DC_SHIM_2
#undef DC_SHIM_3
#undef DC_SHIM_4
#undef DC_SHIM_NEG
#undef DC_SHIM_SAME
#undef DC_SHIM_LOWER
#undef DC_SHIM_UPPER
#undef DC_SHIM_WITHIN
#undef DC_SHIM_WITHIN_S
#undef DC_SHIM_ABS
#undef DC_SHIM_FLOOR
#undef DC_SHIM_FRACTION
#undef DC_SHIM_MODULO
#undef DC_SHIM_LEAST
#undef DC_SHIM_MOST
#undef DC_SHIM_ADD
#undef DC_SHIM_ADD_S
#undef DC_SHIM_S_ADD
#undef DC_SHIM_SUB
#undef DC_SHIM_SUB_S
#undef DC_SHIM_S_SUB
#undef DC_SHIM_MUL
#undef DC_SHIM_MUL_S
#undef DC_SHIM_S_MUL
#undef DC_SHIM_DIV
#undef DC_SHIM_DIV_S
#undef DC_SHIM_S_DIV
#undef DC_SHIM_DEVICE
#endif
