-- A signal, its spectrum, and how the spectrum changes in time: lines and a heat map in the terminal.
-- Usage: spectrum.lua [FOLDER]: also writes the three pictures as PNG files there, if gnuplot is installed.
local dc = require "dotcompute"

local folder = arg and arg[1]

-- Four seconds of two tones, a rising one (a chirp from 200 to 1000 Hz), and noise.
local rate, seconds = 4096, 4
local n = rate * seconds
local t = dc.arange(0, n - 1, "float64") / rate
local tones = dc.sin(t * (2 * math.pi * 440)) + dc.sin(t * (2 * math.pi * 1500)) * 0.5
local chirp = dc.sin((t * 200 + t * t * 100) * (2 * math.pi)) -- its frequency is 200 + 200 t
dc.random.seed(1)
local signal = tones + chirp + dc.random.normal(n, { std = 0.5, dtype = "float64" })

-- The amplitude of each frequency, in decibels.
local function decibels(x, axis, count) return dc.log10(dc.abs(dc.fft.rfft(x, axis)) * (2 / count) + 1e-9) * 20 end

local spectrum = decibels(signal, 1, n)
local frequencies = dc.arange(0, n // 2, "float64") / seconds

-- Frames of 256 samples under a Hann window: a row for each frame, a column for each frequency.
local size = 256
local window = 0.5 - dc.cos(dc.arange(0, size - 1, "float64") * (2 * math.pi / size)) * 0.5
local frames = decibels(signal:reshape(-1, size) * window, 2, size / 2)
local spectrogram = frames.T -- frequencies go up, time to the right

local figures = {
  signal = dc.plot.line(t, signal, { title = "Signal", xlabel = "seconds" }),
  spectrum = dc.plot.line(frequencies, spectrum, { title = "Spectrum", xlabel = "Hz", ylabel = "dB",
    ylim = { -60, 5 } }),
  spectrogram = dc.plot.heatmap(spectrogram, { title = "Spectrogram (dB)", xlabel = "seconds", ylabel = "Hz",
    x = { 0, seconds }, y = { 0, rate / 2 }, low = -50, colormap = "magma" }),
}
for _, name in ipairs { "signal", "spectrum", "spectrogram" } do figures[name]:show { height = 14 } end

-- The two tones are the highest lines of the spectrum, at their frequencies and with their amplitudes.
local level = spectrum:to_table()
local function check_tone(hz, amplitude)
  local k = 1 + hz * seconds
  local want = 20 * math.log(amplitude, 10)
  assert(math.abs(level[k] - want) < 1, ("%d Hz has %.2f dB, should be %.2f"):format(hz, level[k], want))
  for near = k - 40, k + 40 do
    assert(near == k or level[near] < level[k] - 10, "the line at " .. hz .. " Hz is wide")
  end
end
check_tone(440, 1)
check_tone(1500, 0.5)

-- Away from the tones, the strongest frequency of each frame is the chirp's.
local rows = spectrogram:to_table()
local checked = 0
for frame = 1, #rows[1] do
  local hz = 200 + 200 * (frame - 0.5) * size / rate
  if math.abs(hz - 440) > 80 then
    local best
    for k = 5, #rows - 45 do
      local f = (k - 1) * rate / size
      if math.abs(f - 440) > 40 and (not best or rows[k][frame] > rows[best][frame]) then best = k end
    end
    assert(math.abs((best - 1) * rate / size - hz) < 25, ("frame %d: the chirp is at %.0f Hz, not %.0f"):format(frame,
      (best - 1) * rate / size, hz))
    checked = checked + 1
  end
end

local written = ""
if folder then
  if os.execute "command -v gnuplot >/dev/null" then
    for name, figure in pairs(figures) do figure:save(("%s/%s.png"):format(folder, name)) end
    written = ", pictures in " .. folder
  else
    written = ", no pictures without gnuplot (Debian: gnuplot-nox)"
  end
end
print(("spectrum: %d samples, 2 tones and the chirp in %d frames checked%s, on %s"):format(n, checked, written,
  dc.device().name))
