/*
** build.h - builds C source to loaded code, in the background.
**
** A request whose object is in the cache is ready at once.  Others are compiled by two threads, one for long sources
** and one for the rest, that start at the first of them.  Each takes the request of which most instructions were
** interpreted for each byte of its source (dc_build_note_interpreted), and of equals the shortest.  After fork the
** child keeps its requests and starts threads of its own.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dc_build dc_build; /* a request; dc_build_free releases it */

/* Asks for this source (copied; its first line includes native32.h or native16.h) compiled for `isa` ("baseline",
** "avx2", "avx512"), much optimised or (`opt` 1) little.  Does not wait.  NULL: there is no compiler, or no memory. */
dc_build *dc_build_start(const char *source, size_t len, const char *isa, int opt);
/* Kernels for this instruction set are likely to come: what they all need of the headers is made in the background,
** unless the cache has it. */
void dc_build_expect(const char *isa);
int dc_build_state(dc_build *b);                        /* 0 being built, 1 ready, -1 failed */
void *dc_build_symbol(dc_build *b, const char *name);   /* NULL unless ready and there */
bool dc_build_overran(dc_build *b);                     /* it failed since the compiler took too long */
const char *dc_build_log(dc_build *b);                  /* output of the compiler if it failed, else ""; never NULL */
/* `instructions` more were interpreted because the code is not ready. */
void dc_build_note_interpreted(dc_build *b, uint64_t instructions);
/* Makes the request the next one of its queue and waits until it is ready or failed.  The new state; 0: interrupted. */
int dc_build_wait(dc_build *b);
/* Unloads the object or cancels the build.  NULL is allowed. */
void dc_build_free(dc_build *b);
/* Cancels all builds, which then have failed, and joins the threads; also done at the end of the process. */
void dc_build_shutdown(void);
