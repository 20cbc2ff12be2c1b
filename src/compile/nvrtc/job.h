/*
** job.h - one program for NVRTC, and what became of it.
*/
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/serial.h"

enum { DC_NVRTC_REFUSED = 6 }; /* NVRTC_ERROR_COMPILATION of nvrtcResult */

typedef enum dc_nvrtc_output { DC_NVRTC_PTX, DC_NVRTC_CUBIN, DC_NVRTC_LTOIR } dc_nvrtc_output;

typedef struct dc_nvrtc_job {
  const char *text, *name; /* the source, and the file name that messages give it */
  const char **header_names, **header_texts;
  int nheaders;
  const char **options;
  int noptions;
  const char **expressions; /* name expressions whose lowered names are wanted */
  int nexpressions;
  dc_nvrtc_output output;
  const char *library;      /* the NVRTC to use; NULL: the one of search.h */
  /* of tile kernels (CUDA Tile C++); all NULL for others */
  const char *tile_root;    /* the folder with bin/tileiras (tile_assembler.h) */
  const char *tile_gpu;     /* "sm_90": what that assembles for */
  const char *tile_headers; /* the folder of NVRTC's own headers, which is made when it is missing */
} dc_nvrtc_job;

/* What it owns is freed by dc_nvrtc_result_free. */
typedef struct dc_nvrtc_result {
  int status;          /* an nvrtcResult: 0 compiled, DC_NVRTC_REFUSED an error of the source (see log), or another */
  char *step;          /* what gave a status other than 0: "program", "name expression", "compilation", "result" */
  char *status_name;   /* "NVRTC_ERROR_COMPILATION"; NULL when status is 0 */
  char *log;           /* NVRTC's, "" when none; NULL before the compilation */
  char *image;         /* NUL-terminated; NULL unless compiled.  Of length 0 when the options ask for no code. */
  size_t len;
  char **lowered;      /* one for each name expression, NULL where it has none; NULL unless compiled */
  int nlowered;
} dc_nvrtc_result;

void dc_nvrtc_result_free(dc_nvrtc_result *r);

/* Both as bytes, and back.  A job that is read lies in the reader's bytes but for its lists, which dc_nvrtc_job_free
** frees.  Reading returns 0; -1 when the bytes are bad, or memory ran out: nothing is to be freed then. */
void dc_nvrtc_job_put(dc_buf *b, const dc_nvrtc_job *job);
int dc_nvrtc_job_get(dc_reader *r, dc_nvrtc_job *job);
void dc_nvrtc_job_free(dc_nvrtc_job *job);
void dc_nvrtc_result_put(dc_buf *b, const dc_nvrtc_result *result);
int dc_nvrtc_result_get(dc_reader *r, dc_nvrtc_result *result);
