-- The table of a profile as text.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local report = {}

local function seconds_text(s)
  if s >= 1 then return ("%.3f s"):format(s) end
  if s >= 1e-3 then return ("%.3f ms"):format(s * 1e3) end
  return ("%.2f us"):format(s * 1e6)
end

-- The bandwidth of the timed launches in bytes per second; nil when the bytes are unknown.
function report.bandwidth(e)
  if not e.bytes or e.timed == 0 or e.seconds <= 0 then return nil end
  return e.bytes / e.calls * e.timed / e.seconds
end

local function cells(e, total, peaks)
  local rate = report.bandwidth(e)
  local peak = peaks[e.device.id]
  return { e.place and ("%s (%s)"):format(e.kernel, e.place) or e.kernel, tostring(e.calls),
    e.timed > 0 and seconds_text(e.seconds) or "-",
    total > 0 and ("%.1f%%"):format(100 * e.seconds / total) or "-",
    e.timed > 0 and seconds_text(e.seconds / e.timed) or "-", rate and ("%.1f"):format(rate / 1e9) or "-",
    rate and peak and ("%.0f%%"):format(100 * rate / peak) or "-", e.device.id, e.site }
end

local titles = { "kernel", "calls", "total", "share", "mean", "GB/s", "of peak", "device", "launched at" }
local left = { [1] = true, [8] = true, [9] = true }

-- The rows as lines, with columns as wide as their widest cell.
local function layout(rows)
  local widths, lines = {}, {}
  for _, row in ipairs(rows) do
    for k, text in ipairs(row) do widths[k] = math.max(widths[k] or 0, utf8.len(text) or #text) end
  end
  for _, row in ipairs(rows) do
    local out = {}
    for k, text in ipairs(row) do
      local space = (" "):rep(widths[k] - (utf8.len(text) or #text))
      out[k] = left[k] and text .. space or space .. text
    end
    lines[#lines + 1] = (table.concat(out, "  "):gsub("%s+$", ""))
  end
  return table.concat(lines, "\n")
end

-- The report as text, from core.profile_stop's list; `peaks`: device id -> bytes per second.
function report.text(list, peaks)
  if #list == 0 then return "profile: no kernel was launched" end
  local total, untimed = 0, 0
  for _, e in ipairs(list) do
    total = total + e.seconds
    untimed = untimed + e.calls - e.timed
  end
  local rows = { titles }
  for _, e in ipairs(list) do rows[#rows + 1] = cells(e, total, peaks) end
  local out = { ("profile: %s in kernels"):format(seconds_text(total)), layout(rows) }
  out[#out + 1] = "GB/s is an estimate: const arrays count once, others twice (read and written)"
    .. "; an operand of an expression counts once"
  for id, peak in pairs(peaks) do
    out[#out + 1] = ("peak of %s: %.1f GB/s, measured by copying"):format(id, peak / 1e9)
  end
  if untimed > 0 then
    out[#out + 1] = ("%d launches were recorded into graphs, whose runs are timed as a whole"):format(untimed)
  end
  return table.concat(out, "\n")
end

return report
