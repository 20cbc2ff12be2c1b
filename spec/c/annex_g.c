/*
** annex_g.c - prints spec/data/annex-g.txt: what the C library's complex functions give where parts are zeros, large,
** infinities or NaN.
**
**   cc -std=c11 -fno-builtin spec/c/annex_g.c -lm -o annex_g && ./annex_g | sed s/-nan/nan/g > spec/data/annex-g.txt
**
** A line has the function, both parts of its argument and both parts of its value.  Arguments with a negative imaginary
** part are left out, since f(conj z) is conj f(z).
*/
#include <complex.h>
#include <math.h>
#include <stdio.h>

static const struct {
  const char *name;
  double complex (*f)(double complex);
} functions[] = {
  { "sqrt", csqrt },   { "exp", cexp },     { "log", clog },     { "sin", csin },     { "cos", ccos },
  { "tan", ctan },     { "asin", casin },   { "acos", cacos },   { "atan", catan },   { "sinh", csinh },
  { "cosh", ccosh },   { "tanh", ctanh },   { "asinh", casinh }, { "acosh", cacosh }, { "atanh", catanh },
};

int main(void) {
  const double parts[] = { 0.0, 1, 0x1p66, 0x1p1000, (double)INFINITY, (double)NAN, -0.0, -1, -0x1p66, -0x1p1000,
                           -(double)INFINITY };
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    for (int i = 0; i < 11; i++) {
      for (int j = 0; j < 6; j++) {
        const double complex z = functions[k].f(CMPLX(parts[i], parts[j]));
        printf("%s %.17g %.17g %.17g %.17g\n", functions[k].name, parts[i], parts[j], creal(z), cimag(z));
      }
    }
  }
  return 0;
}
