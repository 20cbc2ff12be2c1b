/* What files with kernels for PyTorch name of its C++ library: types of elements and packed accessors, as kernels use
** them, and for the host's code, which never runs here, tensors and the macros that choose a kernel's instance by the
** type of a tensor's elements: they launch it for each type. */
#ifndef DC_SHIM_TORCH
#define DC_SHIM_TORCH
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits>
#include <stdint.h>

namespace c10 {
/* 16-bit floats that convert by themselves, and are computed as float, each result rounded.  `how`: BFloat16 becomes
** the toolkit's type where that is said alone. */
#define DC_HALF_OPERATOR(name, op)                                                                                     \
  __host__ __device__ inline name operator op(name a, name b) { return float(a) op float(b); }                         \
  template <class I, class = decltype(I() % 2)> __host__ __device__ inline name operator op(name a, I b) {             \
    return float(a) op float(b);                                                                                       \
  }                                                                                                                    \
  template <class I, class = decltype(I() % 2)> __host__ __device__ inline name operator op(I a, name b) {             \
    return float(a) op float(b);                                                                                       \
  }                                                                                                                    \
  __host__ __device__ inline float operator op(name a, float b) { return float(a) op b; }                              \
  __host__ __device__ inline float operator op(float a, name b) { return a op float(b); }                              \
  __host__ __device__ inline double operator op(name a, double b) { return double(float(a)) op b; }                    \
  __host__ __device__ inline double operator op(double a, name b) { return a op double(float(b)); }
#define DC_HALF(name, type, raw, from, to, how)                                                                        \
  struct alignas(2) name {                                                                                             \
    unsigned short x; /* the bits */                                                                                   \
    struct from_bits_t {};                                                                                             \
    static constexpr __host__ __device__ from_bits_t from_bits() { return {}; }                                        \
    name() = default;                                                                                                  \
    constexpr __host__ __device__ name(unsigned short bits, from_bits_t) : x(bits) {}                                  \
    __host__ __device__ name(float v) : name(from(v)) {}                                                               \
    __host__ __device__ name(type v) : x(raw(v).x) {}                                                                  \
    __host__ __device__ operator float() const { return to(raw{x}); }                                                  \
    how __host__ __device__ operator type() const { return raw{x}; }                                                   \
    __host__ __device__ name &operator+=(float v) { return *this = float(*this) + v; }                                 \
    __host__ __device__ name &operator-=(float v) { return *this = float(*this) - v; }                                 \
    __host__ __device__ name &operator*=(float v) { return *this = float(*this) * v; }                                 \
    __host__ __device__ name &operator/=(float v) { return *this = float(*this) / v; }                                 \
    __host__ __device__ name operator-() const { return -float(*this); }                                               \
  };                                                                                                                   \
  DC_HALF_OPERATOR(name, +) DC_HALF_OPERATOR(name, -) DC_HALF_OPERATOR(name, *) DC_HALF_OPERATOR(name, /)
DC_HALF(Half, __half, __half_raw, __float2half, __half2float, )
DC_HALF(BFloat16, __nv_bfloat16, __nv_bfloat16_raw, __float2bfloat16, __bfloat162float, explicit)
#undef DC_HALF
#undef DC_HALF_OPERATOR
/* Of two of one type: what is compared with numbers converts. */
#define DC_HALF_COMPARISON(op)                                                                                         \
  template <class H, class = typename H::from_bits_t> __host__ __device__ inline bool operator op(H a, H b) {          \
    return float(a) op float(b);                                                                                       \
  }
DC_HALF_COMPARISON(==) DC_HALF_COMPARISON(!=) DC_HALF_COMPARISON(<) DC_HALF_COMPARISON(>) DC_HALF_COMPARISON(<=)
DC_HALF_COMPARISON(>=)
#undef DC_HALF_COMPARISON

/* X(name of a dtype, its C type), of those that kernels are instantiated for. */
#define DC_SCALAR_TYPES(X)                                                                                             \
  X(Byte, uint8_t) X(Char, int8_t) X(Short, int16_t) X(Int, int) X(Long, int64_t) X(Half, c10::Half) X(Float, float)   \
  X(Double, double) X(Bool, bool) X(BFloat16, c10::BFloat16) X(UInt16, uint16_t) X(UInt32, uint32_t)                   \
  X(UInt64, uint64_t)
#define DC_SCALAR_TYPE(name, type) name,
enum class ScalarType : int8_t {
  DC_SCALAR_TYPES(DC_SCALAR_TYPE) ComplexHalf, ComplexFloat, ComplexDouble, QInt8, QUInt8, QInt32, Float8_e5m2,
  Float8_e4m3fn, Float8_e5m2fnuz, Float8_e4m3fnuz, Float8_e8m0fnu, Float4_e2m1fn_x2, Undefined, NumOptions
};
#undef DC_SCALAR_TYPE
namespace impl {
template <ScalarType type> struct ScalarTypeToCPPType;
#define DC_SCALAR_TYPE(name, T) template <> struct ScalarTypeToCPPType<ScalarType::name> { using type = T; };
DC_SCALAR_TYPES(DC_SCALAR_TYPE)
#undef DC_SCALAR_TYPE
template <ScalarType type> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<type>::type;
}
template <class T> struct CppTypeToScalarType;
#define DC_SCALAR_TYPE(name, type)                                                                                     \
  template <> struct CppTypeToScalarType<type> { static constexpr ScalarType value = ScalarType::name; };              \
  constexpr ScalarType k##name = ScalarType::name;
DC_SCALAR_TYPES(DC_SCALAR_TYPE)
#undef DC_SCALAR_TYPE
#undef DC_SCALAR_TYPES
constexpr ScalarType kUInt8 = kByte, kInt8 = kChar, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong;
constexpr ScalarType kFloat16 = kHalf, kFloat32 = kFloat, kFloat64 = kDouble;
}

namespace cuda {
namespace std {
#define DC_LIMITS(type, least, most, lowest_bits, epsilon_bits, infinity_bits, nan_bits)                               \
  template <> class numeric_limits<type> {                                                                             \
    static constexpr __host__ __device__ type of(unsigned short bits) { return type(bits, type::from_bits()); }        \
                                                                                                                       \
  public:                                                                                                              \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;               \
    static constexpr bool has_infinity = true, has_quiet_NaN = true;                                                   \
    static constexpr __host__ __device__ type min() { return of(least); }                                              \
    static constexpr __host__ __device__ type max() { return of(most); }                                               \
    static constexpr __host__ __device__ type lowest() { return of(lowest_bits); }                                     \
    static constexpr __host__ __device__ type epsilon() { return of(epsilon_bits); }                                   \
    static constexpr __host__ __device__ type infinity() { return of(infinity_bits); }                                 \
    static constexpr __host__ __device__ type quiet_NaN() { return of(nan_bits); }                                     \
  };
DC_LIMITS(c10::Half, 0x0400, 0x7bff, 0xfbff, 0x1400, 0x7c00, 0x7e00)
DC_LIMITS(c10::BFloat16, 0x0080, 0x7f7f, 0xff7f, 0x3c00, 0x7f80, 0x7fc0)
#undef DC_LIMITS
}
}

namespace at {
using c10::BFloat16;
using c10::Half;
using c10::ScalarType;

/* What sums of a type are computed in. */
template <class T> struct OpMathType { using type = T; };
template <> struct OpMathType<Half> { using type = float; };
template <> struct OpMathType<BFloat16> { using type = float; };
template <class T> using opmath_type = typename OpMathType<T>::type;
template <class T, bool on_gpu> using acc_type = opmath_type<T>;

template <class T> struct DefaultPtrTraits { typedef T *PtrType; };
template <class T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };

/* The elements behind some indices. */
template <class T, size_t N, template <class> class Traits, class I> struct TensorAccessorBase {
  typename Traits<T>::PtrType data_;
  const I *sizes_, *strides_;
  __host__ __device__ TensorAccessorBase(typename Traits<T>::PtrType data, const I *sizes, const I *strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __host__ __device__ I size(I i) const { return sizes_[i]; }
  __host__ __device__ I stride(I i) const { return strides_[i]; }
  __host__ __device__ typename Traits<T>::PtrType data() const { return data_; }
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t>
struct TensorAccessor : TensorAccessorBase<T, N, Traits, I> {
  using TensorAccessorBase<T, N, Traits, I>::TensorAccessorBase;
  __host__ __device__ TensorAccessor<T, N - 1, Traits, I> operator[](I i) const {
    return {this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1};
  }
};
template <class T, template <class> class Traits, class I>
struct TensorAccessor<T, 1, Traits, I> : TensorAccessorBase<T, 1, Traits, I> {
  using TensorAccessorBase<T, 1, Traits, I>::TensorAccessorBase;
  __host__ __device__ T &operator[](I i) const { return this->data_[this->strides_[0] * i]; }
};

/* A kernel's parameter: a pointer, the extents, and the strides in elements. */
template <class T, size_t N, template <class> class Traits, class I> struct GenericPackedTensorAccessor {
  typename Traits<T>::PtrType data_;
  I sizes_[N], strides_[N];
  __host__ __device__ I size(I i) const { return sizes_[i]; }
  __host__ __device__ I stride(I i) const { return strides_[i]; }
  __host__ __device__ typename Traits<T>::PtrType data() const { return data_; }
  __host__ __device__ decltype(auto) operator[](I i) const {
    return TensorAccessor<T, N, Traits, I>(data_, sizes_, strides_)[i];
  }
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, I>;

/* A tensor as a kernel's parameter: its address, extents and strides; and the element of a linear index. */
namespace cuda {
namespace detail {
template <class T, class I> struct TensorInfo {
  T *data;
  I sizes[25], strides[25];
  int dims;
};
template <class T, class I, int dims> struct IndexToOffset {
  static __host__ __device__ I get(I linear, const TensorInfo<T, I> &info) {
    I offset = 0;
    for (int i = (dims < 0 ? info.dims : dims) - 1; i >= 0; i--) {
      offset += linear % info.sizes[i] * info.strides[i];
      linear /= info.sizes[i];
    }
    return offset;
  }
};
}
template <class T> __host__ __device__ constexpr T ATenCeilDiv(T a, T b) { return (a + b - 1) / b; }
}
template <class T> __host__ __device__ constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }
}

/* The host's names: all are dc_any where its code is compiled; else its functions go, their prototypes stay, and a
** tensor is a pointer, which classes that kernels get may have.  All are complete: NVRTC 13.0 crashes on a variable of
** an incomplete class in a function that it takes for the device's. */
#ifdef DC_SHIM_HOST_ANY
namespace c10 {
using Device = dc_any;
using TensorOptions = dc_any;
using IntArrayRef = dc_any;
template <class T> using ArrayRef = dc_any;
template <class T> using optional = dc_any;
namespace cuda {
using CUDAGuard = dc_any;
using OptionalCUDAGuard = dc_any;
using CUDAStream = dc_any;
cudaStream_t getCurrentCUDAStream(int = 0);
}
}
namespace at {
using Tensor = dc_any;
using Scalar = dc_any;
using namespace c10;
namespace cuda {
using namespace c10::cuda;
namespace detail {
template <class T, class I, class... A> TensorInfo<T, I> getTensorInfo(A &&...);
}
}
}
#else
namespace c10 {
template <class T> struct optional { T value; bool has_value; };
template <class T> struct ArrayRef { const T *data; size_t size; };
using IntArrayRef = ArrayRef<int64_t>;
}
namespace at {
struct Tensor { void *impl; };
using namespace c10;
}
#endif
namespace torch {
using namespace at;
namespace headeronly {
using namespace at;
}
namespace stable {
using at::Tensor;
}
}

#define DC_HALF_FUNCTIONS(type, inner)                                                                                 \
  __device__ inline type __ldg(const type *p) { return __ldg((const inner *)p); }                                      \
  __device__ inline type atomicAdd(type *p, type v) { return atomicAdd((inner *)p, (inner)v); }
DC_HALF_FUNCTIONS(c10::Half, __half)
DC_HALF_FUNCTIONS(c10::BFloat16, __nv_bfloat16)
#undef DC_HALF_FUNCTIONS
__device__ inline int64_t atomicAdd(int64_t *p, int64_t v) {
  return (int64_t)atomicAdd((unsigned long long *)p, (unsigned long long)v);
}
template <class T> struct dc_same { using type = T; }; /* deduces nothing */
/* Of 8 and 16 bits: in the word that they are in. */
template <class T> __device__ inline T dc_add_in_word(T *p, T v) {
  const unsigned shift = 8 * (unsigned)((size_t)p & 3), mask = ((1u << 8 * sizeof(T)) - 1) << shift;
  unsigned *word = (unsigned *)((size_t)p & ~(size_t)3), old = *word, assumed;
  do {
    assumed = old;
    const unsigned sum = (unsigned)(T)((T)(assumed >> shift) + v) << shift;
    old = atomicCAS(word, assumed, (assumed & ~mask) | (sum & mask));
  } while (old != assumed);
  return (T)(old >> shift);
}
__device__ inline uint8_t atomicAdd(uint8_t *p, uint8_t v) { return dc_add_in_word(p, v); }
__device__ inline int8_t atomicAdd(int8_t *p, int8_t v) { return dc_add_in_word(p, v); }
__device__ inline int16_t atomicAdd(int16_t *p, int16_t v) { return dc_add_in_word(p, v); }
template <class T> __device__ inline T gpuAtomicAdd(T *p, typename dc_same<T>::type v) { return atomicAdd(p, v); }
template <class T> __device__ inline void gpuAtomicAddNoReturn(T *p, typename dc_same<T>::type v) { atomicAdd(p, v); }

/* What chooses a kernel's instance by a tensor's type at run time takes all of them: the body is called for each. */
#define DC_DISPATCH_AS(hint, type, ...)                                                                                \
  {                                                                                                                    \
    using hint [[maybe_unused]] = c10::impl::ScalarTypeToCPPTypeT<type>;                                               \
    __VA_ARGS__();                                                                                                     \
  }
#define AT_DISPATCH_CASE(type, ...) DC_DISPATCH_AS(scalar_t, type, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(of, name, ...) [&] { __VA_ARGS__ }()
#define AT_PRIVATE_CASE_TYPE_USING_HINT(type, hint, ...)                                                               \
  case type: {                                                                                                         \
    DC_DISPATCH_AS(hint, type, __VA_ARGS__)                                                                            \
    break;                                                                                                             \
  }
#define AT_PRIVATE_CASE_TYPE(name, type, of, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(type, scalar_t, __VA_ARGS__)
#define THO_DISPATCH_CASE AT_DISPATCH_CASE
#define THO_DISPATCH_SWITCH AT_DISPATCH_SWITCH
#define AT_DISPATCH_CASE_FLOATING_TYPES(...)                                                                           \
  AT_DISPATCH_CASE(c10::kDouble, __VA_ARGS__) AT_DISPATCH_CASE(c10::kFloat, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...)                                                                   \
  AT_DISPATCH_CASE(c10::kHalf, __VA_ARGS__) AT_DISPATCH_CASE(c10::kBFloat16, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...)                                                                  \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(c10::kHalf, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)                                                                           \
  AT_DISPATCH_CASE(c10::kByte, __VA_ARGS__) AT_DISPATCH_CASE(c10::kChar, __VA_ARGS__)                                  \
  AT_DISPATCH_CASE(c10::kInt, __VA_ARGS__) AT_DISPATCH_CASE(c10::kLong, __VA_ARGS__)                                   \
  AT_DISPATCH_CASE(c10::kShort, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...)                                                                                \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
/* Complex types among those are left out. */
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX AT_DISPATCH_CASE_ALL_TYPES
/* The groups of types, each alone and with further types in front. */
#define DC_DISPATCH(group, ...) [&] { AT_DISPATCH_CASE_##group(__VA_ARGS__) }()
#define DC_DISPATCH_AND(group, a, ...) [&] { AT_DISPATCH_CASE_##group(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) }()
#define DC_DISPATCH_AND2(group, a, b, ...)                                                                             \
  [&] { AT_DISPATCH_CASE_##group(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__) }()
#define DC_DISPATCH_AND3(group, a, b, c, ...)                                                                          \
  [&] {                                                                                                                \
    AT_DISPATCH_CASE_##group(__VA_ARGS__) AT_DISPATCH_CASE(a, __VA_ARGS__) AT_DISPATCH_CASE(b, __VA_ARGS__)            \
    AT_DISPATCH_CASE(c, __VA_ARGS__)                                                                                   \
  }()
#define AT_DISPATCH_FLOATING_TYPES(of, name, ...) DC_DISPATCH(FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(a, of, name, ...) DC_DISPATCH_AND(FLOATING_TYPES, a, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(a, b, of, name, ...) DC_DISPATCH_AND2(FLOATING_TYPES, a, b, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND3(a, b, c, of, name, ...) DC_DISPATCH_AND3(FLOATING_TYPES, a, b, c, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(of, name, ...) DC_DISPATCH(REDUCED_FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES_AND(a, of, name, ...)                                                       \
  DC_DISPATCH_AND(REDUCED_FLOATING_TYPES, a, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(of, name, ...) DC_DISPATCH(INTEGRAL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND(a, of, name, ...) DC_DISPATCH_AND(INTEGRAL_TYPES, a, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(of, name, ...) DC_DISPATCH(ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(a, of, name, ...) DC_DISPATCH_AND(ALL_TYPES, a, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(a, b, of, name, ...) DC_DISPATCH_AND2(ALL_TYPES, a, b, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(a, b, c, of, name, ...) DC_DISPATCH_AND3(ALL_TYPES, a, b, c, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(of, name, ...) DC_DISPATCH(ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(a, of, name, ...) DC_DISPATCH_AND(ALL_TYPES_AND_COMPLEX, a, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(a, b, of, name, ...)                                                    \
  DC_DISPATCH_AND2(ALL_TYPES_AND_COMPLEX, a, b, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(a, b, c, of, name, ...)                                                 \
  DC_DISPATCH_AND3(ALL_TYPES_AND_COMPLEX, a, b, c, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(of, name, ...) DC_DISPATCH(FLOATING_TYPES_AND_HALF, __VA_ARGS__)

#define TORCH_CHECK(...)
#define TORCH_WARN(...)
#define AT_ASSERT(...)
#define AT_ASSERTM(...)
#define AT_ERROR(...)
#define AT_CUDA_CHECK(...) (void)(__VA_ARGS__)
#define C10_CUDA_CHECK(...) (void)(__VA_ARGS__)
#define C10_CUDA_KERNEL_LAUNCH_CHECK()
#define STD_TORCH_CHECK(...)
#define STD_TORCH_CHECK_NOT_IMPLEMENTED(...)
#define STD_CUDA_CHECK(...) (void)(__VA_ARGS__)
#define STD_CUDA_KERNEL_LAUNCH_CHECK()
#define TORCH_CHECK_NOT_IMPLEMENTED(...)
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_ALWAYS_INLINE __forceinline__
#define C10_LAUNCH_BOUNDS_1(a) __launch_bounds__(a)
#define C10_LAUNCH_BOUNDS_2(a, b) __launch_bounds__(a, b)
#define TORCH_API
#define CUDA_KERNEL_LOOP(i, n)                                                                                         \
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < (n); i += int64_t(blockDim.x) * gridDim.x)
#endif
