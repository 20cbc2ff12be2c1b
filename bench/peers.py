"""The work of bench/arrays.lua by NumPy, CuPy or PyTorch: peers.py LIBRARY N ROW...

Prints "ROW SECONDS" a line: the median of the wall time on the CPU, of the device's time on a GPU.
A row that the library does not have is left out; a library that is not there ends the script with status 3.
"""
import statistics
import sys
import time

import numpy

library, n, rows = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
small = 1000
try:
    if library == "torch":
        import torch
        lib = None
    else:
        lib = __import__(library)
except ImportError:
    sys.exit(3)


def cuda_wait(cuda):
    if library == "torch":
        cuda.synchronize()
    else:
        cuda.Stream.null.synchronize()


def timed(fn, reps, many):
    for _ in range(3):
        fn()
    if library == "numpy":
        times = []
        for _ in range(reps):
            begun = time.perf_counter()
            fn()
            times.append(time.perf_counter() - begun)
        return statistics.median(times)
    cuda = torch.cuda if library == "torch" else lib.cuda
    event = (lambda: cuda.Event(enable_timing=True)) if library == "torch" else cuda.Event
    times = []
    if many > 1:  # small work: what it costs to issue
        for _ in range(20):
            cuda_wait(cuda)
            begun = time.perf_counter()
            for _ in range(many):
                fn()
            times.append((time.perf_counter() - begun) / many)
        return statistics.median(times)
    for _ in range(reps):
        first, last = event(), event()
        first.record()
        fn()
        last.record()
        last.synchronize()
        ms = first.elapsed_time(last) if library == "torch" else cuda.get_elapsed_time(first, last)
        times.append(ms * 1e-3)
    return statistics.median(times)


def work_of_arrays():
    """Rows for NumPy and CuPy, which have the same functions."""
    x = lib.random.random(n).astype("float32")
    y = lib.random.random(n).astype("float32")
    side = int(n ** 0.5)
    m, v = x[: side * side].reshape(side, side), y[:side]
    h = (x[: n // 2] * 256).astype("int32")
    s, t = x[:small].copy(), y[:small].copy()
    a = lib.float32(0.5)
    d = lib.asarray(x[: 1 << 20], dtype="float64")
    q = (x * 100).astype("int8")
    size = 1024 if library == "numpy" else 8192
    p = lib.random.random((size, size)).astype("float32")
    if library == "cupy":
        yield from work_of_cupy(x, y, p)
    yield from {
        "add": lambda: x + y, "mul": lambda: x * y, "div": lambda: x / y, "sqrt": lambda: lib.sqrt(x),
        "exp": lambda: lib.exp(x), "compare": lambda: x < y,
        "four": lambda: (x * a + y) * x - y, "trig": lambda: lib.exp(a * lib.sin(x) + lib.cos(y)),
        "sum": lambda: x.sum(), "max": lambda: x.max(), "argmax": lambda: x.argmax(), "var": lambda: x.var(),
        "dot": lambda: (x * x).sum(), "rows": lambda: m.sum(1), "columns": lambda: m.sum(0),
        "transpose": lambda: lib.ascontiguousarray(m.T), "row vector": lambda: m + v,
        "column vector": lambda: m + v[:, None], "plus transpose": lambda: m + m.T,
        "shifted": lambda: x[1:] + y[1:], "int8": lambda: q + q, "float64": lambda: d + d,
        "softmax": lambda: softmax(m), "cumsum": lambda: x[: n // 2].cumsum(), "sort": lambda: lib.sort(x[: n // 2]),
        "select": lambda: x[: n // 2][x[: n // 2] > 0.5], "bincount": lambda: lib.bincount(h, minlength=256),
        "take": lambda: x[h], "matmul": lambda: p @ p,
        "uniform": lambda: lib.random.random(n), "normal": lambda: lib.random.standard_normal(n),
        "small add": lambda: s + t, "small trig": lambda: lib.exp(a * lib.sin(s) + lib.cos(t)),
        "small sum": lambda: float(s.sum()),
    }.items()


def work_of_cupy(x, y, p):
    half = x[: n // 2]
    w, p64 = half.astype("float64"), p.astype("float64") if "matmul float64" in rows else None
    system, right = lib.random.random((4096, 4096)), lib.random.random((4096, 16))
    signal, host = lib.random.random(1 << 26).astype("complex64"), lib.asnumpy(half)
    there = lib.empty_like(half)
    locked = numpy.frombuffer(lib.cuda.alloc_pinned_memory(half.nbytes), half.dtype, half.size)
    yield from {
        "copy": lambda: x.copy(), "uneven": lambda: x[: n - 3] + y[: n - 3], "float64 half": lambda: w + w,
        "matmul float64": lambda: p64 @ p64, "solve": lambda: lib.linalg.solve(system, right),
        "fft": lambda: lib.fft.fft(signal), "host to device": lambda: lib.asarray(host),
        "host from device": lambda: lib.asnumpy(half),
        "host, pinned, to device": lambda: there.set(locked),
        "host, pinned, from device": lambda: half.get(out=locked),
    }.items()


def softmax(m):
    e = lib.exp(m - m.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def work_of_torch():
    x, y = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
    side = int(n ** 0.5)
    m, v = x[: side * side].view(side, side), y[:side]
    h = (x[: n // 2] * 256).int()
    s, t = x[:small].clone(), y[:small].clone()
    d = x[: 1 << 20].double()
    q = (x * 100).to(torch.int8)
    p = torch.rand(8192, 8192, device="cuda")
    half, host = p.to(torch.bfloat16), x[: n // 2].cpu()

    def tf32():
        torch.backends.cuda.matmul.allow_tf32 = True
        c = p @ p
        torch.backends.cuda.matmul.allow_tf32 = False
        return c

    trig = lambda x, y: torch.exp(0.5 * torch.sin(x) + torch.cos(y))
    compiled = torch.compile(trig) if "trig" in rows else None
    yield from {
        "add": lambda: x + y, "mul": lambda: x * y, "div": lambda: x / y, "sqrt": lambda: torch.sqrt(x),
        "exp": lambda: torch.exp(x), "compare": lambda: x < y, "four": lambda: (x * 0.5 + y) * x - y,
        "trig": lambda: compiled(x, y), "sum": lambda: x.sum(), "max": lambda: x.max(), "argmax": lambda: x.argmax(),
        "var": lambda: x.var(), "dot": lambda: (x * x).sum(), "rows": lambda: m.sum(1), "columns": lambda: m.sum(0),
        "transpose": lambda: m.T.contiguous(), "row vector": lambda: m + v, "column vector": lambda: m + v[:, None],
        "plus transpose": lambda: m + m.T, "shifted": lambda: x[1:] + y[1:], "int8": lambda: q + q,
        "float64": lambda: d + d, "softmax": lambda: torch.softmax(m, 1), "cumsum": lambda: x[: n // 2].cumsum(0),
        "sort": lambda: x[: n // 2].sort(), "select": lambda: x[: n // 2][x[: n // 2] > 0.5],
        "bincount": lambda: torch.bincount(h, minlength=256), "take": lambda: x[h], "matmul": lambda: p @ p,
        "uniform": lambda: torch.rand(n, device="cuda"), "normal": lambda: torch.randn(n, device="cuda"),
        "small add": lambda: s + t, "small trig": lambda: trig(s, t), "small sum": lambda: s.sum().item(),
        "copy": lambda: x.clone(), "uneven": lambda: x[: n - 3] + y[: n - 3], "matmul tf32": tf32,
        "matmul bfloat16": lambda: half @ half, "host to device": lambda: host.cuda(),
        "host from device": lambda: x[: n // 2].cpu(),
    }.items()


for row, fn in (work_of_torch if library == "torch" else work_of_arrays)():
    if row not in rows:
        continue
    try:
        tiny = row.startswith("small")
        many = 100 if row == "small sum" else 1000 if tiny else 1
        print(row.replace(" ", "_"), timed(fn, 200 if tiny else 9, many), flush=True)
    except Exception as error:  # a row that fails is a row without a figure
        print(f"# {row}: {error!r}"[:200], file=sys.stderr)
