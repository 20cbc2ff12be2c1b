/*
** tile_assembler.h - Tile IR to machine code, or to PTX, by NVIDIA's program tileiras.  In the compiler process.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* `root`: a folder with bin/tileiras.  Gives the code, malloc'ed and NUL-terminated, and its length; NULL where
** tileiras refuses the program or cannot be run: `log` then says why.
**
** PTX: tileiras writes none by itself.  For GPUs before sm_90 it makes PTX and has ptxas assemble it; here a program
** called ptxas stands first on its path that copies its input.  This depends on how tileiras works inside, in 13.5. */
char *dc_tile_assemble(const char *root, const char *gpu, bool ptx, const char *ir, size_t ir_len, size_t *len,
                       dc_buf *log);
