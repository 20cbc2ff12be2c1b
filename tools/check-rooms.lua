-- Checks that the rooms of src/ include downwards only (docs/architecture.md), and that lua.h stays in lua/ and dclua/.
-- Usage: lua5.4 tools/check-rooms.lua FILE...   (the C files and headers of src/)
local knows = {
  base = "",
  file = "base",
  compile = "base",
  device = "base",
  kernel = "base compile device",
  cuda = "base compile device",
  cpu = "base compile device",
  array = "base compile device kernel",
  lua = "base file compile device kernel cuda cpu array",
  compiler = "compile",
  dclua = "base compile lua",
}

local bad = 0
local function complain(path, line, text)
  bad = bad + 1
  print(("%s:%d: %s"):format(path, line, text))
end

for _, path in ipairs(arg) do
  local room = path:match "^src/([^/]+)/"
  local allowed = {}
  for name in (knows[room] or ""):gmatch "%S+" do allowed[name] = true end
  if not knows[room] then complain(path, 1, "a room that tools/check-rooms.lua does not know: " .. tostring(room)) end
  local n = 0
  for line in io.lines(path) do
    n = n + 1
    local other = line:match '^%s*#%s*include%s+"([^/"]+)/'
    if other and other ~= room and not allowed[other] then
      complain(path, n, ("%s/ must not include from %s/"):format(room, other))
    end
    local bare = line:match '^%s*#%s*include%s+"([^/"]+)"'
    -- headers that travel as text with emitted programs lie flat in a folder there
    if bare and path:match "/native_[%w_]+%.h$" and bare:match "^native_" then bare = nil end
    if bare then complain(path, n, ('write the room: "%s/%s"'):format(room, bare)) end
    if line:match "^%s*#%s*include%s+[<\"]l[ua]+[%a]*%.h[>\"]" and room ~= "lua" and room ~= "dclua" then
      complain(path, n, "only lua/ and dclua/ know Lua")
    end
  end
end
os.exit(bad == 0)
