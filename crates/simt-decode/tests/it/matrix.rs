//! Matrices: what their operations become, what they compute, and what is not known of them.

use mytriton_simt::{Launch, Memory, Options, run};

use crate::run::launch;
use crate::{decoded, kernel, listed};

const B16: &str = "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>";

fn error(parameters: &str, body: &str) -> String {
    match decoded(&kernel(parameters, body)) {
        Ok(_) => panic!("known after all:\n{body}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn matrices_are_loaded_and_stored() {
    let body = format!(
        "%s = llvm.inttoptr %sa : i64 to !llvm.ptr<3>
         %x = nvvm.ldmatrix %s {{num = 4 : i32, layout = #nvvm.mma_layout<col>, {B16}}} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
         %y = nvvm.ldmatrix %s {{num = 1 : i32, layout = #nvvm.mma_layout<row>, {B16}}} : (!llvm.ptr<3>) -> i32
         %x3 = llvm.extractvalue %x[3] : !llvm.struct<(i32, i32, i32, i32)>
         nvvm.stmatrix %s, %x3, %y {{layout = #nvvm.mma_layout<row>, {B16}}} : !llvm.ptr<3>, i32, i32"
    );
    insta::assert_snapshot!(listed("%sa: i64", &body), @"
    k(r0: 64)
      0 {r1, r2, r3, r4} = ldmatrix.trans [r0]
      1 {r5} = ldmatrix [r0]
      2 stmatrix [r0], {r4, r5}
      3 end
    ");
}

#[test]
fn products_of_warps() {
    let body = "
      %h = vector.broadcast %e : f16 to vector<2xf16>
      %x = nvvm.mma.sync A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %y = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %z = nvvm.mma.sync A[%h, %h] B[%h] C[%h, %h] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
      %w = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%i, %i, %i, %i] {intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<u8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>";
    insta::assert_snapshot!(listed("%e: f16, %i: i32, %f: f32", body), @"
    k(r0: 16, r1: 32, r2: 32)
      0 {r3, r4, r5, r6}b32 = mma.k16.F16.F16.F32 {r0, r0, r0, r0, r0, r0, r0, r0}b16, {r0, r0, r0, r0}b16, {r2, r2, r2, r2}b32
      1 {r7, r8, r9, r10}b32 = mma.k16.BF16.BF16.F32 {r1, r1, r1, r1}b32, {r1, r1}b32, {r2, r2, r2, r2}b32
      2 {r11, r12, r13, r14}b16 = mma.k8.F16.F16.F16 {r0, r0, r0, r0}b16, {r0, r0}b16, {r0, r0, r0, r0}b16
      3 {r15, r16, r17, r18}b32 = mma.k32.S8.U8.S32.satfinite {r1, r1, r1, r1}b32, {r1, r1}b32, {r1, r1, r1, r1}b32
      4 end
    ");
}

/// A product of 64 x n x k: types of the struct, D, A and B, "scale-d", and sign and order of A and B.
fn wgmma(types: [&str; 4], n: u32, k: u32, options: [&str; 5]) -> String {
    let [ty, d, a, b] = types;
    let [scale_d, sign_a, order_a, sign_b, order_b] = options;
    format!(
        "nvvm.wgmma.mma_async %a, %b, %c, #nvvm.shape<m = 64, n = {n}, k = {k}>, D [<{d}>, #nvvm.wgmma_scale_out<{scale_d}>], \
         A [<{a}>, #nvvm.wgmma_scale_in<{sign_a}>, <{order_a}>], B [<{b}>, #nvvm.wgmma_scale_in<{sign_b}>, <{order_b}>] \
         : {ty} -> {ty}"
    )
}

/// Code up to `%c`, all of whose registers are one constant's.
fn zeros(ty: &str) -> String {
    format!("%c = llvm.mlir.zero : {ty}\n")
}

#[test]
fn products_of_warp_groups() {
    let ty = "!llvm.struct<(f32, f32, f32, f32)>";
    let product = wgmma([ty, "f32", "bf16", "bf16"], 8, 16, ["one", "one", "row", "neg", "row"]);
    let body = format!(
        "{}nvvm.wgmma.fence.aligned\n%r = {product}\nnvvm.wgmma.commit.group.sync.aligned\n\
         nvvm.wgmma.wait.group.sync.aligned 1",
        zeros(ty)
    );
    insta::assert_snapshot!(listed("%a: i64, %b: i64", &body), @"
    k(r0: 64, r1: 64)
      0 WgmmaFence
      1 {r4, r5, r6, r7}b32 = wgmma.n8.BF16.BF16.F32 [r0], -[r1].trans, {0, 0, 0, 0}b32 if 1
      2 WgmmaCommit
      3 WgmmaWait { pending: 1 }
      4 end
    ");
    for (ty, types, k, part) in [
        (
            "!llvm.struct<(vector<2xf16>, vector<2xf16>)>",
            ["f16", "f16", "f16"],
            16,
            "{r3, r4, r5, r6}b16 = wgmma.n8.F16.F16.F16 [r0], [r1]",
        ),
        (
            "!llvm.struct<(i32, i32)>",
            ["f16", "f16", "f16"],
            16,
            "{r3, r4}b32 = wgmma.n8.F16.F16.F16 [r0], [r1]",
        ),
        (
            "!llvm.struct<(i32, i32, i32, i32)>",
            ["s32", "s8", "u8"],
            32,
            "wgmma.n8.S8.U8.S32 [r0], [r1]",
        ),
        (
            "!llvm.struct<(f32, f32, f32, f32)>",
            ["f32", "tf32", "tf32"],
            8,
            "wgmma.n8.TF32.TF32.F32 [r0], [r1]",
        ),
        (
            "!llvm.struct<(f32, f32, f32, f32)>",
            ["f32", "e4m3", "e5m2"],
            32,
            "wgmma.n8.E4M3.E5M2.F32 [r0], [r1]",
        ),
    ] {
        let [d, a, b] = types;
        let product = wgmma([ty, d, a, b], 8, k, ["zero", "one", "row", "one", "col"]);
        let text = listed("%a: i64, %b: i64", &format!("{}%r = {product}", zeros(ty)));
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn what_is_not_known_is_named() {
    let s = "%s = llvm.inttoptr %a : i64 to !llvm.ptr<3>\n";
    let body = format!(
        "{s}%x = nvvm.ldmatrix %s {{num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 16, \
         n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8>}} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>"
    );
    insta::assert_snapshot!(error("%a: i64", &body), @"kernel.mlir:4:6: in kernel 'k': the executor does not know attribute shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16> of 'nvvm.ldmatrix'");
    let body = "%x = nvvm.mma.sync A[%d] B[%d] C[%d, %d] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, \
                shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (f64, f64, f64) -> !llvm.struct<(f64, f64)>";
    insta::assert_snapshot!(error("%d: f64", body), @"kernel.mlir:3:6: in kernel 'k': the executor does not know attribute shape = #nvvm.shape<m = 8, n = 8, k = 4> of 'nvvm.mma.sync'");
    let body = "%x = nvvm.mma.sync A[%i, %i] B[%i] C[%i, %i, %i, %i] {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, \
                layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = \
                #nvvm.mma_type<s4>, multiplicandBPtxType = #nvvm.mma_type<s4>, shape = #nvvm.shape<m = 16, n = 8, k = 32>} : \
                (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>";
    insta::assert_snapshot!(error("%i: i32", body), @"kernel.mlir:3:6: in kernel 'k': the executor does not know attribute multiplicandAPtxType = #nvvm.mma_type<s4> of 'nvvm.mma.sync'");
    let ty = "!llvm.struct<(i32, i32, i32, i32)>";
    let product = wgmma([ty, "s32", "b1", "b1"], 8, 256, ["one", "one", "row", "one", "col"]);
    insta::assert_snapshot!(error("%a: i64, %b: i64", &format!("{}%r = {product}", zeros(ty))), @"kernel.mlir:4:6: in kernel 'k': the executor does not know attribute typeA = #nvvm.wgmma_type<b1> of 'nvvm.wgmma.mma_async'");
    let ty = "!llvm.struct<(f16, f16)>";
    let product = wgmma([ty, "f16", "f16", "f16"], 8, 16, ["one", "one", "row", "one", "col"]);
    insta::assert_snapshot!(error("%a: i64, %b: i64", &format!("{}%r = {product}", zeros(ty))), @"kernel.mlir:4:6: in kernel 'k': 'nvvm.wgmma.mma_async': 2 registers of 16 bits for a lane's share of C: it must be 4");
}

/// Rounds of the loop in [`summed`].
const ROUNDS: usize = 3;
/// Bytes of A and B in shared memory: for each round 64x16 of A, then 16x8 of B each, padded to whole rounds of copying.
const BYTES: usize = 7168;

/// Sums three products of 64x16 and 16x8 in a loop that carries the sums, with one product in flight from round to round.
fn summed(last_wait: &str) -> String {
    let ty = "!llvm.struct<(f32, f32, f32, f32)>";
    let product = wgmma([ty, "f32", "bf16", "bf16"], 8, 16, ["one", "one", "row", "one", "col"]);
    format!(
        "gpu.module @kernels {{
          llvm.mlir.global internal @tile() {{addr_space = 3 : i32, alignment = 1024 : i64}} : !llvm.array<{BYTES} x i8>
          gpu.func @k(%in: i64, %out: i64) kernel {{
            %t = nvvm.read.ptx.sreg.tid.x : i32
            %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
            %g = llvm.inttoptr %in : i64 to !llvm.ptr<1>
            %o = llvm.inttoptr %out : i64 to !llvm.ptr<1>
            %c0 = arith.constant 0 : i32
            %c1 = arith.constant 1 : i32
            %c14 = arith.constant 14 : i32
            %c128 = arith.constant 128 : i32
            scf.for %i = %c0 to %c14 step %c1 : i32 {{
              %first = arith.muli %i, %c128 : i32
              %at = arith.addi %first, %t : i32
              %from = llvm.getelementptr %g[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
              %to = llvm.getelementptr %tile[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
              %w = llvm.load %from : !llvm.ptr<1> -> i32
              llvm.store %w, %to : i32, !llvm.ptr<3>
            }}
            nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}
            gpu.barrier
            %zeros = llvm.mlir.zero : {ty}
            %r0 = arith.constant 0 : i64
            %r1 = arith.constant 1 : i64
            %r3 = arith.constant {ROUNDS} : i64
            %start = llvm.ptrtoint %tile : !llvm.ptr<3> to i64
            %c4 = arith.constant 4 : i64
            %start16 = arith.shrui %start, %c4 : i64
            %strides = arith.constant {strides} : i64
            %a0 = arith.addi %start16, %strides : i64
            %behind = arith.constant 384 : i64
            %b0 = arith.addi %a0, %behind : i64
            %next_a = arith.constant 128 : i64
            %next_b = arith.constant 16 : i64
            %sums = scf.for %s = %r0 to %r3 step %r1 iter_args(%c = %zeros) -> ({ty}) : i64 {{
              %by_a = arith.muli %s, %next_a : i64
              %a = arith.addi %a0, %by_a : i64
              %by_b = arith.muli %s, %next_b : i64
              %b = arith.addi %b0, %by_b : i64
              nvvm.wgmma.fence.aligned
              %r = {product}
              nvvm.wgmma.commit.group.sync.aligned
              nvvm.wgmma.wait.group.sync.aligned 1
              scf.yield %r : {ty}
            }}
            {last_wait}
            %d0 = llvm.extractvalue %sums[0] : {ty}
            %d1 = llvm.extractvalue %sums[1] : {ty}
            %d2 = llvm.extractvalue %sums[2] : {ty}
            %d3 = llvm.extractvalue %sums[3] : {ty}
            %d = vector.from_elements %d0, %d1, %d2, %d3 : vector<4xf32>
            %own = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
            llvm.store %d, %own : vector<4xf32>, !llvm.ptr<1>
            gpu.return
          }}
        }}",
        // Core matrices of 128 bytes: along k one after another, 256 bytes along m and n.
        strides = (128u64 >> 4) << 16 | (256u64 >> 4) << 32
    )
}

fn element_a(i: usize, k: usize) -> f32 {
    ((3 * i + 5 * k) % 7) as f32 - 3.0
}

fn element_b(k: usize, j: usize) -> f32 {
    ((2 * k + 3 * j) % 5) as f32 - 2.0
}

/// A and B as they lie in shared memory.
fn tiles() -> Vec<u8> {
    let mut image = vec![0; BYTES];
    let mut put = |at: usize, number: f32| image[at..at + 2].copy_from_slice(&number.to_bits().to_le_bytes()[2..]);
    for round in 0..ROUNDS {
        for k in 0..16 {
            let at = |mn: usize| mn / 8 * 256 + k / 8 * 128 + mn % 8 * 16 + k % 8 * 2;
            (0..64).for_each(|i| put(round * 2048 + at(i), element_a(i, 16 * round + k)));
            (0..8).for_each(|j| put(6144 + round * 256 + at(j), element_b(16 * round + k, j)));
        }
    }
    image
}

#[test]
fn sums_in_a_loop_are_computed() {
    let programs = decoded(&summed("nvvm.wgmma.wait.group.sync.aligned 0")).expect("a known kernel");
    let mut memory = Memory::new();
    let input = memory.add_buffer("in", &tiles()).expect("room");
    let out = memory.add_zeros("out", 64 * 8 * 4).expect("room");
    let args = [input, out].map(|buffer| memory.address(buffer).expect("a buffer"));
    launch(&programs[0], &memory, &args, 1, 128);
    let result = memory.read_back(out).expect("a buffer");
    for (index, bytes) in result.chunks_exact(4).enumerate() {
        let (thread, register) = (index / 4, index % 4);
        let (warp, lane) = (thread / 32, thread % 32);
        let (i, j) = (16 * warp + lane / 4 + register / 2 * 8, lane % 4 * 2 + register % 2);
        let expected: f32 = (0..16 * ROUNDS).map(|k| element_a(i, k) * element_b(k, j)).sum();
        assert_eq!(
            f32::from_le_bytes(bytes.try_into().expect("4 bytes")),
            expected,
            "({i}, {j})"
        );
    }
}

#[test]
fn results_used_before_the_wait_are_found() {
    let programs = decoded(&summed("")).expect("a known kernel");
    let mut memory = Memory::new();
    let input = memory.add_buffer("in", &tiles()).expect("room");
    let out = memory.add_zeros("out", 64 * 8 * 4).expect("room");
    let args = [input, out].map(|buffer| memory.address(buffer).expect("a buffer"));
    let launch = Launch {
        grid: [1; 3],
        block: [128, 1, 1],
        dynamic_shared_bytes: 0,
    };
    let report = run(&programs[0], launch, &args, &memory, &Options::default()).expect("a launch that fits");
    let found: Vec<_> = report
        .findings
        .iter()
        .map(|finding| (finding.kind.name(), &*finding.site.place.op))
        .collect();
    let expected = [
        // Nobody waits for the last one.
        ("asynchronous", "nvvm.wgmma.mma_async"),
        ("pending-register", "llvm.store"),
    ];
    assert_eq!(found, expected, "{:?}", report.findings);
}
