-- The C unit tests of spec/c/, which `make test` builds: each is a program that prints what went wrong and fails.
local build = os.getenv "DOTCOMPUTE_BUILD" or "build"

local function lines(command)
  local pipe = assert(io.popen(command))
  local list = {}
  for line in pipe:lines() do list[#list + 1] = line end
  local ok, _, code = pipe:close()
  return list, ok, code
end

describe("C unit test", function()
  for _, path in ipairs(lines "find spec/c -name 'test_*.c' | LC_ALL=C sort") do
    local name = path:match "([^/]+)%.c$"
    it(name, function()
      local output, ok, code = lines(("'%s/spec/%s' 2>&1"):format(build, name))
      assert(ok, ("%s ended with %s:\n%s"):format(name, code, table.concat(output, "\n")))
    end)
  end
end)
