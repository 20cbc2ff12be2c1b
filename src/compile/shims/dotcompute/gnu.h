/* Words of GNU C in C++: a type as one name, for literals, and the type of an expression. */
#ifndef DC_SHIM_GNU
#define DC_SHIM_GNU
template <class T> using dc_gnu_ = T;
template <class T> struct dc_bare_ { typedef T type; };
template <class T> struct dc_bare_<T &> { typedef T type; };
template <class T> struct dc_bare_<T &&> { typedef T type; };
template <class T> using dc_typeof_ = typename dc_bare_<T>::type;
#define typeof(...) dc_typeof_<decltype(__VA_ARGS__)>
#define __typeof__(...) dc_typeof_<decltype(__VA_ARGS__)>
#define __typeof(...) dc_typeof_<decltype(__VA_ARGS__)>
#define _Bool bool
#endif
