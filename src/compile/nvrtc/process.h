/*
** process.h - the compiler process: NVRTC and nvJitLink run in a child process.
**
** A source can crash them, they change the handlers of signals, want a large stack, and cannot be stopped.  In a
** process of their own a crash is an error, Ctrl-C ends them at once, and the host's signals, stack and address space
** stay its own.  A process is started when the first source is not in the cache, takes one request after another, and
** ends with its host.  Requests of several threads go to several processes.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* What a request asks for; the first number in it. */
typedef enum dc_request {
  DC_REQUEST_VERSION = 1, /* library -> version and architectures, or why the library cannot be loaded */
  DC_REQUEST_COMPILE,     /* library, job -> result */
  DC_REQUEST_LINK         /* link job -> code or error */
} dc_request;

/* Requests and replies travel as frames: the length as a number (serial.h), then the bytes.  The process finds its end
** of the connection as this descriptor. */
enum { DC_COMPILER_FD = 3, DC_FRAME_HEAD = 8 };

/* The program that serves requests (server.h): the file "compiler" beside this library, unless a host that is such a
** program itself names it here, before the first request.  The text is kept. */
void dc_compiler_program(const char *path);
#define DC_COMPILER_ARGUMENT "--compiler-process" /* the argument that it is started with */

typedef enum dc_exchange_end {
  DC_EXCHANGE_DONE,
  DC_EXCHANGE_CRASHED, /* the process died of this request */
  DC_EXCHANGE_FAILED   /* it cannot be started, or was interrupted */
} dc_exchange_end;

/* Sends a request, waits for the reply: malloc'ed bytes in *reply.  Else DC_INTERRUPTED after Ctrl-C, or DC_COMPILE:
** code "COMPILER_CRASHED" with how it ended, or "COMPILER_NOT_STARTED". */
dc_exchange_end dc_compiler_exchange(const dc_buf *request, char **reply, size_t *len, dc_error *err);
