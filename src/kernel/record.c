/*
** record.c - the plans of structs: for each field its place, its conversion and the key of its name.
*/
#include <stdlib.h>

#include "kernel/plan.h"

static const char *const lanes[] = { "x", "y", "z", "w" };
#define NLANES (sizeof lanes / sizeof *lanes)

void dc_plan_keys(const dc_image *image, void (*visit)(void *ud, const char *name), void *ud) {
  for (size_t i = 0; i < NLANES; i++) visit(ud, lanes[i]);
  for (int r = 0; r < image->nrecords; r++)
    for (int i = 0; i < image->records[r].nfields; i++) visit(ud, image->records[r].fields[i].name);
}

/* The key of the struct's first field. */
static uint32_t first_key(const dc_image *image, int index) {
  size_t key = NLANES + 1;
  for (int r = 0; r < index; r++) key += (size_t)image->records[r].nfields;
  return (uint32_t)key;
}

/* Fields that no value can be passed for (function pointers) refuse each; the struct's bytes can still be given. */
static int plan_field(dc_module *m, dc_plan_record *r, int i, dc_error *err) {
  const dc_field *f = &r->record->fields[i];
  dc_plan_field *plan = &r->fields[i];
  size_t size, align;
  plan->field = f;
  plan->ndim = f->ndim;
  plan->extent = f->ndim > 0 ? f->extent[0] : 0;
  if (dc_plan_conversion(m, &plan->value, &f->type, err) != 0) return -1;
  dc_plan_layout(&f->type, &size, &align);
  plan->value.offset = (uint32_t)f->offset;
  plan->value.size = (uint32_t)size;
  dc_plan_quicken(&plan->value);
  const bool pointer = plan->value.conv == DC_CONV_POINTER;
  const dc_reach reach = pointer && plan->value.reach == DC_REACH_SHOWN ? DC_REACH_VALUE : plan->value.reach;
  if (reach > r->reach) r->reach = reach; /* given as bytes, it may hold an address */
  return 0;
}

const dc_plan_record *dc_plan_record_of(dc_module *m, int index, dc_error *err) {
  const dc_image *image = m->image;
  if (m->records == NULL) m->records = calloc((size_t)image->nrecords + 1, sizeof *m->records);
  if (m->records == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  dc_plan_record *r = &m->records[index];
  if (r->fields != NULL) return r;
  r->record = &image->records[index];
  r->fields = calloc((size_t)r->record->nfields + 1, sizeof *r->fields);
  if (r->fields == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  const uint32_t key = first_key(image, index);
  for (int i = 0; i < r->record->nfields; i++) {
    r->fields[i].key = key + (uint32_t)i;
    if (plan_field(m, r, i, err) == 0) continue;
    free(r->fields);
    r->fields = NULL;
    return NULL;
  }
  return r;
}

void dc_plan_free_records(dc_module *m) {
  for (int i = 0; m->records != NULL && i < m->image->nrecords; i++) free(m->records[i].fields);
  free(m->records);
}
