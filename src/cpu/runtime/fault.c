/*
** fault.c - see fault.h.
**
** The handler only records address and signal and jumps out of the kernel; fault_report.c finds lane, instruction and
** array afterwards from the warp's state.  Signals that no kernel and no guarded copy caused go to the handler that was
** installed before.
*/
#include "cpu/runtime/fault.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/interp/interp.h"
#include "cpu/runtime/state.h"

static __thread dc_worker *current_worker __attribute__((tls_model("initial-exec")));

/* A host-side operation under way that may access wrong addresses. */
typedef struct guard {
  sigjmp_buf escape;
  volatile uint64_t address;
} guard;
static __thread guard *current_guard __attribute__((tls_model("initial-exec")));

void dc_fault_catch(dc_worker *k) { current_worker = k; }

/* --- signals -------------------------------------------------------------------------------------------- */

static const int fault_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
#define NSIGNALS (sizeof fault_signals / sizeof *fault_signals)
static struct sigaction before[NSIGNALS];
static int users; /* open devices; changed under the registry's lock */

/* To the handler that was installed before ours. */
static void forward(int sig, siginfo_t *info, void *context) {
  size_t i = 0;
  while (i + 1 < NSIGNALS && fault_signals[i] != sig) i++;
  const struct sigaction *old = &before[i];
  if (old->sa_flags & SA_SIGINFO) {
    old->sa_sigaction(sig, info, context);
  } else if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN) {
    signal(sig, SIG_DFL); /* the instruction faults again, and ends the process */
    if (info->si_code <= 0) raise(sig); /* sent by kill(): the instruction will not raise it again */
  } else {
    old->sa_handler(sig);
  }
}

static void on_fault(int sig, siginfo_t *info, void *context) {
  dc_worker *k = current_worker;
  bool ours = info->si_code > 0; /* by the processor, not by kill() */
  uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
  if (ours && current_guard) {
    current_guard->address = address;
    siglongjmp(current_guard->escape, 1);
  }
  if (ours && k && k->warp) {
    k->fault = (dc_fault){ sig, DC_FAULT_ADDRESS, -1, address, true };
#ifdef SI_KERNEL
    k->fault.has_address = info->si_code != SI_KERNEL; /* a non-canonical address: the processor does not say which */
#endif
    siglongjmp(k->escape, 1);
  }
  forward(sig, info, context);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define LEFT_FRAMES ((size_t)128 << 10) /* more than operations and what they call take */
#endif

/* AddressSanitizer follows jumps between stack frames, but not one from a handler's own stack: the red zones of the
** frames that the jump left must be cleared by hand. */
void dc_fault_landed(void) {
#ifdef __SANITIZE_ADDRESS__
  char *here = __builtin_frame_address(0);
  __asan_unpoison_memory_region(here - LEFT_FRAMES, LEFT_FRAMES);
#endif
}

void dc_fault_open(void) {
  if (users++ > 0) return;
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_sigaction = on_fault;
  act.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; /* we leave by a jump that restores no mask */
  sigemptyset(&act.sa_mask);
  for (size_t i = 0; i < NSIGNALS; i++) sigaction(fault_signals[i], &act, &before[i]);
}

void dc_fault_close(void) {
  if (--users > 0) return;
  for (size_t i = 0; i < NSIGNALS; i++) {
    struct sigaction now;
    if (sigaction(fault_signals[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault)
      sigaction(fault_signals[i], &before[i], NULL);
  }
}

/* The handler's stack of each thread: on the heap, since a module that is loaded late may have little
** thread-local memory, and given back when the thread ends. */
#define FAULT_STACK ((size_t)64 << 10)
static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

static void drop_stack(void *stack) {
  stack_t have;
  if (sigaltstack(NULL, &have) == 0 && have.ss_sp == stack) {
    have.ss_flags = SS_DISABLE;
    sigaltstack(&have, NULL);
  }
  free(stack);
}

static void make_stack_key(void) { pthread_key_create(&stack_key, drop_stack); }

void dc_fault_thread(void) {
  static __thread bool done;
  stack_t have, mine;
  if (done) return;
  done = true;
  if (sigaltstack(NULL, &have) == 0 && !(have.ss_flags & SS_DISABLE)) return; /* the program's own will do */
  pthread_once(&stack_once, make_stack_key);
  memset(&mine, 0, sizeof mine);
  mine.ss_sp = malloc(FAULT_STACK);
  mine.ss_size = FAULT_STACK;
  if (!mine.ss_sp) return; /* faults are then caught on the thread's own stack */
  pthread_setspecific(stack_key, mine.ss_sp);
  sigaltstack(&mine, NULL);
}

/* --- raising and guarding ------------------------------------------------------------------------------- */

void dc_warp_fault(dc_warp *w, const dc_uop *o, dc_fault_kind kind, int lane, uint64_t address) {
  dc_worker *k = w->ctl->worker;
  k->warp = w;
  w->at = o;
  k->fault = (dc_fault){ 0, kind, lane, address, true };
  siglongjmp(k->escape, 1);
}

bool dc_fault_guarded(void (*fn)(void *ud), void *ud, uint64_t *address) {
  guard g;
  g.address = 0;
  guard *outer = current_guard;
  dc_fault_thread();
  if (sigsetjmp(g.escape, 0) == 0) {
    current_guard = &g;
    fn(ud);
    current_guard = outer;
    return true;
  }
  dc_fault_landed();
  current_guard = outer;
  *address = g.address;
  return false;
}
