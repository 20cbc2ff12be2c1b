/*
** fake_nvtx.c - a stand-in for a profiler's library: writes ranges to the file that FAKE_NVTX_LOG names.
** It asks for the tables as NVIDIA's nvtx3 headers lay them out.
*/
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*any_function)(void);
typedef struct callbacks {
  size_t size;
  int (*table)(int module, any_function ***out, unsigned *count);
} callbacks;

static void note(const char *text, const char *name) {
  const char *path = getenv("FAKE_NVTX_LOG");
  FILE *f = path ? fopen(path, "a") : NULL;
  if (!f) return;
  fprintf(f, "%s%s%s\n", text, name ? " " : "", name ? name : "");
  fclose(f);
}

static int push(const char *name) {
  note("push", name);
  return 0;
}

static int pop(void) {
  note("pop", NULL);
  return 0;
}

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id));
int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id)) {
  const callbacks *c = export_table(1);
  any_function **core = NULL;
  unsigned count = 0;
  if (!c || c->size < sizeof *c || !c->table(1, &core, &count) || count != 16) return 0;
  *core[9] = (any_function)push;
  *core[11] = (any_function)pop;
  return 1;
}
