-- Words that CUDA C has itself, so that names from Lua cannot be the same in its text.
local words = {}
for word in ([[alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
  constexpr continue decltype default delete do double else enum explicit export extern false float for friend goto if
  inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
  return short signed sizeof static struct switch template this throw true try typedef typeid typename union unsigned
  using virtual void volatile wchar_t while xor xor_eq threadIdx blockIdx blockDim gridDim warpSize printf assert NULL
  INFINITY NAN linux unix main half dim3 complex c64 c128 FN]]):gmatch "%S+" do
  words[word] = true
end
return words
