"""Four of the kernels of examples/jit in Numba, and its launch, on the first GPU: a line "name seconds" for each.

bench/jit.lua reads them: sizes and blocks are those of the pairs. Times are by events, medians.
"""
import statistics
import sys
import time

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda of 2025 needs the name, which NumPy 2.5 does not have

try:
    from numba import cuda, float32
except ImportError as why:
    print("left out:", why)
    sys.exit(0)

TILE = 16
ROUNDS = 31


@cuda.jit
def saxpy(x, y, a):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


@cuda.jit
def matmul(a, b, c):
    column, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    m, n, p = a.shape[0], b.shape[0], b.shape[1]
    total = float32(0.0)
    for k in range(0, n, TILE):
        left[ty, tx] = a[row, k + tx] if row < m and k + tx < n else float32(0.0)
        right[ty, tx] = b[k + ty, column] if k + ty < n and column < p else float32(0.0)
        cuda.syncthreads()
        for j in range(TILE):
            total += left[ty, j] * right[j, tx]
        cuda.syncthreads()
    if row < m and column < p:
        c[row, column] = total


@cuda.jit(device=True)
def pixel(image, i, j, rows, columns):
    return image[max(0, min(i, rows - 1)), max(0, min(j, columns - 1))]


@cuda.jit
def stencil(image, out):
    j, i = cuda.grid(2)
    rows, columns = out.shape[0], out.shape[1]
    if i < rows and j < columns:
        around = (pixel(image, i - 1, j, rows, columns) + pixel(image, i + 1, j, rows, columns)
                  + pixel(image, i, j - 1, rows, columns) + pixel(image, i, j + 1, rows, columns))
        out[i, j] = float32(0.5) * image[i, j] + float32(0.125) * around


@cuda.jit(fastmath=False)
def mandelbrot(out, limit):
    j, i = cuda.grid(2)
    rows, columns = out.shape[0], out.shape[1]
    if i < rows and j < columns:
        cr = float32(-2.0) + float32(3.0) * float32(j) / float32(columns)
        ci = float32(-1.5) + float32(3.0) * float32(i) / float32(rows)
        zr = float32(0.0)
        zi = float32(0.0)
        steps = limit
        for k in range(1, limit + 1):
            t = zr * zr - zi * zi + cr
            zi = float32(2.0) * zr * zi + ci
            zr = t
            if zr * zr + zi * zi > float32(4.0):
                steps = k
                break
        out[i, j] = steps


def seconds(run, before=None):
    """Median seconds of run(), by events."""
    times = []
    for k in range(ROUNDS + 2):
        if before is not None:
            before()
        start, stop = cuda.event(), cuda.event()
        start.record()
        run()
        stop.record()
        stop.synchronize()
        if k >= 2:  # the first ones compile and warm up
            times.append(start.elapsed_time(stop) / 1e3)
    return statistics.median(times)


def report(name, value):
    print(f"{name} {value:.9g}", flush=True)


def measure_saxpy():
    n = 1 << 28
    x = cuda.to_device(np.random.default_rng(1).random(n, dtype=np.float32))
    y = cuda.to_device(np.ones(n, dtype=np.float32))
    run = saxpy[(n + 255) // 256, 256]
    report("saxpy", seconds(lambda: run(x, y, np.float32(0.75))))


def measure_matmul():
    n = 4096
    a = cuda.to_device(np.random.default_rng(1).random((n, n), dtype=np.float32))
    b = cuda.to_device(np.random.default_rng(2).random((n, n), dtype=np.float32))
    c = cuda.device_array((n, n), dtype=np.float32)
    run = matmul[(n // TILE, n // TILE), (TILE, TILE)]
    report("matmul", seconds(lambda: run(a, b, c)))


def measure_stencil():
    n = 16384
    image = cuda.to_device(np.random.default_rng(1).random((n, n), dtype=np.float32))
    out = cuda.device_array((n, n), dtype=np.float32)
    run = stencil[((n + 127) // 128, (n + 1) // 2), (128, 2)]
    report("stencil", seconds(lambda: run(image, out)))


def measure_mandelbrot():
    n = 8192
    out = cuda.device_array((n, n), dtype=np.int32)
    run = mandelbrot[((n + 31) // 32, (n + 7) // 8), (32, 8)]
    report("mandelbrot", seconds(lambda: run(out, 1000)))


@cuda.jit
def nothing(a, b, p, q):
    if cuda.blockIdx.x > 0:
        a[0] = b[0] + p + q


def measure_launch():
    """Seconds of the host for a launch with two arrays and two numbers."""
    a = cuda.to_device(np.zeros(16, dtype=np.float32))
    b = cuda.to_device(np.zeros(16, dtype=np.float32))
    run = nothing[1, 32]
    count, times = 2000, []
    for _ in range(11):
        cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            run(a, b, 1, 2)
        times.append((time.perf_counter() - start) / count)
        cuda.synchronize()
    report("launch", statistics.median(times[1:]))


def main():
    if not cuda.is_available():
        print("left out: Numba finds no GPU")
        return
    for measure in (measure_saxpy, measure_matmul, measure_stencil, measure_mandelbrot, measure_launch):
        try:
            measure()
        except Exception as why:  # pylint: disable=broad-except
            print(f"{measure.__name__[8:]} failed: {type(why).__name__}: {why}".splitlines()[0], flush=True)


if __name__ == "__main__":
    main()
