/*
** argument_quick.c - values of all types that are as usual, read where Lua keeps them (cells.h), without a call of Lua.
**
** Tables for structs take one walk over each.  A field is found by the address of its key: strings of up to 40 bytes
** are the same string where they are equal.  So a walk also tells that nothing is missing or unknown, where asking for
** each field by name needs a second one to count.  Tables mostly have their fields in the order of the last one, which
** is remembered: then each key is compared once.  A struct of eight numbers takes 600 instructions; through lua_next
** it took 2000.
*/
#include "lua/argument_quick.h"

static bool put_fields(const dc_lua_walk *w, const dc_plan_param *p, const dc_lua_table *t, char *base);

static inline bool put_one(const dc_lua_walk *w, const dc_plan_param *p, const dc_lua_cell *cell, char *base) {
  return dc_lua_put_quick(cell, w->self, w->k->dev, &p->quick, base) || dc_lua_put_cell(w, p, cell, base);
}

/* The components of a vector or of a complex number: a list, or by their names. */
static bool put_lanes(const dc_lua_walk *w, const dc_plan_param *p, const dc_lua_table *t, char *base) {
  int found = 0;
  if (t->limit != 0) {
    if (!dc_table_is_list(t, p->lanes)) return false;
    for (; found < p->lanes; found++) {
      const dc_plan_param lane = dc_plan_lane(p, found);
      if (!put_one(w, &lane, &t->list[found], base)) return false;
    }
    return true;
  }
  for (const dc_lua_node *node = t->nodes, *end = dc_table_last(t); node < end; node++) {
    int i = 0;
    if (dc_cell_is_nil(&node->cell)) continue;
    while (i < p->lanes && (node->of.key_type != DC_CELL_NAME || node->of.key != w->names[i + 1].string)) i++;
    if (i == p->lanes) return false;
    const dc_plan_param lane = dc_plan_lane(p, i);
    if (!put_one(w, &lane, &node->cell, base)) return false;
    found++; /* keys differ, so none is found twice */
  }
  return found == p->lanes;
}

DC_HOT bool dc_lua_put_cell(const dc_lua_walk *w, const dc_plan_param *p, const dc_lua_cell *cell, char *base) {
  dc_error err = DC_ERROR_INIT;
  int rc = -1;
  const dc_lua_array *o;
  switch (cell->type) {
    case DC_CELL_INTEGER: rc = dc_plan_put_int(p, cell->as.integer, base, &err); break;
    case DC_CELL_FLOAT: rc = dc_plan_put_float(p, cell->as.number, base, &err); break;
    case DC_CELL_TRUE:
    case DC_CELL_FALSE:
      if (p->conv == DC_CONV_BOOL) rc = dc_plan_put_bool(p, cell->type == DC_CELL_TRUE, base, &err);
      break;
    case DC_CELL_USERDATA:
      if ((o = dc_cell_array(cell, w->self)) != NULL) {
        rc = dc_lua_put_array(w, p, o->a, base, &err);
      } else if (dc_lua_takes_array(p) && dc_lua_block_bytes(cell->as.block, 0) == w->self->null) {
        dc_plan_put_ptr(p, 0, base);
        rc = 0;
      }
      break;
    case DC_CELL_TABLE:
      if (p->conv == DC_CONV_STRUCT) return put_fields(w, p, cell->as.table, base);
      if (p->conv == DC_CONV_VECTOR || p->conv == DC_CONV_COMPLEX) return put_lanes(w, p, cell->as.table, base);
      break;
    default: break;
  }
  if (DC_UNLIKELY(rc < 0)) dc_error_clear(&err); /* it is found again, with the names that lead there */
  return rc == 0;
}

/* The `n` values of a DC_QUICK_F32 or _F64 field. */
static inline bool put_numbers(uint8_t quick, size_t n, const dc_lua_cell *cell, char *to) {
  const size_t size = quick == DC_QUICK_F64 ? sizeof(double) : sizeof(float);
  for (size_t i = 0; i < n; i++, to += size) {
    lua_Number v;
    if (DC_UNLIKELY(!dc_cell_number(&cell[i], &v) || !dc_lua_put_float(quick, v, to))) return false;
  }
  return true;
}

/* An array's last dimension, of `n` values. */
static inline bool put_row(const dc_lua_walk *w, const dc_plan_param *p, size_t n, const dc_lua_cell *cell,
                           char *base) {
  if (p->quick.quick == DC_QUICK_F32) return put_numbers(DC_QUICK_F32, n, cell, base + p->quick.offset);
  if (p->quick.quick == DC_QUICK_F64) return put_numbers(DC_QUICK_F64, n, cell, base + p->quick.offset);
  for (size_t i = 0; i < n; i++)
    if (!put_one(w, p, &cell[i], base + i * p->size)) return false;
  return true;
}

/* Dimension `dim` of a field's array, whose extent is n. */
static bool put_dimension(const dc_lua_walk *w, const dc_plan_field *f, int dim, size_t n, const dc_lua_cell *cell,
                          char *base) {
  const dc_lua_table *t = cell->as.table;
  if (DC_UNLIKELY(cell->type != DC_CELL_TABLE || !dc_table_is_list(t, n))) return false;
  if (DC_LIKELY(dim + 1 == f->ndim)) return put_row(w, &f->value, n, t->list, base);
  const uint32_t *extent = f->field->extent;
  size_t each = f->value.size;
  for (int i = dim + 1; i < f->ndim; i++) each *= extent[i];
  for (size_t i = 0; i < n; i++)
    if (!put_dimension(w, f, dim + 1, extent[dim + 1], &t->list[i], base + i * each)) return false;
  return true;
}

/* Brings the field of that key to where the walk is. */
static DC_APART bool bring(dc_lua_name *here, const dc_lua_name *end, const void *string) {
  for (dc_lua_name *o = here; o < end; o++) {
    if (o->string != string) continue;
    const dc_lua_name name = *o;
    *o = *here;
    *here = name;
    return true;
  }
  return false;
}

/* The fields before `name` have been met: as all keys of a table differ, none is met twice, and at the end all have
** been where their number is right. */
static DC_HOT bool put_fields(const dc_lua_walk *w, const dc_plan_param *p, const dc_lua_table *t, char *base) {
  const dc_plan_record *plan = p->fields;
  dc_lua_name *name = w->names + plan->fields[0].key; /* a struct's keys follow each other */
  const dc_lua_name *const end = name + plan->record->nfields;
  char *start = base + p->offset;
  if (DC_UNLIKELY(t->limit != 0)) return false;
  memset(start, 0, p->size); /* what lies between the fields too */
  for (const dc_lua_node *node = t->nodes, *last = dc_table_last(t); node < last; node++) {
    if (dc_cell_is_nil(&node->cell)) continue;
    if (DC_UNLIKELY(name == end || node->of.key_type != DC_CELL_NAME)) return false;
    if (DC_UNLIKELY(name->string != node->of.key) && !bring(name, end, node->of.key)) return false;
    const dc_plan_field *f = name++->field;
    const bool put = f->ndim == 0 ? put_one(w, &f->value, &node->cell, start)
                                  : put_dimension(w, f, 0, f->extent, &node->cell, start);
    if (DC_UNLIKELY(!put)) return false;
  }
  return name == end;
}
