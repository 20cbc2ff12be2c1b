-- Environment variables whose values have a form: another value is an error of the first device that is opened, with a
-- sentence that names both and says what is expected; an empty value is none.
local h = require "spec.helper"

local function child(name, value)
  local script = [[
    local ok, err = pcall(function() return require "dotcompute".zeros(3):sum():item() end)
    print(ok, ok and err or err.kind .. ": " .. err.message)]]
  return (h.shell(("%s=%s DOTCOMPUTE_DEVICE=cpu %s -e %s 2>&1"):format(name, h.quote(value), h.quote(h.lua),
    h.quote(script))))
end

local settings = {
  { "DOTCOMPUTE_CPU_THREADS", good = { "1", "2", "100000", "" },
    bad = { "0", "-1", "two", "2x", "1.5", "99999999999999999999" }, expected = "a positive integer" },
  { "DOTCOMPUTE_CPU_TIER", good = { "0", "auto", "" }, bad = { "2", "01", "1 ", "native" }, expected = "0, 1 or auto" },
  { "DOTCOMPUTE_CPU_ISA", good = { "baseline", "avx2", "avx512", "" }, bad = { "AVX2", "avx", "sse" },
    expected = "baseline, avx2 or avx512" },
  { "DOTCOMPUTE_POOL", good = { "0", "1000", "512M", "2g", "" },
    bad = { "512MB", "-1", "x", "3X", "M", "99999999999999999999999", "16777216T" }, expected = "K, M, G or T" },
  { "DOTCOMPUTE_CACHE_SIZE", good = { "256", "" }, bad = { "1G", "0", "big" }, expected = "of MiB" },
  { "DOTCOMPUTE_LOG", good = { "cache", "cache,launch memory", ",compile,", "" },
    bad = { "kernels", "cache,all,x", "al" },
    expected = "a list of cache, compile, launch, memory and all" },
  { "DOTCOMPUTE_COMM_TIMEOUT", good = { "1", "0.5", "1e2", "" }, bad = { "0", "-1", "soon", "1s", "nan", "inf" },
    expected = "of seconds" },
}

describe("an environment variable", function()
  for _, setting in ipairs(settings) do
    local name = setting[1]
    it(name .. " has the values that it may have, and no others", function()
      for _, value in ipairs(setting.good) do assert.matches("true\t0.0\n", child(name, value), 1, true) end
      for _, value in ipairs(setting.bad) do
        local text = child(name, value)
        assert.matches("false\tdevice: ", text, 1, true)
        assert.matches(("%s is '%s'; expected "):format(name, value), text, 1, true)
        assert.matches(setting.expected, text, 1, true)
      end
    end)
  end
end)
