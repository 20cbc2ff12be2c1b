/* The texture and surface references that left CUDA with version 12, as variables that hold an object: a script sets
** them, m:global("t")[{}] = texture.handle.  The host's part of them (filterMode, cudaBindTexture) is dc.texture's. */
#ifndef DC_SHIM_TEXTURE_REFERENCES
#define DC_SHIM_TEXTURE_REFERENCES
template <class T, int dimension = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct dc_texture_reference { cudaTextureObject_t object; };
template <class T, int dimension = 1> struct dc_surface_reference { cudaSurfaceObject_t object; };

/* What is read: integers of up to 16 bits may be normalized to floats. */
template <class T, cudaTextureReadMode mode> struct dc_texel { using type = T; };
#define DC_NORMALIZED(T, result) \
  template <> struct dc_texel<T, cudaReadModeNormalizedFloat> { using type = result; };
#define DC_NORMALIZED_VECTORS(T) \
  DC_NORMALIZED(T##1, float1) DC_NORMALIZED(T##2, float2) DC_NORMALIZED(T##3, float3) DC_NORMALIZED(T##4, float4)
DC_NORMALIZED(char, float)
DC_NORMALIZED(signed char, float)
DC_NORMALIZED(unsigned char, float)
DC_NORMALIZED(short, float)
DC_NORMALIZED(unsigned short, float)
DC_NORMALIZED_VECTORS(char)
DC_NORMALIZED_VECTORS(uchar)
DC_NORMALIZED_VECTORS(short)
DC_NORMALIZED_VECTORS(ushort)
#undef DC_NORMALIZED
#undef DC_NORMALIZED_VECTORS

#define DC_FETCH(name) \
  template <class T, int d, cudaTextureReadMode m, class... A> \
  static inline __device__ typename dc_texel<T, m>::type name(dc_texture_reference<T, d, m> t, A... a) { \
    return name<typename dc_texel<T, m>::type>(t.object, a...); \
  }
DC_FETCH(tex1Dfetch)
DC_FETCH(tex1D)
DC_FETCH(tex2D)
DC_FETCH(tex3D)
DC_FETCH(tex1DLayered)
DC_FETCH(tex2DLayered)
DC_FETCH(texCubemap)
DC_FETCH(texCubemapLayered)
DC_FETCH(tex1DLod)
DC_FETCH(tex2DLod)
DC_FETCH(tex3DLod)
DC_FETCH(tex1DGrad)
DC_FETCH(tex2DGrad)
DC_FETCH(tex3DGrad)
#undef DC_FETCH

#define DC_SURFACE(name) \
  template <class T, class S, int d, class... A> \
  static inline __device__ T name##read(dc_surface_reference<S, d> s, A... a) { \
    return name##read<T>(s.object, a...); \
  } \
  template <class T, class S, int d, class... A> \
  static inline __device__ void name##read(T *out, dc_surface_reference<S, d> s, A... a) { \
    *out = name##read<T>(s.object, a...); \
  } \
  template <class T, class S, int d, class... A> \
  static inline __device__ void name##write(T v, dc_surface_reference<S, d> s, A... a) { \
    name##write<T>(v, s.object, a...); \
  }
DC_SURFACE(surf1D)
DC_SURFACE(surf2D)
DC_SURFACE(surf3D)
DC_SURFACE(surf1DLayered)
DC_SURFACE(surf2DLayered)
#undef DC_SURFACE
#endif
