/*
** host_interrupt.c - see host_interrupt.h.
**
** The host's own handler takes effect only when the device returns, which a kernel in an endless loop never does.
** So while a device works the signal sets dc_interrupt_flag, which kernels and waits poll; at all other times it is
** forwarded to the host's handler.  Hosts without a handler keep the default action.
*/
#include "lua/host_interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/runtime.h"
#include "lua/object.h"

/* Depth of work in progress, a slot for each Lua state: an atomic addition right after a launch would wait until the
** launch's stores to the GPU are complete (runtime.h).  When all slots are taken, further states share the last one,
** with atomic additions. */
#define WORK_SLOTS 64
static atomic_int working[WORK_SLOTS];
static _Atomic(void (*)(int)) host; /* the handler that the host had installed */

static atomic_uint_fast64_t taken; /* a bit for each slot but the last */

int dc_lua_work_slot(void) {
  uint_fast64_t now = atomic_load(&taken);
  for (;;) {
    const int slot = ~now != 0 ? __builtin_ctzll(~now) : WORK_SLOTS;
    if (slot >= WORK_SLOTS - 1) return WORK_SLOTS - 1;
    if (atomic_compare_exchange_weak(&taken, &now, now | (uint_fast64_t)1 << slot)) return slot;
  }
}

void dc_lua_work_slot_give(int slot) {
  if (slot < WORK_SLOTS - 1) atomic_fetch_and(&taken, ~((uint_fast64_t)1 << slot));
}

/* Adds to the state's depth, and gives what it was. */
static int add(const dc_lua *self, int by) {
  atomic_int *w = &working[self->work_slot];
  if (self->work_slot == WORK_SLOTS - 1) return atomic_fetch_add(w, by);
  const int before = atomic_load_explicit(w, memory_order_relaxed);
  atomic_store_explicit(w, before + by, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  return before;
}

static bool any_state_works(void) {
  for (int i = 0; i < WORK_SLOTS; i++)
    if (atomic_load(&working[i]) > 0) return true;
  return false;
}

static void forward(int sig) {
  void (*handler)(int) = atomic_load(&host);
  if (handler != NULL && handler != SIG_IGN) handler(sig) /* SIG_DFL is NULL */;
}

static void on_sigint(int sig) {
  if (any_state_works()) atomic_store(&dc_interrupt_flag, 1);
  else forward(sig);
}

/* A host reinstalls its handler for each chunk that it runs.  A system call for each operation would cost more than
** small operations do: the handler is checked once in 17 ms (2^24 ns). */
static bool is_check_due(void) {
  static atomic_llong last; /* period of the last check */
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const long long period = now.tv_sec * 64LL + (now.tv_nsec >> 24);
  if (period == atomic_load_explicit(&last, memory_order_relaxed)) return false;
  atomic_store_explicit(&last, period, memory_order_relaxed);
  return true;
}

/* Installs on_sigint in place of the host's handler, if it has one. */
static void take_over(void) {
  struct sigaction now;
  if (sigaction(SIGINT, NULL, &now) != 0) return;
  if (now.sa_handler == on_sigint || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
  if (now.sa_flags & SA_SIGINFO) return; /* its handler wants more than we could forward */
  atomic_store(&host, now.sa_handler);
  struct sigaction ours;
  memset(&ours, 0, sizeof ours);
  ours.sa_handler = on_sigint;
  ours.sa_mask = now.sa_mask;
  ours.sa_flags = now.sa_flags & ~(int)SA_RESETHAND;
  sigaction(SIGINT, &ours, NULL);
}

void dc_lua_work_begin(const dc_lua *self) {
  static atomic_flag busy = ATOMIC_FLAG_INIT; /* another thread installs the handler */
  if (self->host_interrupts || add(self, 1) > 0) return;
  if (!is_check_due() || atomic_flag_test_and_set(&busy)) return;
  take_over();
  atomic_flag_clear(&busy);
}

void dc_lua_work_end(const dc_lua *self, bool failed) {
  if (self->host_interrupts || add(self, -1) > 1) return;
  if (failed || !dc_interrupted()) return; /* dc_lua_raise clears the flag when an interrupt is the reason */
  if (any_state_works()) return;
  struct sigaction now;
  if (sigaction(SIGINT, NULL, &now) != 0 || now.sa_handler != on_sigint) return;
  atomic_store(&dc_interrupt_flag, 0); /* the work ended before it polled the flag */
  forward(SIGINT);
}
