/* test_processor.c - dc_instruction_set: the processor's largest set, or a smaller one by DOTCOMPUTE_CPU_ISA, and the
** table of the CPU device's operations that goes with it. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/processor.h"
#include "check.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/isa.h"

static const char *const names[DC_NSETS] = { "baseline", "avx2", "avx512" };

/* The variable is read once in a process. */
static void expect(const char *value, dc_set want) {
  const pid_t child = fork();
  if (child == 0) {
    if (value != NULL) setenv("DOTCOMPUTE_CPU_ISA", value, 1);
    else unsetenv("DOTCOMPUTE_CPU_ISA");
    _exit(strcmp(dc_ops_best()->isa, names[dc_instruction_set()]) == 0 ? (int)dc_instruction_set() : DC_NSETS);
  }
  int status = -1;
  const pid_t ended = waitpid(child, &status, 0);
  CHECK(ended == child && WIFEXITED(status) && WEXITSTATUS(status) == (int)want, "%s: status %x, not set %d",
        value != NULL ? value : "(none)", (unsigned)status, (int)want);
}

int main(void) {
  const dc_set most = dc_has_avx512() ? DC_SET_AVX512 : dc_has_avx2() ? DC_SET_AVX2 : DC_SET_BASELINE;
  expect(NULL, most);
  expect("", most);
  expect("no set", most);
  for (dc_set s = DC_SET_BASELINE; s < DC_NSETS; s++) expect(names[s], s < most ? s : most);
  printf("%d checks, %d failures\n", checks, failures);
  return failures > 0;
}
