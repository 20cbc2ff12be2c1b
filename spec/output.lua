-- busted's output handler: a line when a spec file begins and one when it ends, each failure in full when it happens,
-- and last of all "N passed, N failed" (errors count as failed, skipped tests as neither). A file that did not run
-- counts as a failure.
local session = package.loaded["spec.session"] or { files = {} }

return function()
  local busted = require "busted"
  local handler = require "busted.outputHandlers.base"()

  local passed, failed, skipped = 0, 0, 0
  local current                         -- {name, passed, failed, skipped, start} of the file that runs
  local ran = {}                        -- file name -> tests that ran in it
  local print, clock = print, os.time   -- specs may replace the globals

  local function text_of(message)
    if type(message) == "table" then
      local meta = getmetatable(message)
      if not (meta and meta.__tostring) then return require "pl.pretty".write(message) end
    end
    return tostring(message)
  end

  local function show(what, element, message, debug)
    local trace = element.trace or debug
    local place = trace and trace.short_src and ("%s:%d: "):format(trace.short_src, trace.currentline) or ""
    print(("%s: %s%s"):format(what, place, handler.getFullName(element)))
    print("  " .. text_of(message):gsub("\n", "\n  "))
    if debug and debug.traceback and what == "ERROR" then print("  " .. debug.traceback:gsub("\n", "\n  ")) end
    io.flush()
  end

  -- Asked for by NVRTC=off: what fails for want of the compiler is skipped, visibly.
  local function excused(message)
    return session.no_nvrtc and text_of(message):find("NVRTC", 1, true) ~= nil
  end

  local function fail(what, element, message, debug)
    if excused(message) then
      skipped = skipped + 1
      if current then current.skipped = current.skipped + 1 end
      print("skipped, needs NVRTC: " .. handler.getFullName(element))
    else
      failed = failed + 1
      if current then current.failed = current.failed + 1 end
      show(what, element, message, debug)
    end
    return nil, true
  end

  function handler.fileStart(file)
    current = { name = file.name, passed = 0, failed = 0, skipped = 0, start = clock() }
    ran[file.name] = ran[file.name] or 0
    if not session.is_child then -- else spec/parallel.lua has printed it
      print("begins: " .. file.name)
      io.flush()
    end
    return nil, true
  end

  function handler.fileEnd()
    local c = current
    local more = (c.failed > 0 and (", %d FAILED"):format(c.failed) or "")
      .. (c.skipped > 0 and (", %d skipped"):format(c.skipped) or "")
    print(("%-44s %4d passed%s  %d s"):format(c.name, c.passed, more, clock() - c.start))
    io.flush()
    return nil, true
  end

  function handler.testEnd(element, _, status)
    if current then ran[current.name] = ran[current.name] + 1 end
    if status == "success" then
      passed = passed + 1
      current.passed = current.passed + 1
    elseif status == "pending" then
      skipped = skipped + 1
      current.skipped = current.skipped + 1
      print("skipped: " .. handler.getFullName(element))
    end
    return nil, true
  end

  function handler.failure(element, _, message, debug) return fail("FAILED", element, message, debug) end
  function handler.error(element, _, message, debug) return fail("ERROR", element, message, debug) end

  -- Each file asked for must have run; the list goes where .ci/run looks for it.
  local function check_files()
    local lines = {}
    for _, name in ipairs(session.files) do
      lines[#lines + 1] = ("%d %s\n"):format(ran[name] or 0, name)
      if not ran[name] then
        failed = failed + 1
        print("FAILED: " .. name .. " did not run")
      end
    end
    local build = os.getenv "DOTCOMPUTE_BUILD"
    local f = build and not session.is_child and io.open(build .. "/specs-ran.txt", "w")
    if f then
      f:write(table.concat(lines))
      f:close()
    end
  end

  -- busted would give the number of failures as the exit status, which wraps at 256; so the end is here.
  function handler.exit()
    check_files()
    if skipped > 0 then print(skipped .. " skipped") end
    print(("%d passed, %d failed"):format(passed, failed))
    io.flush()
    os.exit(failed == 0 and (passed > 0 or session.is_child), true)
  end

  busted.subscribe({ "file", "start" }, handler.fileStart)
  busted.subscribe({ "file", "end" }, handler.fileEnd)
  busted.subscribe({ "test", "end" }, handler.testEnd)
  busted.subscribe({ "failure" }, handler.failure)
  busted.subscribe({ "error" }, handler.error)
  busted.subscribe({ "exit" }, handler.exit)
  return handler
end
