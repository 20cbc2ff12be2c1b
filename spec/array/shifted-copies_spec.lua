-- Copies to places a few bytes behind or before their source, modulo a page, of many lengths, and onto themselves.
local helper = require "spec.helper"
local dc = require "dotcompute"
local note = helper.note

-- n bytes that tell their places apart.
local function bytes(n)
  local t = {}
  for i = 1, n do t[i] = string.char((i * 7 + i // 251) % 256) end
  return table.concat(t)
end

describe("copies that are shifted", function()
  it("by bytes, between arrays and within one", function()
    for _ = 1, 30 do
      local n, by = math.random(4000, 40000), math.random(1, 70)
      local text = bytes(n)
      local a = dc.from_bytes(text, n, "uint8")
      local b = dc.zeros(n + 5000, "uint8")
      b[{ { by + 1, by + n } }] = a
      local got = b:bytes()
      assert.is_true(got == ("\0"):rep(by) .. text .. ("\0"):rep(5000 - by), note(n .. ", by " .. by))
      b:fill(0)
      b[{ { 4096 - by + 1, 4096 - by + n } }] = a
      assert.is_true(b:bytes():sub(4096 - by + 1, 4096 - by + n) == text, note(n .. ", by a page less " .. by))
      assert.is_true(a[{ { by + 1, n } }]:copy():bytes() == text:sub(by + 1), note(n .. ", from " .. by))
      local forward, backward = a:copy(), a:copy()
      forward[{ { by + 1, n } }] = forward[{ { 1, n - by } }]
      backward[{ { 1, n - by } }] = backward[{ { by + 1, n } }]
      assert.is_true(forward:bytes() == text:sub(1, by) .. text:sub(1, n - by), note(n .. ", forward " .. by))
      assert.is_true(backward:bytes() == text:sub(by + 1) .. text:sub(n - by + 1), note(n .. ", backward " .. by))
      assert.is_true(a:roll(by):bytes() == text:sub(n - by + 1) .. text:sub(1, n - by), note(n .. ", roll " .. by))
      assert.is_true(dc.concat { a[{ { 1, by } }], a }:bytes() == text:sub(1, by) .. text, note(n .. ", concat " .. by))
    end
  end)
end)
