/*
** interrupt.c - Ctrl-C while a device works, under hosts that know nothing of us (a stock lua5.4).
**
** The host's own handler would be heard only when the device returns, which a kernel that never ends
** does not.  So while a device works the signal sets dc_interrupt_flag, which kernels and waits look
** at; at all other times it goes on to the host.  Hosts without a handler keep what they have.
*/
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/runtime.h"
#include "lua/lib.h"

static atomic_int working; /* depth of work in progress */
static struct sigaction host; /* what the host had installed */

static void forward(int sig) {
  void (*handler)(int) = host.sa_handler;
  if (handler != SIG_DFL && handler != SIG_IGN) handler(sig);
}

static void on_sigint(int sig) {
  if (atomic_load(&working) > 0) atomic_store(&dc_interrupt_flag, 1);
  else forward(sig);
}

/* A host installs its handler anew for each chunk that it runs, but asking the system at each piece of work
** would cost more than small pieces do: once in 20 ms is enough. */
static bool time_to_look(void) {
  static struct timespec last;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  if (last.tv_sec == now.tv_sec && now.tv_nsec - last.tv_nsec < 20 * 1000 * 1000) return false;
  last = now;
  return true;
}

void dc_lua_work_begin(const dc_lua *self) {
  if (self->host_interrupts || atomic_fetch_add(&working, 1) > 0) return;
  struct sigaction now;
  if (!time_to_look() || sigaction(SIGINT, NULL, &now) != 0) return;
  if (now.sa_handler == on_sigint || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
  if (now.sa_flags & SA_SIGINFO) return; /* its handler wants more than we could forward */
  host = now;
  struct sigaction ours;
  memset(&ours, 0, sizeof ours);
  ours.sa_handler = on_sigint;
  ours.sa_mask = now.sa_mask;
  ours.sa_flags = now.sa_flags & ~(int)SA_RESETHAND;
  sigaction(SIGINT, &ours, NULL);
}

void dc_lua_work_end(const dc_lua *self, bool failed) {
  if (self->host_interrupts || atomic_fetch_sub(&working, 1) > 1) return;
  if (failed || !dc_interrupted()) return; /* dc_lua_raise clears the flag when an interrupt is the reason */
  struct sigaction now;
  if (sigaction(SIGINT, NULL, &now) != 0 || now.sa_handler != on_sigint) return;
  atomic_store(&dc_interrupt_flag, 0); /* the work ended before it looked: the host's turn */
  forward(SIGINT);
}
