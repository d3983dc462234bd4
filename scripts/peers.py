#!/usr/bin/env python3
"""Measures what `bench-gpu` measures with torch and Triton, on the same GPU, and prints both beside one another.

    ./mytriton-bench --report bench.txt && python3 scripts/peers.py --ours bench.txt.json --out peers.json

Only figures of one run on one machine compare. Needs torch and triton; nothing of this project imports them.
"""

import argparse
import json
import os
import statistics
import tempfile
import time

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="peers-")

import torch
import triton
import triton.language as tl

WARM_UP, REPETITIONS = 20, 100
BATCH, BATCHES = 500, 60
COMPILATIONS = 10

figures = []


def figure(what, size, who, value, unit, more=""):
    print(f"{what:<10} {size:<20} {who:<28} {value:>10.3f} {unit:<5} {more}", flush=True)
    figures.append({"what": what, "size": size, "who": who, "value": value, "unit": unit})


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


def gpu_time(launch):
    """Median time of a launch in milliseconds, by events around it. The operands are larger than the caches."""
    for _ in range(WARM_UP):
        launch()
    times = []
    for _ in range(REPETITIONS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        launch()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def bandwidth(log_size):
    n, size = 1 << log_size, f"f32 2^{log_size}"
    x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    out, expected = torch.empty_like(x), x + y
    rate = lambda ms, buffers: buffers * 4 * n / ms / 1e6
    ms = gpu_time(lambda: torch.add(x, y, out=out))
    figure("add", size, "torch", rate(ms, 3), "GB/s", f"{ms:.4f} ms")
    best = None
    for block, warps in ((512, 4), (1024, 4), (2048, 4), (2048, 8), (4096, 8)):
        out.zero_()
        launch = lambda: add_kernel[(triton.cdiv(n, block),)](x, y, out, n, BLOCK=block, num_warps=warps)
        launch()
        assert torch.equal(out, expected), f"block {block}"
        best = min(filter(None, (best, (gpu_time(launch), block, warps))))
    figure("add", size, "triton", rate(best[0], 3), "GB/s", f"block {best[1]}, {best[2]} warps, {best[0]:.4f} ms")
    ms = gpu_time(lambda: out.copy_(x))
    figure("copy", size, "torch", rate(ms, 2), "GB/s", f"{ms:.4f} ms")


def launching():
    n = 1024
    x, y, out = (torch.zeros(n, device="cuda") for _ in range(3))
    kinds = {
        "triton": lambda: add_kernel[(1,)](x, y, out, n, BLOCK=n),
        "torch.add": lambda: torch.add(x, y, out=out),
    }
    times = {name: [] for name in kinds}
    for batch in range(BATCHES):
        for name, launch in kinds.items():
            start = time.perf_counter()
            for _ in range(BATCH):
                launch()
            taken = time.perf_counter() - start
            torch.cuda.synchronize()
            if batch >= BATCHES // 6:
                times[name].append(taken / BATCH * 1e6)
    for name, list_ in times.items():
        figure("launch", "4 arguments", name, statistics.median(list_), "us", f"least {min(list_):.3f}")


def compiling():
    """Triton's time from source to machine code (it runs ptxas), with an empty cache each time."""
    from triton.compiler import ASTSource, compile as compile_source

    signature = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    aligned = {(i,): [["tt.divisibility", 16]] for i in range(4)}
    times = []
    for _ in range(COMPILATIONS + 1):
        with tempfile.TemporaryDirectory() as cache:
            triton.knobs.cache.dir = cache
            source = ASTSource(fn=add_kernel, signature=signature, constexprs={"BLOCK": 1024}, attrs=aligned)
            start = time.perf_counter()
            compile_source(source, options={"num_warps": 4})
            times.append((time.perf_counter() - start) * 1e3)
    figure("compile", "add, first of process", "triton", times[0], "ms")
    figure("compile", "add, to machine code", "triton", statistics.median(times[1:]), "ms")


def merge(ours):
    """Prints every figure that somebody else has too, with ours as a part of the best of theirs."""
    rows = {}
    for entry in ours["figures"] + figures:
        rows.setdefault((entry["what"], entry["size"], entry["unit"]), []).append(entry)
    print(f"\nours ({ours['facts']}) beside the peers'")
    for (what, size, unit), entries in rows.items():
        line = ", ".join(f"{e['who']} {e['value']:.3f}" for e in entries)
        mine = [e["value"] for e in entries if e["who"].startswith("mytriton")]
        theirs = [e["value"] for e in entries if not e["who"].startswith(("mytriton", "cuLaunchKernel", "driver"))]
        ratio = ""
        if mine and theirs:
            best = max if unit == "GB/s" else min
            ratio = f"  = {best(mine) / best(theirs):.3f} of the best peer's"
        print(f"{what:<8} {size:<22} [{unit}] {line}{ratio}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", help="the JSON that bench-gpu wrote")
    parser.add_argument("--out", help="where the figures go as JSON")
    parser.add_argument("--log-size", type=int, default=28)
    options = parser.parse_args()
    facts = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "triton": triton.__version__}
    print(", ".join(f"{name} {value}" for name, value in facts.items()))
    for measure in (compiling, lambda: bandwidth(options.log_size), launching):
        measure()
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump({"facts": facts, "figures": figures}, file, indent=1)
    if options.ours:
        with open(options.ours, encoding="utf-8") as file:
            merge(json.load(file))


if __name__ == "__main__":
    main()
