/* job.c - see job.h. */
#include "cpu/runtime/job.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/limit.h"
#include "base/runtime.h"

void dc_job_fail(dc_job *job, dc_kind kind, const char *code, uint32_t line, const char *fmt, ...) {
  pthread_mutex_lock(&job->lock);
  if (!job->failed) {
    va_list ap;
    va_start(ap, fmt);
    dc_vfail(job->err, kind, code, fmt, ap);
    va_end(ap);
    job->err->source_line = (int)line;
    job->failed = true;
  }
  pthread_mutex_unlock(&job->lock);
  atomic_store(&job->grid.stop, 1);
}

void dc_job_interrupt(dc_job *job) {
  job->interrupted = true; /* never reset, and read when all workers are done */
  atomic_store(&job->grid.stop, 1);
}

bool dc_job_poll(dc_job *job, bool launching) {
  if (launching && job->called < job->most_workers) job->wake(job, dc_clock());
  return dc_job_interrupted(job) || atomic_load_explicit(&job->grid.stop, memory_order_relaxed);
}

void dc_job_flush(dc_job *job) {
  dc_write_guard guard;
  dc_write_begin(&guard);
  if (job->out.len && fwrite(job->out.data, 1, job->out.len, stdout) < job->out.len) job->print_errno = errno;
  dc_write_end(&guard);
  dc_buf_reset(&job->out);
}
