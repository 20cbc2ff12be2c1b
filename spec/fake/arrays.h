/*
** arrays.h - part of fake_cuda.c: CUDA arrays, textures and surfaces.
**
** The bytes of an array are in C order, those of a mipmapped one level after level.  A texture's handle is its object's
** address.  Destroying what work still uses, as far as the host knows, is reported.
*/
static size_t extent_at(size_t extent, unsigned level) { return extent >> level > 0 ? extent >> level : 1; }

static size_t texel_size(const CUDA_ARRAY3D_DESCRIPTOR *a) {
  switch (a->Format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8: return a->NumChannels;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF: return 2 * a->NumChannels;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT: return 4 * a->NumChannels;
  default: return 0;
  }
}

static CUDA_ARRAY3D_DESCRIPTOR at_level(CUDA_ARRAY3D_DESCRIPTOR a, unsigned level) {
  const bool layered = (a.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
  a.Width = extent_at(a.Width, level);
  if (a.Height > 0) a.Height = extent_at(a.Height, level);
  if (a.Depth > 0 && !layered) a.Depth = extent_at(a.Depth, level);
  return a;
}

static size_t level_bytes(CUDA_ARRAY3D_DESCRIPTOR a, unsigned level) {
  a = at_level(a, level);
  return texel_size(&a) * a.Width * (a.Height > 0 ? a.Height : 1) * (a.Depth > 0 ? a.Depth : 1);
}

static const char *wrong_array(const CUDA_ARRAY3D_DESCRIPTOR *a) {
  const bool layered = a->Flags & CUDA_ARRAY3D_LAYERED, cube = a->Flags & CUDA_ARRAY3D_CUBEMAP;
  if (texel_size(a) == 0 || a->Width == 0) return "array of no texels";
  if (a->NumChannels != 1 && a->NumChannels != 2 && a->NumChannels != 4) return "array with a wrong number of channels";
  if (a->Height == 0 && a->Depth > 0 && !layered) return "array with a depth and no height";
  if (cube && (a->Width != a->Height || (layered ? a->Depth == 0 || a->Depth % 6 != 0 : a->Depth != 6)))
    return "cube array that is none";
  if ((a->Flags & CUDA_ARRAY3D_TEXTURE_GATHER) && (a->Height == 0 || a->Depth > 0))
    return "gather array that is not 2d";
  return NULL;
}

static CUresult make_array(kind_t kind, const CUDA_ARRAY3D_DESCRIPTOR *a, unsigned levels, object **out) {
  size_t bytes = 0;
  const char *wrong = wrong_array(a);
  if (wrong != NULL) return misuse(CUDA_ERROR_INVALID_VALUE, wrong);
  for (unsigned i = 0; i < levels; i++) bytes += level_bytes(*a, i);
  if (bytes > (size_t)setting("FAKE_CUDA_MEMORY", 1 << 30)) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = acquire(kind, bytes);
  (*out)->array = *a;
  (*out)->dynamic_limit = (int)levels;
  return CUDA_SUCCESS;
}

/* All that has used it is known to be done. */
static bool is_idle(const object *o) {
  bool idle = o->o.written == 0 || known_done(o->o.writer, o->o.written);
  for (int i = 0; i < LINES; i++) idle = idle && known_done(i, o->o.readers.t[i]);
  return idle;
}

static CUresult destroy(object *o, const char *what) {
  if (o == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, what);
  if (!is_idle(o)) report("misuse %s destroyed while it is used\n", kind_names[o->kind]);
  for (object *t = objects; t != NULL; t = t->next) {
    const bool of_it = t->module == o || (t->module != NULL && t->module->module == o);
    if (of_it && (t->kind == TEXTURE || t->kind == SURFACE))
      report("misuse array destroyed before its %s\n", kind_names[t->kind]);
  }
  release_module_parts(o);
  release(o);
  return CUDA_SUCCESS;
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  ENTER(Array3DCreate);
  NEED_CONTEXT();
  NEED_SAFETY(Array3DCreate);
  return make_array(ARRAY, descriptor, 1, (object **)array);
}

CUresult cuArrayDestroy(CUarray array) {
  ENTER(ArrayDestroy);
  NEED_CONTEXT();
  return destroy(known(array, ARRAY), "bad array");
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                unsigned int levels) {
  ENTER(MipmappedArrayCreate);
  NEED_CONTEXT();
  NEED_SAFETY(MipmappedArrayCreate);
  if (levels == 0) return misuse(CUDA_ERROR_INVALID_VALUE, "mipmapped array without levels");
  return make_array(MIPMAPPED, descriptor, levels, (object **)array);
}

/* A level's object stands for the order of its uses alone. */
CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmapped, unsigned int level) {
  ENTER(MipmappedArrayGetLevel);
  object *m = known(mipmapped, MIPMAPPED);
  if (m == NULL || level >= (unsigned)m->dynamic_limit) return misuse(CUDA_ERROR_INVALID_VALUE, "bad level");
  for (object *o = objects; o != NULL; o = o->next)
    if (o->kind == LEVEL && o->module == m && o->dynamic_limit == (int)level) {
      *array = (CUarray)o;
      return CUDA_SUCCESS;
    }
  object *o = acquire(LEVEL, 0);
  o->module = m;
  o->dynamic_limit = (int)level;
  o->array = at_level(m->array, level);
  *array = (CUarray)o;
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  ENTER(MipmappedArrayDestroy);
  NEED_CONTEXT();
  return destroy(known(array, MIPMAPPED), "bad mipmapped array");
}

/* The bytes of an array or level. */
static char *bytes_of(const object *a) {
  if (a->kind == ARRAY) return a->bytes;
  char *p = a->module->bytes;
  for (int i = 0; i < a->dynamic_limit; i++) p += level_bytes(a->module->array, (unsigned)i);
  return p;
}

/* Whole arrays from and to memory without gaps. */
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream) {
  ENTER(Memcpy3DAsync);
  NEED_STREAM(stream);
  const bool down = c->srcMemoryType == CU_MEMORYTYPE_ARRAY;
  if ((down ? c->dstMemoryType : c->srcMemoryType) != CU_MEMORYTYPE_DEVICE ||
      (down ? c->srcMemoryType : c->dstMemoryType) != CU_MEMORYTYPE_ARRAY)
    return misuse(CUDA_ERROR_INVALID_VALUE, "copy of other memory");
  CUarray named = down ? c->srcArray : c->dstArray;
  object *a = known(named, ARRAY) != NULL ? known(named, ARRAY) : known(named, LEVEL);
  if (a == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "copy of a bad array");
  const CUDA_ARRAY3D_DESCRIPTOR *d = &a->array;
  const size_t n = level_bytes(*d, 0);
  const size_t pitch = down ? c->dstPitch : c->srcPitch, rows = down ? c->dstHeight : c->srcHeight;
  if (c->WidthInBytes != texel_size(d) * d->Width || c->Height != (d->Height > 0 ? d->Height : 1) ||
      c->Depth != (d->Depth > 0 ? d->Depth : 1) || pitch != c->WidthInBytes || rows != c->Height)
    return misuse(CUDA_ERROR_INVALID_VALUE, "copy of a part of an array");
  const CUdeviceptr memory = down ? c->dstDevice : c->srcDevice, texels = (uintptr_t)bytes_of(a);
  NEED_MEMORY(memory, n);
  node k = copying(NODE_ARRAY, down ? memory : texels, down ? texels : memory, n, "copy of texels");
  k.down = down;
  k.function = a->kind == LEVEL ? a->module : a;
  return submit(stream, k);
}

/* Reports what is described: "texture 2d:…". */
CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *t,
                           const CUDA_RESOURCE_VIEW_DESC *view) {
  ENTER(TexObjectCreate);
  NEED_CONTEXT();
  NEED_SAFETY(TexObjectCreate);
  object *memory = NULL;
  CUdeviceptr linear = 0;
  char what[120];
  if (view != NULL || r->flags != 0 || t->maxAnisotropy != 0) return misuse(CUDA_ERROR_INVALID_VALUE, "texture");
  switch (r->resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    memory = known(r->res.array.hArray, ARRAY);
    snprintf(what, sizeof what, "array");
    break;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    memory = known(r->res.mipmap.hMipmappedArray, MIPMAPPED);
    if (!(t->flags & CU_TRSF_NORMALIZED_COORDINATES))
      return misuse(CUDA_ERROR_INVALID_VALUE, "mipmapped texture without normalized coordinates");
    snprintf(what, sizeof what, "mipmapped");
    break;
  case CU_RESOURCE_TYPE_LINEAR:
    linear = r->res.linear.devPtr;
    NEED_MEMORY(linear, r->res.linear.sizeInBytes);
    snprintf(what, sizeof what, "linear %d x %u %zu", r->res.linear.format, r->res.linear.numChannels,
             r->res.linear.sizeInBytes);
    break;
  case CU_RESOURCE_TYPE_PITCH2D:
    linear = r->res.pitch2D.devPtr;
    if (r->res.pitch2D.pitchInBytes % 32 != 0) return misuse(CUDA_ERROR_INVALID_VALUE, "pitch");
    NEED_MEMORY(linear, r->res.pitch2D.pitchInBytes * (r->res.pitch2D.height - 1) + 1);
    snprintf(what, sizeof what, "pitch2d %d x %u %zux%zu %zu", r->res.pitch2D.format, r->res.pitch2D.numChannels,
             r->res.pitch2D.width, r->res.pitch2D.height, r->res.pitch2D.pitchInBytes);
    break;
  default: return misuse(CUDA_ERROR_INVALID_VALUE, "resource type");
  }
  if (memory == NULL && linear == 0) return misuse(CUDA_ERROR_INVALID_HANDLE, "texture of a bad array");
  if (linear % 256 != 0) return misuse(CUDA_ERROR_INVALID_VALUE, "texture address");
  object *o = acquire(TEXTURE, 0);
  o->module = memory;
  if (memory == NULL) o->array.Width = linear;
  report("texture %s; address %d %d %d, filter %d, flags %u, levels %d %g %g %g, border %g %g %g %g\n", what,
         t->addressMode[0], t->addressMode[1], t->addressMode[2], t->filterMode, t->flags, t->mipmapFilterMode,
         (double)t->mipmapLevelBias, (double)t->minMipmapLevelClamp, (double)t->maxMipmapLevelClamp,
         (double)t->borderColor[0], (double)t->borderColor[1], (double)t->borderColor[2], (double)t->borderColor[3]);
  *out = (uintptr_t)o;
  return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject texture) {
  ENTER(TexObjectDestroy);
  NEED_CONTEXT();
  return destroy(known((void *)(uintptr_t)texture, TEXTURE), "bad texture");
}

CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *r) {
  ENTER(SurfObjectCreate);
  NEED_CONTEXT();
  NEED_SAFETY(SurfObjectCreate);
  object *a = known(r->res.array.hArray, ARRAY) != NULL ? known(r->res.array.hArray, ARRAY)
                                                        : known(r->res.array.hArray, LEVEL);
  if (r->resType != CU_RESOURCE_TYPE_ARRAY || a == NULL)
    return misuse(CUDA_ERROR_INVALID_HANDLE, "surface of a bad array");
  if (!(a->array.Flags & CUDA_ARRAY3D_SURFACE_LDST))
    return misuse(CUDA_ERROR_INVALID_VALUE, "surface of an array that is not made for it");
  object *o = acquire(SURFACE, 0);
  o->module = a->kind == LEVEL ? a->module : a;
  *out = (uintptr_t)o;
  return CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUsurfObject surface) {
  ENTER(SurfObjectDestroy);
  NEED_CONTEXT();
  return destroy(known((void *)(uintptr_t)surface, SURFACE), "bad surface");
}

static CUresult texture_attribute(int *value, CUdevice_attribute attribute) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT: *value = 256; break; /* the alignment of memory here */
  case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT: *value = 32; break;
  case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH: *value = 131072; break;
  case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH: *value = 2097120; break;
  case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS:
  case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS:
  case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS:
  case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS: *value = 2048; break;
  case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS:
  case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: *value = 2046; break;
  default:
    if ((attribute < CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH ||
         attribute > CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS) &&
        (attribute < CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH ||
         attribute > CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT))
      return misuse(CUDA_ERROR_INVALID_VALUE, "attribute");
    *value = 16384;
  }
  return CUDA_SUCCESS;
}

/* Reports what is described, and gives bytes by which a launch can tell it: a mark, then the address. */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *extents, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
  ENTER(TensorMapEncodeTiled);
  NEED_CONTEXT();
  const CUdeviceptr at = (CUdeviceptr)(uintptr_t)address;
  if ((uintptr_t)map % 64 != 0 || rank < 1 || rank > 5 || at % 16 != 0)
    return misuse(CUDA_ERROR_INVALID_VALUE, "tensor map");
  NEED_MEMORY(at, 16);
  char text[400];
  int n = snprintf(text, sizeof text, "tensor map type %d, extents", type);
  for (cuuint32_t i = 0; i < rank; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, " %llu", (unsigned long long)extents[i]);
  n += snprintf(text + n, sizeof text - (size_t)n, ", strides");
  for (cuuint32_t i = 0; i + 1 < rank; i++) {
    if (strides[i] % 16 != 0) return misuse(CUDA_ERROR_INVALID_VALUE, "tensor map's strides");
    n += snprintf(text + n, sizeof text - (size_t)n, " %llu", (unsigned long long)strides[i]);
  }
  n += snprintf(text + n, sizeof text - (size_t)n, ", box");
  for (cuuint32_t i = 0; i < rank; i++) n += snprintf(text + n, sizeof text - (size_t)n, " %u", box[i]);
  n += snprintf(text + n, sizeof text - (size_t)n, ", steps");
  for (cuuint32_t i = 0; i < rank; i++) n += snprintf(text + n, sizeof text - (size_t)n, " %u", steps[i]);
  report("%s, interleave %d, swizzle %d, l2 %d, fill %d\n", text, interleave, swizzle, l2, fill);
  memset(map, 0, sizeof *map);
  map->opaque[0] = 0x70616d726f736e65;
  map->opaque[1] = at;
  return CUDA_SUCCESS;
}
