-- The reference: every public function, method and field of dotcompute, once. docs/api.md, docs/reference/, the file
-- for LuaLS, the man page (tools/docs.lua) and `help` (help.lua) are made from it.
--
-- A chapter is a file of this folder (`dclua`, `layout` and `markdown` are none): a list of Markdown texts and of
-- entries, in the order of docs/api.md, where neighbouring entries are the rows of one table. An entry is a table:
--
--   [1]       the name
--   at        where it stands under this name, separated by blanks: "dc", a table ("dc.fft") or a type ("array")
--   call      how it is written, or a list of forms
--   text      Markdown; its first sentence is the summary, its first paragraph the row in docs/api.md
--   args      arguments by position, the object first: { name, type, text }; "?" behind the name: optional
--   options   the same for names in the table of options
--   returns   results: { type, text }; "any..." is any number of them
--   errors    kind of error -> its condition
--   example   code; what stands behind "-->" is the result of the expression before it, and is checked by a spec
--   see       names of related entries, separated by blanks
--   words     what `help "words"` finds it by, besides its texts: other terms for it
--   type      in place of args and returns: the type of a field
--   names     in place of [1]: a list of { name, sentence, example }, functions that share the entry
--   class     in place of [1] and at: the name of a type; `metatable` is its metatable's name, `operators` a list of
--             { operator as LuaLS calls it, type of the operand, type of the result }, `index` one of
--             { type of the key, type of the value }, `call_operator` the type of a call: "(x: number): array"
--
-- Types are written as LuaLS writes them, with the names of classes and of `aliases` below.
local reference = {}

local chapters = {
  "introduction", "devices", "arrays", "indexing", "arithmetic", "math", "reductions", "evaluation", "random",
  "algorithms", "linalg", "fft", "kernels", "modules", "tiles", "textures", "streams", "graphs", "threads", "comm",
  "dist", "builders", "jit", "jit_values", "structs", "files", "pictures", "plots", "memory", "time", "profile",
  "progress", "testing", "errors",
}

-- Aliases of types in the LuaLS file: { name, definition }.
reference.aliases = {
  { "dtype", '"bool"|"int8"|"int16"|"int32"|"int64"|"uint8"|"uint16"|"uint32"|"uint64"|"float16"|"bfloat16"|"float32"'
    .. '|"float64"|"complex64"|"complex128"|string' },
  { "shape", "integer|integer[]" },
  { "axes", "integer|integer[]" },
  { "grid", "integer|integer[]" },
  { "block", 'integer|integer[]|"auto"' },
  { "operand", "dotcompute.array|number|table" },
}

local loaded

-- The chapters in order: { name =, title =, items = }.
function reference.chapters()
  if loaded then return loaded end
  loaded = {}
  for k, name in ipairs(chapters) do
    local items = require("dotcompute.reference." .. name)
    local title = name
    for _, item in ipairs(items) do
      local heading = type(item) == "string" and (item:match "^%s*#+ ([^\n]*)" or item:match "\n#+ ([^\n]*)")
      if heading then
        title = heading
        break
      end
    end
    loaded[k] = { name = name, title = title, items = items }
  end
  return loaded
end

-- The first sentence of a Markdown text.
function reference.summary(text)
  local plain = text:gsub("%s+", " ")
  return plain:match "^(.-%.) [%u`%[%(\"]" or plain
end

local function places(at)
  local list = {}
  for place in at:gmatch "%S+" do list[#list + 1] = place end
  return list
end

-- Copies of an entry with names, one for each name.
local function split(entry)
  local list = {}
  for k, one in ipairs(entry.names) do
    local copy = {}
    for key, v in pairs(entry) do copy[key] = v end
    copy[1], copy.names, copy.family = one[1], nil, entry
    copy.text = one[2] .. (entry.text ~= "" and "\n\n" .. entry.text or "")
    copy.example = one[3] or entry.example
    copy.call = nil
    list[k] = copy
  end
  return list
end

local entries

-- All entries, those with several names split: a list of entries with `places` (the list of `at`), `chapter` and
-- `summary` added. Types are among them; their place is "type".
function reference.entries()
  if entries then return entries end
  entries = {}
  for _, chapter in ipairs(reference.chapters()) do
    for _, item in ipairs(chapter.items) do
      if type(item) == "table" then
        for _, entry in ipairs(item.names and split(item) or { item }) do
          entry.name = entry[1] or entry.class
          entry.places = entry.class and { "type" } or places(entry.at)
          entry.chapter = chapter
          entry.summary = reference.summary(entry.text)
          entries[#entries + 1] = entry
        end
      end
    end
  end
  return entries
end

-- The name of the object in a call of a method: "k" of kernel.
local objects = { struct = "S", complex = "z", error = "err", jit = "k", memory = "usage", distributed = "x" }
local function object_of(class) return objects[class] or class:sub(1, 1) end

function reference.is_type(place) return place ~= "dc" and not place:find("^dc%.") end

-- Whether the first argument is the object of the method.
local function takes_object(entry, place)
  local first = entry.args and entry.args[1]
  return first ~= nil and ("|" .. first[2] .. "|"):find("|" .. place .. "|", 1, true) ~= nil
end

-- The arguments of an entry at a place: without the object for methods.
function reference.arguments(entry, place)
  local args = entry.args or {}
  if reference.is_type(place) and takes_object(entry, place) then return table.move(args, 2, #args, 1, {}) end
  return args
end

-- The name of an entry as it is used at a place: "dc.sort", "a:sort", "a.dtype".
function reference.qualified(entry, place)
  if not reference.is_type(place) then return place .. "." .. entry.name end
  return object_of(place) .. (entry.type and "." or ":") .. entry.name
end

-- How an entry is written at a place, made of its arguments: "dc.sort(a [, axis] [, options])".
function reference.call(entry, place)
  local name = reference.qualified(entry, place)
  if entry.type then return name end
  local parts = {}
  for k, arg in ipairs(reference.arguments(entry, place)) do
    local argument, optional = arg[1]:match "^(.-)(%??)$"
    if argument == "..." and arg[2]:find "^shape" then argument = "shape…" end
    local comma = k > 1 and ", " or ""
    parts[k] = optional == "?" and ((k > 1 and " [" or "[") .. comma .. argument .. "]") or comma .. argument
  end
  if entry.options then parts[#parts + 1] = #parts > 0 and " [, options]" or "[options]" end
  return name .. "(" .. table.concat(parts) .. ")"
end

-- The ways of writing an entry, as a list.
function reference.calls(entry)
  if type(entry.call) == "table" then return entry.call end
  if entry.call then return { entry.call } end
  local list = {}
  for k, place in ipairs(entry.places) do list[k] = reference.call(entry, place) end
  return list
end

-- The names of the fields of a type.
function reference.fields(class)
  local list = {}
  for _, entry in ipairs(reference.entries()) do
    for _, place in ipairs(entry.places) do
      if place == class and entry.type then list[#list + 1] = entry.name end
    end
  end
  return list
end

-- All names, sorted.
function reference.names()
  local seen, list = {}, {}
  for _, entry in ipairs(reference.entries()) do
    if not seen[entry.name] then list[#list + 1] = entry.name end
    seen[entry.name] = true
  end
  table.sort(list)
  return list
end

return reference
