/* print.c - see print.h. */
#include "array/codegen/print.h"

#include <inttypes.h>
#include <stdio.h>

#include "array/codegen/ir.h"
#include "array/codegen/pass_cache.h"
#include "array/codegen/program.h"
#include "array/codegen/value.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dtype.h"

static const char *const kinds[] = { [DC_ELEMENTS] = "elements", [DC_REDUCTION] = "reduction", [DC_ROWS] = "rows" };
static const char *const reductions[DC_NREDUCES] = {
  [DC_REDUCE_SUM] = "sum", [DC_REDUCE_PROD] = "prod", [DC_REDUCE_MIN] = "min", [DC_REDUCE_MAX] = "max",
  [DC_REDUCE_ANY] = "any", [DC_REDUCE_ALL] = "all", [DC_REDUCE_ARGMIN] = "argmin", [DC_REDUCE_ARGMAX] = "argmax",
  [DC_REDUCE_M2] = "squared deviations", [DC_REDUCE_BODY] = "by the body",
};

void dc_print_subject(const dc_program *p, char *text, size_t n) {
  const dc_ir *ir = &p->ir;
  const dc_instruction *last = ir->ninstructions > 0 ? &ir->code[ir->ninstructions - 1] : NULL;
  const char *dtype = dc_dtype_name(dc_ir_has_out(ir) ? ir->out.dtype : last ? (dc_dtype)last->dtype : DC_FLOAT32);
  const char *name = !last ? "a copy" : last->op == DC_OP_REDUCE ? reductions[last->reduce] : dc_ops[last->op].name;
  if (ir->ninstructions > 1) snprintf(text, n, "%s and %d more (%s)", name, ir->ninstructions - 1, dtype);
  else snprintf(text, n, "%s (%s)", name, dtype);
}

/* --- the IR ------------------------------------------------------------------------------------------------ */

static void print_ref(dc_ref r, const char *before, dc_buf *b) {
  char name[16];
  dc_name_of(r, name);
  dc_buf_printf(b, "%s%s", before, name);
}

static void print_instruction(const dc_ir *ir, int i, dc_buf *b) {
  const dc_instruction *s = &ir->code[i];
  dc_buf_printf(b, "t%d = %s %s", i, dc_dtype_name((dc_dtype)s->dtype),
                s->op == DC_OP_REDUCE ? reductions[s->reduce] : dc_ops[s->op].name);
  for (int k = 0; k < s->nargs; k++) print_ref(s->arg[k], k == 0 ? " " : ", ", b);
  if (ir->kind != DC_ELEMENTS) {
    for (int pass = 0; pass < ir->npasses; pass++)
      if (dc_in_pass(s->scopes, pass)) dc_buf_printf(b, "; for each element in pass %d", pass + 1);
    if (s->op == DC_OP_REDUCE) dc_buf_printf(b, "; reduced in pass %d", s->level);
    else if (s->scopes & DC_SCOPE_ROW) dc_buf_puts(b, "; once a row");
  }
  dc_buf_puts(b, "\n");
}

/* "body axpy(x0, s0, x1)": what its parameters stand for. */
static void print_body(const dc_ir *ir, dc_buf *b) {
  char name[16];
  dc_buf_printf(b, "body %s(", ir->body->name);
  for (int i = 0; i < ir->body->nparams; i++) {
    dc_name_of(ir->argument[i], name);
    dc_buf_printf(b, "%s%s%s", i > 0 ? ", " : "", ir->argument[i].kind == DC_REF_INPUT ? "x" : "s", name + 1);
  }
  dc_buf_puts(b, ")\n");
}

void dc_print_ir(const dc_program *p, dc_buf *b) {
  const dc_ir *ir = &p->ir;
  dc_buf_printf(b, "%s on %s\n", kinds[ir->kind], p->dev->id);
  for (int i = 0; i < ir->ninputs; i++) {
    const dc_operand *o = &ir->input[i];
    dc_buf_printf(b, "x%d: %s%s%s\n", i, dc_dtype_name(o->dtype),
                  o->index ? ", the element's number" : o->address_only ? ", read at computed offsets" : "",
                  o->result ? ", written by the body" : "");
  }
  for (int i = 0; i < ir->nnumbers; i++) dc_buf_printf(b, "s%d: %s\n", i, dc_dtype_name(ir->number[i].dtype));
  for (int i = 0; i < ir->ninstructions; i++) print_instruction(ir, i, b);
  if (ir->body != NULL) print_body(ir, b);
  if (!dc_ir_has_out(ir)) return;
  dc_buf_printf(b, "out: %s", dc_dtype_name(ir->out.dtype));
  if (ir->scatters) print_ref(ir->offset, ir->max ? ", the greatest at offset " : " at offset ", b);
  print_ref(ir->result, " = ", b);
  if (ir->guarded) print_ref(ir->guard, " where ", b);
  dc_buf_puts(b, "\n");
}

/* --- the schedule ------------------------------------------------------------------------------------------- */

static void print_operand(const dc_program *p, const dc_operand *o, const char *name, dc_buf *b) {
  static const char *const layouts[] = {
    [DC_LAYOUT_ONE] = "one value", [DC_LAYOUT_FLAT] = "flat", [DC_LAYOUT_STRIDED] = "strided",
    [DC_LAYOUT_ROW] = "one value a row", [DC_LAYOUT_UNIT] = "contiguous along the row",
  };
  dc_buf_printf(b, "%s: %s", name, layouts[o->layout]);
  if (o->layout != DC_LAYOUT_ONE && o->layout != DC_LAYOUT_FLAT) {
    dc_buf_puts(b, ", strides");
    for (int d = 0; d < p->schedule.rank; d++) dc_buf_printf(b, " %" PRId64, o->strides[d]);
  }
  if (o->packed) dc_buf_puts(b, ", in vector accesses");
  if (p->ir.kind != DC_ELEMENTS && o->cached != 0)
    dc_buf_printf(b, ", cached at byte %d of an element's slots", o->slot);
  dc_buf_puts(b, "\n");
}

static void print_elements(const dc_schedule *s, dc_buf *b) {
  if (s->kind == DC_SCHEDULE_TILES) {
    dc_buf_printf(b, "tiles: squares of %d x %d of axes %d and %d, %d threads a block\n", s->tile.extent,
                  s->tile.extent, s->tile.axis + 1, s->rank, DC_BLOCK);
    return;
  }
  if (s->kind == DC_SCHEDULE_WARP_ROWS) {
    dc_buf_printf(b, "warp rows: %" PRId64 " parts a row, of %d elements, a warp each%s\n", s->warp_row.parts,
                  DC_WARP_PART, s->warp_row.looped ? ", in a loop" : "");
    return;
  }
  dc_buf_printf(b, "elements: %d side by side and %d apart a thread%s, %d threads a block\n", s->elements.lanes,
                s->elements.rounds, s->elements.looped ? " in a loop" : "", DC_BLOCK);
}

static void print_rows(const dc_schedule *s, dc_buf *b) {
  static const char *const names[] = {
    [DC_SCHEDULE_LANES] = "lanes: threads along the row",
    [DC_SCHEDULE_PACKED] = "packed: vector accesses along the row",
    [DC_SCHEDULE_COLUMNS] = "columns: threads across rows",
    [DC_SCHEDULE_ROW_BLOCKS] = "row blocks: several rows a thread",
  };
  dc_buf_printf(b, "%s\n", names[s->kind]);
  dc_buf_printf(b, "%" PRId64 " rows of %" PRId64 " elements, %" PRId64 " segment%s of %" PRId64 "\n", s->row.rows,
                s->row.length, s->row.segments, s->row.segments == 1 ? "" : "s", s->row.segment);
  dc_buf_printf(b, "accumulators: %d a segment%s; threads: %d a segment; %s: %d a thread\n", s->row.accumulators,
                s->row.two_level ? ", in two levels" : "", s->row.threads,
                s->kind == DC_SCHEDULE_ROW_BLOCKS ? "rows" : "accumulators", s->row.items);
  if (s->kind == DC_SCHEDULE_COLUMNS)
    dc_buf_printf(b, "%d rows a block, %d blocks a cluster\n", s->row.columns, s->row.cluster);
  else if (s->row.cluster > 1)
    dc_buf_printf(b, "%d segments a block, %d blocks a cluster\n", s->row.together, s->row.cluster);
  if (s->row.lanes > 1) dc_buf_printf(b, "%d elements in one access of the last pass\n", s->row.lanes);
  if (s->row.cached > 0)
    dc_buf_printf(b, "%d bytes an element cached between passes, %" PRId64 " bytes of shared memory a block\n",
                  s->row.cached, dc_pass_cache_bytes(s));
}

void dc_print_schedule(const dc_program *p, dc_buf *b) {
  const dc_ir *ir = &p->ir;
  const dc_schedule *s = &p->schedule;
  char name[16];
  if (ir->kind == DC_ELEMENTS) print_elements(s, b);
  else print_rows(s, b);
  dc_buf_printf(b, "%" PRId64 " elements, axes", s->n);
  for (int d = 0; d < s->rank; d++) dc_buf_printf(b, " %" PRId64, s->shape[d]);
  if (ir->kind != DC_ELEMENTS) dc_buf_printf(b, ", of which %d not reduced", s->kept);
  dc_buf_printf(b, "; %d-bit indices%s%s\n", s->wide ? 64 : 32, s->in_place ? "; the result overwrites an input" : "",
                s->streams ? "; the result is stored past the caches" : "");
  for (int i = 0; i < ir->ninputs; i++) {
    snprintf(name, sizeof name, "x%d", i);
    print_operand(p, &ir->input[i], name, b);
  }
  print_operand(p, &ir->out, "out", b);
}
