/*
** main.c - the interpreter's start: options, LUA_INIT, the `arg` table, scripts with tracebacks, exit
** codes.  It behaves as the stock `lua` does; what it adds is the embedded modules, Ctrl-C as an
** error, and a few long options.
*/
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "compile/nvrtc/process.h"
#include "compile/nvrtc/server.h"
#include "dclua/call.h"
#include "dclua/interrupt.h"
#include "dclua/ranks.h"
#include "dclua/repl.h"
#include "lua/bytecode.h"

static const char usage_text[] =
    "usage: %s [options] [script [args]]\n"
    "  -e stat        execute string 'stat'\n"
    "  -i             enter the prompt after executing 'script'\n"
    "  -l mod         require library 'mod' into global 'mod'\n"
    "  -l g=mod       require library 'mod' into global 'g'\n"
    "  -v             show version information\n"
    "  -E             ignore environment variables\n"
    "  -W             turn warnings on\n"
    "  --             stop handling options\n"
    "  -              stop handling options and execute stdin\n"
    "  -n NUMBER      run 'script' in that many processes, by mpirun\n"
    "  --prefix       with -n: each line of output begins with its rank\n"
    "  --device NAME  compute on this device: cpu, cuda:0, ...\n"
    "  --profile[=F]  time every kernel, and show a table at the end; F: a trace file for Chrome\n"
    "  --bundle       run 'script', and put its compiled kernels beside it: SCRIPT.dcb\n"
    "  --cache CMD    list, verify, clear or prune [SIZE] the cache of compiled code\n"
    "  --doctor       what was found, what works, what to install\n"
    "  --version      show version information\n"
    "  --help         this text\n";

/* What the command line asked for; indices are into argv. */
typedef struct options {
  bool interactive, version, no_environment, code, doctor, help, profile, bundle, prefix;
  const char *device, *cache, *size, *trace; /* size: of --cache prune; trace: of --profile=FILE */
  const char *ranks; /* of -n */
  int script; /* the first argument that is no option; argc when there is none */
} options;

/* The one line that -v and the prompt show. */
static void print_version(void) {
  printf("dotcompute %s, %s\n", DC_VERSION, LUA_COPYRIGHT);
  fflush(stdout);
}

static int run_chunk(lua_State *L, int status) {
  return dclua_report(L, status == LUA_OK ? dclua_call(L, 0, 0) : status);
}

/* Loads the whole of standard input as luaL_loadfile does, and keeps its text in the registry: dc.jit reads kernels'
** texts there. */
static int load_stdin(lua_State *L) {
  luaL_Buffer b;
  size_t n;
  luaL_buffinit(L, &b);
  while ((n = fread(luaL_prepbuffer(&b), 1, LUAL_BUFFERSIZE, stdin)) > 0) luaL_addsize(&b, n);
  luaL_pushresult(&b); /* text */
  if (ferror(stdin)) {
    lua_pop(L, 1);
    lua_pushfstring(L, "cannot read stdin: %s", strerror(errno));
    return LUA_ERRFILE;
  }
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, "dotcompute.stdin");
  const char *text = lua_tolstring(L, -1, &n);
  const char *const end = text + n;
  if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
  if (text < end && *text == '#') { /* a first line for the shell */
    const char *line_end = memchr(text, '\n', (size_t)(end - text));
    text = line_end ? line_end : end;
  }
  const int status = luaL_loadbuffer(L, text, (size_t)(end - text), "=stdin"); /* text, chunk or message */
  lua_remove(L, -2);
  return status;
}

/* Standard input without a name. */
static int load_script(lua_State *L, const char *name) { return name ? luaL_loadfile(L, name) : load_stdin(L); }

static int run_file(lua_State *L, const char *name) { return run_chunk(L, load_script(L, name)); }

static int run_string(lua_State *L, const char *text, const char *name) {
  return run_chunk(L, luaL_loadbuffer(L, text, strlen(text), name));
}

/* -l mod, -l g=mod: the global is named as the module up to a "-" suffix, or g. */
static int run_require(lua_State *L, const char *spec) {
  const char *equals = strchr(spec, '=');
  const char *module = equals ? equals + 1 : spec;
  size_t n = equals ? (size_t)(equals - spec) : strcspn(spec, "-");
  lua_pushlstring(L, spec, n);
  lua_getglobal(L, "require");
  lua_pushstring(L, module); /* name, require, module name */
  int status = dclua_call(L, 1, 1); /* name, module or message */
  if (status == LUA_OK) {
    lua_pushvalue(L, -2); /* name, module, name */
    lua_insert(L, -2);
    lua_pushglobaltable(L);
    lua_insert(L, -3); /* name, globals, name, module */
    lua_settable(L, -3);
    lua_pop(L, 1);
  }
  dclua_report(L, status);
  lua_pop(L, 1); /* the name */
  return status;
}

/* --- the modules inside the executable ----------------------------------------------------------- */

/* Made by tools/embed.c from lua/; the name is the path below it, a NULL name ends the list. */
struct dc_embedded { const char *name, *text; size_t len; };
extern const struct dc_embedded dc_embedded_lua[];

int luaopen_dotcompute_core(lua_State *L);

/* "dotcompute/init.lua" is module "dotcompute", "dotcompute/doctor.lua" is "dotcompute.doctor". */
static void push_module_name(lua_State *L, const char *path) {
  size_t n = strlen(path) - strlen(".lua");
  static const char init[] = "/init";
  const size_t ninit = sizeof init - 1;
  if (n > ninit && memcmp(path + n - ninit, init, ninit) == 0) n -= ninit;
  lua_pushlstring(L, path, n);
  luaL_gsub(L, lua_tostring(L, -1), "/", ".");
  lua_remove(L, -2);
}

/* The loader: upvalue 1 points to the file. */
static int load_embedded(lua_State *L) {
  const struct dc_embedded *file = dc_embedded_lua;
  while (file->name && file != lua_touserdata(L, lua_upvalueindex(1))) file++;
  if (!file->name) return luaL_error(L, "the loader of a module was changed by means of the debug library");
  lua_pushfstring(L, "@%s", file->name);
  if (!dc_lua_load_bytecode(L, file->name, NULL) &&
      luaL_loadbufferx(L, file->text, file->len, lua_tostring(L, -1), "t") != LUA_OK) return lua_error(L);
  /* Not init.lua, which makes arrays known to the assertions of busted at each `require`. */
  if (strcmp(lua_tostring(L, 1), "dotcompute") != 0) dc_lua_make_loader(L);
  lua_pushvalue(L, 1);
  lua_pushliteral(L, "dclua");
  lua_call(L, 2, 1);
  return 1;
}

/* Puts `dotcompute.core` and every embedded Lua module into package.preload: `require "dotcompute"` reads no file. */
static void open_embedded(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  for (const struct dc_embedded *file = dc_embedded_lua; file->name; file++) {
    push_module_name(L, file->name);
    lua_pushlightuserdata(L, (void *)file);
    lua_pushcclosure(L, load_embedded, 1);
    lua_rawset(L, -3); /* preload[name] = loader */
  }
  lua_pushcfunction(L, luaopen_dotcompute_core);
  lua_setfield(L, -2, "dotcompute.core");
  lua_pop(L, 1);
}

/* --- options ------------------------------------------------------------------------------------- */

/* A long option at argv[i]; returns the last argument it used, or 0 when there is no such option. */
static int long_option(char **argv, int i, options *o) {
  const char *name = argv[i] + 2;
  if (strcmp(name, "help") == 0) o->help = true;
  else if (strcmp(name, "version") == 0) o->version = true;
  else if (strcmp(name, "doctor") == 0) o->doctor = true;
  else if (strcmp(name, "profile") == 0) o->profile = true;
  else if (strncmp(name, "profile=", 8) == 0 && name[8]) o->profile = true, o->trace = name + 8;
  else if (strcmp(name, "bundle") == 0) o->bundle = true;
  else if (strcmp(name, "prefix") == 0) o->prefix = true;
  else if (strcmp(name, "cache") == 0 && argv[i + 1]) {
    o->cache = argv[++i];
    if (strcmp(o->cache, "prune") == 0 && argv[i + 1] && argv[i + 1][0] != '-') o->size = argv[++i];
  }
  else if (strncmp(name, "device=", 7) == 0) o->device = name + 7;
  else if (strcmp(name, "device") == 0 && argv[i + 1]) o->device = argv[++i];
  else return 0;
  return i;
}

/* Reads the options before anything runs. False with the offending argument in *bad. */
static bool read_options(char **argv, options *o, const char **bad) {
  int i = 1;
  for (; argv[i]; i++) {
    const char *a = *bad = argv[i];
    o->script = i;
    if (a[0] != '-' || a[1] == '\0') return true; /* a script, or "-": stdin */
    if (a[1] == '-') {
      if (a[2] == '\0') {
        o->script = i + 1;
        return true;
      }
      i = long_option(argv, i, o);
      if (i == 0) return false;
      continue;
    }
    if (a[1] == 'n') {
      o->ranks = a[2] ? a + 2 : argv[++i];
      if (!o->ranks) return false;
      continue;
    }
    if (a[1] == 'e' || a[1] == 'l') {
      if (a[1] == 'e') o->code = true;
      if (a[2] == '\0' && (!argv[++i] || argv[i][0] == '-')) return false;
      continue;
    }
    if (a[2] != '\0') return false;
    switch (a[1]) {
      case 'E': o->no_environment = true; break;
      case 'W': break; /* taken in order, by run_options */
      case 'i': o->interactive = o->version = true; break;
      case 'v': o->version = true; break;
      default: return false;
    }
  }
  o->script = i;
  return true;
}

/* -e, -l and -W, in their order. False when one failed. */
static bool run_options(lua_State *L, char **argv, int end) {
  for (int i = 1; i < end; i++) {
    char kind = argv[i][1];
    if (kind == '-') {
      options ignored = { .script = 0 };
      int last = long_option(argv, i, &ignored); /* 0 for "--" */
      if (last > 0) i = last;
    } else if (kind == 'n') {
      if (!argv[i][2]) i++;
    } else if (kind == 'W') {
      lua_warning(L, "@on", 0);
    } else if (kind == 'e' || kind == 'l') {
      const char *extra = argv[i][2] ? argv[i] + 2 : argv[++i];
      int status = kind == 'e' ? run_string(L, extra, "=(command line)") : run_require(L, extra);
      if (status != LUA_OK) return false;
    }
  }
  return true;
}

static void print_usage(const char *bad, const options *o) {
  if (bad) {
    bool lacks = strchr("eln", bad[1]) || strcmp(bad, "--device") == 0 || strcmp(bad, "--cache") == 0;
    fprintf(stderr, "%s: ", dclua_progname);
    fprintf(stderr, lacks ? "'%s' needs argument\n" : "unrecognized option '%s'\n", bad);
  }
  fprintf(o->help ? stdout : stderr, usage_text, dclua_progname);
}

/* --- running ------------------------------------------------------------------------------------- */

/* `arg`: the script at 0, its arguments after it, the interpreter and its options before. */
static void push_arg_table(lua_State *L, char **argv, int argc, int script) {
  if (script == argc) script = 0; /* no script: the interpreter's name is at 0 */
  lua_createtable(L, argc - (script + 1) > 0 ? argc - (script + 1) : 0, script + 1);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - script);
  }
  lua_setglobal(L, "arg");
}

static int push_arguments(lua_State *L) {
  if (lua_getglobal(L, "arg") != LUA_TTABLE) luaL_error(L, "'arg' is not a table");
  int n = (int)luaL_len(L, -1);
  luaL_checkstack(L, n + 3, "too many arguments to script");
  for (int i = 1; i <= n; i++) lua_rawgeti(L, -i, i);
  lua_remove(L, -(n + 1));
  return n;
}

static int run_script(lua_State *L, char **argv, int script) {
  const char *name = argv[script];
  if (strcmp(name, "-") == 0 && strcmp(argv[script - 1], "--") != 0) name = NULL; /* stdin */
  int status = load_script(L, name);
  if (status == LUA_OK) {
    int n = push_arguments(L);
    status = dclua_call(L, n, LUA_MULTRET);
  }
  return dclua_report(L, status);
}

/* LUA_INIT_5_4, else LUA_INIT: a chunk, or @file. */
static int run_init(lua_State *L) {
  static const char *const names[] = { "=LUA_INIT_5_4", "=LUA_INIT" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *init = getenv(names[i] + 1);
    if (!init) continue;
    return init[0] == '@' ? run_file(L, init + 1) : run_string(L, init, names[i]);
  }
  return LUA_OK;
}

static void run_prompt(lua_State *L) {
  const char *name = dclua_progname;
  dclua_progname = NULL; /* at the prompt messages stand alone */
  dclua_repl(L);
  dclua_progname = name;
}

/* Calls the function `name` of that module of ours (NULL: the module itself is the function) with up to two strings;
** true when it gives true. */
static bool run_module(lua_State *L, const char *module, const char *name, const char *first, const char *second) {
  lua_getglobal(L, "require");
  lua_pushstring(L, module);
  int status = dclua_call(L, 1, 1);
  if (status == LUA_OK) {
    if (name) lua_getfield(L, -1, name);
    lua_pushstring(L, first);
    lua_pushstring(L, second); /* .., function, first, second */
    status = dclua_call(L, 2, 1);
  }
  return dclua_report(L, status) == LUA_OK && lua_toboolean(L, -1);
}

static bool run_cache(lua_State *L, const char *name, const char *first, const char *second) {
  return run_module(L, "dotcompute.cache", name, first, second);
}

static bool start_bundle(lua_State *L, char **argv, int argc, const options *o) {
  if (o->script < argc && strcmp(argv[o->script], "-") != 0) return run_cache(L, "record", NULL, NULL);
  dclua_print_message("--bundle needs a script");
  return false;
}

/* Starts the ranks, which get all arguments but -n and --prefix.  Returns where that cannot be done. */
static void start_ranks(char **argv, int argc, const options *o) {
  char **rest = calloc((size_t)argc + 1, sizeof *rest);
  int n = 0;
  for (int i = 1; rest && i < argc; i++) {
    if (i < o->script && strncmp(argv[i], "-n", 2) == 0) i += argv[i][2] == '\0';
    else if (i >= o->script || strcmp(argv[i], "--prefix") != 0) rest[n++] = argv[i];
  }
  if (!rest) dclua_print_message("not enough memory");
  else if (o->interactive || (o->script == argc && !o->code)) dclua_print_message("-n needs a script");
  else dclua_start_ranks(o->ranks, o->prefix, rest);
  free(rest);
}

/* Script, prompt or standard input, as the command line says. */
static bool run_program(lua_State *L, char **argv, int argc, const options *o) {
  if (o->script < argc && run_script(L, argv, o->script) != LUA_OK) return false;
  if (o->interactive) run_prompt(L);
  else if (o->script == argc && !o->code && !o->version) {
    if (isatty(STDIN_FILENO)) {
      print_version();
      run_prompt(L);
    } else run_file(L, NULL);
  }
  return true;
}

/* All of main that may raise errors. Arguments: argc, argv. Returns true when all went well. */
static int protected_main(lua_State *L) {
  int argc = (int)lua_tointeger(L, 1);
  char **argv = lua_touserdata(L, 2);
  options o = { .script = argc };
  const char *bad = NULL;
  if (!read_options(argv, &o, &bad) || o.help) {
    print_usage(o.help ? NULL : bad, &o);
    lua_pushboolean(L, o.help);
    return 1;
  }
  if (o.ranks) {
    start_ranks(argv, argc, &o);
    return 0;
  }
  if (o.version) print_version();
  if (o.device) setenv("DOTCOMPUTE_DEVICE", o.device, 1);
  if (o.no_environment) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV"); /* read by `package` */
  }
  luaL_checkversion(L);
  luaL_openlibs(L);
  open_embedded(L);
  dclua_interrupt_open(L);
  push_arg_table(L, argv, argc, o.script);
  lua_gc(L, LUA_GCGEN, 0, 0);
  if (!o.no_environment && run_init(L) != LUA_OK) return 0;
  if (o.profile && !run_module(L, "dotcompute.profile_command", "start", o.trace, NULL)) return 0;
  bool good = run_options(L, argv, o.script);
  if (good && o.bundle) good = start_bundle(L, argv, argc, &o);
  if (good && o.cache) {
    lua_pushboolean(L, run_cache(L, "command", o.cache, o.size));
    return 1;
  }
  if (good && o.doctor) {
    lua_pushboolean(L, run_module(L, "dotcompute.doctor", NULL, NULL, NULL));
    return 1;
  }
  good = good && run_program(L, argv, argc, &o);
  if (good && o.bundle) good = run_cache(L, "bundle", argv[o.script], NULL);
  if (o.profile && !run_module(L, "dotcompute.profile_command", "report", NULL, NULL)) good = false;
  lua_pushboolean(L, good);
  return 1;
}

static void do_nothing(int sig) { (void)sig; }

/* Writing past RLIMIT_FSIZE fails with EFBIG instead of ending the process, unless the caller has set that signal.  A
** handler, because what is ignored would be ignored by the programs that a script starts too. */
static void survive_size_limit(void) {
  struct sigaction now;
  if (sigaction(SIGXFSZ, NULL, &now) != 0 || now.sa_handler != SIG_DFL) return;
  now.sa_handler = do_nothing;
  now.sa_flags = SA_RESTART;
  sigaction(SIGXFSZ, &now, NULL);
}

/* --- standard output ----------------------------------------------------------------------------- */

/* A descriptor that is closed would be given to the next file that is opened, and prints would go into it.  Each gets
** one that fails instead. */
static void fill_descriptors(void) {
  static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY }; /* the wrong ones */
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[fd]) < 0) return;
}

/* At the end of the process, os.exit included: what was printed, by kernels too, must not be lost silently. */
static void check_output(void) {
  const bool failed = ferror(stdout) != 0;
  errno = 0;
  if (fflush(stdout) == 0 && !failed) return;
  char text[200];
  snprintf(text, sizeof text, "standard output cannot be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
  dclua_print_message(text);
  _exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], DC_COMPILER_ARGUMENT) == 0) return dc_compiler_serve();
  dc_compiler_program("/proc/self/exe");
  if (argv[0] && argv[0][0]) dclua_progname = argv[0];
  survive_size_limit();
  fill_descriptors();
  atexit(check_output);
  lua_State *L = luaL_newstate();
  if (!L) {
    dclua_print_message("cannot create state: not enough memory");
    return EXIT_FAILURE;
  }
  lua_pushcfunction(L, protected_main);
  lua_pushinteger(L, argc);
  lua_pushlightuserdata(L, argv);
  int status = lua_pcall(L, 2, 1, 0);
  bool good = lua_toboolean(L, -1);
  dclua_report(L, status);
  lua_close(L);
  return good && status == LUA_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
