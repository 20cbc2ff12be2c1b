/*
** loops.h - the kernels' work in plain C, each loop as function(pointers, numbers): the kernel's arguments in their
** order, arrays in `p` and numbers in `s`.
*/
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

typedef void bench_fn(void **p, const double *s);

typedef struct bench_loop {
  const char *name;
  bench_fn *fn;
} bench_loop;

extern const bench_loop bench_native[];    /* loops.c, -O3 -march=native; ends with a NULL name */
extern const bench_loop bench_fast[];      /* the same file, with -ffast-math too */
extern const bench_loop bench_reference[]; /* reference.c, in float64; one more pointer: where the result goes */
extern const bench_loop bench_openmp[] __attribute__((weak)); /* loops.c with -fopenmp, where it is linked */
extern const bench_loop bench_peers[] __attribute__((weak));  /* peers_cpu/loops.c, likewise */

#endif
