/* texture_use.c - see texture_use.h. */
#include "cpu/interp/texture_use.h"

#include <inttypes.h>
#include <stdio.h>

/* On a GPU an instruction of another geometry, or of the other kind of object, gives undefined values. */
bool dc_texture_suits(const dc_cpu_texture *t, const ptx_ins *ins) {
  if (t == NULL) return false;
  const int kind = t->shape.kind, wanted = ins->geometry - PTX_GEOM_1D;
  switch (ins->op) {
    case PTX_OP_TXQ: return !t->surface;
    case PTX_OP_SUQ: return t->surface;
    case PTX_OP_TEX: case PTX_OP_TLD4:
      if (t->surface || kind != wanted) return false;
      return !(t->linear && kind == DC_TEXTURE_1D) || ins->type2 == PTX_S32;
    default: /* surfaces of cubes are layers to kernels */
      if (!t->surface) return false;
      return kind == wanted || (wanted == DC_TEXTURE_2D_LAYERED && kind >= DC_TEXTURE_CUBE);
  }
}

void dc_texture_misuse(uint64_t handle, const ptx_ins *ins, char *text, size_t size) {
  static const char *const kinds[] = {"1-d", "2-d", "3-d", "1-d layered", "2-d layered", "cube", "cube layered"};
  const dc_cpu_texture *t = dc_cpu_texture_find(handle);
  const char *object = t && t->surface ? "surface" : "texture";
  if (t == NULL)
    snprintf(text, size, "%.60s of 0x%" PRIx64 ", which is no texture or surface that is open", ins->text, handle);
  else if (t->linear && t->shape.kind == DC_TEXTURE_1D && ins->geometry == PTX_GEOM_1D && !t->surface)
    snprintf(text, size, "%.60s of a 1-d texture over linear memory, which tex1Dfetch alone reads", ins->text);
  else
    snprintf(text, size, "%.60s of a %s %s", ins->text, kinds[t->shape.kind], object);
}
