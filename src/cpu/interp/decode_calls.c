/*
** decode_calls.c - see decode_calls.h.
**
** The functions are a list that grows while it is gone through, and refusals go from callees to callers by another: how
** deep calls go is the text's to choose.
*/
#include "cpu/interp/decode_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cpu/interp/code.h"
#include "cpu/interp/decode.h"
#include "cpu/interp/interp.h"

/* Functions to be decoded together: what one calls by name, and what it may call through pointers. */
typedef struct group {
  struct dc_code *code;
  dc_cpu_function **list;
  int32_t n;
  bool any; /* all whose addresses may be taken are in it */
} group;

static void add_function(group *g, dc_cpu_function *fn) {
  if (fn->state != 0) return;
  fn->state = 1; /* while it is under way, so that it comes once */
  g->list[g->n++] = fn;
}

static void add_callees(group *g, const dc_cpu_function *fn) {
  struct dc_code *code = g->code;
  for (int32_t i = 0; i < fn->nnodes; i++)
    if (fn->nodes[i].callee) add_function(g, fn->nodes[i].callee);
  if (!fn->ptx->has_indirect_call || g->any) return;
  g->any = true;
  for (int i = 0; i < code->ptx.nfuncs; i++)
    if (!code->ptx.funcs[i]->entry && !code->ptx.funcs[i]->declared_only) add_function(g, &code->functions[i]);
}

/* The function cannot run because a callee cannot. */
static int refuse_caller(dc_cpu_function *fn, const dc_cpu_function *callee, dc_error *err) {
  fn->refusal = strdup(callee->refusal);
  fn->refusal_line = callee->refusal_line;
  if (!fn->refusal) return dc_fail_oom(err);
  fn->state = -1;
  return 0;
}

/* A callee that is refused refuses its callers; one called through a pointer only fails the call.  Callers of each
** function of the group are listed, then those of refused ones are followed. */
static int refuse_callers(group *g, dc_error *err) {
  const size_t n = (size_t)g->code->ptx.nfuncs + 1;
  int32_t *at = calloc(n + 1, sizeof *at), *callers = NULL, *work = malloc(n * sizeof *work), nwork = 0;
  int rc = 0;
  for (int pass = 0; at && work && pass < 2; pass++) {
    for (int32_t i = 0; i < g->n; i++)
      for (int32_t k = 0; k < g->list[i]->nnodes; k++) {
        const dc_cpu_function *callee = g->list[i]->nodes[k].callee;
        if (callee && pass) callers[--at[callee - g->code->functions]] = i;
        else if (callee) at[callee - g->code->functions]++;
      }
    if (pass) break;
    for (size_t i = 0; i < n; i++) at[i + 1] += at[i];
    if ((callers = malloc(((size_t)at[n] + 1) * sizeof *callers)) == NULL) break;
  }
  if (!callers) rc = dc_fail_oom(err);
  for (size_t i = 0; rc == 0 && i + 1 < n; i++)
    if (g->code->functions[i].state < 0) work[nwork++] = (int32_t)i;
  while (rc == 0 && nwork > 0) {
    const int32_t callee = work[--nwork];
    for (int32_t k = at[callee]; rc == 0 && k < at[callee + 1]; k++) {
      dc_cpu_function *fn = g->list[callers[k]];
      if (fn->state < 0) continue;
      rc = refuse_caller(fn, &g->code->functions[callee], err);
      work[nwork++] = (int32_t)(fn - g->code->functions);
    }
  }
  free(at);
  free(callers);
  free(work);
  return rc;
}

int dc_decode(dc_cpu_function *fn, dc_error *err) {
  if (fn->state != 0) return 0;
  group g = { .code = fn->code, .list = malloc(((size_t)fn->code->ptx.nfuncs + 1) * sizeof *g.list) };
  if (g.list == NULL) return dc_fail_oom(err);
  int rc = 0;
  bool refused = false;
  add_function(&g, fn);
  for (int32_t i = 0; i < g.n && rc == 0; i++) {
    rc = dc_decode_alone(g.list[i], err);
    if (rc == 0) add_callees(&g, g.list[i]);
    else if (rc == DC_DECODE_REFUSED) g.list[i]->state = -1, g.list[i]->nnodes = 0, refused = true, rc = 0;
    for (int32_t k = 0; k < g.list[i]->nnodes && !refused; k++)
      refused = g.list[i]->nodes[k].callee && g.list[i]->nodes[k].callee->state < 0;
  }
  if (rc == 0 && refused) rc = refuse_callers(&g, err);
  for (int32_t i = 0; i < g.n && rc != 0; i++) { /* to be decoded again */
    g.list[i]->state = 0;
    g.list[i]->nnodes = 0;
    free(g.list[i]->refusal);
    g.list[i]->refusal = NULL;
  }
  free(g.list);
  return rc;
}

int dc_decode_to_run(dc_cpu_function *fn, dc_error *err) {
  if (dc_decode(fn, err) != 0) return -1;
  if (fn->state >= 0) return 0;
  dc_fail(err, DC_COMPILE, NULL, "%s", fn->refusal);
  err->source_line = (int)fn->refusal_line;
  return -1;
}
