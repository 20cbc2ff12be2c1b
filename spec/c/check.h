/*
** check.h - what the unit tests in C say when something is not as it should be.
*/
#ifndef SPEC_CHECK_H
#define SPEC_CHECK_H

#include <stdio.h>

static int failures, checks;
/* CHECK(condition, format, values…): a line for a condition that does not hold; flushed, for the test may fork. */
#define CHECK(cond, ...)                        \
  do {                                          \
    checks++;                                   \
    if (!(cond)) {                              \
      failures++;                               \
      printf("line %d: %s: ", __LINE__, #cond); \
      printf(__VA_ARGS__);                      \
      putchar('\n');                            \
      fflush(stdout);                           \
    }                                           \
  } while (0)

#endif
