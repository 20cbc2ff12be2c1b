-- Every form of instructions on numbers that the CPU device takes, spelled out from its table (ptx_forms.def).

-- Sets of types and of modifiers, by the names that the table has for them.
local sets = {
  BITS = "B16 B32 B64", I8 = "U8 S8", I16 = "U16 S16", I32 = "U32 S32", I64 = "U64 S64",
  INTEGERS = "U16 S16 U32 S32 U64 S64", HALF = "F16 F16X2", BRAIN = "BF16 BF16X2",
  ROUNDS = "RN RZ DIRECTED", HALVES = "LO HI WIDE", FLOATING = "EQUAL LESS UNORDERED",
  RELATIONS = "EQUAL LESS UNORDERED LOWER", ["0"] = "",
}

-- Modifiers of which a form has at most one of each kind: { words, kind }. The others stand for one word.
local choices = {
  RN = { "rn", "round" }, RZ = { "rz", "round" }, DIRECTED = { "rm rp", "round" },
  WHOLE = { "rni rzi rmi rpi", "round" }, RNA = { "rna", "round" },
  LO = { "lo", "half" }, HI = { "hi", "half" }, WIDE = { "wide", "half" },
  EQUAL = { "eq ne", "compare" }, LESS = { "lt le gt ge", "compare" }, LOWER = { "lo ls hi hs", "compare" },
  UNORDERED = { "equ neu ltu leu gtu geu num nan", "compare" }, JOIN = { "and or xor", "join" },
  APPROX = { "approx", "way" }, FULL = { "full", "way" }, MODE = { "", "mode" },
  FTZ = { "ftz", "ftz" }, SAT = { "sat", "limit" }, SATFINITE = { "satfinite", "limit" }, NANS = { "NaN", "nan" },
  XORSIGN = { "xorsign.abs", "sign" }, RELU = { "relu", "relu" }, CC = { "cc", "carry" },
  SHIFTAMT = { "shiftamt", "amount" },
}
-- In the order of the ISA's text.
local kinds = {
  "mode", "half", "compare", "join", "way", "round", "carry", "amount", "ftz", "nan", "sign", "limit", "relu",
}
local modes = {
  TESTP = "finite infinite number notanumber normal subnormal", PRMT = "f4e b4e rc8 ecl ecr rc16",
  SHF = "l.wrap l.clamp r.wrap r.clamp", BMSK = "wrap clamp", SZEXT = "wrap clamp",
}
-- Forms with words of their own, which have tests of their own: moves, spaces, magnitudes of min and max.
local apart = { MOV = true, CVTA = true, ISSPACEP = true, FNS = true }

local function words(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  return list
end

-- "I32 | F16" as a list of single names.
local function names(expression)
  local list = {}
  for name in expression:gmatch "[%w_]+" do
    for _, single in ipairs(words(sets[name] or name)) do list[#list + 1] = single end
  end
  return list
end

-- Calls fn(chosen) for each choice of at most one of options[kind] for all kinds from the i-th on.
local function each_choice(options, i, chosen, fn)
  local kind = kinds[i]
  if not kind then return fn(chosen) end
  each_choice(options, i + 1, chosen, fn)
  for _, option in ipairs(options[kind] or {}) do
    chosen[kind] = option
    each_choice(options, i + 1, chosen, fn)
  end
  chosen[kind] = nil
end

local function of_row(types, types2, may, must, opcodes, take)
  local needed = {} -- by kind
  for _, name in ipairs(names(must)) do
    local kind = choices[name] and choices[name][2]
    if not kind then return end
    needed[kind] = needed[kind] or {}
    needed[kind][name] = true
  end
  for _, opcode in ipairs(opcodes) do
    local options = {}
    for _, name in ipairs(names(may)) do
      local choice = choices[name]
      if choice then
        local kind = choice[2]
        options[kind] = options[kind] or {}
        local own = kind == "mode" and (modes[opcode] or "") or opcode == "LOP3" and kind == "join" and "and or"
        for _, word in ipairs(words(own or choice[1])) do
          table.insert(options[kind], { word = word, name = name })
        end
      end
    end
    each_choice(options, 1, {}, function(chosen)
      local text = { opcode:lower() }
      for _, kind in ipairs(kinds) do
        local option = chosen[kind]
        if needed[kind] and not (option and needed[kind][option.name]) then return end
        text[#text + 1] = option and option.word
      end
      for _, first in ipairs(names(types)) do
        local seconds = names(types2)
        for _, second in ipairs(#seconds > 0 and seconds or { "" }) do
          take(table.concat(text, ".") .. "." .. first:lower() .. (second ~= "" and "." .. second:lower() or ""))
        end
      end
    end)
  end
end

-- The list of forms, each once.
return function()
  local list, seen = {}, {}
  local f = assert(io.open "src/cpu/ptx/ptx_forms.def")
  local text = f:read "a":gsub("/%*.-%*/", "")
  f:close()
  for row in text:gmatch "X(%b())" do
    local columns = {}
    for column in row:sub(2, -2):gmatch "[^,]+" do columns[#columns + 1] = column end
    local opcodes = {}
    for i = 5, #columns do
      local opcode = columns[i]:match "%w+"
      if not apart[opcode] then opcodes[#opcodes + 1] = opcode end
    end
    of_row(columns[1], columns[2], columns[3], columns[4], opcodes, function(form)
      if seen[form] then return end
      seen[form] = true
      list[#list + 1] = form
    end)
  end
  return list
end
