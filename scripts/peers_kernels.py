"""What the peers compute: torch's own function, a Triton kernel in some configurations, and a reference.

Each benchmark is a function of element type, shape and generator. It gives its operands as a `Work`: how torch does it,
how Triton does it (one launch for each configuration), and what is right, which is computed in float64.
"""

from dataclasses import dataclass, field
from typing import Callable

import torch
import triton
import triton.language as tl

EPS = 1e-5
LOG2_E = tl.constexpr(1.4426950408889634)


@dataclass
class Work:
    # Computes into `out` or gives the result.
    torch: Callable
    # Launches by configuration, each into `out`.
    triton: dict
    out: torch.Tensor
    # `reference(rows)` is the result's rows in float64; `rows` are what is compared at a time.
    reference: Callable
    rows: int = 1024
    # The largest difference allowed, relative to the largest magnitude of a result's row.
    tolerance: float = field(default=0.0)


@triton.jit
def copy_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask), mask=mask)


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def softmax_kernel(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    row = (tl.program_id(0) * M + tl.arange(0, M))[:, None]
    col = tl.arange(0, N)[None, :]
    mask = (row < m) & (col < n)
    v = tl.load(x + row * n + col, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=1, keep_dims=True))
    tl.store(out + row * n + col, (e / tl.sum(e, axis=1, keep_dims=True)).to(out.dtype.element_ty), mask=mask)


@triton.jit
def layernorm_kernel(x, weight, bias, out, m, n, eps, M: tl.constexpr, N: tl.constexpr, EARLY: tl.constexpr):
    row = (tl.program_id(0) * M + tl.arange(0, M))[:, None]
    col = tl.arange(0, N)[None, :]
    mask = (row < m) & (col < n)
    v = tl.load(x + row * n + col, mask=mask, other=0.0).to(tl.float32)
    centred = tl.where(mask, v - tl.sum(v, axis=1, keep_dims=True) / n, 0.0)
    if EARLY:
        w = tl.load(weight + col, mask=col < n, other=0.0).to(tl.float32)
        b = tl.load(bias + col, mask=col < n, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=1, keep_dims=True) / n + eps)
    if not EARLY:
        w = tl.load(weight + col, mask=col < n, other=0.0).to(tl.float32)
        b = tl.load(bias + col, mask=col < n, other=0.0).to(tl.float32)
    tl.store(out + row * n + col, (centred * scale * w + b).to(out.dtype.element_ty), mask=mask)


@triton.jit
def rmsnorm_kernel(x, weight, out, m, n, eps, M: tl.constexpr, N: tl.constexpr, EARLY: tl.constexpr):
    row = (tl.program_id(0) * M + tl.arange(0, M))[:, None]
    col = tl.arange(0, N)[None, :]
    mask = (row < m) & (col < n)
    v = tl.load(x + row * n + col, mask=mask, other=0.0).to(tl.float32)
    if EARLY:
        w = tl.load(weight + col, mask=col < n, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, axis=1, keep_dims=True) / n + eps)
    if not EARLY:
        w = tl.load(weight + col, mask=col < n, other=0.0).to(tl.float32)
    tl.store(out + row * n + col, (v * scale * w).to(out.dtype.element_ty), mask=mask)


@triton.jit
def cross_entropy_kernel(logits, target, loss, n, N: tl.constexpr):
    row = tl.program_id(0)
    x = logits + row * n
    top = -float("inf")
    total = 0.0
    for start in range(0, n, N):
        col = start + tl.arange(0, N)
        v = tl.load(x + col, mask=col < n, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, tl.max(v, axis=0))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(v - new), axis=0)
        top = new
    wanted = tl.load(x + tl.load(target + row)).to(tl.float32)
    tl.store(loss + row, tl.log(total) + top - wanted)


@triton.jit
def cross_entropy_groups_kernel(logits, target, loss, n, M: tl.constexpr, N: tl.constexpr):
    """The same with a largest element and a sum for each group of neighbours: threads meet once."""
    row = tl.program_id(0)
    x = logits + row * n
    top = tl.full((M,), -1.7e38, dtype=tl.float32)
    total = tl.zeros((M,), dtype=tl.float32)
    for start in range(0, n, M * N):
        col = start + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
        v = tl.load(x + col, mask=col < n, other=-float("inf")).to(tl.float32)
        above = tl.maximum(top, tl.max(v, axis=1))
        scaled = above * LOG2_E
        part = tl.sum(tl.exp2(v * LOG2_E - scaled[:, None]), axis=1)
        total = total * tl.exp2(top * LOG2_E - scaled) + part
        top = above
    largest = tl.max(top, axis=0)
    wanted = tl.load(x + tl.load(target + row)).to(tl.float32)
    tl.store(loss + row, tl.log(tl.sum(total * tl.exp(top - largest), axis=0)) + largest - wanted)


@triton.jit
def transpose_kernel(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(1) * M + tl.arange(0, M)
    col = tl.program_id(0) * N + tl.arange(0, N)
    mask = (row[:, None] < m) & (col[None, :] < n)
    v = tl.load(x + row[:, None] * n + col[None, :], mask=mask)
    mask = (row[None, :] < m) & (col[:, None] < n)
    tl.store(out + col[:, None] * m + row[None, :], tl.trans(v), mask=mask)


@triton.jit
def row_sum_kernel(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.arange(0, N)[None, :]
    v = tl.load(x + row[:, None] * n + col, mask=(row[:, None] < m) & (col < n), other=0.0).to(tl.float32)
    tl.store(out + row, tl.sum(v, axis=1), mask=row < m)


@triton.jit
def column_sum_kernel(x, out, m, n, span, M: tl.constexpr, N: tl.constexpr):
    col = tl.program_id(0) * N + tl.arange(0, N)
    first = tl.program_id(1) * span
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(first, first + span, M):
        row = (start + tl.arange(0, M))[:, None]
        mask = (row < tl.minimum(first + span, m)) & (col[None, :] < n)
        total += tl.load(x + row * n + col[None, :], mask=mask, other=0.0).to(tl.float32)
    tl.store(out + tl.program_id(1) * n + col, tl.sum(total, axis=0), mask=col < n)


def normal(draw, dtype, *shape):
    """As the inputs of ours: mean 1/4, deviation 2."""
    return torch.randn(shape, generator=draw, device=draw.device).mul_(2).add_(0.25).to(dtype)


def tolerance(dtype):
    return 2.0**-7 if dtype == torch.bfloat16 else 1e-5


ELEMENTS = ((512, 4), (1024, 4), (1024, 8), (2048, 4), (2048, 8), (4096, 8))


def elements(kernel, operands, n, out):
    def launch(block, warps):
        return lambda: kernel[(triton.cdiv(n, block),)](*operands, out, n, BLOCK=block, num_warps=warps)

    return {f"block {block}, {warps} warps": launch(block, warps) for block, warps in ELEMENTS}


def copy(dtype, shape, draw):
    x = normal(draw, dtype, *shape)
    out = torch.empty_like(x)
    launches = elements(copy_kernel, (x,), x.numel(), out)
    return Work(lambda: out.copy_(x), launches, out, lambda rows: x[rows].double(), rows=1 << 26)


def add(dtype, shape, draw):
    x, y = normal(draw, dtype, *shape), normal(draw, dtype, *shape)
    out = torch.empty_like(x)
    launches = elements(add_kernel, (x, y), x.numel(), out)
    reference = lambda rows: x[rows].double() + y[rows].double()
    return Work(lambda: torch.add(x, y, out=out), launches, out, reference, rows=1 << 26, tolerance=tolerance(dtype))


def row_shapes(n):
    """Rows of a program and warps, so that a thread has 8 to 64 elements."""
    width = triton.next_power_of_2(n)
    for rows in (1, 2, 4):
        for warps in (1, 2, 4, 8, 16, 32):
            if (rows == 1 or rows * width <= 4096) and 8 <= rows * width // (32 * warps) <= 64:
                yield rows, warps


def by_rows(kernel, pointers, scalars, m, n, weighted=False):
    width = triton.next_power_of_2(n)

    def launch(rows, warps, early):
        grid = (triton.cdiv(m, rows),)
        options = {"EARLY": early} if weighted else {}
        return lambda: kernel[grid](*pointers, m, n, *scalars, M=rows, N=width, num_warps=warps, **options)

    return {
        f"rows {rows}, {warps} warps{', weights early' if early else ''}": launch(rows, warps, early)
        for rows, warps in row_shapes(n)
        for early in ((False, True) if weighted else (False,))
    }


def softmax(dtype, shape, draw):
    x = normal(draw, dtype, *shape)
    out = torch.empty_like(x)
    launches = by_rows(softmax_kernel, (x, out), (), *shape)
    reference = lambda rows: torch.softmax(x[rows].double(), 1)
    return Work(lambda: torch.softmax(x, 1), launches, out, reference, tolerance=tolerance(dtype))


def layernorm(dtype, shape, draw):
    x, w, b = normal(draw, dtype, *shape), normal(draw, dtype, shape[1]), normal(draw, dtype, shape[1])
    out = torch.empty_like(x)
    launches = by_rows(layernorm_kernel, (x, w, b, out), (EPS,), *shape, weighted=True)
    norm = torch.nn.functional.layer_norm
    reference = lambda rows: norm(x[rows].double(), shape[1:], w.double(), b.double(), EPS)
    return Work(lambda: norm(x, shape[1:], w, b, EPS), launches, out, reference, tolerance=tolerance(dtype))


def rmsnorm(dtype, shape, draw):
    x, w = normal(draw, dtype, *shape), normal(draw, dtype, shape[1])
    out = torch.empty_like(x)
    launches = by_rows(rmsnorm_kernel, (x, w, out), (EPS,), *shape, weighted=True)
    norm = torch.nn.functional.rms_norm
    reference = lambda rows: norm(x[rows].double(), shape[1:], w.double(), EPS)
    return Work(lambda: norm(x, shape[1:], w, EPS), launches, out, reference, tolerance=tolerance(dtype))


def cross_entropy(dtype, shape, draw):
    m, n = shape
    logits = normal(draw, dtype, m, n)
    target = torch.randint(n, (m,), generator=draw, device=draw.device)
    out = torch.empty(m, device=draw.device)

    def blocks(block, warps):
        return lambda: cross_entropy_kernel[(m,)](logits, target, out, n, N=block, num_warps=warps)

    def groups(groups, warps):
        return lambda: cross_entropy_groups_kernel[(m,)](logits, target, out, n, M=groups, N=8, num_warps=warps)

    launches = {
        f"block {block}, {warps} warps": blocks(block, warps)
        for block, warps in ((2048, 4), (4096, 4), (4096, 8), (8192, 8), (8192, 16), (16384, 16), (32768, 32))
    } | {
        f"block {count}x8, {warps} warps": groups(count, warps)
        for count, warps in ((256, 8), (512, 4), (512, 8), (1024, 8), (1024, 16), (2048, 16))
    }
    loss = lambda x, t: torch.nn.functional.cross_entropy(x, t, reduction="none")
    reference = lambda rows: loss(logits[rows].double(), target[rows])
    return Work(lambda: loss(logits, target), launches, out, reference, tolerance=tolerance(dtype))


def transpose(dtype, shape, draw):
    m, n = shape
    x = normal(draw, dtype, m, n)
    out = torch.empty(n, m, dtype=dtype, device=draw.device)

    def launch(rows, cols, warps):
        grid = (triton.cdiv(n, cols), triton.cdiv(m, rows))
        return lambda: transpose_kernel[grid](x, out, m, n, M=rows, N=cols, num_warps=warps)

    shapes = ((32, 64, 4), (64, 32, 4), (64, 64, 4), (64, 64, 8), (64, 128, 8), (128, 64, 8), (128, 128, 8))
    launches = {f"tile {rows}x{cols}, {warps} warps": launch(rows, cols, warps) for rows, cols, warps in shapes}
    return Work(lambda: out.copy_(x.t()), launches, out, lambda rows: x.t()[rows].double())


def row_sum(dtype, shape, draw):
    x = normal(draw, dtype, *shape)
    out = torch.empty(shape[0], device=draw.device)
    launches = by_rows(row_sum_kernel, (x, out), (), *shape)
    total = lambda: torch.sum(x, 1, dtype=torch.float32)
    return Work(total, launches, out, lambda rows: x[rows].double().sum(1), tolerance=1e-5)


def column_sum(dtype, shape, draw):
    m, n = shape
    x = normal(draw, dtype, m, n)
    out = torch.empty(n, device=draw.device)
    partial = torch.empty(128, n, device=draw.device)

    def launch(rows, cols, warps, parts):
        def both():
            grid = (triton.cdiv(n, cols), parts)
            column_sum_kernel[grid](x, partial, m, n, triton.cdiv(m, parts), M=rows, N=cols, num_warps=warps)
            column_sum_kernel[(triton.cdiv(n, 32), 1)](partial, out, parts, n, parts, M=32, N=32, num_warps=4)

        return both

    shapes = ((16, 128, 4, 32), (16, 128, 4, 64), (16, 256, 8, 64), (32, 128, 8, 64), (16, 128, 4, 128), (8, 256, 4, 128))
    names = (f"tile {rows}x{cols}, {parts} parts, {warps} warps" for rows, cols, warps, parts in shapes)
    launches = dict(zip(names, (launch(*shape) for shape in shapes)))
    total = lambda: torch.sum(x, 0, dtype=torch.float32)
    return Work(total, launches, out, lambda rows: x[:, rows].double().sum(0), tolerance=1e-5)


BENCHES = {
    "copy": copy,
    "add": add,
    "softmax": softmax,
    "layernorm": layernorm,
    "rmsnorm": rmsnorm,
    "cross-entropy": cross_entropy,
    "transpose": transpose,
    "row sum": row_sum,
    "column sum": column_sum,
}
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
