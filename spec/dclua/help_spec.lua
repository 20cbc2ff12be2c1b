-- Help: by name, by object and by words, in scripts and at the prompt.
local dc = require "dotcompute"
local help = require "dotcompute.help"
local helper = require "spec.helper"
local reference = require "dotcompute.reference"
local quote, dclua, fails = helper.quote, helper.dclua, helper.fails

-- Whether a text has another in it, however its lines are broken; signs of Markdown in that are no matter.
local function has(text, what)
  return text:gsub("%s+", " "):find((what:gsub("`", ""):gsub("%s+", " ")), 1, true) ~= nil
end

-- What a text for a wide terminal says about something.
local function said(what) return help.text(what, 100) end

-- What `dclua -i` prints for these lines, without the version and the prompts.
local function session(text, before)
  return helper.with_file(text, function(name)
    local out = helper.shell(("%s DOTCOMPUTE_DEVICE=cpu %s -i < %s"):format(before or "", quote(dclua), quote(name)))
    return (out:gsub("^[^\n]*\n", ""):gsub("> ", ""))
  end)
end

describe("help of a name", function()
  it("has its calls, text, arguments, options, results, errors and example", function()
    local text = said "topk"
    for _, entry in ipairs(reference.entries()) do
      if entry.name == "topk" then
        for _, call in ipairs(reference.calls(entry)) do assert.is_true(has(text, call), call) end
        for _, arg in ipairs(entry.args) do assert.is_true(has(text, (arg[1]:gsub("%?", "")))) end
        for _, option in ipairs(entry.options) do assert.is_true(has(text, option[1])) end
        for kind, condition in pairs(entry.errors) do assert.is_true(has(text, kind) and has(text, condition)) end
        assert.is_true(has(text, entry.example:match "[^\n]+"))
      end
    end
  end)

  it("is the same however the name is written", function()
    local text = said "dc.linalg.svd"
    for _, name in ipairs { "svd", "linalg.svd", " dc.linalg.svd ", "svd()", "np.linalg.svd" } do
      assert.equal(text, said(name))
    end
    assert.equal(said "array.sort", said "a:sort")
  end)

  it("knows which of several is meant by what stands before it", function()
    assert.is_true(has(said "close", "a:close()") and has(said "close", "m:close()"))
    assert.is_true(has(said "module.close", "m:close()"))
    assert.is_false(has(said "module.close", "a:close()"))
    assert.is_false(has(said "dc.device", "a.device"))
    assert.is_true(has(said "device", "dc.device(name)") and has(said "device", "d:memory_info"))
    assert.is_true(has(said "dc.fft", "dc.fft.rfft") and has(said "fft", "dc.fft.fft(a"))
  end)

  it("finds every entry of the reference, and every chapter", function()
    for _, entry in ipairs(reference.entries()) do
      for _, place in ipairs(entry.places) do
        local name = place == "type" and entry.name or place .. "." .. entry.name
        assert.is_true(has(said(name), entry.class and entry.name or reference.calls(entry)[1]:match "^%S+"), name)
      end
    end
    local overview = said(nil)
    for _, chapter in ipairs(reference.chapters()) do
      assert.is_true(#said(chapter.title) > 0)
      if chapter.name ~= "introduction" then assert.is_true(has(overview, chapter.title), chapter.title) end
    end
  end)

  it("lists the methods of a type and the functions of a table", function()
    for name, some in pairs { array = "a:cumsum a.dtype a:sum", ["dc.fft"] = "dc.fft.rfft", random = "dc.random.seed",
      stream = "s:wait s.closed", error = "err.kind" } do
      for member in some:gmatch "%S+" do assert.is_true(has(said(name), member), name .. " has " .. member) end
    end
  end)
end)

describe("help of an object", function()
  it("is that of its type, of functions their own", function()
    assert.is_true(has(said(dc.ones(2, 3)), "float32 array (2, 3)"))
    assert.is_true(has(said(dc.ones(2, 3)), "a:reshape"))
    assert.is_true(has(said(dc.device()), "d:memory_info"))
    assert.is_true(has(said(dc.random.generator(3)), "g:uniform"))
    assert.is_true(has(said(select(2, pcall(dc.zeros, -1))), "err.kind"))
    assert.equal(said "dc.sort", said(dc.sort))
    assert.equal(said "dc.linalg.qr", said(dc.linalg.qr))
    assert.equal(said "kernel.forall", said(dc.kernel("__global__ void k() {}").forall))
    assert.equal(said "array.shape", said(dc.ones(1).shape))
    assert.equal(said "figure.save", said(dc.plot.figure().save))
    assert.equal(said "generator.jump", said(dc.random.generator(1).jump))
    assert.equal(said "dc.fft", said(dc.fft))
    assert.equal(said(nil), said(dc))
  end)

  it("does not evaluate an array, and takes a closed one", function()
    local x = dc.ones(100) + 1
    local before = dc.stats().launches
    said(x)
    assert.equal(before, dc.stats().launches)
    x:close()
    assert.is_true(has(said(x), "a:reshape"))
  end)

  it("is an error for what is none of dotcompute's", function()
    local hostile = setmetatable({}, { __index = error, __tostring = error, __name = {}, __len = error, __eq = error })
    for _, value in ipairs { 3, true, {}, hostile, io.stdout, coroutine.create(print) } do
      fails("argument", "expected the name of a function", function() dc.help(value) end)
    end
    fails("argument", "this function is not one of dotcompute's", function() dc.help(print) end)
    fails("argument", "one name, object or text expected, got 2 arguments", function() dc.help("sort", 1) end)
    assert.is_true(has(said(setmetatable({}, { __name = "dotcompute.array" })), "a:reshape")) -- as it says
  end)
end)

describe("help of words", function()
  -- The names listed, in order.
  local function found(text)
    local names = {}
    for line in (said(text) .. "\n"):gmatch "(.-)\n" do names[#names + 1] = line:match "^%s*([%w_]+[%.:][%w_%.]+)" end
    return " " .. table.concat(names, " ") .. " "
  end

  it("finds functions whose name one does not know", function()
    for words, name in pairs {
      ["largest elements"] = "topk", ["prefix sum"] = "cumsum", ["running total"] = "cumsum",
      ["random order"] = "permutation", ["eigenvalues"] = "eigh", ["standard deviation"] = "std",
      ["least squares"] = "lstsq", ["write text file"] = "save_csv", ["smallest element"] = "min",
      ["free memory"] = "memory", ["wait for the device"] = "synchronize", ["image"] = "read", ["convert dtype"] = "to",
      ["join arrays"] = "concat", ["inverse matrix"] = "inv", ["absolute value"] = "abs", ["square root"] = "sqrt",
    } do
      assert.matches("[%.: ]" .. name .. " ", found(words), 1, false)
    end
  end)

  it("finds a sentence of a chapter", function()
    assert.is_true(has(said "kernels count from 0", "API reference"))
  end)

  it("says what does here what names of other libraries do there", function()
    for name, what in pairs { percentile = "quantile", vstack = "concat", ["np.einsum"] = "matmul", astype = "to(",
      ["torch.numel"] = "a.size", launch_host_func = "s:synchronize()" } do
      assert.matches("of other libraries is in dotcompute", said(name))
      assert.is_true(has(said(name), what), name)
    end
  end)

  it("names only what exists in place of names of other libraries", function()
    local known, count = {}, 0
    for _, entry in ipairs(reference.entries()) do
      for _, place in ipairs(entry.places) do known[place .. "." .. entry.name] = true end
    end
    local function is_method(name)
      for _, class in ipairs { "array", "event", "kernel", "module", "stream" } do
        if known[class .. "." .. name] then return true end
      end
    end
    for name, text in helper.read "src/lua/elsewhere.def":gmatch '\nNAME%("([^"]+)", "(.-)"%)' do
      count = count + 1
      for used in text:gmatch "%f[%w_]dc%.[%w_%.]+" do assert.is_true(known[used], name .. ": " .. used) end
      for used in text:gmatch "[:%.]([%l_]+)%(" do
        assert.is_true(is_method(used) or text:find("dc[%w_%.]*%." .. used) ~= nil, name .. ": " .. used)
      end
    end
    assert.is_true(count > 200)
  end)

  it("lists what has most of the words where nothing has all", function()
    assert.matches("^No text has all these words", said "sort zyzzyva")
  end)

  it("is an error where nothing is found, with the closest name", function()
    fails("argument", "nothing is called 'cumsun'.*did you mean 'cumsum'", function() dc.help "cumsun" end)
    for _, text in ipairs { "zyzzyva", "%d", "[", "(", "\0", "\xff\xfe", "?", ("x"):rep(100000), "a.b.c.d:e" } do
      fails("argument", "help: nothing is called", function() dc.help(text) end)
    end
    for _, text in ipairs { "", "  ", "dc" } do assert.equal(said(nil), said(text)) end
  end)
end)

describe("the text of help", function()
  -- The lines of a text outside its examples.
  local function lines_without_code(text)
    local list, code = {}, false
    for line in (text .. "\n"):gmatch "(.-)\n" do
      if line == "example" then code = true elseif line:find "^%S" then code = false end
      if not code then list[#list + 1] = line end
    end
    return list
  end

  it("keeps to the terminal's width", function()
    for _, columns in ipairs { 40, 61, 80, 110 } do
      for _, entry in ipairs(reference.entries()) do
        if not entry.class then
          for _, line in ipairs(lines_without_code(help.text(entry.places[1] .. "." .. entry.name, columns))) do
            -- a single word may be longer
            assert.is_true(utf8.len(line) <= columns or not line:find "%S%s+%S+%s+%S", columns .. ": " .. line)
          end
        end
      end
    end
    assert.equal(help.text("sort", 40), help.text("sort", 3))
    assert.equal(help.text("sort", 110), help.text("sort", 100000))
  end)

  it("has colours only where they are asked for, and no signs of Markdown", function()
    assert.is_nil(said("sort"):find "\27")
    assert.is_truthy(help.text("sort", 80, true):find "\27%[1m")
    assert.equal(help.text("sort", 80), (help.text("sort", 80, true):gsub("\27%[%d*m", "")))
    local text = help.text("dc.stats", 80):match "^(.-)\nexample"
    assert.is_nil(text:find "[`|]")
  end)
end)

describe("help at the prompt", function()
  it("is ?name, name?, help(what), and dc.help", function()
    local text = session "?cumsum\n"
    assert.is_true(has(text, "dc.cumsum(a") and has(text, "example"))
    for _, line in ipairs { "cumsum?", "? cumsum", 'help "cumsum"', "help(dc.cumsum)", "?dc.cumsum",
      "local s = dc.cumsum\n?s" } do
      assert.equal(text, session(line .. "\n"))
    end
    assert.is_true(has(session 'dc.help "cumsum"\n', "dc.cumsum(a"))
    assert.is_true(has(session "?largest elements\n", "topk"))
    assert.is_true(has(session "?\n", "a search") or has(session "?\n", "searches all texts"))
    assert.is_true(has(session "help\n", "help()"))
  end)

  it("completes names", function()
    local prompt = require "dotcompute.prompt"
    for _, line in ipairs { "?searchs", "? searchs", 'help "searchs', "help('searchs" } do
      assert.equal("orted", (prompt.complete(line, 80)))
    end
    assert.matches("cumprod +cumsum", select(2, prompt.complete("?cum", 80)))
    assert.equal("", (prompt.complete("?zyzz", 80)))
  end)

  it("explains the value of a variable, and a method of it", function()
    local text = session "local x = dc.ones(2, 3)\nlocal t = { y = x }\n?x\n"
    assert.matches("float32 array %(2, 3%)", text)
    assert.equal(text, session "local x = dc.ones(2, 3)\nlocal t = { y = x }\n?t.y\n")
    assert.is_true(has(session "g = dc.random.generator(1)\ng:normal?\n", "dc.random.normal(shape"))
    assert.is_true(has(session "sort = 3\n?sort\n", "a:sort("))
  end)

  it("works where dc and help are other values", function()
    assert.is_true(has(session "dc = 5\n?dc.sort\n", "dc.sort(a"))
    assert.is_true(has(session "local dc = 5\nhelp 'sort'\n", "dc.sort(a"))
    assert.equal("7\n", (session "local help = 7\nhelp\n":gsub("\n$", "")))
  end)

  it("says in one line that nothing is found", function()
    local text = session "?zyzzyva\n1 + 1\n"
    assert.matches("help: nothing is called 'zyzzyva'", text)
    assert.is_nil(text:find "traceback")
    assert.matches("2\n", text)
    assert.matches("got the number 3", session "help(3)\n")
    assert.matches("one name, object or text expected", session "help(1, 2)\n")
  end)

  it("has no colours in a pipe, and those of the terminal otherwise", function()
    assert.is_nil(session("?seed\n", "TERM=xterm"):find "\27")
    if not helper.shell "script -qec 'echo there' /dev/null </dev/null":find "^there" then return end
    local function typed(environment)
      return (helper.shell(("(sleep 0.7; printf '?seed\\n'; sleep 0.5; printf '\\004') | %s XDG_STATE_HOME=/dev/null "
        .. "timeout 60 script -qec %s /dev/null"):format(environment, quote(quote(dclua)))))
    end
    assert.matches("\27%[1mdc%.random%.seed", typed "TERM=xterm")
    assert.is_nil(typed("TERM=xterm NO_COLOR=1"):find "\27%[1mdc%.random%.seed")
  end)

  it("is not kept by %save, since scripts have none", function()
    local saved = os.tmpname()
    session(("local x = 5\nhelp 'sort'\n?sort\n%%save %s\n"):format(saved))
    assert.equal("local x = 5\n", helper.read(saved))
    os.remove(saved)
  end)
end)

describe("the reference", function()
  it("is not read before it is asked for", function()
    local script = "for name in pairs(package.loaded) do if name:find 'reference' or name:find '%.help' then "
      .. "print(name) end end"
    assert.equal("", (helper.shell(("%s -l dotcompute -e %s"):format(quote(dclua), quote(script)))))
    assert.equal("", (session(script .. "\n"):gsub("%s", "")))
  end)
end)
