-- Kernels in Lua that do not compile: each of a list { patterns of the message, "a|b" for one of them, the kernel, line
-- of the mistake behind the kernel's first (0) } is launched with the array `x`, and raises an error of kind `compile`
-- with the line in the file of that name and a column.
local dc = require "dotcompute"

return function(mistakes, file, x)
  for _, mistake in ipairs(mistakes) do
    local patterns, kernel = mistake[1], mistake[2]
    local line = debug.getinfo(kernel, "S").linedefined + (mistake[3] or 0)
    local ok, err = pcall(dc.jit(kernel), 1, 1, x)
    assert(not ok, "no error: " .. patterns)
    assert(type(err) == "table" and err.kind == "compile", tostring(err))
    local found = false
    for pattern in (patterns .. "|"):gmatch "(.-)|" do found = found or err.message:find(pattern) ~= nil end
    assert(found, ("%s\nshould match %s"):format(err.message, patterns))
    local place = ("^[^\n]*%s:%d: column %%d+: "):format(file:gsub("%p", "%%%0"), line)
    assert(tostring(err):find(place), tostring(err))
  end
end
