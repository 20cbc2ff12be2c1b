"""The rows of kernels.lua in Numba, as loops over `prange`: worker.py asks for them by their C loop's name.

A function gets the row's arrays and its numbers, each in their order, and gives the result.
"""
import math

import numpy as np
import numba
from numba import njit, prange

FLOAT = np.float32
WORD = np.uint32


@njit(parallel=True)
def saxpy(x, y, a):
    for i in prange(x.size):
        y[i] = a * x[i] + y[i]


@njit(parallel=True)
def stencil(image, out, w, h, c0, c1):
    for y in prange(h):
        for x in range(w):
            i = y * w + x
            c = image[i]
            left = image[i - 1] if x > 0 else c
            right = image[i + 1] if x < w - 1 else c
            up = image[i - w] if y > 0 else c
            down = image[i + w] if y < h - 1 else c
            out[i] = c0 * c + c1 * (left + right + up + down)


@njit(parallel=True)
def mandelbrot(out, w, h, x0, y0, d, limit):
    two, four = FLOAT(2), FLOAT(4)
    for y in prange(h):
        for x in range(w):
            cr, ci = x0 + FLOAT(x) * d, y0 + FLOAT(y) * d
            zr, zi = FLOAT(0), FLOAT(0)
            n = 0
            while n < limit and zr * zr + zi * zi < four:
                t = zr * zr - zi * zi + cr
                zi = two * zr * zi + ci
                zr = t
                n += 1
            out[y * w + x] = n


@njit(parallel=True, fastmath={"contract", "arcp", "nsz", "reassoc"})
def nbody(p, a, n):
    for i in prange(n):
        x, y, z = p[4 * i], p[4 * i + 1], p[4 * i + 2]
        ax, ay, az = FLOAT(0), FLOAT(0), FLOAT(0)
        for j in range(n):
            dx, dy, dz = p[4 * j] - x, p[4 * j + 1] - y, p[4 * j + 2] - z
            r = FLOAT(1) / np.sqrt(dx * dx + dy * dy + dz * dz + FLOAT(1e-3))
            f = p[4 * j + 3] * r * r * r
            ax += f * dx
            ay += f * dy
            az += f * dz
        a[4 * i], a[4 * i + 1], a[4 * i + 2], a[4 * i + 3] = ax, ay, az, FLOAT(0)


@njit(parallel=True)
def matmul(a, b, c, n):
    for i in prange(n):
        for j in range(n):
            c[i * n + j] = FLOAT(0)
        for k in range(n):
            v = a[i * n + k]
            for j in range(n):
                c[i * n + j] += v * b[k * n + j]


@njit(parallel=True, fastmath={"reassoc"})
def total(x):
    s = FLOAT(0)
    for i in prange(x.size):
        s += x[i]
    return s


@njit(parallel=True)
def histogram(x, out):
    threads = numba.get_num_threads()
    own = np.zeros((threads, 256), np.int32)
    part = (x.size + threads - 1) // threads
    for t in prange(threads):
        for i in range(t * part, min(x.size, (t + 1) * part)):
            own[t, x[i]] += 1
    out[:] = 0
    for t in range(threads):
        out += own[t]


@njit(parallel=True)
def exchange(x, j, k):
    for block in prange(x.size // (2 * j)):
        first = block * 2 * j
        rising = first & k == 0
        for i in range(first, first + j):
            a, b = x[i], x[i + j]
            low, high = min(a, b), max(a, b)
            x[i] = low if rising else high
            x[i + j] = high if rising else low


def bitonic(x):
    k = 2
    while k <= x.size:
        j = k // 2
        while j > 0:
            exchange(x, j, k)
            j //= 2
        k *= 2


@njit
def normal_below(d):
    k = FLOAT(1) / (FLOAT(1) + FLOAT(0.2316419) * abs(d))
    p = k * (FLOAT(0.31938153) + k * (FLOAT(-0.356563782) + k * (
        FLOAT(1.781477937) + k * (FLOAT(-1.821255978) + k * FLOAT(1.330274429)))))
    tail = FLOAT(0.39894228) * np.exp(FLOAT(-0.5) * d * d) * p
    return FLOAT(1) - tail if d > FLOAT(0) else tail


@njit(parallel=True)
def black_scholes(price, strike, years, out, rate, volatility):
    for i in prange(price.size):
        spread = volatility * np.sqrt(years[i])
        d1 = (np.log(price[i] / strike[i]) + (rate + FLOAT(0.5) * volatility * volatility) * years[i]) / spread
        out[i] = (price[i] * normal_below(d1)
                  - strike[i] * np.exp(-rate * years[i]) * normal_below(d1 - spread))


@njit(parallel=True)
def scan(x, out):
    threads = numba.get_num_threads()
    part = (x.size + threads - 1) // threads
    sums = np.zeros(threads, np.int32)
    for t in prange(threads):
        s = np.int32(0)
        for i in range(t * part, min(x.size, (t + 1) * part)):
            s += x[i]
        sums[t] = s
    for t in prange(threads):
        s = np.int32(0)
        for k in range(t):
            s += sums[k]
        for i in range(t * part, min(x.size, (t + 1) * part)):
            out[i] = s
            s += x[i]


@njit
def queens_from(n, start):
    full = (1 << n) - 1
    c, l, r = 0, 0, 0
    for _ in range(3):
        bit = 1 << start % n
        start //= n
        if (c | l | r) & bit:
            return 0
        c, l, r = c | bit, (l | bit) << 1, (r | bit) >> 1
    columns, left = np.zeros(16, np.int32), np.zeros(16, np.int32)
    right, free = np.zeros(16, np.int32), np.zeros(16, np.int32)
    columns[0], left[0], right[0], free[0] = c, l, r, full & ~(c | l | r)
    depth, count = 0, 0
    while depth >= 0:
        bit = free[depth] & -free[depth]
        if bit == 0:
            depth -= 1
            continue
        free[depth] ^= bit
        c, l, r = columns[depth] | bit, (left[depth] | bit) << 1, (right[depth] | bit) >> 1
        if c == full:
            count += 1
            continue
        depth += 1
        columns[depth], left[depth], right[depth], free[depth] = c, l, r, full & ~(c | l | r)
    return count


@njit(parallel=True)
def queens(n):
    count = 0
    for i in prange(n * n * n):
        count += queens_from(n, np.int64(i))
    return count


CONSTANTS = np.array([int(abs(math.sin(i + 1)) * 2 ** 32) for i in range(64)], np.uint32)
SHIFTS = np.array([[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]], np.uint32)


@njit
def md5_word(m0, m1):
    m = np.zeros(16, np.uint32)
    m[0], m[1], m[2], m[14] = m0, m1, WORD(0x80), WORD(64)
    a, b, c, d = WORD(0x67452301), WORD(0xefcdab89), WORD(0x98badcfe), WORD(0x10325476)
    for i in range(64):
        if i < 16:
            f, g = (b & c) | (~b & d), i
        elif i < 32:
            f, g = (b & d) | (c & ~d), (5 * i + 1) & 15
        elif i < 48:
            f, g = b ^ c ^ d, (3 * i + 5) & 15
        else:
            f, g = c ^ (b | ~d), (7 * i) & 15
        v = WORD(a + WORD(f) + m[g] + CONSTANTS[i])
        s = SHIFTS[i >> 4, i & 3]
        a, d, c, b = d, c, b, WORD(b + WORD(v << s | v >> WORD(WORD(32) - s)))
    return WORD(a + WORD(0x67452301))


@njit(parallel=True)
def md5_search(wanted, salt, n):
    at = -1
    for i in prange(n):
        if md5_word(WORD(i), salt) == wanted:
            at = max(at, i)
    return at


def work(name, arguments):
    p = [a for a in arguments if isinstance(a, np.ndarray)]
    s = [a for a in arguments if not isinstance(a, np.ndarray)]
    if name == "saxpy":
        saxpy(p[0], p[1], FLOAT(s[1]))
        return p[1]
    if name == "stencil":
        stencil(p[0], p[1], s[0], s[1], FLOAT(s[2]), FLOAT(s[3]))
        return p[1]
    if name == "mandelbrot":
        mandelbrot(p[0], s[0], s[1], FLOAT(s[2]), FLOAT(s[3]), FLOAT(s[4]), s[5])
        return p[0]
    if name == "nbody":
        nbody(p[0], p[1], s[0])
        return p[1]
    if name == "matmul":
        matmul(p[0], p[1], p[2], s[0])
        return p[2]
    if name == "sum":
        return np.array([total(p[0])], np.float32)
    if name == "histogram":
        histogram(p[0], p[1])
        return p[1]
    if name == "bitonic":
        bitonic(p[0])
        return p[0]
    if name == "black_scholes":
        black_scholes(*p, FLOAT(s[1]), FLOAT(s[2]))
        return p[3]
    if name == "scan":
        scan(p[0], p[1])
        return p[1]
    if name == "queens":
        return np.array([queens(s[0])], np.int32)
    return np.array([md5_search(WORD(s[0] & 0xffffffff), WORD(s[1]), s[2])], np.int32)


NAMES = ("saxpy", "stencil", "mandelbrot", "nbody", "matmul", "sum", "histogram", "bitonic", "black_scholes", "scan",
         "queens", "md5_search")


def load():
    def function(name):
        return lambda *arguments: work(name, arguments)
    return "Numba " + numba.__version__, {name: function(name) for name in NAMES}, lambda a: a, lambda r: r
