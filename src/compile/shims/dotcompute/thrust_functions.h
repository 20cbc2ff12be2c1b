/* Thrust's base classes of functors, which CCCL 3 does not have any more. */
#ifndef DC_SHIM_THRUST_FUNCTIONS
#define DC_SHIM_THRUST_FUNCTIONS
namespace thrust {
template <class A, class R> struct unary_function {
  typedef A argument_type;
  typedef R result_type;
};
template <class A, class B, class R> struct binary_function {
  typedef A first_argument_type;
  typedef B second_argument_type;
  typedef R result_type;
};
} // namespace thrust
#endif
