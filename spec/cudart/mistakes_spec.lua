-- What is wrong in a program for the CUDA runtime, or what its kernels do wrong, is said where it is.
local helper = require "spec.helper"
local tool = require "spec.cudart.tool"

describe("a wrong program for the CUDA runtime", function()
  local nvcc, why = tool.find()

  -- Compiles the text; calls fn with the program's and the source's paths, or with what nvcc says of it.
  local function with(text, fn)
    helper.with_folder(function(folder)
      local source, program = helper.write(folder .. "/wrong.cu", text), folder .. "/wrong"
      local ok, said = tool.compile(source, program)
      fn(ok and program, source, said)
    end)
  end

  it("is refused with the compiler's error, file and line: an undefined variable in host code", function()
    if not nvcc then return pending(why) end
    with("__global__ void k(int *p) { *p = 1; }\nint main() {\n  int *p;\n  return cudaMalloc(&p, bytes);\n}\n",
      function(program, _, said)
        assert.is_false(program)
        assert.matches('wrong%.cu%(4%): error: identifier "bytes" is undefined', said)
      end)
  end)

  it("gets CUDA's error, and standard error the kernel and the line: a write out of bounds", function()
    if not nvcc then return pending(why) end
    with([[
#include <cstdio>
__global__ void fill(int *p, int n) {
  p[threadIdx.x + n] = 1;
}
template <class T> __global__ void never(T *p) { *p = 1; }
int main(int argc, char **) {
  int *p, value;
  cudaMalloc(&p, 64 * sizeof *p);
  if (argc > 1) never<<<1, 1>>>(p);
  fill<<<1, 64>>>(p, 0);
  std::printf("%d ", cudaDeviceSynchronize());
  fill<<<1, 64>>>(p, 1 << 20);
  std::printf("%d ", cudaGetLastError() == cudaErrorIllegalAddress);
  cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", value, cudaMemcpy(&value, (void *)8, 4, cudaMemcpyDeviceToHost) != cudaSuccess);
}
]], function(program, source)
      for tier = 0, 1 do
        for _, file in ipairs { false, source } do
          local text, code = tool.run(program, { tier = tier, threads = 2, source = file or nil })
          assert.equal(0, code, text)
          assert.matches("0 1 1 1\n", text)
          assert.matches("cudart: line 3: kernel '_Z4fillPii': .*thread", text)
        end
      end
    end)
  end)
end)
