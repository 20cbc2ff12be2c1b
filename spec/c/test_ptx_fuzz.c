/*
** test_ptx_fuzz.c - the PTX front end on damaged text, and on a very long function.
**
**   test_ptx_fuzz [-n rounds] [-s seed] [-v] [file.ptx…]
**
** Each round copies one of the files (spec/data's when none is named), changes a few bytes, words or lines, cuts or
** doubles a piece, and runs all that loading a kernel does: parse, analyse, allocate, decode.  It must not crash, hang
** or leak; any error is fine.  Worth most when built with -fsanitize=address,undefined.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "cpu/interp/code.h"
#include "cpu/interp/decode_calls.h"
#include "cpu/ops/table.h"
#include "cpu/ptx/parse.h"
#include "cpu/ptx/ptx.h"
#include "cpu/runtime/isa.h"

static uint64_t state = 1;

/* xorshift64* */
static uint32_t rnd(uint32_t below) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return below ? (uint32_t)((state * 2685821657736338717ull) >> 33) % below : 0;
}

static const char *const words[] = {
  "{", "}", "(", ")", "[", "]", ";", ",", ":", "|", "@", "@!", "!", "-", "+", "_", "0", "-1", "4294967296",
  "0xffffffffffffffff", "0f7FC00000", "0d7FF8000000000000", "1e400", ".reg", ".param", ".shared", ".local",
  ".global", ".const", ".entry", ".func", ".extern", ".align", ".b8", ".b32", ".f64", ".pred", ".v4", ".loc",
  ".file", ".branchtargets", "inlined_at", "%p1", "%r1", "%rd1", "%f1", "%tid.x", "ret", "exit", "bra", "call",
  "ld.global.v4.f32", "st.shared.u8", "mov.b64", "bar.sync", "shfl.sync.idx.b32", "brx.idx", "atom.cas.b32",
  "setp.lt.and.f32", "mbarrier.try_wait.shared.b64", "cp.async.ca.shared.global", "alloca.u64", "vmad.s32.s32.u32.shr7",
  ".b3210", ".h1", "%tid", "lop3.or.b32", "atom.global.v4.add.f32", "elect.sync", "barrier.cluster.wait",
  "\"", "/*", "//", "\n", "%r<99999999>", ".section", "generic(", "0xFF(", "= {", "[1000000000]"
};

static size_t splice(char *text, size_t len, size_t cap, size_t at, size_t drop, const char *add, size_t n) {
  if (at > len) at = len;
  if (drop > len - at) drop = len - at;
  if (len - drop + n > cap) return len;
  memmove(text + at + n, text + at + drop, len - at - drop);
  memcpy(text + at, add, n);
  return len - drop + n;
}

static size_t line_start(const char *text, size_t len, size_t at) {
  while (at > 0 && at <= len && text[at - 1] != '\n') at--;
  return at;
}

static size_t mutate(char *text, size_t len, size_t cap) {
  size_t at = rnd((uint32_t)len + 1), from = rnd((uint32_t)len + 1), n = rnd(200);
  char piece[4096], byte = (char)rnd(256);
  switch (rnd(8)) {
    case 0: return splice(text, len, cap, at, 1, &byte, 1);
    case 1: return splice(text, len, cap, at, n, "", 0);
    case 2: case 3: {
      const char *w = words[rnd(sizeof words / sizeof *words)];
      return splice(text, len, cap, at, rnd(3) ? strlen(w) : 0, w, strlen(w));
    }
    case 4: return at; /* cut short */
    case 5: { /* one word of the text elsewhere */
      if (from + n > len) n = len - from;
      memcpy(piece, text + from, n);
      return splice(text, len, cap, at, n / 2, piece, n);
    }
    case 6: { /* a line doubled or moved */
      size_t a = line_start(text, len, from), b = a;
      while (b < len && text[b] != '\n') b++;
      if (b < len) b++;
      if (b - a > sizeof piece) return len;
      memcpy(piece, text + a, b - a);
      return splice(text, len, cap, line_start(text, len, at), 0, piece, b - a);
    }
    default: { /* a line dropped */
      size_t a = line_start(text, len, from), b = a;
      while (b < len && text[b] != '\n') b++;
      return splice(text, len, cap, a, b - a, "", 0);
    }
  }
}

/* Decodes every function of a parsed module, without a device: nothing runs, so addresses are of no matter. */
static int decode_all(ptx_module *m, dc_error *err) {
  struct dc_code code = {.ops = dc_ops_best(), .ptx = *m};
  int rc = 0;
  code.functions = calloc((size_t)m->nfuncs + 1, sizeof *code.functions);
  if (!code.functions) return -1;
  for (int i = 0; i < m->nfuncs; i++) {
    code.functions[i].ptx = m->funcs[i];
    code.functions[i].code = &code;
  }
  for (int i = 0; rc == 0 && i < m->nfuncs; i++)
    if (!m->funcs[i]->declared_only) rc = dc_decode(&code.functions[i], err);
  for (int i = 0; i < m->nfuncs; i++) {
    if (code.functions[i].state < 0 && !code.functions[i].refusal) abort(); /* refused without saying why */
    free(code.functions[i].refusal);
  }
  free(code.functions);
  *m = code.ptx; /* its arena has grown */
  return rc;
}

/* All of it on a copy that ends exactly where it is said to. 1 when the text was accepted. */
static int try_text(const char *text, size_t len, bool verbose) {
  char *exact = malloc(len + 1); /* malloc'ed to size, so that a read past the NUL is caught */
  if (!exact) return 0;
  memcpy(exact, text, len);
  exact[len] = '\0';
  ptx_module m;
  dc_error err = DC_ERROR_INIT;
  int rc = ptx_parse(exact, len, &m, &err);
  if (rc == 0) rc = decode_all(&m, &err);
  if (rc != 0 && verbose) printf("%s\n", dc_error_text(&err));
  if (rc != 0 && err.kind == DC_OK) abort(); /* failed without saying so */
  dc_error_clear(&err);
  ptx_free(&m);
  free(exact);
  return rc == 0;
}

/* A function of n instructions with a branch now and then, loops inside each other, and many registers. */
static bool try_long(int n) {
  dc_buf b = DC_BUF_INIT;
  dc_buf_printf(&b, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
                    ".reg .b32 %%r<%d>; .reg .pred %%p<%d>; .reg .b64 %%rd<9>;\nld.param.u64 %%rd1, [p];\n"
                    "mov.u32 %%r0, %%tid.x;\n", n + 1, n + 1);
  for (int i = 1; i < n; i++) {
    switch (i % 10) {
      case 3: dc_buf_printf(&b, "setp.lt.s32 %%p%d, %%r%d, %d;\n", i, i - 1, i); break;
      case 4: dc_buf_printf(&b, "mov.u32 %%r%d, %%r%d;\n@%%p%d bra L%d;\n", i, i - 2, i - 1, i); break;
      case 6: {
        int old = i > 20 ? i - 3 - i % 7 : 0;
        dc_buf_printf(&b, "mov.u32 %%r%d, 7;\nL%d: st.global.u32 [%%rd1], %%r%d;\n", i, i - 2, old);
        break;
      }
      default: dc_buf_printf(&b, "add.s32 %%r%d, %%r%d, %d;\n", i, i > 9 && i % 10 == 5 ? i - 4 : i - 1, i);
    }
    if (i % 1000 == 9) dc_buf_printf(&b, "B%d:\n", i / 1000);
    if (i % 1000 == 993) dc_buf_printf(&b, "@%%p%d bra B%d;\n", i, i / 1000 - i / 1000 % 2);
  }
  dc_buf_puts(&b, "ret;\n}\n");
  bool ok = try_text(dc_buf_str(&b), b.len, true);
  dc_buf_free(&b);
  return ok;
}

static char *default_files[] = {"spec/data/forms.ptx", "spec/data/tiles.ptx", "spec/data/tiles-100.ptx"};

int main(int argc, char **argv) {
  long rounds = 1500, accepted = 0, done = 0;
  bool verbose = false;
  dc_error err = DC_ERROR_INIT;
  int first = 1;
  for (; first < argc && argv[first][0] == '-'; first++) {
    if (strcmp(argv[first], "-v") == 0) verbose = true;
    else if (strcmp(argv[first], "-n") == 0 && first + 1 < argc) rounds = atol(argv[++first]);
    else if (strcmp(argv[first], "-s") == 0 && first + 1 < argc) state = strtoull(argv[++first], NULL, 10) * 2 + 1;
  }
  char **files = argc > first ? argv + first : default_files;
  int nfiles = argc > first ? argc - first : (int)(sizeof default_files / sizeof *default_files);
  if (!try_long(30000)) {
    fprintf(stderr, "a function of 30000 instructions is refused\n");
    return 1;
  }
  for (; done < rounds; done++) {
    char *seed;
    size_t len;
    if (dc_file_read(files[rnd((uint32_t)nfiles)], &seed, &len, &err) != 0) {
      fprintf(stderr, "%s\n", dc_error_text(&err));
      return 2;
    }
    size_t cap = len + 65536;
    char *text = malloc(cap);
    if (!text) return 2;
    memcpy(text, seed, len);
    for (uint32_t k = rnd(6); k-- > 0;) len = mutate(text, len, cap);
    accepted += try_text(text, len, verbose);
    free(text);
    free(seed);
  }
  printf("%ld rounds, %ld accepted\n", done, accepted);
  return 0;
}
