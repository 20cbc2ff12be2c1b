/*
** test_build.c - cpu/codegen/build.c: C source to loaded code.
**
** Each case runs in a process of its own (this program again, with the case's name), with a fresh cache and folder for
** temporary files, and with a compiler that notes each of its runs in a file.
*/
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/runtime.h"
#include "check.h"
#include "cpu/codegen/build.h"

static char root[64]; /* the folder of all that is written */
static const char *isa = "baseline";

static const char *in_root(const char *name) {
  static char paths[8][256];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", root, name);
  return path;
}

/* Polls for up to 20 seconds. */
#define EVENTUALLY(cond) \
  __extension__({ \
    bool done_ = false; \
    for (int i_ = 0; i_ < 2000 && !(done_ = (cond)); i_++) usleep(10000); \
    done_; \
  })

/* --- what the cases do ------------------------------------------------------------------------------------------ */

static dc_build *ask(int result) {
  char source[512];
  int n = snprintf(source, sizeof source,
                   "#include \"native32.h\"\n__attribute__((visibility(\"default\"))) int answer(void) {\n"
                   "  return (int)M_word(M_from(%du)) + DC_W - 32;\n}\n", result);
  return dc_build_start(source, (size_t)n, isa, 2);
}

static int call(dc_build *b) {
  int (*f)(void) = (int (*)(void))(uintptr_t)dc_build_symbol(b, "answer");
  CHECK(f != NULL, "state %d", dc_build_state(b));
  return f ? f() : -1;
}

static void expect(int result) {
  dc_build *b = ask(result);
  CHECK(b != NULL, "refused");
  if (b == NULL) return;
  CHECK(dc_build_wait(b) == 1, "%s", dc_build_log(b));
  CHECK(call(b) == result, "%d", result);
  CHECK(dc_build_symbol(b, "nothing") == NULL, " ");
  dc_build_free(b);
}

static void case_one(void) { expect(123); }

/* Many at once, each with a result of its own; the last one asked for is ready without the others. */
static void case_many(void) {
  enum { N = 4 };
  dc_build *b[N];
  for (int i = 0; i < N; i++) b[i] = ask(1000 + i);
  for (int i = N - 1; i >= 0; i--) CHECK(dc_build_wait(b[i]) == 1, "%s", dc_build_log(b[i]));
  for (int i = 0; i < N; i++) CHECK(call(b[i]) == 1000 + i, "%d", i);
  for (int i = 0; i < N; i++) dc_build_free(b[i]);
}

/* What was built before is ready when it is asked for. */
static void case_again(void) {
  expect(77);
  dc_build *b = NULL;
  CHECK(EVENTUALLY((dc_build_free(b), b = ask(77), dc_build_state(b) == 1)), "not found in the cache");
  CHECK(call(b) == 77, " ");
  dc_build_free(b);
}

static void case_hit(void) {
  dc_build *b = ask(123);
  CHECK(dc_build_state(b) == 1, "the cache has it, yet it is not ready at once");
  CHECK(call(b) == 123, " ");
  dc_build_free(b);
}

static void case_none(void) { CHECK(ask(1) == NULL, "there is no compiler"); }

static void case_wrong(void) {
  static const char text[] = "#include \"native32.h\"\nint answer(void) { return undeclared_thing; }\n";
  dc_build *b = dc_build_start(text, sizeof text - 1, isa, 2);
  CHECK(dc_build_wait(b) == -1, " ");
  CHECK(strstr(dc_build_log(b), "undeclared_thing") != NULL, "%s", dc_build_log(b));
  CHECK(dc_build_symbol(b, "answer") == NULL, " ");
  dc_build_free(b);
  expect(5); /* it goes on */
}

static void case_options(void) {
  isa = "unknown";
  CHECK(ask(1) == NULL, "no such instruction set");
}

/* The compiler sleeps; it is gone, with its own child, when the request is. */
static bool gone(const char *file) {
  FILE *f = fopen(file, "r");
  int pid = 0;
  bool there = f && fscanf(f, "%d", &pid) == 1 && kill(pid, 0) == 0;
  if (f) fclose(f);
  return pid > 0 && !there;
}

static void wait_for_sleeper(void) {
  struct stat st;
  CHECK(EVENTUALLY(stat(in_root("sleeps"), &st) == 0 && st.st_size > 0), "the compiler does not start");
}

static void case_free(void) {
  dc_build *b = ask(1);
  wait_for_sleeper();
  CHECK(dc_build_state(b) == 0, " ");
  dc_build_free(b);
  CHECK(EVENTUALLY(gone(in_root("sleeps"))), "the compiler still runs");
}

static void case_shutdown(void) {
  dc_build *b = ask(1), *waiting = ask(2);
  wait_for_sleeper();
  dc_build_shutdown();
  CHECK(EVENTUALLY(gone(in_root("sleeps"))), "the compiler still runs");
  CHECK(dc_build_state(b) == -1 && dc_build_state(waiting) == -1, " ");
  dc_build_free(b);
  dc_build_free(waiting);
}

static void case_exit(void) { /* main's caller looks whether the compiler is gone */
  static dc_build *kept;
  kept = ask(1);
  wait_for_sleeper();
  CHECK(kept != NULL, "refused");
}

static void case_interrupt(void) {
  dc_build *b = ask(1);
  atomic_store(&dc_interrupt_flag, 1);
  CHECK(dc_build_wait(b) == 0, " ");
  dc_build_free(b);
}

static void case_sigchld(void) {
  signal(SIGCHLD, SIG_IGN);
  case_wrong();
  expect(9);
}

/* What the parent's threads held at the fork is out of reach in the child, and no leak to look for. */
static void leave_child(void) {
#ifdef __SANITIZE_ADDRESS__
  dc_build_shutdown();
  _exit(failures != 0);
#else
  exit(failures != 0);
#endif
}

static void case_fork(void) {
  dc_build *b = ask(321), *queued = ask(322);
  usleep(30000); /* somewhere in the middle */
  pid_t child = fork();
  CHECK(dc_build_wait(b) == 1 && call(b) == 321, "%s", dc_build_log(b));
  CHECK(dc_build_wait(queued) == 1 && call(queued) == 322, "%s", dc_build_log(queued));
  expect(child ? 400 : 500);
  dc_build_free(b);
  dc_build_free(queued);
  if (child == 0) leave_child();
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0, "the child ended with %#x", status);
}

static void case_fork_poll(void) { /* the child only looks at the state, now and then */
  dc_build *b = ask(321);
  pid_t child = fork();
  CHECK(EVENTUALLY(dc_build_state(b) != 0) && call(b) == 321, "%s", dc_build_log(b));
  dc_build_free(b);
  if (child == 0) leave_child();
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0, "the child ended with %#x", status);
}

/* Units with various functions of the headers. */
static void case_headers(void) {
  static const char *const uses[] = {
    "M_word(M_from((u32)x))", "(int)s_add_32((u32)x, 0u)", "(int)s_popc_32((u32)x) - __builtin_popcount((u32)x) + x",
    "DC_RARE(x == 0) ? 0 : x", "(int)P_word(P_splat(1)) * 0 + x + DC_NATIVE_DONE", "(int)sizeof(dc_native) * 0 + x",
  };
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
    char source[512];
    int n = snprintf(source, sizeof source, "#include \"native%d.h\"\n__attribute__((visibility(\"default\"))) "
                     "int answer(void) { int x = %d; return (int)(%s); }\n", i & 1 ? 16 : 32, (int)i + 7, uses[i]);
    dc_build *b = dc_build_start(source, (size_t)n, isa, 2);
    CHECK(dc_build_wait(b) == 1, "%s: %s", uses[i], dc_build_log(b));
    CHECK(call(b) == (int)i + 7, "%s", uses[i]);
    dc_build_free(b);
  }
}

/* What is announced is prepared once for all. */
static void case_expected(void) {
  dc_build_expect(isa);
  dc_build_expect("unknown");
  expect(123);
}

/* A source of about this length that the gated compiler holds back, at a gate of that name ("": it does not). */
static dc_build *ask_long(size_t len, const char *gate) {
  dc_buf source = DC_BUF_INIT;
  dc_buf_printf(&source, "#include \"native32.h\"\n/* %s", gate);
  while (source.len < len) dc_buf_puts(&source, " .");
  dc_buf_puts(&source, " */\n__attribute__((visibility(\"default\"))) int answer(void) { return 1; }\n");
  dc_build *b = dc_build_start(source.data, source.len, isa, 2);
  dc_buf_free(&source);
  return b;
}

static bool there(const char *name) { return access(in_root(name), F_OK) == 0; }

/* No source waits for one that is much longer.  Of those that wait, the one of which most instructions were interpreted
** for each byte is compiled first, then the shortest. */
static void case_order(void) {
  dc_build *longest = ask_long(100000, "gate_longest");
  CHECK(EVENTUALLY(there("gate_longest")), "the longest is not compiled");
  expect(123);
  dc_build *held = ask_long(100, "gate_held");
  CHECK(EVENTUALLY(there("gate_held")), "the next one is not compiled");
  dc_build *first = ask_long(1000, ""), *needed = ask_long(30000, "");
  dc_build *second = ask_long(20000, "");
  dc_build_note_interpreted(needed, 1);
  CHECK(dc_build_state(longest) == 0 && dc_build_state(held) == 0, "the gates do not hold");
  CHECK(close(open(in_root("open"), O_CREAT | O_WRONLY, 0600)) == 0, " ");
  CHECK(EVENTUALLY(dc_build_state(first) != 0) && dc_build_state(needed) == 1, "not the needed one first");
  CHECK(EVENTUALLY(dc_build_state(second) != 0) && dc_build_state(first) == 1, "not the shortest first");
  CHECK(EVENTUALLY(dc_build_state(second) == 1) && EVENTUALLY(dc_build_state(longest) == 1), " ");
  dc_build *all[] = { longest, held, first, second, needed };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) dc_build_free(all[i]);
}

static const struct test {
  const char *name;
  void (*run)(void);
} tests[] = {
  { "one", case_one }, { "many", case_many }, { "again", case_again }, { "hit", case_hit }, { "none", case_none },
  { "wrong", case_wrong }, { "options", case_options }, { "free", case_free }, { "shutdown", case_shutdown },
  { "exit", case_exit }, { "interrupt", case_interrupt }, { "sigchld", case_sigchld }, { "fork", case_fork },
  { "fork_poll", case_fork_poll }, { "headers", case_headers },
  { "expected", case_expected }, { "order", case_order },
};

/* --- the runner -------------------------------------------------------------------------------------------------- */

static pid_t launch(const char *name) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    execl("/proc/self/exe", "test_build", name, root, (char *)NULL);
    _exit(127);
  }
  return pid;
}

static void finish(const char *name, pid_t pid) {
  int status = -1;
  CHECK(waitpid(pid, &status, 0) == pid && status == 0, "case %s ended with %#x", name, status);
}

static void run(const char *name) { finish(name, launch(name)); }

static void write_script(const char *name, const char *text) {
  FILE *f = fopen(in_root(name), "w");
  CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0 && chmod(in_root(name), 0700) == 0, "%s", name);
}

/* How often the compiler was run on this file. */
static int runs_on(const char *source) {
  FILE *f = fopen(in_root("runs"), "r");
  char line[4096];
  int n = 0;
  while (f && fgets(line, sizeof line, f)) n += strstr(line, source) != NULL;
  if (f) fclose(f);
  return n;
}

static int compiled(void) { return runs_on("kernel.c"); }

static int entries(const char *folder, const char *suffix, bool (*each)(const char *path)) {
  DIR *d = opendir(folder);
  int n = 0;
  for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
    size_t len = strlen(e->d_name), end = strlen(suffix);
    if (e->d_name[0] == '.' || len < end || strcmp(e->d_name + len - end, suffix) != 0) continue;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    n += each == NULL || each(path);
  }
  if (d) closedir(d);
  return n;
}

static bool damage(const char *path) {
  FILE *f = fopen(path, "r+");
  bool done = f && fseek(f, -100, SEEK_END) == 0 && fputs("damage", f) >= 0;
  return (f == NULL || fclose(f) == 0) && done;
}

static void fresh(const char *compiler) {
  char command[512];
  snprintf(command, sizeof command, "rm -rf '%s/cache' '%s/tmp' '%s/runs' '%s/sleeps' && mkdir '%s/tmp'", root, root,
           root, root, root);
  CHECK(system(command) == 0, "%s", command);
  setenv("DOTCOMPUTE_CC", compiler, 1);
  setenv("DOTCOMPUTE_CACHE", in_root("cache"), 1);
}

static void test_cache(void) {
  fresh(in_root("noting cc"));
  run("one");
  CHECK(compiled() == 1, "%d", compiled());
  run("hit");
  CHECK(compiled() == 1, "%d", compiled());
  CHECK(runs_on("native32.h") == 1, "%d", runs_on("native32.h"));
  CHECK(entries(in_root("cache"), ".bin", damage) == 2, "not the object and the headers' declarations");
  run("one");
  CHECK(compiled() == 2 && runs_on("native32.h") == 2, "%d, %d: a damaged file was used", compiled(),
        runs_on("native32.h"));
  run("hit");
  run("again");
  fresh(in_root("noting cc"));
  run("many");
  CHECK(compiled() == 4 && runs_on("native32.h") == 1, "%d, %d", compiled(), runs_on("native32.h"));
  fresh(in_root("gated cc"));
  run("order");
}

/* Where the headers' declarations cannot be had, or not used, units include the headers. */
static void test_headers(void) {
  fresh(in_root("noting cc"));
  run("headers");
  CHECK(compiled() == 6, "%d: a unit lacked a declaration", compiled());
  CHECK(runs_on("native32.h") == 1 && runs_on("native16.h") == 1, " ");
  fresh(in_root("noting cc"));
  run("expected");
  run("expected");
  CHECK(compiled() == 1 && runs_on("native16.h") == 1, "%d, %d", compiled(), runs_on("native16.h"));
  fresh(in_root("including cc"));
  run("many");
  CHECK(compiled() == 5, "%d", compiled());
  fresh(in_root("unable cc"));
  run("many");
  CHECK(compiled() == 4, "%d", compiled());
}

/* Several processes with one cache, from nothing. */
static void test_at_once(void) {
  enum { N = 3 };
  pid_t pids[N];
  fresh(in_root("noting cc"));
  for (int i = 0; i < N; i++) pids[i] = launch(i == 0 ? "headers" : "many");
  for (int i = 0; i < N; i++) finish("at once", pids[i]);
  run("many");
}

static const char *chosen; /* the environment's compiler for kernels; NULL: cc, which makes code for this machine */

static void test_compilers(void) {
  fresh("/nowhere/cc");
  run("none");
  fresh("off");
  run("none");
  fresh(in_root("noting cc"));
  run("options");
  run("wrong");
  run("sigchld");
  run("interrupt");
  const char *gcc = chosen ? chosen : "gcc", *clang = "clang";
#if defined(__aarch64__)
  clang = "clang --target=aarch64-linux-gnu"; /* also where another machine runs us by emulation */
#endif
  for (int i = 0; i < 2; i++) {
    char compiler[256], command[512];
    snprintf(compiler, sizeof compiler, "%s -g0", i == 0 ? gcc : clang);
    snprintf(command, sizeof command, "command -v %.*s >/dev/null", (int)strcspn(compiler, " "), compiler);
    if (system(command) != 0) continue;
    fresh(compiler);
    run("headers");
  }
}

static void test_ends(void) {
  static const char *const cases[] = { "free", "shutdown", "exit" };
  for (int i = 0; i < 6; i++) {
    fresh(in_root(i < 3 ? "sleeping cc" : "dozing cc"));
    run(cases[i % 3]);
    CHECK(EVENTUALLY(gone(in_root("sleeps"))), "case %s left the compiler running", cases[i % 3]);
    CHECK(entries(in_root("tmp"), "", NULL) == 0, "case %s left files in TMPDIR", cases[i % 3]);
  }
  fresh(in_root("noting cc"));
  run("fork");
  run("fork_poll");
  CHECK(entries(in_root("tmp"), "", NULL) == 0, "files are left in TMPDIR");
}

/* Without a cache, or with one that cannot be written. */
static void test_no_cache(void) {
  fresh(in_root("noting cc"));
  setenv("DOTCOMPUTE_CACHE", "off", 1);
  run("fork");
  setenv("DOTCOMPUTE_CACHE", "/proc/nowhere", 1);
  run("many");
  CHECK(entries(in_root("tmp"), "", NULL) == 0, "files are left in TMPDIR");
}

/* Scripts that run `cc`: "noting" notes each run's arguments in a file; "unable" does not preprocess; "including" fails
** on units that do not include the headers; "gated" keeps sources that name a gate until there is a file "open";
** "sleeping" and "dozing" never end, the former once it compiles. */
static void write_compilers(const char *cc) {
  /* Killed anywhere, the file is whole or not there. */
  static const char sleeps[] = "sleep 1000 &\necho $! > new\nmv new sleeps\nwait\n";
  static const char gates[] = "gate=$([ -z \"$unit\" ] || grep -o 'gate_[a-z]*' \"$unit\")\n"
                              "[ -z \"$gate\" ] || { : > $gate; while [ ! -e open ]; do sleep 0.05; done; }\n";
  static const struct {
    const char *name, *first, *then;
  } scripts[] = {
    { "noting cc", "", NULL },
    { "gated cc", gates, NULL },
    { "unable cc", "case $* in *' -E '*) exit 1 ;; esac\n", NULL },
    { "including cc", "[ -z \"$unit\" ] || grep -q native32.h \"$unit\" || exit 1\n", NULL },
    { "sleeping cc", "case $* in *' -E '*) exec @ \"$@\" ;; esac\n", sleeps },
    { "dozing cc", "", sleeps },
  };
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
    dc_buf text = DC_BUF_INIT;
    dc_buf_printf(&text, "#!/bin/sh\ncd '%s'\necho \"$*\" >> runs\n"
                         "for a; do case $a in *kernel.c) unit=$a ;; esac; done\n", root);
    for (const char *p = scripts[i].first; *p; p++)
      if (*p == '@' && p[1] == ' ') dc_buf_puts(&text, cc);
      else dc_buf_putc(&text, *p);
    if (scripts[i].then) dc_buf_puts(&text, scripts[i].then);
    else dc_buf_printf(&text, "exec %s \"$@\"\n", cc);
    write_script(scripts[i].name, text.data);
    dc_buf_free(&text);
  }
}

static int run_case(const char *name) {
  alarm(120); /* whatever hangs fails */
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    if (strcmp(tests[i].name, name) != 0) continue;
    tests[i].run();
    if (failures) printf("in case %s\n", name);
    return failures != 0;
  }
  return 2;
}

int main(int argc, char **argv) {
  if (argc == 3) {
    snprintf(root, sizeof root, "%s", argv[2]);
    return run_case(argv[1]);
  }
  snprintf(root, sizeof root, "/tmp/dc-build-XXXXXX");
  if (mkdtemp(root) == NULL ) return 1;
  setenv("TMPDIR", in_root("tmp"), 1);
  chosen = getenv("DOTCOMPUTE_CC");
  if (chosen) chosen = strdup(chosen); /* the cases set another */
  write_compilers(chosen ? chosen : "cc");
  test_cache();
  test_headers();
  test_at_once();
  test_compilers();
  test_ends();
  test_no_cache();
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  if (!failures && system(command) != 0) return 1;
  return failures != 0;
}
