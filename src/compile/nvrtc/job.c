/*
** job.c - see job.h.
*/
#include "compile/nvrtc/job.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/serial.h"

void dc_nvrtc_job_put(dc_buf *b, const dc_nvrtc_job *job) {
  dc_put_string(b, job->text);
  dc_put_string(b, job->name);
  dc_put_strings(b, job->header_names, job->nheaders);
  dc_put_strings(b, job->header_texts, job->nheaders);
  dc_put_strings(b, job->options, job->noptions);
  dc_put_strings(b, job->expressions, job->nexpressions);
  dc_put_number(b, job->output);
  dc_put_string(b, job->tile_root ? job->tile_root : "");
  dc_put_string(b, job->tile_gpu ? job->tile_gpu : "");
  dc_put_string(b, job->tile_headers ? job->tile_headers : "");
}

static const char *optional(const char *text) { return text && *text ? text : NULL; }

int dc_nvrtc_job_get(dc_reader *r, dc_nvrtc_job *job) {
  int ntexts;
  job->text = dc_get_string_in_place(r);
  job->name = dc_get_string_in_place(r);
  job->header_names = dc_get_strings_in_place(r, &job->nheaders);
  job->header_texts = dc_get_strings_in_place(r, &ntexts);
  job->options = dc_get_strings_in_place(r, &job->noptions);
  job->expressions = dc_get_strings_in_place(r, &job->nexpressions);
  job->output = (dc_nvrtc_output)dc_get_number(r);
  job->tile_root = optional(dc_get_string_in_place(r));
  job->tile_gpu = optional(dc_get_string_in_place(r));
  job->tile_headers = optional(dc_get_string_in_place(r));
  if (!r->bad && ntexts == job->nheaders) return 0;
  dc_nvrtc_job_free(job);
  return -1;
}

void dc_nvrtc_job_free(dc_nvrtc_job *job) {
  free(job->header_names);
  free(job->header_texts);
  free(job->options);
  free(job->expressions);
  *job = (dc_nvrtc_job){0};
}

void dc_nvrtc_result_put(dc_buf *b, const dc_nvrtc_result *result) {
  dc_put_number(b, (uint64_t)result->status);
  dc_put_optional(b, result->step);
  dc_put_optional(b, result->status_name);
  dc_put_optional(b, result->log);
  dc_put_number(b, result->image != NULL);
  if (result->image) dc_put_bytes(b, result->image, result->len);
  dc_put_number(b, (uint64_t)result->nlowered);
  for (int i = 0; i < result->nlowered; i++) dc_put_optional(b, result->lowered[i]);
}

int dc_nvrtc_result_get(dc_reader *r, dc_nvrtc_result *result) {
  *result = (dc_nvrtc_result){0};
  result->status = (int)dc_get_number(r);
  result->step = dc_get_optional(r);
  result->status_name = dc_get_optional(r);
  result->log = dc_get_optional(r);
  if (dc_get_number(r) != 0) result->image = dc_get_bytes(r, &result->len);
  const uint64_t n = dc_get_number(r);
  if (!r->bad && n <= (uint64_t)(r->end - r->p)) result->lowered = calloc((size_t)n + 1, sizeof *result->lowered);
  if (!result->lowered) r->bad = true;
  while (!r->bad && (uint64_t)result->nlowered < n) result->lowered[result->nlowered++] = dc_get_optional(r);
  if (!r->bad) return 0;
  dc_nvrtc_result_free(result);
  return -1;
}

void dc_nvrtc_result_free(dc_nvrtc_result *r) {
  for (int i = 0; i < r->nlowered; i++) free(r->lowered[i]);
  free(r->lowered);
  free(r->step);
  free(r->status_name);
  free(r->log);
  free(r->image);
  *r = (dc_nvrtc_result){0};
}
