"""A peer in Python, asked line by line on standard input: worker.py ROWS [LIBRARY]

ROWS is a module here (numba_rows, array_rows): its load(library) gives the library's version and a table of functions
by name.  Requests and answers:
  prepare NAME ARGUMENT…  -> "ready", or "none" and why. Arguments: f:NUMBER, i:NUMBER, a:FILE.npy
  check FILE.npy          runs once and saves the result -> "done"
  run                     -> seconds
"""
import importlib
import sys
import time

import numpy as np


def read(argument):
    kind, text = argument[0], argument[2:]
    return float(text) if kind == "f" else int(text) if kind == "i" else np.load(text)


def main():
    rows = importlib.import_module(sys.argv[1])
    try:
        version, table, convert, wait = rows.load(*sys.argv[2:])
    except ImportError as why:
        print("none", why, flush=True)
        return
    print("there", version, flush=True)
    work, arguments, result = None, (), None
    for line in sys.stdin:
        words = line.rstrip("\n").split("\t")
        try:
            if words[0] == "prepare":
                work = table.get(words[1])
                arguments = [convert(read(a)) for a in words[2:]]
                answer = "ready" if work else "none no such function"
            elif words[0] == "check":
                np.save(words[1], np.asarray(wait(work(*arguments))))
                answer = "done"
            else:
                begun = time.perf_counter()
                result = wait(work(*arguments))
                answer = repr(time.perf_counter() - begun)
        except Exception as why:  # pylint: disable=broad-except
            answer = "none " + f"{type(why).__name__}: {why}".split("\n")[0]
        print(answer, flush=True)


main()
