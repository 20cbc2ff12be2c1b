/* PyTorch's complex numbers: elements of complex64 and complex128 arrays. */
#ifndef DC_SHIM_TORCH_COMPLEX
#define DC_SHIM_TORCH_COMPLEX
#include <limits>
#define DC_BOTH __host__ __device__
namespace c10 {
template <class T> struct alignas(2 * sizeof(T)) complex {
  using value_type = T;
  T real_ = 0, imag_ = 0;
  constexpr complex() = default;
  DC_BOTH constexpr complex(const T &re, const T &im = T()) : real_(re), imag_(im) {}
  template <class U> DC_BOTH explicit constexpr complex(const complex<U> &z) : real_(z.real_), imag_(z.imag_) {}
  DC_BOTH constexpr T real() const { return real_; }
  DC_BOTH constexpr T imag() const { return imag_; }
  DC_BOTH constexpr void real(T v) { real_ = v; }
  DC_BOTH constexpr void imag(T v) { imag_ = v; }
  DC_BOTH constexpr complex &operator+=(const complex &z) { return *this = {real_ + z.real_, imag_ + z.imag_}; }
  DC_BOTH constexpr complex &operator-=(const complex &z) { return *this = {real_ - z.real_, imag_ - z.imag_}; }
  DC_BOTH constexpr complex &operator*=(const complex &z) {
    return *this = {real_ * z.real_ - imag_ * z.imag_, real_ * z.imag_ + imag_ * z.real_};
  }
  DC_BOTH constexpr complex &operator*=(const T &v) { return *this = {real_ * v, imag_ * v}; }
  DC_BOTH constexpr complex &operator/=(const T &v) { return *this = {real_ / v, imag_ / v}; }
  /* Scaled by the larger part of the divisor (Smith's), so that its square does not overflow. */
  DC_BOTH constexpr complex &operator/=(const complex &z) {
    const T re = z.real_ < 0 ? -z.real_ : z.real_, im = z.imag_ < 0 ? -z.imag_ : z.imag_;
    if (re >= im) {
      const T q = z.imag_ / z.real_, d = z.real_ + z.imag_ * q;
      return *this = {(real_ + imag_ * q) / d, (imag_ - real_ * q) / d};
    }
    const T q = z.real_ / z.imag_, d = z.real_ * q + z.imag_;
    return *this = {(real_ * q + imag_) / d, (imag_ * q - real_) / d};
  }
};
#define DC_OPERATOR(op)                                                                                                \
  template <class T> DC_BOTH constexpr complex<T> operator op(complex<T> a, const complex<T> &b) { return a op##= b; } \
  template <class T> DC_BOTH constexpr complex<T> operator op(complex<T> a, const T &b) {                              \
    return a op##= complex<T>(b);                                                                                      \
  }                                                                                                                    \
  template <class T> DC_BOTH constexpr complex<T> operator op(const T &a, const complex<T> &b) {                       \
    return complex<T>(a) op b;                                                                                         \
  }
DC_OPERATOR(+) DC_OPERATOR(-) DC_OPERATOR(*) DC_OPERATOR(/)
#undef DC_OPERATOR
template <class T> DC_BOTH constexpr complex<T> operator-(const complex<T> &z) { return {-z.real_, -z.imag_}; }
template <class T> DC_BOTH constexpr bool operator==(const complex<T> &a, const complex<T> &b) {
  return a.real_ == b.real_ && a.imag_ == b.imag_;
}
template <class T> DC_BOTH constexpr bool operator!=(const complex<T> &a, const complex<T> &b) { return !(a == b); }
}
namespace cuda {
namespace std {
template <class T> DC_BOTH constexpr T real(const c10::complex<T> &z) { return z.real_; }
template <class T> DC_BOTH constexpr T imag(const c10::complex<T> &z) { return z.imag_; }
template <class T> DC_BOTH constexpr T norm(const c10::complex<T> &z) { return z.real_ * z.real_ + z.imag_ * z.imag_; }
template <class T> DC_BOTH constexpr c10::complex<T> conj(const c10::complex<T> &z) { return {z.real_, -z.imag_}; }
template <class T> DC_BOTH T abs(const c10::complex<T> &z) { return ::hypot(z.real_, z.imag_); }
template <class T> DC_BOTH c10::complex<T> exp(const c10::complex<T> &z) {
  const T size = ::exp(z.real_);
  return {size * ::cos(z.imag_), size * ::sin(z.imag_)};
}
}
}
#undef DC_BOTH
#endif
