/* fault.c - see fault.h. */
#include "cuda/fault.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/name.h"

#define MAX_DEVICES 128

struct dc_cuda_process dc_cuda_process;

static dc_device *devices[MAX_DEVICES];
static int ndevices;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static dc_error latched; /* the error once CUDA is dead */
static atomic_bool reported; /* it has been returned once */

void dc_cuda_adopt(dc_device *dev) {
  if (ndevices < MAX_DEVICES) devices[ndevices++] = dev;
}

/* --- recent launches ----------------------------------------------------------------------------- */

void dc_cuda_not_launched(dc_function *fn, dc_cuda_stream *s, uint64_t issued, uint64_t last_launch) {
  dc_cuda_process.ring[s->issued % DC_CUDA_RING].serial = 0;
  s->issued = issued;
  fn->last_launch = last_launch;
}

void dc_cuda_forget(const dc_cuda_stream *s) {
  for (int i = 0; i < DC_CUDA_RING; i++)
    if (dc_cuda_process.ring[i].stream == s) dc_cuda_process.ring[i].serial = 0;
}

void dc_cuda_forget_function(const dc_function *fn) {
  for (int i = 0; i < DC_CUDA_RING; i++)
    if (dc_cuda_process.ring[i].fn == fn) dc_cuda_process.ring[i].serial = 0;
}

/* The functions of the launches not known to have ended, of one device or (d NULL) of all, oldest first. */
static size_t unfinished(const dc_cuda *d, const dc_function *found[DC_CUDA_RING]) {
  uint64_t last = atomic_load_explicit(&dc_cuda_process.last_serial, memory_order_relaxed);
  size_t n = 0;
  for (uint64_t s = last >= DC_CUDA_RING ? last - DC_CUDA_RING + 1 : 1; s <= last; s++) {
    const dc_cuda_recent *r = &dc_cuda_process.ring[s % DC_CUDA_RING];
    if (r->serial == s && s > r->stream->finished && (d == NULL || d == r->d)) found[n++] = r->fn;
  }
  return n;
}

size_t dc_cuda_running(const dc_cuda *d, char *text, size_t n) {
  const dc_function *found[DC_CUDA_RING];
  size_t count = unfinished(d, found), used = 0;
  if (n > 0) text[0] = '\0';
  for (size_t i = 0; i < count && used + 1 < n; i++) {
    bool named = false;
    for (size_t k = 0; k < i; k++) named = named || found[k] == found[i];
    if (named) continue;
    char name[64];
    int wrote = snprintf(text + used, n - used, "%s'%s'", used > 0 ? ", " : "",
                         dc_short_name(found[i]->name, name, sizeof name));
    if (wrote < 0 || (size_t)wrote >= n - used) {
      text[used] = '\0'; /* the rest does not fit */
      break;
    }
    used += (size_t)wrote;
  }
  return count;
}

/* --- the latch ------------------------------------------------------------------------------------- */

/* Errors that the driver repeats from then on. */
static bool is_fault(CUresult r) {
  switch (r) {
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED: return true;
  default: return false;
  }
}

static const char *error_name(CUresult r) {
  const char *name = NULL;
  if (dc_cu.GetErrorName == NULL || dc_cu.GetErrorName(r, &name) != CUDA_SUCCESS || name == NULL)
    return "CUDA_ERROR_UNKNOWN";
  return name;
}

static const char *error_text(CUresult r) {
  const char *text = NULL;
  if (dc_cu.GetErrorString == NULL || dc_cu.GetErrorString(r, &text) != CUDA_SUCCESS || text == NULL)
    return "unknown error";
  return text;
}

/* Every device becomes lost, with the latched text. */
static void lose_devices(void) {
  for (int i = 0; i < ndevices; i++) {
    devices[i]->state = DC_DEVICE_LOST;
    dc_fail(&devices[i]->open_error, DC_DEVICE, latched.code, "%s", dc_error_text(&latched));
  }
}

static void describe_fault(CUresult r) {
  char names[256];
  size_t n = dc_cuda_running(NULL, names, sizeof names);
  dc_buf where = DC_BUF_INIT;
  if (n == 1) dc_buf_printf(&where, "in kernel %s", names);
  else if (n > 1)
    dc_buf_printf(&where, "in one of the last %zu launches (%s), DOTCOMPUTE_SYNC=1 shows in which", n, names);
  else dc_buf_puts(&where, "with no kernel of this program known to be running");
  dc_fail(&latched, DC_LAUNCH, error_name(r),
          "the GPU stopped with '%s' (%s) %s; CUDA is lost for this process, and only a new process brings it back, "
          "while the CPU device works on",
          error_text(r), error_name(r), dc_buf_str(&where));
  dc_buf_free(&where);
}

static void latch(CUresult r) {
  pthread_mutex_lock(&lock);
  if (!atomic_load(&dc_cuda_process.dead)) {
    if (r == CUDA_ERROR_DEINITIALIZED)
      dc_fail(&latched, DC_DEVICE, error_name(r), "the CUDA driver has shut down: the process is ending");
    else describe_fault(r);
    lose_devices();
    atomic_store(&dc_cuda_process.dead, 1);
  }
  pthread_mutex_unlock(&lock);
}

void dc_cuda_forked(void) {
  if (atomic_load(&dc_cuda_process.dead)) return;
  dc_fail(&latched, DC_DEVICE, NULL,
          "CUDA cannot be used here: it was started before this process was forked; use it first in the child, or use "
          "the CPU device");
  lose_devices();
  atomic_store(&dc_cuda_process.dead, 1);
}

/* The first time it is the launch's error, as on the CPU device; later it is the device's state. */
int dc_cuda_fail_dead(dc_error *err) {
  dc_kind kind = atomic_exchange(&reported, true) ? DC_DEVICE : latched.kind;
  return dc_fail(err, kind, latched.code, "%s", dc_error_text(&latched));
}

void dc_cuda_note(CUresult r) {
  if (r != CUDA_SUCCESS && is_fault(r)) latch(r);
}

int dc_cuda_fail(CUresult r, dc_kind kind, dc_error *err, const char *what, ...) {
  if (is_fault(r)) {
    latch(r);
    return dc_cuda_fail_dead(err);
  }
  va_list ap;
  va_start(ap, what);
  dc_vfail(err, r == CUDA_ERROR_OUT_OF_MEMORY ? DC_MEMORY : kind, error_name(r), what, ap);
  va_end(ap);
  return dc_fail(err, err->kind, err->code, "%s: %s (%s)", dc_error_text(err), error_text(r), error_name(r));
}
