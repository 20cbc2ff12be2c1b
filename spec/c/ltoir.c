/*
** ltoir.c - a source to LTO-IR, as programs other than ours would bring it: ltoir NVRTC ARCH SOURCE OUT
*/
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define CALL(name, types, ...)                                       \
  do {                                                               \
    int (*fn) types = (int (*) types)dlsym(lib, name);               \
    int r = fn ? fn(__VA_ARGS__) : -1;                               \
    if (r != 0) return fprintf(stderr, "%s: error %d\n", name, r), 1; \
  } while (0)

int main(int argc, char **argv) {
  static char text[65536];
  void *program = NULL, *lib = argc == 5 ? dlopen(argv[1], RTLD_NOW) : NULL;
  FILE *in = lib ? fopen(argv[3], "rb") : NULL;
  if (!in) return fprintf(stderr, "ltoir: no library, or no source\n"), 1;
  text[fread(text, 1, sizeof text - 1, in)] = '\0';
  fclose(in);
  const char *options[] = {"-dlto", argv[2]};
  size_t n = 0;
  CALL("nvrtcCreateProgram", (void **, const char *, const char *, int, void *, void *), &program, text, "there.cu", 0,
       NULL, NULL);
  CALL("nvrtcCompileProgram", (void *, int, const char **), program, 2, options);
  CALL("nvrtcGetLTOIRSize", (void *, size_t *), program, &n);
  char *ir = malloc(n);
  CALL("nvrtcGetLTOIR", (void *, char *), program, ir);
  FILE *out = fopen(argv[4], "wb");
  return out && fwrite(ir, 1, n, out) == n && fclose(out) == 0 ? 0 : 1;
}
