#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for `python3 peer_cupy.py ...`, or peer_pycuda.py, where neither is installed.

Every time is PEER_MS; PEER_WRONG=1 makes results wrong, PEER_MISSING=1 ends as the peers
do without CuPy or PyCUDA. PYCUDA_WRONG, PYCUDA_MISSING and PYCUDA_FAILS do so for PyCUDA
alone (FAILS: status 5), and PYCUDA_NO_CACHE=1 leaves its cache folder empty. Called with
the peer's path and arguments.
"""

import json
import os
import sys


def main():
    if os.environ.get("PEER_MISSING"):
        print("no CuPy here", file=sys.stderr)
        return 3
    pycuda = sys.argv[1].endswith("peer_pycuda.py")
    if pycuda and os.environ.get("PYCUDA_MISSING"):
        print("no PyCUDA here", file=sys.stderr)
        return 3
    if pycuda and os.environ.get("PYCUDA_FAILS"):
        print("PyCUDA broke", file=sys.stderr)
        return 5
    words = sys.argv[2:]
    value = float(os.environ["PEER_MS"])
    right = os.environ.get("PEER_WRONG") != "1"
    if pycuda:
        right = os.environ.get("PYCUDA_WRONG") != "1"
    time = {"median_ms": value}

    def option(name):
        return int(words[words.index(name) + 1])

    if words[0] == "ops":
        rows, cols = option("--rows"), option("--cols")
        operations = [{"operation": name, "time": time, "right": right}
                      for name in ("add_same", "cube")]
        sizes = [{"rows": rows, "cols": c, "operations": operations} for c in (cols, cols // 10)]
        print(json.dumps({"sizes": sizes}))
    elif words[0] == "first":
        if pycuda and not os.environ.get("PYCUDA_NO_CACHE"):
            open(os.path.join(os.environ["XDG_CACHE_HOME"], "kernel"), "w").close()
        print(json.dumps({"right": right, "first_result_ms": value, "context_ms": value,
                          "first_call_ms": value}))
    else:
        ways = [{"way": way, "time": time} for way in ("h2d", "d2h")]
        n = option("--n")
        sizes = [{"n": size, "right": right, "ways": ways} for size in (n, n // 10)]
        print(json.dumps({"sizes": sizes}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
