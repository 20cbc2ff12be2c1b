"""The rows of arrays_table.lua in NumPy, PyTorch, torch.compile and JAX; a function gets the row's arrays."""
import os

import numpy as np

N, SMALL = 1 << 24, 1000


def trig(lib, x, y):
    return lib.exp(0.5 * lib.sin(x) + lib.cos(y))


def repeated(function):
    def run(*arrays):
        for _ in range(SMALL):
            result = function(*arrays)
        return result
    return run


def load_numpy():
    random = np.random.default_rng(1)

    def softmax(m):
        e = np.exp(m - m.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)
    half = np.float32(0.5)
    rows = {
        "add": lambda x, y: x + y, "trig": lambda x, y: np.exp(half * np.sin(x) + np.cos(y)), "sum": lambda x: x.sum(),
        "softmax": softmax, "transpose": lambda m: np.ascontiguousarray(m.T), "cumsum": lambda x: x.cumsum(),
        "select": lambda x: x[x > 0.5], "bincount": lambda h: np.bincount(h, minlength=256), "sort": np.sort,
        "argsort": np.argsort, "fft": np.fft.fft, "matmul": lambda p: p @ p,
        "uniform": lambda: random.random(N, np.float32), "normal": lambda: random.standard_normal(N, np.float32),
    }
    return "NumPy " + np.__version__, rows, lambda a: a, lambda r: r


def load_torch(compiled):
    import torch
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    rows = {
        "add": lambda x, y: x + y, "trig": lambda x, y: trig(torch, x, y), "sum": lambda x: x.sum(),
        "softmax": lambda m: torch.softmax(m, 1), "transpose": lambda m: m.T.contiguous(),
    }
    if compiled:
        rows = {name: torch.compile(function) for name, function in rows.items()}
    else:
        rows |= {
            "cumsum": lambda x: x.cumsum(0), "select": lambda x: x[x > 0.5],
            "bincount": lambda h: torch.bincount(h, minlength=256), "sort": lambda x: torch.sort(x)[0],
            "argsort": torch.argsort, "fft": torch.fft.fft, "matmul": lambda p: p @ p,
            "uniform": lambda: torch.rand(N), "normal": lambda: torch.randn(N),
        }
    return "PyTorch " + torch.__version__, rows, \
        lambda a: torch.from_numpy(a) if isinstance(a, np.ndarray) else a, lambda r: r


def load_jax():
    import jax
    import jax.numpy as jnp
    key = jax.random.key(1)
    rows = {
        "add": lambda x, y: x + y, "trig": lambda x, y: trig(jnp, x, y), "sum": lambda x: x.sum(),
        "softmax": lambda m: jax.nn.softmax(m, 1), "transpose": lambda m: m.T.copy(),
        "cumsum": lambda x: x.cumsum(), "bincount": lambda h: jnp.bincount(h, length=256),
        "fft": jnp.fft.fft, "matmul": lambda p: p @ p,
        "uniform": lambda: jax.random.uniform(key, (N,)), "normal": lambda: jax.random.normal(key, (N,)),
    }
    rows = {name: jax.jit(function) for name, function in rows.items()}
    rows["select"] = lambda x: x[x > 0.5]  # of a size that depends on values: not compiled
    return "JAX " + jax.__version__, rows, jnp.asarray, lambda r: r.block_until_ready()


def load(library):
    loader = {"numpy": load_numpy, "torch": lambda: load_torch(False), "compile": lambda: load_torch(True),
              "jax": load_jax}[library]
    version, rows, convert, wait = loader()
    if library != "compile":
        rows["small add"], rows["small trig"] = repeated(rows["add"]), repeated(rows["trig"])
    return version, rows, convert, wait
