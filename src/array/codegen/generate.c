/* generate.c - see generate.h. */
#include "array/codegen/generate.h"

#include "array/codegen/body_text.h"
#include "array/codegen/elementwise.h"
#include "array/codegen/prelude.h"
#include "array/codegen/program.h"
#include "array/codegen/reduction.h"
#include "array/codegen/row_block.h"
#include "array/codegen/text.h"
#include "array/codegen/tile.h"
#include "base/buf.h"

void dc_generate(const dc_program *p, dc_buf *text) {
  dc_text t = { .p = p, .b = text, .index = p->schedule.wide ? "long long" : "int" };
  if (p->ir.body != NULL) dc_emit_body_declarations(&t);
  else dc_emit_prelude(&t);
  switch (p->schedule.kind) {
    case DC_SCHEDULE_ELEMENTS: case DC_SCHEDULE_WARP_ROWS: dc_emit_elementwise(&t); break;
    case DC_SCHEDULE_TILES: dc_emit_tiles(&t); break;
    case DC_SCHEDULE_ROW_BLOCKS: dc_emit_row_blocks(&t); break;
    default: dc_emit_reduction(&t); break;
  }
  if (p->ir.body != NULL && p->ir.kind == DC_ELEMENTS) dc_emit_body_definitions(&t);
}
