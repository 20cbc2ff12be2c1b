/* fault.c - see fault.h. */
#include "cuda/fault.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/name.h"

struct dc_cuda_process dc_cuda_process;

static dc_cuda *devices; /* of all Lua states */
/* Guards `devices`, and, while launches are described, their streams and functions. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static dc_error latched; /* the error once CUDA is dead */
static atomic_bool reported; /* it has been returned once */

void dc_cuda_adopt(dc_device *dev) {
  dc_cuda *d = dc_cuda_of(dev);
  pthread_mutex_lock(&lock);
  d->next = devices;
  devices = d;
  pthread_mutex_unlock(&lock);
}

/* --- recent launches ----------------------------------------------------------------------------- */

void dc_cuda_not_launched(dc_function *fn, dc_cuda_stream *s, uint64_t issued, uint64_t last_launch) {
  atomic_store(&fn->d->recent[s->issued % DC_CUDA_RING].number, 0);
  s->issued = issued;
  fn->last_launch = last_launch;
}

void dc_cuda_free_stream(dc_cuda *d, dc_cuda_stream *s) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < DC_CUDA_RING; i++)
    if (d->recent[i].stream == s) d->recent[i].number = 0;
  free(s);
  pthread_mutex_unlock(&lock);
}

void dc_cuda_free_function(dc_function *fn) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < DC_CUDA_RING; i++)
    if (fn->d->recent[i].fn == fn) fn->d->recent[i].number = 0;
  free(fn);
  pthread_mutex_unlock(&lock);
}

/* Appends the functions of the device's launches not known to have ended, oldest first, to the `n` that were found. */
static size_t add_unfinished(const dc_cuda *d, const dc_function *found[DC_CUDA_RING], size_t n) {
  const dc_function *fn[DC_CUDA_RING];
  uint64_t number[DC_CUDA_RING], oldest = 0;
  int count = 0;
  for (int i = 0; i < DC_CUDA_RING; i++) {
    const dc_cuda_recent *r = &d->recent[i];
    const uint64_t v = atomic_load(&r->number);
    if (v == 0 || v <= atomic_load(&r->stream)->finished) continue;
    number[count] = v;
    fn[count++] = r->fn;
  }
  for (int left = count; left > 0 && n < DC_CUDA_RING; left--) {
    int next = -1;
    for (int i = 0; i < count; i++)
      if (number[i] > oldest && (next < 0 || number[i] < number[next])) next = i;
    if (next < 0) break;
    oldest = number[next];
    found[n++] = fn[next];
  }
  return n;
}

/* The lock is held. */
static size_t running(const dc_cuda *d, char *text, size_t n) {
  const dc_function *found[DC_CUDA_RING];
  size_t count = 0, used = 0;
  if (d != NULL) count = add_unfinished(d, found, 0);
  else
    for (const dc_cuda *each = devices; each != NULL; each = each->next) count = add_unfinished(each, found, count);
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

size_t dc_cuda_running(const dc_cuda *d, char *text, size_t n) {
  pthread_mutex_lock(&lock);
  const size_t count = running(d, text, n);
  pthread_mutex_unlock(&lock);
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
  for (const dc_cuda *d = devices; d != NULL; d = d->next) {
    if (d->dev->state == DC_DEVICE_LOST) continue;
    dc_fail(&d->dev->open_error, DC_DEVICE, latched.code, "%s", dc_error_text(&latched));
    d->dev->state = DC_DEVICE_LOST;
  }
}

/* How to find the access that caused a fault of memory; "" for other faults. */
static const char *advice(CUresult r) {
  const bool access = r == CUDA_ERROR_ILLEGAL_ADDRESS || r == CUDA_ERROR_MISALIGNED_ADDRESS ||
                      r == CUDA_ERROR_INVALID_ADDRESS_SPACE || r == CUDA_ERROR_LAUNCH_FAILED;
  return access ? ", where (DOTCOMPUTE_DEVICE=cpu) the same launch names the line of an access that is out of bounds; "
                  "functions that call themselves may need option `stack`"
                : "";
}

static void describe_fault(CUresult r) {
  char names[256];
  size_t n = running(NULL, names, sizeof names);
  dc_buf where = DC_BUF_INIT;
  if (n == 1) dc_buf_printf(&where, "in kernel %s", names);
  else if (n > 1)
    dc_buf_printf(&where, "in one of the last %zu launches (%s), DOTCOMPUTE_SYNC=1 shows in which", n, names);
  else dc_buf_puts(&where, "with no kernel of this program known to be running");
  dc_fail(&latched, DC_LAUNCH, error_name(r),
          "the GPU stopped with '%s' (%s) %s; CUDA is lost for this process, and only a new process brings it back, "
          "while the CPU device works on%s",
          error_text(r), error_name(r), dc_buf_str(&where), advice(r));
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
  pthread_mutex_init(&lock, NULL); /* another thread of the parent may have held it */
  if (atomic_load(&dc_cuda_process.dead)) return;
  dc_fail(&latched, DC_DEVICE, NULL,
          "CUDA cannot be used here: it was started before this process was forked; use it first in the child, or use "
          "the CPU device");
  lose_devices();
  atomic_store(&dc_cuda_process.dead, 1);
}

/* The first time it is the launch's error, as on the CPU device; later it is the device's state. */
int dc_cuda_fail_dead(dc_error *err) {
  (void)atomic_load(&dc_cuda_process.dead); /* is set: what another thread has latched before is seen from here on */
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
