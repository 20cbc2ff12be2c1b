/*
** embed.c - turns text files into one C array, so that a binary carries them.
**
** Usage: embed SYMBOL ROOT FILE...   writes C to standard output: an array `SYMBOL` of struct
** dc_embedded {name, text, length}, ended by a NULL name; `name` is the file's path below ROOT.
** Texts are arrays of numbers: string literals have a length limit in ISO C.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int embed_text(const char *path, int number) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    perror(path);
    return -1;
  }
  printf("static const char text%d[] = {", number);
  long n = 0;
  for (int c; (c = getc(f)) != EOF; n++) printf("%s%d,", n % 32 == 0 ? "\n" : "", c >= 128 ? c - 256 : c);
  printf("0};\n");
  int failed = ferror(f);
  fclose(f);
  if (failed) fprintf(stderr, "%s: cannot be read\n", path);
  return failed ? -1 : 0;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: embed SYMBOL ROOT FILE...\n");
    return 2;
  }
  const char *symbol = argv[1], *root = argv[2];
  size_t rootlen = strlen(root);
  printf("/* made by tools/embed.c */\n#include <stddef.h>\n");
  printf("struct dc_embedded { const char *name, *text; size_t len; };\n");
  printf("extern const struct dc_embedded %s[];\n", symbol);
  for (int i = 3; i < argc; i++)
    if (embed_text(argv[i], i) != 0) return 1;
  printf("const struct dc_embedded %s[] = {\n", symbol);
  for (int i = 3; i < argc; i++) {
    const char *name = argv[i];
    if (strncmp(name, root, rootlen) == 0 && name[rootlen] == '/') name += rootlen + 1;
    printf("  {\"%s\", text%d, sizeof text%d - 1},\n", name, i, i);
  }
  printf("  {NULL, NULL, 0}};\n");
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
