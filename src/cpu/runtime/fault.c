/*
** fault.c - see fault.h.
**
** The handler only records address and signal and jumps out of the kernel; lane, instruction and array are found
** afterwards, from the warp's state.  Other signals than those of kernels and guarded copies are forwarded to the
** handler that was installed before.
*/
#include "cpu/runtime/fault.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/name.h"
#include "cpu/interp/code.h"
#include "cpu/interp/texture.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"
#include "cpu/runtime/job.h"
#include "device/device.h"

static __thread dc_worker *current_worker __attribute__((tls_model("initial-exec")));

/* A host-side copy or fill in progress, which may access wrong addresses. */
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
#define LEFT_FRAMES ((size_t)128 << 10) /* more than the frames of operations and their callees */
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

/* Runs fn(ud), which accesses addresses that may be wrong.  False: it faulted, at *address. */
static bool run_guarded(void (*fn)(void *ud), void *ud, uint64_t *address) {
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

/* --- reports --------------------------------------------------------------------------------------------- */

/* The array or variable nearest to a wrong address. */
typedef struct place {
  uint64_t base;
  size_t bytes;
  int param;            /* of the kernel, from 1; 0: none */
  const char *variable; /* of the module, its PTX name; NULL: none */
} place;

/* "16 bytes past the end of an array of 400 bytes" and the like, to text. */
static void describe_place(const place *p, uint64_t address, char *text, size_t size) {
  if (address < 65536) {
    snprintf(text, size, "a null pointer was followed");
    return;
  }
  if (p == NULL) {
    snprintf(text, size, "no array is there");
    return;
  }
  uint64_t end = p->base + p->bytes;
  int n;
  if (address < p->base) n = snprintf(text, size, "%" PRIu64 " bytes before the start of", p->base - address);
  else if (address > end) n = snprintf(text, size, "%" PRIu64 " bytes past the end of", address - end);
  else n = snprintf(text, size, address == end ? "right at the end of" : "inside");
  if (p->variable) {
    char name[64];
    snprintf(text + n, size - (size_t)n, " the variable '%s' of %zu bytes",
             dc_short_name(p->variable, name, sizeof name), p->bytes);
    return;
  }
  n += snprintf(text + n, size - (size_t)n, " an array of %zu bytes", p->bytes);
  if (p->param) snprintf(text + n, size - (size_t)n, ", the kernel's parameter %d", p->param);
}

int dc_fault_guard(void (*fn)(void *ud), void *ud, dc_memory *m, dc_error *err) {
  uint64_t address;
  place p = { .param = 0 };
  char text[160];
  if (run_guarded(fn, ud, &address)) return 0;
  describe_place(dc_memory_find(m, address, &p.base, &p.bytes) ? &p : NULL, address, text, sizeof text);
  return dc_fail(err, DC_LAUNCH, "CUDA_ERROR_ILLEGAL_ADDRESS", "illegal address 0x%" PRIx64 " in a copy or fill: %s",
                 address, text);
}

/* --- faults of kernels ---------------------------------------------------------------------------------- */

static bool accesses_memory(const dc_uop *o) {
  switch (o->ins->op) {
    case PTX_OP_LD: case PTX_OP_LDU: case PTX_OP_ST: case PTX_OP_ATOM: case PTX_OP_RED:
    case PTX_OP_MBARRIER: return true;
    default: return o->ins->mode == PTX_MATRIX_LOAD || o->ins->mode == PTX_MATRIX_STORE;
  }
}

uint64_t dc_lane_address(const dc_warp *w, const dc_uop *o, int lane) {
  uint64_t a = w->base[o->base] + (uint64_t)o->imm + w->lane_stride[o->base] * (uint64_t)lane;
  if (o->addr_bits == 64) a += ((const uint64_t *)(const void *)(w->regs + o->a))[lane];
  if (o->addr_bits == 32) a += ((const uint32_t *)(const void *)(w->regs + o->a))[lane];
  return a;
}

static uint64_t access_bytes(const dc_uop *o) {
  return (uint64_t)ptx_type_bits((ptx_type)o->ins->type) / 8 * (o->ins->vec ? o->ins->vec : 1);
}

/* Whether n bytes at a are on the page of the fault.  A vector access may load its lanes in any order, so the fault is
** attributed to the first lane on that page, not to the one with the reported address.  No pages are smaller. */
static bool on_page_of(uint64_t fault, uint64_t a, uint64_t n) {
  const uint64_t page = fault & ~(uint64_t)4095;
  return a - page < 4096 || page - a < n;
}

/* The lane that the fault is attributed to, and the address that it accessed. */
static int faulting_lane(const dc_worker *k, const dc_uop *o, uint64_t *address) {
  const dc_warp *w = k->warp;
  *address = k->fault.address;
  if (k->fault.lane >= 0) return k->fault.lane;
  uint32_t mask = w->mask ? w->mask : 1;
  int first = __builtin_ctz(mask), best = -1;
  if (o == NULL || !accesses_memory(o)) return first;
  for (int pass = 0; pass < 2; pass++) /* the system does not report non-canonical addresses: above 2^56, else 2^47 */
    for (uint32_t rest = mask; rest && best < 0; rest &= rest - 1) {
      int l = __builtin_ctz(rest);
      uint64_t a = dc_lane_address(w, o, l);
      if (k->fault.has_address ? on_page_of(k->fault.address, a, access_bytes(o)) : a >> (pass ? 47 : 56)) best = l;
    }
  if (best >= 0) *address = dc_lane_address(w, o, best);
  return best >= 0 ? best : first;
}

/* How far from an array or variable an address is attributed to it.  An index that is off by a factor, or an extent too
** many, leads to within some thousand times the array's size; at more than that the nearest of several is a guess that
** misleads.  Where there is but one, it is a guess without an alternative, as when a product of int overflows. */
#define FAR_SIZES 4096
#define FAR_LEAST ((uint64_t)64 << 10)
#define FAR_ALONE ((uint64_t)1 << 40)

static uint64_t distance(const place *p, uint64_t address) {
  return address < p->base ? p->base - address : address < p->base + p->bytes ? 0 : address - p->base - p->bytes;
}

/* What an address may be attributed to: the nearest so far of `n` that are not the same. */
typedef struct nearest {
  uint64_t address;
  place best;
  int n;
} nearest;

static void consider(nearest *q, const place *p) {
  const bool nearer = q->n == 0 || distance(p, q->address) < distance(&q->best, q->address);
  if (q->n > 0 && p->base == q->best.base) return;
  q->n++;
  if (nearer) q->best = *p;
}

/* The arrays that the kernel's arguments hold. */
static void consider_arguments(nearest *q, const dc_worker *k) {
  const ptx_func *f = k->job->fn->ptx;
  for (int i = 0; i < f->nparams; i++) {
    const ptx_sym *param = f->params[i];
    for (uint64_t at = (param->offset + 7) / 8 * 8; at + 8 <= param->offset + param->size; at += 8) {
      uint64_t pointer;
      place p = { .param = i + 1 };
      memcpy(&pointer, k->job->grid.params + at, sizeof pointer);
      if (dc_memory_find(k->cpu->memory, pointer, &p.base, &p.bytes) && pointer - p.base < p.bytes) consider(q, &p);
    }
  }
}

/* Whether a variable is the compiler's own: a text of printf or assert. */
static bool is_of_compiler(const char *name) { return name[0] == '$' || strncmp(name, "__unnamed_", 10) == 0; }

/* The variables of that space that the function names. */
static void consider_variables(nearest *q, const dc_cpu_function *fn, int space) {
  const struct dc_code *code = fn->code;
  const uint64_t image = space == PTX_CONST ? code->const_image : code->global_image;
  for (int32_t i = 0; i < fn->ptx->nins; i++) {
    const ptx_ins *ins = &fn->ptx->ins[i];
    for (int j = 0; j < ins->ndst + ins->nsrc; j++) {
      const ptx_sym *sym = ins->opnd[j].sym;
      if (!sym || sym->kind != PTX_SYM_VAR || sym->space != space) continue;
      if (sym->size == 0 || is_of_compiler(sym->name)) continue;
      consider(q, &(place){ image + sym->offset, (size_t)sym->size, 0, sym->name });
    }
  }
}

/* Those of the kernel, and of the functions that it is in. */
static void consider_all_variables(nearest *q, const dc_worker *k, int space) {
  consider_variables(q, k->job->fn, space);
  for (const dc_frame *f = k->warp ? k->warp->ctl->frame : NULL; f; f = f->parent)
    if (f->fn != k->job->fn && (f->parent == NULL || f->fn != f->parent->fn)) consider_variables(q, f->fn, space);
}

/* The array or variable that a wrong address of operation `o` is attributed to; o NULL: not known. */
static bool nearest_array(const dc_worker *k, const dc_uop *o, uint64_t address, place *best) {
  nearest q = { .address = address };
  const bool constant = o && accesses_memory(o) && o->base == DC_BASE_CONST; /* where only variables are */
  if (constant) {
    consider_all_variables(&q, k, PTX_CONST);
    *best = q.best;
    return q.n > 0;
  }
  consider_arguments(&q, k);
  consider_all_variables(&q, k, PTX_GLOBAL);
  consider_all_variables(&q, k, PTX_CONST);
  if (q.n == 0) {
    q.n = dc_memory_find(k->cpu->memory, address, &q.best.base, &q.best.bytes);
    q.best.param = 0;
  }
  const uint64_t sizes = q.best.bytes < FAR_ALONE / FAR_SIZES ? FAR_SIZES * (uint64_t)q.best.bytes : FAR_ALONE;
  const uint64_t far = q.n == 1 ? FAR_ALONE : sizes > FAR_LEAST ? sizes : FAR_LEAST;
  *best = q.best;
  return q.n > 0 && distance(&q.best, address) < far;
}

static void describe_nearest(const dc_worker *k, const dc_uop *o, uint64_t address, char *text, size_t size) {
  place p;
  describe_place(nearest_array(k, o, address, &p) ? &p : NULL, address, text, size);
}

/* "read of 4 bytes at 0x7f…: 16 bytes past the end of an array of 400 bytes" */
static void describe_access(const dc_worker *k, const dc_uop *o, uint64_t address, char *text, size_t size) {
  const dc_warp *w = k->warp;
  char where[160];
  const ptx_ins *ins = o->ins;
  const char *verb = ptx_is_load(ins) || ins->mode == PTX_MATRIX_LOAD ? "read"
                   : ins->op == PTX_OP_ST || ins->mode == PTX_MATRIX_STORE ? "write" : "atomic operation";
  unsigned long long bytes = access_bytes(o);
  uint64_t offset = address - w->base[DC_BASE_SHARED];
  bool near_shared = offset + (1u << 20) < (2u << 20) && k->job->grid.shared_bytes > 0; /* through a generic address */
  if (o->base == DC_BASE_SHARED || (o->base == DC_BASE_FLAT && near_shared)) {
    const bool dynamic = k->job->fn->ptx->has_dynamic_shared && (int64_t)offset >= 0;
    snprintf(text, size, "%s of %llu bytes at offset %" PRId64 " of shared memory, of which the block has %u bytes%s",
             verb, bytes, (int64_t)offset, k->job->grid.shared_bytes,
             dynamic ? " (k:with{shared = bytes} gives it more)" : "");
  } else if (o->base == DC_BASE_LOCAL || o->base == DC_BASE_CALL || o->base == DC_BASE_FRAME) {
    snprintf(text, size, "%s of %llu bytes outside of the thread's local memory", verb, bytes);
  } else {
    describe_nearest(k, o, address, where, sizeof where);
    snprintf(text, size, "%s of %llu bytes at 0x%" PRIx64 ": %s", verb, bytes, address, where);
  }
}

/* Coordinate i behind the handle of a surface, of the lane that faulted. */
static int32_t surface_coordinate(const dc_worker *k, const dc_uop *o, int i) {
  return ((const int32_t *)(const void *)(k->warp->regs + o->v[o->ins->ndst + 1 + i]))[k->fault.lane];
}

static int is_layered(const ptx_ins *ins) { return ins->geometry == PTX_GEOM_A1D || ins->geometry == PTX_GEOM_A2D; }

/* "sust.b.2d.b32.trap at byte 40 of row 7, layer 2 of a surface of 10 x 5 texels of 4 bytes, 2 layers" */
static void describe_outside(const dc_worker *k, const dc_uop *o, uint64_t handle, char *text, size_t size) {
  const ptx_ins *ins = o->ins;
  const dc_cpu_texture *t = dc_cpu_texture_find(handle);
  const int layered = is_layered(ins);
  const int n = ins->geometry == PTX_GEOM_3D                                      ? 3
              : ins->geometry == PTX_GEOM_2D || ins->geometry == PTX_GEOM_A2D ? 2
                                                                              : 1;
  int at = snprintf(text, size, "%.60s at %s %" PRId32, ins->text, ins->flags & PTX_F_TEXELS ? "texel" : "byte",
                    surface_coordinate(k, o, layered));
  for (int i = 1; i < n && at < (int)size; i++)
    at += snprintf(text + at, size - (size_t)at, i == 1 ? ", row %" PRId32 : ", slice %" PRId32,
                   surface_coordinate(k, o, layered + i));
  if (layered && at < (int)size)
    at += snprintf(text + at, size - (size_t)at, ", layer %" PRId32, surface_coordinate(k, o, 0));
  if (t == NULL || at >= (int)size) return;
  const dc_cpu_level *level = &t->level[0];
  snprintf(text + at, size - (size_t)at, ", of a surface of %ux%ux%u texels of %u bytes, %u layer%s", level->width,
           level->height, level->depth, dc_texel_size(t->shape.texel), t->shape.layers,
           t->shape.layers == 1 ? "" : "s");
}

/* The fault without its place; *code gets CUDA's name for it. */
static void describe_fault(const dc_worker *k, const dc_uop *o, uint64_t address, const char **code, char *text,
                           size_t size) {
#define SAY(error, ...) (*code = "CUDA_ERROR_" error, snprintf(text, size, __VA_ARGS__))
  const dc_dim3 *block = &k->job->grid.block;
  const char *name = o ? o->ins->text : "";
  char access[280];
  switch (k->fault.kind) {
    case DC_FAULT_ADDRESS:
      if (k->fault.signal == SIGFPE || k->fault.signal == SIGILL) {
        SAY("ILLEGAL_INSTRUCTION", "the processor refused an instruction (signal %d)", k->fault.signal);
      } else if (o && accesses_memory(o)) {
        describe_access(k, o, address, access, sizeof access);
        SAY("ILLEGAL_ADDRESS", "illegal address: %s", access);
      } else {
        describe_nearest(k, o, address, access, sizeof access);
        SAY("ILLEGAL_ADDRESS", "illegal address 0x%" PRIx64 ": %s", address, access);
      }
      break;
    case DC_FAULT_MISALIGNED:
      SAY("MISALIGNED_ADDRESS", "misaligned address: access of %llu bytes at 0x%" PRIx64,
          o ? (unsigned long long)access_bytes(o) : 0ull, address);
      break;
    case DC_FAULT_TRAP: SAY("LAUNCH_FAILED", "the kernel executed a trap"); break;
    case DC_FAULT_ASSERT: SAY("ASSERT", "%s", dc_buf_str(&k->text)); break;
    case DC_FAULT_STACK:
      SAY("LAUNCH_FAILED", "stack overflow: functions call each other more than %zu deep, or need more than the %zu "
          "bytes of a thread's stack; k:with{stack = bytes} raises both limits in proportion, up to %zu bytes",
          k->cpu->stack / DC_LEAST_FRAME, k->cpu->stack, DC_MOST_STACK);
      break;
    case DC_FAULT_CALL:
      SAY("LAUNCH_FAILED", "call through a pointer, 0x%" PRIx64 ", that is no function with these arguments", address);
      break;
    case DC_FAULT_REFUSED:
      SAY("LAUNCH_FAILED", "call of a function that cannot run: %s",
          ((const dc_cpu_function *)(uintptr_t)address)->refusal);
      break;
    case DC_FAULT_BRANCH:
      SAY("LAUNCH_FAILED", "branch with index %" PRIu64 ", past its list of targets", address);
      break;
    case DC_FAULT_FREE:
      SAY("LAUNCH_FAILED", "free(0x%" PRIx64 ") of memory that malloc never gave", address);
      break;
    case DC_FAULT_MEMBER:
      if (o == NULL)
        SAY("ILLEGAL_INSTRUCTION", "illegal instruction: a warp-wide operation by a thread that is not in its member "
            "mask");
      else
        SAY("ILLEGAL_INSTRUCTION", "illegal instruction: %.60s by a thread that is not in its member mask, "
            "0x%08" PRIx32, name, (uint32_t)address);
      break;
    case DC_FAULT_PARTIAL:
      SAY("ILLEGAL_INSTRUCTION", "illegal instruction: %.60s by %d threads of a warp; all %d must execute it together",
          name, __builtin_popcount((uint32_t)address), DC_LANES);
      break;
    case DC_FAULT_BARRIER:
      SAY("ILLEGAL_INSTRUCTION", "illegal instruction: %.60s at barrier %" PRIu64 ", but a block has barriers 0 to %d",
          name, address, DC_BARRIERS - 1);
      break;
    case DC_FAULT_COUNT:
      if (dc_barrier_counts((int64_t)address))
        SAY("LAUNCH_TIMEOUT", "deadlock: %.60s asks for %" PRIu64 " threads, but the block has %u", name, address,
            block->x * block->y * block->z);
      else
        SAY("ILLEGAL_INSTRUCTION", "illegal instruction: %.60s for %" PRIu64 " threads, where a multiple of %d must be",
            name, address, DC_LANES);
      break;
    case DC_FAULT_TEXTURE:
      dc_texture_misuse(address, o->ins, access, sizeof access);
      SAY("INVALID_HANDLE", "%s", access);
      break;
    case DC_FAULT_OUTSIDE:
      describe_outside(k, o, address, access, sizeof access);
      SAY("ILLEGAL_ADDRESS", "illegal address: %s", access);
      break;
    case DC_FAULT_UNALIGNED:
      SAY("MISALIGNED_ADDRESS", "misaligned address: %.60s of %" PRIu64 " bytes at x = %d, which counts bytes", name,
          address, surface_coordinate(k, o, is_layered(o->ins)));
      break;
    case DC_FAULT_HOST: SAY("LAUNCH_FAILED", "out of memory (host) for the registers of a warp"); break;
  }
#undef SAY
}

void dc_fault_report_block(dc_worker *k, dc_dim3 b) {
  const char *code;
  char what[900];
  describe_fault(k, NULL, k->fault.address, &code, what, sizeof what);
  dc_job_fail(k->job, DC_LAUNCH, code, 0, "%s, in block (%u,%u,%u)", what, b.x, b.y, b.z);
}

void dc_fault_report(dc_worker *k) {
  const dc_warp *w = k->warp;
  const dc_uop *o = w->at;
  const dc_dim3 *b = &w->block->ctaid;
  const char *code;
  uint64_t address;
  char what[900];
  int l = faulting_lane(k, o, &address);
  describe_fault(k, o, address, &code, what, sizeof what);
  dc_job_fail(k->job, k->fault.kind == DC_FAULT_HOST ? DC_MEMORY : DC_LAUNCH, code, o ? o->ins->line : 0,
              "%s, in block (%u,%u,%u), thread (%u,%u,%u)", what, b->x, b->y, b->z, w->tid[0][l], w->tid[1][l],
              w->tid[2][l]);
}
