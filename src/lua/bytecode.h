/*
** bytecode.h - our own Lua files as bytecode, which loads in a tenth of the time that their texts take.
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
/* Adds a function to package.searchers that loads the module's files by their bytecode; does nothing where it is there
** already. Nothing is left on the stack. */
void dc_lua_open_bytecode(lua_State *L);
