/* dc_any, what host code has of a library that is not there: an object, the result of a function, a type of which only
** the name is known.  It converts to whatever is wanted, and has the members that the source uses
** (dotcompute/host_members.h, which declared.c writes) besides those here, of which the types are known. */
#ifndef DC_SHIM_HOST_ANY
#define DC_SHIM_HOST_ANY
#include <cstddef>
#include <initializer_list>
struct dc_any;

/* A braced list among arguments, which no template parameter deduces. */
struct dc_list {
  template <class... A> dc_list(A &&...);
  dc_list(std::initializer_list<dc_list>);
};

/* A function of any arguments, also f<T>(…) and f<N>(…). */
#define DC_FUNCTION(result, name, ...)                                                                                 \
  template <class... T, class... A> result name(A &&...) __VA_ARGS__;                                                  \
  template <auto N, auto... M, class... A> result name(A &&...) __VA_ARGS__;                                           \
  template <class T, auto N, auto... M, class... A> result name(A &&...) __VA_ARGS__;                                  \
  template <class... T, class... A> result name(dc_list, A &&...) __VA_ARGS__;                                         \
  template <class... T, class B, class... A> result name(B &&, dc_list, A &&...) __VA_ARGS__;                          \
  template <class... T, class B, class C, class... A> result name(B &&, C &&, dc_list, A &&...) __VA_ARGS__;

/* The operands that the language itself has operators for: on the left of a dc_any the operator is not a member. */
template <class T> struct dc_plain {};
#define DC_PLAIN(T) template <> struct dc_plain<T> { using any = dc_any; using reference = T &; };
DC_PLAIN(bool) DC_PLAIN(char) DC_PLAIN(int) DC_PLAIN(unsigned) DC_PLAIN(long) DC_PLAIN(unsigned long)
DC_PLAIN(long long) DC_PLAIN(unsigned long long) DC_PLAIN(float) DC_PLAIN(double)
#undef DC_PLAIN

/* A kernel's parameter that PyTorch's tensors make (dotcompute/torch.h). */
namespace at {
template <class T, size_t N, template <class> class Traits, class I> struct GenericPackedTensorAccessor;
template <class T> struct DefaultPtrTraits;
}

#define DC_OPERATORS(X) X(+) X(-) X(*) X(/) X(%) X(&) X(|) X(^)
#define DC_COMPARISONS(X) X(==) X(!=) X(<) X(>) X(<=) X(>=)
struct dc_any {
  dc_any();
  template <class T, class... A> explicit dc_any(T &&, A &&...);
  template <class T> operator T() const;
  template <class T> dc_any &operator=(T &&);
#define DC_OPERATOR(op)                                                                                                \
  template <class T> dc_any operator op(T &&) const;                                                                   \
  template <class T> dc_any &operator op##=(T &&);
#define DC_COMPARISON(op) template <class T> bool operator op(T &&) const;
  DC_OPERATORS(DC_OPERATOR)
  DC_COMPARISONS(DC_COMPARISON)
#undef DC_OPERATOR
#undef DC_COMPARISON
  dc_any operator-() const, operator~() const;
  template <class T> dc_any operator<<(T &&) const;
  template <class T> dc_any operator>>(T &&) const;
  template <class T> dc_any &operator[](T &&) const;
  dc_any &operator[](dc_list) const;
  DC_FUNCTION(dc_any, operator(), const)
  dc_any *begin() const, *end() const, &operator*() const, &operator++(), operator++(int), *operator->() const;
  size_t size() const;
  template <class T> long size(T &&) const;
  template <class T> long stride(T &&) const;
  long numel() const, dim() const, ndimension() const, element_size() const;
  template <class T> T item() const;
  dc_any item() const;
  /* A deduced parameter of a kernel needs the pointer's type. */
#define DC_POINTER(name, constant)                                                                                     \
  template <class T> constant T *name() const;                                                                         \
  constant void *name() const;
  DC_POINTER(data_ptr, ) DC_POINTER(mutable_data_ptr, ) DC_POINTER(const_data_ptr, const) DC_POINTER(data, )
#undef DC_POINTER
#define DC_ACCESSOR(name, I)                                                                                           \
  template <class T, size_t N, template <class> class Traits = at::DefaultPtrTraits, class... More>                    \
  at::GenericPackedTensorAccessor<T, N, Traits, I> name() const;
  DC_ACCESSOR(packed_accessor32, int)
  DC_ACCESSOR(packed_accessor64, long)
  DC_ACCESSOR(packed_accessor, long)
#undef DC_ACCESSOR
#include <dotcompute/host_members.h>
};
#define DC_OPERATOR(op)                                                                                                \
  template <class T> typename dc_plain<T>::any operator op(const T &, const dc_any &);                                 \
  template <class T> typename dc_plain<T>::reference operator op##=(T &, const dc_any &);
#define DC_COMPARISON(op)                                                                                              \
  template <class T, class = typename dc_plain<T>::any> bool operator op(const T &, const dc_any &);
DC_OPERATORS(DC_OPERATOR)
DC_COMPARISONS(DC_COMPARISON)
#undef DC_OPERATOR
#undef DC_COMPARISON
#undef DC_OPERATORS
#undef DC_COMPARISONS
#endif
