/*
** op.h - the operators and functions of array expressions: one table.
**
** A row gives the identifier, the name (a function's, or an operator's sign for messages), how many operands there
** are, the rule by which their dtypes decide the result's, and flags.  The meaning of the rules is operators.c's, the
** text of each is instruction.c's.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum dc_rule {
  DC_RULE_ARITHMETIC, /* the promoted dtype; bools count as int32 */
  DC_RULE_KEEP,       /* the promoted dtype */
  DC_RULE_FLOAT,      /* a floating or complex dtype; integers become one */
  DC_RULE_DIVIDE,     /* the same, but 32-bit integers become float64 */
  DC_RULE_POW,        /* ARITHMETIC of integers, else as DIVIDE */
  DC_RULE_TEST,       /* bool, from the operand's own dtype */
  DC_RULE_COMPARE,    /* bool, from the operands' own dtypes, exactly */
  DC_RULE_BITS,       /* integers and bools, promoted */
  DC_RULE_SHIFT,      /* integers, promoted; bools count as int32 */
  DC_RULE_LOGIC,      /* operands as bools; bool */
  DC_RULE_REAL,       /* as KEEP, but a complex operand gives its real dtype */
  DC_RULE_ANGLE,      /* as FLOAT, but a complex operand gives its real dtype */
  DC_RULE_WHERE,      /* a bool, then two that are promoted */
  DC_RULE_SCALE,      /* a floating one, then an int32 */
  DC_RULE_ORDER,      /* an int32, then a floating one */
  DC_RULE_WHOLE,      /* int64 from a floating one */
  DC_RULE_PARTS,      /* a complex one from two real ones, computed in float32 or float64 */
  DC_RULE_INTERNAL    /* users do not call it */
} dc_rule;

enum {
  DC_OP_COMPLEX = 1, /* defined for complex dtypes */
  DC_OP_LONG = 2,    /* a function of many instructions: not worth compiling several times in a kernel */
  DC_OP_CALL = 4     /* the text is a call of the function of that name ("f" behind it for float32) */
};

/* X(identifier, name, operands, rule, flags) */
#define DC_OPERATORS(X)                                                                                       \
  X(NEG, "-", 1, KEEP, DC_OP_COMPLEX) X(ADD, "+", 2, ARITHMETIC, DC_OP_COMPLEX)                               \
  X(SUB, "-", 2, ARITHMETIC, DC_OP_COMPLEX) X(MUL, "*", 2, ARITHMETIC, DC_OP_COMPLEX)                         \
  X(DIV, "/", 2, DIVIDE, DC_OP_COMPLEX) X(FLOORDIV, "//", 2, ARITHMETIC, 0) X(MOD, "%", 2, ARITHMETIC, 0)     \
  X(POWER, "^", 2, DIVIDE, DC_OP_COMPLEX | DC_OP_LONG) X(AND, "&", 2, BITS, 0) X(OR, "|", 2, BITS, 0)         \
  X(XOR, "~", 2, BITS, 0) X(NOT, "~", 1, BITS, 0) X(SHL, "<<", 2, SHIFT, 0) X(SHR, ">>", 2, SHIFT, 0)         \
  X(EQ, "eq", 2, COMPARE, DC_OP_COMPLEX) X(NE, "ne", 2, COMPARE, DC_OP_COMPLEX) X(LT, "lt", 2, COMPARE, 0)    \
  X(LE, "le", 2, COMPARE, 0) X(GT, "gt", 2, COMPARE, 0) X(GE, "ge", 2, COMPARE, 0)

#define DC_FUNCTIONS_1(X)                                                                                     \
  X(ABS, "abs", 1, REAL, DC_OP_COMPLEX) X(SIGN, "sign", 1, KEEP, DC_OP_COMPLEX)                               \
  X(SQUARE, "square", 1, ARITHMETIC, DC_OP_COMPLEX)                                                           \
  X(RECIPROCAL, "reciprocal", 1, FLOAT, DC_OP_COMPLEX) X(REAL, "real", 1, REAL, DC_OP_COMPLEX)                \
  X(IMAG, "imag", 1, REAL, DC_OP_COMPLEX) X(CONJ, "conj", 1, KEEP, DC_OP_COMPLEX)                             \
  X(ANGLE, "angle", 1, ANGLE, DC_OP_COMPLEX | DC_OP_LONG) X(FLOOR, "floor", 1, KEEP, DC_OP_CALL)              \
  X(CEIL, "ceil", 1, KEEP, DC_OP_CALL) X(TRUNC, "trunc", 1, KEEP, DC_OP_CALL)                                 \
  X(ROUND, "round", 1, KEEP, DC_OP_CALL) X(RINT, "rint", 1, KEEP, DC_OP_CALL | DC_OP_COMPLEX)                 \
  X(NEARBYINT, "nearbyint", 1, KEEP, DC_OP_CALL) X(ISNAN, "isnan", 1, TEST, DC_OP_COMPLEX)                    \
  X(ISINF, "isinf", 1, TEST, DC_OP_COMPLEX) X(ISFINITE, "isfinite", 1, TEST, DC_OP_COMPLEX)                   \
  X(SIGNBIT, "signbit", 1, TEST, 0) X(LOGICAL_NOT, "logical_not", 1, LOGIC, DC_OP_COMPLEX)                    \
  X(SQRT, "sqrt", 1, FLOAT, DC_OP_CALL | DC_OP_COMPLEX) X(LLRINT, "llrint", 1, WHOLE, DC_OP_CALL)             \
  X(LLROUND, "llround", 1, WHOLE, DC_OP_CALL) X(ILOGB, "ilogb", 1, WHOLE, DC_OP_CALL)

#define DC_CALL_1(X, id, name) X(id, name, 1, FLOAT, DC_OP_CALL | DC_OP_LONG)
#define DC_CALL_C(X, id, name) X(id, name, 1, FLOAT, DC_OP_CALL | DC_OP_LONG | DC_OP_COMPLEX)
#define DC_FUNCTIONS_LONG(X)                                                                                  \
  DC_CALL_C(X, EXP, "exp") DC_CALL_C(X, LOG, "log") DC_CALL_C(X, SIN, "sin") DC_CALL_C(X, COS, "cos")         \
  DC_CALL_C(X, TAN, "tan") DC_CALL_C(X, SINH, "sinh") DC_CALL_C(X, COSH, "cosh") DC_CALL_C(X, TANH, "tanh")   \
  DC_CALL_1(X, RSQRT, "rsqrt") DC_CALL_1(X, CBRT, "cbrt") DC_CALL_1(X, RCBRT, "rcbrt")                        \
  DC_CALL_1(X, EXP2, "exp2") DC_CALL_1(X, EXP10, "exp10") DC_CALL_C(X, EXPM1, "expm1")                        \
  DC_CALL_C(X, LOG2, "log2") DC_CALL_C(X, LOG10, "log10") DC_CALL_C(X, LOG1P, "log1p")                        \
  DC_CALL_C(X, ASIN, "asin") DC_CALL_C(X, ACOS, "acos") DC_CALL_C(X, ATAN, "atan")                            \
  DC_CALL_C(X, ASINH, "asinh") DC_CALL_C(X, ACOSH, "acosh") DC_CALL_C(X, ATANH, "atanh")                      \
  DC_CALL_1(X, SINPI, "sinpi") DC_CALL_1(X, COSPI, "cospi") DC_CALL_1(X, ERF, "erf")                          \
  DC_CALL_1(X, ERFC, "erfc") DC_CALL_1(X, ERFINV, "erfinv") DC_CALL_1(X, ERFCINV, "erfcinv")                  \
  DC_CALL_1(X, ERFCX, "erfcx") DC_CALL_1(X, NORMCDF, "normcdf") DC_CALL_1(X, NORMCDFINV, "normcdfinv")        \
  DC_CALL_1(X, LGAMMA, "lgamma") DC_CALL_1(X, TGAMMA, "tgamma") DC_CALL_1(X, J0, "j0") DC_CALL_1(X, J1, "j1") \
  DC_CALL_1(X, Y0, "y0") DC_CALL_1(X, Y1, "y1") DC_CALL_1(X, LOGB, "logb")                                    \
  DC_CALL_1(X, BESSEL_I0, "cyl_bessel_i0") DC_CALL_1(X, BESSEL_I1, "cyl_bessel_i1")

#define DC_CALL_N(X, id, name, n) X(id, name, n, FLOAT, DC_OP_CALL | DC_OP_LONG)
#define DC_FUNCTIONS_N(X)                                                                                     \
  X(FMIN, "fmin", 2, KEEP, 0) X(FMAX, "fmax", 2, KEEP, 0)                                                     \
  X(MINIMUM, "minimum", 2, KEEP, 0) X(MAXIMUM, "maximum", 2, KEEP, 0)                                         \
  X(LOGICAL_AND, "logical_and", 2, LOGIC, DC_OP_COMPLEX) X(LOGICAL_OR, "logical_or", 2, LOGIC, DC_OP_COMPLEX) \
  X(LOGICAL_XOR, "logical_xor", 2, LOGIC, DC_OP_COMPLEX)                                                      \
  X(POW, "pow", 2, POW, DC_OP_COMPLEX | DC_OP_LONG) DC_CALL_N(X, ATAN2, "atan2", 2)                           \
  DC_CALL_N(X, FMOD, "fmod", 2) DC_CALL_N(X, REMAINDER, "remainder", 2) DC_CALL_N(X, HYPOT, "hypot", 2)       \
  DC_CALL_N(X, RHYPOT, "rhypot", 2) X(COPYSIGN, "copysign", 2, FLOAT, DC_OP_CALL)                             \
  X(FDIM, "fdim", 2, FLOAT, DC_OP_CALL) DC_CALL_N(X, NEXTAFTER, "nextafter", 2)                               \
  X(FMA, "fma", 3, FLOAT, DC_OP_CALL) DC_CALL_N(X, NORM3D, "norm3d", 3) DC_CALL_N(X, RNORM3D, "rnorm3d", 3)   \
  DC_CALL_N(X, NORM4D, "norm4d", 4) DC_CALL_N(X, RNORM4D, "rnorm4d", 4)                                       \
  X(LDEXP, "ldexp", 2, SCALE, DC_OP_CALL) X(SCALBN, "scalbn", 2, SCALE, DC_OP_CALL)                           \
  X(JN, "jn", 2, ORDER, DC_OP_CALL | DC_OP_LONG) X(YN, "yn", 2, ORDER, DC_OP_CALL | DC_OP_LONG)               \
  X(WHERE, "where", 3, WHERE, DC_OP_COMPLEX) X(CLIP, "clip", 3, KEEP, 0)

/* Not called by users by their names.  PARTS: the complex number of a real and an imaginary part.  CUBE, POWER_HALF:
** x ^ 3, x ^ 0.5.  CLOSE: |a-b| <= number[3] + number[2]*|b| in float64.  INDEX: number[1] + i*number[2] for element i
** in C order.  RANDOM: see codegen/random.c.  GATHER: operand 0 read where the node's frame and operand 2, counts of
** elements, say (operand 1 is the offset by the frame; it has neither array nor number).  VIEW: operand 0, which is
** pending, with other axes: it has no memory, but is a view of the operand's once that is computed. */
#define DC_INTERNAL(X)                                                                                        \
  X(CAST, "cast", 1, INTERNAL, DC_OP_COMPLEX) X(PARTS, "complex", 2, PARTS, 0)                                \
  X(CUBE, "cube", 1, FLOAT, 0) X(POWER_HALF, "power_half", 1, FLOAT, 0)                                       \
  X(EQUAL, "equal", 2, INTERNAL, DC_OP_COMPLEX)                                                               \
  X(CLOSE, "allclose", 4, INTERNAL, DC_OP_COMPLEX) X(INDEX, "arange", 3, INTERNAL, 0)                         \
  X(RANDOM, "random", 4, INTERNAL, DC_OP_LONG) X(GATHER, "index", 3, INTERNAL, DC_OP_COMPLEX)                 \
  X(REDUCE, "reduction", 1, INTERNAL, DC_OP_COMPLEX) X(VIEW, "view", 1, INTERNAL, DC_OP_COMPLEX)

#define DC_ALL_OPS(X) \
  DC_OPERATORS(X) DC_FUNCTIONS_1(X) DC_FUNCTIONS_LONG(X) DC_FUNCTIONS_N(X) DC_INTERNAL(X)

typedef enum dc_op {
#define DC_OP_ID(id, name, n, rule, flags) DC_OP_##id,
  DC_ALL_OPS(DC_OP_ID)
#undef DC_OP_ID
  DC_NOPS
} dc_op;

#define DC_MAX_ARGS 4

typedef struct dc_op_info {
  const char *name;
  uint8_t nargs, rule, flags;
} dc_op_info;

extern const dc_op_info dc_ops[DC_NOPS];

/* The operand that is an int32, the order or exponent of a function; -1: none. */
static inline int dc_op_whole_operand(dc_op op) {
  return dc_ops[op].rule == DC_RULE_SCALE ? 1 : dc_ops[op].rule == DC_RULE_ORDER ? 0 : -1;
}

typedef enum dc_reduce {
  DC_REDUCE_SUM, DC_REDUCE_PROD, DC_REDUCE_MIN, DC_REDUCE_MAX, DC_REDUCE_ANY, DC_REDUCE_ALL,
  DC_REDUCE_ARGMIN, DC_REDUCE_ARGMAX, /* the first index, from 0, int64 */
  DC_REDUCE_M2,                       /* the sum of squared deviations from the mean */
  DC_REDUCE_BODY,                     /* by a user's functions: codegen/body.h */
  DC_NREDUCES
} dc_reduce;

typedef enum dc_random {
  DC_RANDOM_UNIFORM, DC_RANDOM_NORMAL, DC_RANDOM_EXPONENTIAL, DC_RANDOM_INTEGER
} dc_random;

/* Whether users call it by its name (else it is an operator, or made inside). */
static inline bool dc_op_is_function(dc_op op) { return op >= DC_OP_EQ && op < DC_OP_CAST; }
