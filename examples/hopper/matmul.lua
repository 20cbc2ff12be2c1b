-- A bfloat16 matrix product written by hand for Hopper's tensor cores (matmul.cu), beside dc.matmul, which is cuBLAS's.
-- Usage: hopper/matmul.lua [rows [inner [columns]]]
local dc = require "dotcompute"

local M = math.tointeger(arg and tonumber(arg[1]) or 8192)
local K = math.tointeger(arg and tonumber(arg[2]) or M)
local N = math.tointeger(arg and tonumber(arg[3]) or K)
assert(M > 0 and K > 0 and N > 0 and K % 8 == 0 and N % 8 == 0, "inner and columns are multiples of 8")

-- As in matmul.cu.
local BM <const>, BK <const>, STAGES <const>, CLUSTER <const> = 128, 64, 4, 2
local SHARED <const> = STAGES * ((BM + 256) * BK * 2 + 16)

local device = dc.device()
if device.backend ~= "cuda" or device.compute_capability ~= 9.0 then
  print(("nothing to do: the kernel is for GPUs of compute capability 9.0, on %s"):format(device.name))
  return
end

local folder = (arg and arg[0] or ""):match "^(.*)/" or "."
local matmul = dc.kernel_file(folder .. "/matmul.cu", { arch = "sm_90a" }):with { shared = SHARED }

-- C = A BT^T. One box is what a copy moves: the rows of A of a block, or half of those of BT.
local function multiply(A, BT, C)
  local a = dc.tensor_map(A, { box = { BM, BK }, swizzle = 128, l2 = 256 })
  local b = dc.tensor_map(BT, { box = { 128, BK }, swizzle = 128, l2 = 256 })
  local m, k = A:shape()
  matmul(device.multiprocessors // CLUSTER * CLUSTER, 384, a, b, C, m, (BT:shape()), k)
  return C
end

local A, BT = dc.random.normal(M, K):to "bfloat16", dc.random.normal(N, K):to "bfloat16"
local C = multiply(A, BT, dc.empty(M, N, "bfloat16"))

-- Each element is rounded once, to 8 bits, by us and by dc.matmul; sums differ by their order.
local want = A:to("float32"):matmul(BT:to("float32").T)
local off = (C:to "float32" - want):abs():max():item()
local most = want:abs():max():item()
assert(off <= most * 2 ^ -8, "wrong by " .. off)

-- By turns, since the clock falls while tensor cores work; the least of each.
local flops = 2.0 * M * N * K
local own, theirs = math.huge, math.huge
for _ = 1, 3 do
  own = math.min(own, (dc.time(multiply, 20, A, BT, C)))
  theirs = math.min(theirs, (dc.time(dc.matmul, 20, A, BT.T)))
end
print(("%d x %d by %d x %d: %.0f TFLOP/s by hand, %.0f by dc.matmul: %.2f of it, on %s"):format(M, K, K, N,
  flops / own / 1e12, flops / theirs / 1e12, theirs / own, device.name))
