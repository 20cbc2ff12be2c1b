/* parameters.c - see parameters.h. */
#include "array/codegen/parameters.h"

#include "array/codegen/schedule.h"

typedef struct walk {
  const dc_program *p;
  dc_parameter_see *see;
  void *ud;
} walk;

static void see(const walk *w, dc_parameter parameter) { w->see(w->ud, &parameter); }

static void see_address(const walk *w, const dc_operand *o) {
  see(w, (dc_parameter){ .kind = DC_PARAMETER_ADDRESS, .operand = o });
}

static void see_index(const walk *w, const char *name, int64_t value) {
  see(w, (dc_parameter){ .kind = DC_PARAMETER_INDEX, .name = name, .value = (uint64_t)value });
}

static void see_word(const walk *w, const char *name, dc_argument argument, uint64_t value) {
  see(w, (dc_parameter){ .kind = DC_PARAMETER_WORD, .argument = argument, .name = name, .value = value });
}

static void see_extent(const walk *w, const char *name, int axis, int64_t value) {
  see(w, (dc_parameter){ .kind = DC_PARAMETER_EXTENT, .name = name, .number = axis, .value = (uint64_t)value });
}

static void see_strides(const walk *w, const dc_operand *o) {
  for (int d = 0; d < dc_operand_strides(w->p, o); d++)
    see(w, (dc_parameter){ .kind = DC_PARAMETER_STRIDE, .operand = o, .number = d, .value = (uint64_t)o->strides[d] });
}

/* How many elements there are, and of reductions in what rows. */
static void see_size(const walk *w, uint64_t turn) {
  const dc_schedule *h = &w->p->schedule;
  if (w->p->ir.kind == DC_ELEMENTS) {
    see(w, (dc_parameter){ .kind = DC_PARAMETER_INDEX, .argument = DC_ARGUMENT_COUNT, .name = "n",
                           .value = (uint64_t)h->n });
    return;
  }
  see_index(w, "rows", h->row.rows);
  see_index(w, "length", h->row.length);
  if (h->row.segments <= 1) return;
  see_index(w, "segments", h->row.segments);
  see_index(w, "segment", h->row.segment);
  if (dc_schedule_has_tickets(h)) see_word(w, "turn", DC_NO_ARGUMENT, turn);
}

void dc_parameters_each(const dc_program *p, uint64_t turn, dc_parameter_see *f, void *ud) {
  const walk w = { p, f, ud };
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  if (dc_ir_has_out(ir)) see_address(&w, &ir->out);
  for (int i = 0; i < ir->ninputs; i++)
    if (!ir->input[i].index) see_address(&w, &ir->input[i]);
  see_size(&w, turn);
  if (dc_program_posts(p)) {
    see_word(&w, "mailbox", DC_ARGUMENT_MAILBOX, p->mailbox);
    see_word(&w, "sequence", DC_ARGUMENT_SEQUENCE, p->sequence);
  }
  see_strides(&w, &ir->out);
  for (int i = 0; i < ir->ninputs; i++) see_strides(&w, &ir->input[i]);
  if (dc_schedule_has_offsets(p))
    for (int d = dc_schedule_first_extent(h); d < h->rank; d++) see_extent(&w, NULL, d, h->shape[d]);
  if (h->kind == DC_SCHEDULE_WARP_ROWS) {
    see_extent(&w, "parts", 0, h->warp_row.parts);
    see_index(&w, "warps", dc_schedule_warps(h));
  }
  for (int i = 0; i < ir->nnumbers; i++) see(&w, (dc_parameter){ .kind = DC_PARAMETER_NUMBER, .number = i });
}
