// body.cu - the accumulator of a reduction with a body.
//
// Each text begins at a line "//: name"; lines that begin with "//" are no part of it.

// Words, since variables in shared and global memory have no constructors, and shuffles take words.
//: part
struct dc_part {
  unsigned int word[(sizeof(dc_acc) + 3) / 4], any;
  __device__ __forceinline__ dc_acc value() const { dc_acc v; memcpy(&v, word, sizeof v); return v; }
};
static __device__ __forceinline__ dc_part dc_part_of(const dc_acc v) {
  dc_part p;
  memcpy(p.word, &v, sizeof v);
  p.any = 1;
  return p;
}
static __device__ __forceinline__ dc_part known0(const dc_part a, const dc_part b) {
  return dc_part_of(dc_reduce(a.value(), b.value()));
}
static __device__ __forceinline__ dc_part combine0(const dc_part a, const dc_part b) {
  return !b.any ? a : !a.any ? b : known0(a, b);
}
