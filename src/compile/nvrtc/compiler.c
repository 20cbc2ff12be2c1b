/*
** compiler.c - see compiler.h.
*/
#include "compile/nvrtc/compiler.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/serial.h"
#include "compile/nvrtc/job.h"
#include "compile/nvrtc/nvjitlink.h"
#include "compile/nvrtc/process.h"
#include "compile/nvrtc/search.h"

/* --- requests and replies --------------------------------------------------------------------------------- */

/* An error as the server wrote it (put_error in server.c). */
static int read_error(dc_reader *r, dc_error *err) {
  const dc_kind kind = (dc_kind)dc_get_number(r);
  char *code = dc_get_bytes(r, NULL), *text = dc_get_bytes(r, NULL), *log = dc_get_optional(r);
  if (r->bad || kind == DC_OK || kind > DC_INTERRUPTED) dc_fail_oom(err);
  else dc_fail(err, kind, *code ? code : NULL, "%s", text);
  dc_error_set_log(err, log);
  free(code);
  free(text);
  free(log);
  return -1;
}

/* Sends the request, which is freed.  0: the reply is to be read from *r, and *bytes to be freed. */
static int ask(dc_buf *request, char **bytes, dc_reader *r, dc_error *err) {
  size_t len = 0;
  const dc_exchange_end end = dc_compiler_exchange(request, bytes, &len, err);
  dc_buf_free(request);
  if (end != DC_EXCHANGE_DONE) return -1;
  *r = (dc_reader){(const unsigned char *)*bytes, (const unsigned char *)*bytes + len, false};
  if (dc_get_number(r) != 0) return 0;
  read_error(r, err);
  free(*bytes);
  return -1;
}

/* --- NVRTC's version -------------------------------------------------------------------------------------- */

static struct {
  pthread_mutex_t lock;
  bool known; /* it was loaded once */
  dc_nvrtc_version version;
} nvrtc = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int read_version(dc_reader *r, dc_nvrtc_version *v) {
  v->major = (int)dc_get_number(r);
  v->minor = (int)dc_get_number(r);
  const uint64_t n = dc_get_number(r);
  for (v->narchs = 0; !r->bad && v->narchs < DC_MOST_ARCHS && (uint64_t)v->narchs < n;)
    v->archs[v->narchs++] = (int)dc_get_number(r);
  return r->bad ? -1 : 0;
}

/* Has the compiler process load the file: 0; 1 when the file is of no use; -1 for any other error. */
static int try_library(const char *path, dc_error *err) {
  dc_buf request = DC_BUF_INIT;
  dc_reader r;
  char *bytes;
  dc_put_number(&request, DC_REQUEST_VERSION);
  dc_put_string(&request, path);
  if (ask(&request, &bytes, &r, err) == 0) {
    const int rc = read_version(&r, &nvrtc.version);
    free(bytes);
    return rc == 0 ? 0 : dc_fail_oom(err);
  }
  return err->kind == DC_COMPILE && strcmp(err->code, "COMPILER_NOT_STARTED") != 0 ? 1 : -1;
}

static int load(dc_error *err) {
  for (const char *path; (path = dc_nvrtc_library()) != NULL;) {
    const int rc = try_library(path, err);
    if (rc <= 0) return rc;
    dc_nvrtc_refuse(path, dc_error_text(err));
    dc_error_clear(err);
  }
  return dc_nvrtc_fail_not_found(err);
}

const dc_nvrtc_version *dc_nvrtc(dc_error *err) {
  pthread_mutex_lock(&nvrtc.lock);
  if (!nvrtc.known) nvrtc.known = load(err) == 0;
  pthread_mutex_unlock(&nvrtc.lock);
  return nvrtc.known ? &nvrtc.version : NULL;
}

void dc_virtual_arch(const char *arch, char out[DC_ARCH_BYTES]) {
  const char *number = strchr(arch, '_');
  snprintf(out, DC_ARCH_BYTES, "compute%s", number ? number : "_75");
}

/* --- compiling and linking -------------------------------------------------------------------------------- */

int dc_nvrtc_compile(const dc_nvrtc_job *job, dc_nvrtc_result *out, dc_error *err) {
  const char *library = job->library ? job->library : dc_nvrtc_library();
  dc_buf request = DC_BUF_INIT;
  dc_reader r;
  char *bytes, *folder = getcwd(NULL, 0);
  dc_put_number(&request, DC_REQUEST_COMPILE);
  dc_put_string(&request, library ? library : "");
  dc_put_string(&request, folder ? folder : "");
  dc_nvrtc_job_put(&request, job);
  free(folder);
  if (ask(&request, &bytes, &r, err) != 0) return -1;
  const int rc = dc_nvrtc_result_get(&r, out) == 0 ? 0 : dc_fail_oom(err);
  free(bytes);
  return rc;
}

void *dc_link_code(const dc_link_job *job, size_t *len, dc_error *err) {
  dc_link_job whole = *job;
  dc_buf request = DC_BUF_INIT;
  dc_reader r;
  char *bytes;
  whole.compiler = dc_nvrtc_library();
  dc_put_number(&request, DC_REQUEST_LINK);
  dc_link_job_put(&request, &whole);
  if (ask(&request, &bytes, &r, err) != 0) return NULL;
  void *code = dc_get_bytes(&r, len);
  if (!code) dc_fail_oom(err);
  free(bytes);
  return code;
}
