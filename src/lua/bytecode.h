/*
** bytecode.h - loading our own Lua files: as bytecode, in a tenth of the time that their texts take, and once.
**
** tools/precompile.c makes dc_bytecode_lua when the program is built; it is empty where the compiler is not for the
** machine that builds.  Bytecode is used only where Lua makes the same of a sample as it did then.
*/
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dc_bytecode {
  const char *name;          /* "dotcompute/jit/init.lua" */
  const unsigned char *code; /* as lua_dump writes it, with names and lines */
  size_t len;
  uint64_t hash;             /* dc_fnv1a of the text, which may have been edited since */
} dc_bytecode;

extern const dc_bytecode dc_bytecode_lua[]; /* ended by a NULL name */
extern const dc_bytecode dc_bytecode_sample;

#define DC_BYTECODE_SAMPLE \
  "local a <const>, b, c = 1, ...\n" \
  "local function f(x, ...) for i = x, #c, 2 do b[i] = a + i // 3 .. 'k' end return f(...) end\n" \
  "for k, v in pairs(c) do if v ~= 2.5 and k < 7 then goto next end b.x, c.y[k] = v & 3, -v ^ 2; ::next:: end\n" \
  "repeat local t <close> = setmetatable({ a, b; n = c }, c) until not t or t.n:m(f)\n" \
  "return f, function() b = b == nil end\n"

/* Pushes the main function of the file of that name ("dotcompute/jit/init.lua") where there is bytecode of it and the
** text has that hash (NULL: it is the text of the build); else pushes nothing and gives false. */
bool dc_lua_load_bytecode(lua_State *L, const char *name, const uint64_t *hash);
/* The SHA-256 of all that kernels in Lua are analysed with, beside C: our Lua files and the texts of device functions.
** NULL where a file of ours was loaded by its text, which may be another one than the program was built from. */
const uint8_t *dc_lua_code_digest(lua_State *L);
/* Pushes a table of our modules that have been loaded, by name.  package.loaded may lose them, as in busted between two
** files of specs, and a second instance of a module would not know the objects that the first has made. */
void dc_lua_push_modules(lua_State *L);
/* Replaces a module's main function, on top of the stack, by a loader that calls it for the first `require` only. */
void dc_lua_make_loader(lua_State *L);
/* Adds a function to package.searchers that loads our modules once, by bytecode where there is some; does nothing where
** it is there already. Nothing is left on the stack. */
void dc_lua_open_bytecode(lua_State *L);
