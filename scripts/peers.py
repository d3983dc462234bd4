#!/usr/bin/env python3
"""Measures with torch and Triton what the benchmark program measures with ours, when it asks for it.

    ./mytriton-bench --peers python3 scripts/peers.py

A request is a JSON object on a line of the standard input, its answer one on the standard output. Only figures of one
run on one machine compare. Needs torch and triton; nothing of this project imports them.
"""

import ctypes
import json
import os
import statistics
import sys
import tempfile
import time
import traceback

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="peers-")

import torch
import triton

import peers_kernels as kernels

# Where the kernels run; the interpreter of Triton runs them on the CPU.
DEVICE = os.environ.get("MYTRITON_PEERS_DEVICE", "cuda")
# Written before every launch: more than any GPU's second-level cache holds.
FLUSHED_BYTES = 256 << 20
# Launches go on for so long before any is timed, so that clocks are up.
WARM_UP_SECONDS, WARM_UP_BATCH = 0.03, 8
LAUNCHES = 500
DRIVER = ctypes.CDLL("libcuda.so.1") if DEVICE == "cuda" else None
# Configurations that take so many times as long as the fastest may be faster in truth.
NEARLY = 1.03


class HostClock:
    """In place of the GPU's events, for a device without any."""

    def __init__(self):
        self.at = 0.0

    def record(self):
        self.at = time.perf_counter()

    def elapsed_time(self, end):
        return (end.at - self.at) * 1e3


def event():
    return torch.cuda.Event(enable_timing=True) if DEVICE == "cuda" else HostClock()


def synchronize():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


class Bench:
    def __init__(self):
        self.settings = {}
        self.launches = {}
        self.flushed = None

    def hello(self, request):
        self.settings = request
        self.flushed = torch.empty(FLUSHED_BYTES, dtype=torch.int8, device=DEVICE)
        name = torch.cuda.get_device_name() if DEVICE == "cuda" else DEVICE
        return {"device": name, "versions": {"torch": torch.__version__, "Triton": triton.__version__}}

    def prepare(self, request):
        """Makes operands, checks everyone's result, and finds Triton's best configuration."""
        work = request["work"]
        draw = torch.Generator(device=DEVICE)
        draw.manual_seed(self.settings["seed"] % 2**63)
        made = kernels.BENCHES[work["bench"]](kernels.DTYPES[work["dtype"]], work["shape"], draw)
        self.launches, peers, problems = {}, [], []
        try:
            made.out.fill_(float("nan"))
            check(made, made.torch())
            self.launches["torch"] = made.torch
            peers.append({"who": "torch", "config": ""})
        except Exception as error:
            problems.append(f"torch: {one_line(error)}")
        took = {}
        for config, launch in made.triton.items():
            try:
                made.out.fill_(float("nan"))
                launch()
                check(made, made.out)
                took[config] = statistics.median(self.times(launch, self.settings["trial"]))
            except Exception as error:
                problems.append(f"triton, {config}: {one_line(error)}")
        if took:
            config = self.fastest(made.triton, took)
            self.launches["triton"] = made.triton[config]
            peers.append({"who": "triton", "config": config})
        return {"peers": peers, "problems": problems}

    def fastest(self, launches, took):
        """Of configurations with their times; those that are nearly as fast as the fastest are timed again, in turn."""
        finalists = {config: [] for config, time in took.items() if time <= min(took.values()) * NEARLY}
        for _ in range(self.settings["finals"]):
            for config, times in finalists.items():
                times += self.times(launches[config], self.settings["trial"])
        return min(finalists, key=lambda config: statistics.median(finalists[config] or [took[config]]))

    def flush(self):
        """By the driver, as ours: what a kernel of torch leaves in the cache makes what follows a percent faster."""
        if DEVICE != "cuda":
            self.flushed.zero_()
            return
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        error = DRIVER.cuMemsetD8Async(ctypes.c_uint64(self.flushed.data_ptr()), 0, ctypes.c_size_t(FLUSHED_BYTES), stream)
        if error:
            raise RuntimeError(f"cuMemsetD8Async: error {error} of the driver")

    def times(self, launch, repetitions):
        """Milliseconds of each launch, by events around it; the cache is flushed before."""
        start = time.perf_counter()
        while time.perf_counter() - start < WARM_UP_SECONDS:
            for _ in range(WARM_UP_BATCH):
                launch()
            synchronize()
        events = [(event(), event()) for _ in range(repetitions)]
        for begin, end in events:
            self.flush()
            begin.record()
            launch()
            end.record()
        synchronize()
        return [begin.elapsed_time(end) for begin, end in events]

    def measure(self, request):
        return {"times": self.times(self.launches[request["who"]], self.settings["repetitions"])}

    def release(self, _):
        self.launches = {}
        if DEVICE == "cuda":
            torch.cuda.empty_cache()
        return {}

    def compile(self, request):
        """Triton's time from source to machine code (it runs ptxas), with an empty cache each time."""
        times = [compile_cold(*COMPILED[request["kernel"]]) for _ in range(self.settings["compilations"] + 1)]
        return {"first": times[0], "times": times[1:]}

    def launch(self, _):
        """The host's milliseconds of a launch: a number for each batch."""
        n = 1024
        x, y, out = (torch.zeros(n, device=DEVICE) for _ in range(3))
        kinds = {
            "triton": lambda: kernels.add_kernel[(1,)](x, y, out, n, BLOCK=n),
            "torch": lambda: torch.add(x, y, out=out),
        }
        times = {name: [] for name in kinds}
        # The first batch fills caches.
        for batch in range(self.settings["batches"] + 1):
            for name, launch in kinds.items():
                start = time.perf_counter()
                for _ in range(LAUNCHES):
                    launch()
                took = (time.perf_counter() - start) * 1e3 / LAUNCHES
                synchronize()
                if batch:
                    times[name].append(took)
        return times


def check(work, found):
    """Compares with float64, a part of the rows at a time."""
    for first in range(0, len(found), work.rows):
        rows = slice(first, first + work.rows)
        right = work.reference(rows)
        error = (found[rows].double() - right).abs()
        limit = work.tolerance * right.abs()
        limit = limit.amax(-1, keepdim=True) if right.dim() > 1 else limit.amax()
        # NaN is not within any limit.
        wrong = ~(error <= limit)
        if wrong.any():
            raise ValueError(f"{int(wrong.sum())} wrong results from row {first} on, by up to {float(error.max()):.3g}")


# Kernel, types of its parameters, constexpr values, warps: the same as ours.
COMPILED = {
    "add f32": (
        kernels.add_kernel,
        {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"},
        {"BLOCK": 1024},
        4,
    ),
    "softmax bf16 4096": (
        kernels.softmax_kernel,
        {"x": "*bf16", "out": "*bf16", "m": "i32", "n": "i32"},
        {"M": 1, "N": 4096},
        8,
    ),
}


def compile_cold(kernel, types, constexprs, warps, target=None):
    from triton.compiler import ASTSource, compile as compile_source

    signature = types | {name: "constexpr" for name in constexprs}
    aligned = {(index,): [["tt.divisibility", 16]] for index in range(len(types))}
    with tempfile.TemporaryDirectory() as cache:
        triton.knobs.cache.dir = cache
        source = ASTSource(fn=kernel, signature=signature, constexprs=constexprs, attrs=aligned)
        start = time.perf_counter()
        compile_source(source, target=target, options={"num_warps": warps})
        return (time.perf_counter() - start) * 1e3


def one_line(error):
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}"


def main():
    # Answers go where the standard output went; what libraries print goes to the standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    bench = Bench()
    actions = {
        name: getattr(bench, name)
        for name in ("hello", "prepare", "measure", "release", "compile", "launch")
    }
    for line in sys.stdin:
        try:
            request = json.loads(line)
            answer = actions[request["do"]](request)
        except Exception as error:
            traceback.print_exc()
            answer = {"error": one_line(error)}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
