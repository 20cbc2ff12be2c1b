/* What files with kernels for PyTorch name of its C++ library: types of elements and packed accessors, as kernels use
** them, and for the host's code, which never runs here, tensors and the macros that choose a kernel's instance by the
** type of a tensor's elements: they launch it for each type. */
#ifndef DC_SHIM_TORCH
#define DC_SHIM_TORCH
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace c10 {
/* 16-bit floats that convert by themselves, and are computed as float. */
#define DC_HALF(name, type, from, to)                                                                                  \
  struct name {                                                                                                        \
    type x;                                                                                                            \
    name() = default;                                                                                                  \
    __host__ __device__ name(float v) : x(from(v)) {}                                                                  \
    __host__ __device__ name(type v) : x(v) {}                                                                         \
    __host__ __device__ operator float() const { return to(x); }                                                       \
    __host__ __device__ name &operator+=(float v) { return *this = *this + v; }                                        \
    __host__ __device__ name &operator-=(float v) { return *this = *this - v; }                                        \
    __host__ __device__ name &operator*=(float v) { return *this = *this * v; }                                        \
    __host__ __device__ name &operator/=(float v) { return *this = *this / v; }                                        \
  };
DC_HALF(Half, __half, __float2half, __half2float)
DC_HALF(BFloat16, __nv_bfloat16, __float2bfloat16, __bfloat162float)
#undef DC_HALF
struct DC_host_value { /* a device, a type, options, a list: nothing is known of it but its name */
  template <class... A> __host__ __device__ DC_host_value(A...) {}
  template <class T> __host__ __device__ operator T() const { return *(T *)0; }
  template <class T> __host__ __device__ DC_host_value operator[](T) const { return {}; }
  template <class... A> __host__ __device__ DC_host_value operator()(A...) const { return {}; }
};
namespace cuda {
using CUDAGuard = DC_host_value;
using OptionalCUDAGuard = DC_host_value;
}
}

namespace at {
using c10::BFloat16;
using c10::Half;

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
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t>
struct GenericPackedTensorAccessor {
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

using Device = c10::DC_host_value;
using TensorOptions = c10::DC_host_value;
using IntArrayRef = c10::DC_host_value;
using ScalarType = c10::DC_host_value;

/* Of a tensor's members those that give numbers and pointers have their types; the others give a tensor, or what
** becomes whatever is wanted. */
#define DC_TENSORS(X)                                                                                                  \
  X(contiguous) X(view) X(reshape) X(to) X(clone) X(detach) X(transpose) X(permute) X(flatten) X(unsqueeze) X(squeeze) \
  X(slice) X(select) X(narrow) X(expand) X(t) X(sum) X(mean) X(max) X(min) X(toType) X(cuda) X(cpu) X(index) X(zero_)  \
  X(fill_) X(copy_) X(view_as) X(expand_as) X(resize_) X(add_) X(mul_)
#define DC_VALUES(X) X(sizes) X(strides) X(options) X(device) X(scalar_type) X(dtype) X(type) X(get_device) X(layout)
struct Tensor {
  template <class... A> __host__ __device__ Tensor(A...) {}
  __host__ __device__ int64_t size(int64_t) const { return 1; }
  __host__ __device__ int64_t stride(int64_t) const { return 1; }
  __host__ __device__ int64_t numel() const { return 1; }
  __host__ __device__ int64_t dim() const { return 1; }
  __host__ __device__ int64_t ndimension() const { return 1; }
  __host__ __device__ int64_t element_size() const { return 1; }
  __host__ __device__ bool defined() const { return true; }
  __host__ __device__ bool is_cuda() const { return true; }
  __host__ __device__ bool is_contiguous() const { return true; }
  __host__ __device__ void *data_ptr() const { return nullptr; }
  template <class T> __host__ __device__ T *data_ptr() const { return nullptr; }
  template <class T> __host__ __device__ T *mutable_data_ptr() const { return nullptr; }
  template <class T> __host__ __device__ const T *const_data_ptr() const { return nullptr; }
  template <class T> __host__ __device__ T *data() const { return nullptr; }
  template <class T> __host__ __device__ T item() const { return T(); }
#define DC_ACCESSOR(name, I)                                                                                           \
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class... More>                        \
  __host__ __device__ GenericPackedTensorAccessor<T, N, Traits, I> name() const { return {}; }
  DC_ACCESSOR(packed_accessor32, int32_t)
  DC_ACCESSOR(packed_accessor64, int64_t)
  DC_ACCESSOR(packed_accessor, int64_t)
#undef DC_ACCESSOR
#define DC_TENSOR(name) template <class... A> __host__ __device__ Tensor name(A...) const { return {}; }
#define DC_VALUE(name) template <class... A> __host__ __device__ c10::DC_host_value name(A...) const { return {}; }
  DC_TENSORS(DC_TENSOR)
  DC_VALUES(DC_VALUE)
#undef DC_TENSOR
#undef DC_VALUE
  template <class T> __host__ __device__ Tensor operator[](T) const { return {}; }
};
#undef DC_TENSORS
#undef DC_VALUES
#define DC_TENSOR(name)                                                                                                \
  template <class... A> __host__ __device__ Tensor name(A...) { return {}; }                                           \
  template <class T, class... A> __host__ __device__ Tensor name(std::initializer_list<T>, A...) { return {}; }
DC_TENSOR(empty) DC_TENSOR(zeros) DC_TENSOR(ones) DC_TENSOR(full) DC_TENSOR(empty_like) DC_TENSOR(zeros_like)
DC_TENSOR(ones_like) DC_TENSOR(full_like) DC_TENSOR(cat) DC_TENSOR(arange)
#undef DC_TENSOR
template <class... A> __host__ __device__ TensorOptions dtype(A...) { return {}; }
template <class... A> __host__ __device__ TensorOptions device(A...) { return {}; }
#define DC_TYPE(name) static const c10::DC_host_value *const name = nullptr;
DC_TYPE(kFloat) DC_TYPE(kDouble) DC_TYPE(kHalf) DC_TYPE(kBFloat16) DC_TYPE(kInt) DC_TYPE(kLong) DC_TYPE(kBool)
DC_TYPE(kByte) DC_TYPE(kCUDA) DC_TYPE(kFloat32) DC_TYPE(kFloat64) DC_TYPE(kFloat16) DC_TYPE(kInt32) DC_TYPE(kInt64)
#undef DC_TYPE
namespace cuda {
using c10::cuda::CUDAGuard;
using c10::cuda::OptionalCUDAGuard;
__host__ __device__ inline cudaStream_t getCurrentCUDAStream(int = 0) { return 0; }
}
}
namespace c10 {
namespace cuda {
using at::cuda::getCurrentCUDAStream;
}
}
namespace torch {
using namespace at;
}

__device__ inline c10::Half atomicAdd(c10::Half *p, c10::Half v) { return atomicAdd(&p->x, v.x); }
__device__ inline c10::BFloat16 atomicAdd(c10::BFloat16 *p, c10::BFloat16 v) { return atomicAdd(&p->x, v.x); }
__device__ inline int64_t atomicAdd(int64_t *p, int64_t v) {
  return (int64_t)atomicAdd((unsigned long long *)p, (unsigned long long)v);
}
template <class T> __device__ inline T gpuAtomicAdd(T *p, T v) { return atomicAdd(p, v); }
template <class T> __device__ inline void gpuAtomicAddNoReturn(T *p, T v) { gpuAtomicAdd(p, v); }

#define DC_DISPATCH(type, ...)                                                                                         \
  {                                                                                                                    \
    using scalar_t = type;                                                                                             \
    __VA_ARGS__();                                                                                                     \
  }
#define DC_DISPATCH_FLOATS(...) DC_DISPATCH(float, __VA_ARGS__) DC_DISPATCH(double, __VA_ARGS__)
#define DC_DISPATCH_HALF(...) DC_DISPATCH(c10::Half, __VA_ARGS__)
#define DC_DISPATCH_INTEGERS(...)                                                                                      \
  DC_DISPATCH(unsigned char, __VA_ARGS__)                                                                              \
  DC_DISPATCH(signed char, __VA_ARGS__)                                                                                \
  DC_DISPATCH(short, __VA_ARGS__) DC_DISPATCH(int, __VA_ARGS__) DC_DISPATCH(int64_t, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(of, name, ...) DC_DISPATCH_FLOATS(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(of, name, ...)                                                             \
  DC_DISPATCH_FLOATS(__VA_ARGS__) DC_DISPATCH_HALF(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(more, of, name, ...)                                                            \
  DC_DISPATCH_FLOATS(__VA_ARGS__) DC_DISPATCH_HALF(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(more, most, of, name, ...)                                                     \
  DC_DISPATCH_FLOATS(__VA_ARGS__) DC_DISPATCH_HALF(__VA_ARGS__) DC_DISPATCH(c10::BFloat16, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(of, name, ...) DC_DISPATCH_INTEGERS(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(of, name, ...) DC_DISPATCH_FLOATS(__VA_ARGS__) DC_DISPATCH_INTEGERS(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(more, of, name, ...)                                                                 \
  DC_DISPATCH_FLOATS(__VA_ARGS__) DC_DISPATCH_INTEGERS(__VA_ARGS__) DC_DISPATCH_HALF(__VA_ARGS__)
#define TORCH_CHECK(...)
#define AT_CUDA_CHECK(...) (void)(__VA_ARGS__)
#define C10_CUDA_CHECK(...) (void)(__VA_ARGS__)
#define C10_CUDA_KERNEL_LAUNCH_CHECK()
#endif
