/* generate.c - see generate.h. */
#include "array/codegen/generate.h"

#include "array/codegen/elementwise.h"
#include "array/codegen/ir.h"
#include "array/codegen/prelude.h"
#include "array/codegen/reduction.h"
#include "array/codegen/row_block.h"
#include "array/codegen/text.h"
#include "array/codegen/tile.h"
#include "base/buf.h"

void dc_generate(const dc_program *p, dc_buf *text) {
  dc_text t = { .p = p, .b = text, .index = p->wide ? "long long" : "int" };
  dc_emit_prelude(&t);
  if (p->kind != DC_ELEMENTS && p->mapping == DC_MAP_STRIPS) dc_emit_strips(&t);
  else if (p->kind != DC_ELEMENTS) dc_emit_rows(&t);
  else if (p->tile > 0) dc_emit_tiles(&t);
  else dc_emit_elementwise(&t);
}
