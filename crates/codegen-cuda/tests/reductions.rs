//! Reductions, scans, reshapes and transposes on the host, compared with the reference interpreter: every type, extents
//! around powers of two and warps, every axis, inside loops and branches, and the sizes that are refused.

mod common;

use common::host::{Host, Value, agrees, interpret};
use common::moving::{Tiles, choices, layer_norm, moving, online, reductions, scans};
use common::{Random, bytes, numbers};
use mytriton_codegen_cuda::{CudaError, Options, generate};
use mytriton_ssa::{Const, Elem, Kernel, Scalar, parse_module};

/// Runs kernels whose parameters are buffers: inputs `x` of small whole numbers, `z` of any, `f` of fractions; outputs.
fn check(tiles: &[Tiles], ulps: u64) {
    let kernels: Vec<&Kernel> = tiles.iter().map(|tiles| &tiles.kernel).collect();
    let host = Host::compile(&kernels);
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for (index, tiles) in tiles.iter().enumerate() {
        let mut scalars = Vec::new();
        let mut args = Vec::new();
        for (param, &size) in tiles.kernel.params().iter().zip(&tiles.sizes) {
            let Elem::Ptr(scalar) = tiles.kernel.ty(param.value).elem else {
                unreachable!()
            };
            let content: Vec<u64> = match param.name.as_str() {
                // Sums of so small numbers are exact in every order.
                "x" => (0..size)
                    .map(|_| Const::from_f64(scalar, random.below(5) as f64 - 2.0).bits())
                    .collect(),
                "f" => (0..size)
                    .map(|_| Const::from_f64(scalar, random.below(4096) as f64 / 512.0 - 4.0).bits())
                    .collect(),
                "z" => {
                    let all = numbers(scalar, &mut random);
                    (0..size).map(|_| random.pick(&all)).collect()
                }
                _ => vec![0; size],
            };
            scalars.push(scalar);
            args.push(Value::Buffer(scalar, bytes(scalar, &content)));
        }
        let expected = interpret(&tiles.kernel, [1, 1, 1], &args);
        for backwards in [false, true] {
            let found = host.run(index, [1, 1, 1], &args, backwards);
            for (which, (scalar, (expected, found))) in scalars.iter().zip(expected.iter().zip(&found)).enumerate() {
                let width = scalar.bytes() as usize;
                let read = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |n, &byte| n << 8 | u64::from(byte));
                let pairs = expected.chunks(width).zip(found.chunks(width));
                let wrong = pairs
                    .map(|(e, f)| (read(e), read(f)))
                    .enumerate()
                    .find(|(_, (e, f))| !agrees(*scalar, *e, *f, ulps));
                let name = &tiles.kernel.params()[which].name;
                let source = &host.sources[index].source;
                assert_eq!(
                    wrong, None,
                    "{name}, backwards: {backwards}\n{}\n{source}",
                    tiles.kernel
                );
            }
        }
    }
}

#[test]
fn every_type() {
    let mut all = Vec::new();
    for scalar in Scalar::ALL {
        for (shape, axis) in [(&[37][..], 0), (&[5, 19], 1), (&[19, 5], 0)] {
            all.push(reductions(scalar, shape, axis).unwrap());
            all.push(scans(scalar, shape, axis).unwrap());
        }
        all.push(moving(scalar, &[3, 4, 5]).unwrap());
    }
    check(&all, 0);
}

#[test]
fn every_extent() {
    let mut all = Vec::new();
    for extent in [1, 2, 3, 17, 127, 128, 513, 1500] {
        for (shape, axis) in [(vec![extent], 0), (vec![3, extent], 1), (vec![extent, 3], 0)] {
            all.push(reductions(Scalar::I32, &shape, axis).unwrap());
            all.push(scans(Scalar::I32, &shape, axis).unwrap());
        }
    }
    check(&all, 0);
}

#[test]
fn every_axis() {
    let mut all = Vec::new();
    for shape in [
        &[17, 1][..],
        &[1, 17],
        &[64, 64],
        &[3, 5, 7],
        &[8, 1, 16],
        &[2, 3, 4, 5],
        &[7, 1, 9, 20],
        &[2, 3, 2, 3, 2],
    ] {
        for axis in 0..shape.len() {
            all.push(reductions(Scalar::I32, shape, axis).unwrap());
            all.push(scans(Scalar::I32, shape, axis).unwrap());
        }
        all.push(moving(Scalar::I32, shape).unwrap());
    }
    check(&all, 0);
}

/// Elements joined, split, chosen and counted.
#[test]
fn elements_from_elsewhere() {
    let mut all = Vec::new();
    for scalar in Scalar::ALL {
        all.push(choices(scalar, &[37], 0, 5).unwrap());
        all.push(choices(scalar, &[5, 19], 1, 256).unwrap());
    }
    for (shape, axis) in [
        (&[1][..], 0),
        (&[2], 0),
        (&[1500], 0),
        (&[19, 5], 0),
        (&[64, 64], 1),
        (&[3, 5, 7], 1),
        (&[8, 1, 16], 1),
        (&[2, 3, 4, 5], 2),
        (&[2, 3, 2, 3, 2], 0),
    ] {
        all.push(choices(Scalar::I32, shape, axis, 17).unwrap());
    }
    check(&all, 0);
}

/// The same of tiles and counters that go in windows.
#[test]
fn large_choices() {
    let all = [
        choices(Scalar::I64, &[100, 130], 0, 13_000).unwrap(),
        choices(Scalar::F64, &[130, 100], 1, 30_000).unwrap(),
        choices(Scalar::I32, &[3, 4001], 1, 1).unwrap(),
    ];
    for tiles in &all[..2] {
        let cuda = generate(&tiles.kernel, &Options::default()).unwrap();
        assert!(cuda.source.contains("for (u32 base = 0;"), "{}", cuda.source);
    }
    check(&all, 0);
}

/// Tiles that shared memory does not hold at once, by the largest reduction even or by all.
#[test]
fn large_tiles() {
    let mut all = Vec::new();
    for (shape, axes) in [
        (&[100, 130][..], 0..2),
        (&[7, 90, 13], 1..2),
        (&[3, 3001], 0..2),
        (&[129, 128], 0..2),
    ] {
        for axis in axes {
            all.push(reductions(Scalar::I64, shape, axis).unwrap());
            all.push(scans(Scalar::I32, shape, axis).unwrap());
        }
    }
    all.push(reductions(Scalar::F16, &[128, 128], 1).unwrap());
    all.push(reductions(Scalar::I1, &[250, 160], 0).unwrap());
    all.push(moving(Scalar::I64, &[70, 111]).unwrap());
    for tiles in &all {
        let cuda = generate(&tiles.kernel, &Options::default()).unwrap();
        assert!(cuda.source.contains("the lines have been read"), "{}", cuda.source);
    }
    check(&all, 0);
}

/// Functions of floats and sums in another order: a few units of the last place.
#[test]
fn normalised_rows() {
    let mut all = Vec::new();
    for (rows, columns) in [(1, 77), (4, 64), (3, 513), (16, 100)] {
        all.push(layer_norm(rows, columns).unwrap());
    }
    check(&all, 64);
}

/// Reductions in `for`, `while` and `if`, whose results decide how often and whether.
#[test]
fn control_flow() {
    check(
        &[online(1, 33).unwrap(), online(5, 16).unwrap(), online(3, 700).unwrap()],
        0,
    );
}

#[test]
fn threads_follow_the_reduction() {
    // A scalar output and a reduction of four elements: four threads.
    for (shape, threads) in [
        (vec![4], 4),
        (vec![1000], 1000),
        (vec![4, 300], 256),
        (vec![64, 64], 256),
    ] {
        let tiles = reductions(Scalar::F32, &shape, shape.len() - 1).unwrap();
        let cuda = generate(&tiles.kernel, &Options::default()).unwrap();
        assert_eq!(cuda.block_dim, threads, "{shape:?}");
    }
    let text = "kernel @k(%p: ptr<f32>) {
        %i = range 0, 4
        %ps = splat %p : tile<4xptr<f32>>
        %pi = addptr %ps, %i : tile<4xptr<f32>>
        %v = load %pi : tile<4xptr<f32>>
        %s = reduce %v axis 0 : tile<4xf32> (%a, %b) { %c = add %a, %b : f32 yield %c }
        store %p, %s : ptr<f32>
    }";
    let cuda = generate(&parse_module(text, "k.ssa").unwrap().kernels[0], &Options::default()).unwrap();
    assert_eq!(cuda.block_dim, 4);
    assert!(cuda.source.contains("u8 mt_shared[16];"), "{}", cuda.source);
}

#[test]
fn what_only_relabels_moves_nothing() {
    let text = "kernel @k(%p: ptr<f32>, %q: ptr<f32>) {
        %i = range 0, 64
        %j = reshape %i : tile<64xi32> to tile<1x64xi32>
        %k = reshape %i : tile<64xi32> to tile<8x8xi32>
        %t = transpose %k [1, 0] : tile<8x8xi32> to tile<8x8xi32>
        %m = reshape %k : tile<8x8xi32> to tile<64xi32>
        %one = reduce %j axis 0 : tile<1x64xi32> (%a, %b) { %c = add %a, %b : i32 yield %c }
        %same = scan %j axis 0 : tile<1x64xi32> (%a2, %b2) { %c2 = add %a2, %b2 : i32 yield %c2 }
        %flat = reshape %same : tile<1x64xi32> to tile<64xi32>
        %n = add %m, %one : tile<64xi32>
        %o = add %n, %flat : tile<64xi32>
        %f = s_to_f %o : tile<64xi32> to tile<64xf32>
        %ps = splat %p : tile<64xptr<f32>>
        %pi = addptr %ps, %i : tile<64xptr<f32>>
        store %pi, %f : tile<64xptr<f32>>
    }";
    let cuda = generate(&parse_module(text, "k.ssa").unwrap().kernels[0], &Options::default()).unwrap();
    assert!(!cuda.source.contains("__syncthreads"), "{}", cuda.source);
    assert!(!cuda.source.contains("mt_shared"), "{}", cuda.source);
    // With another reader of the reshaped tile, in another order, it goes through shared memory.
    let staged = text.replace("%m = reshape %k", "%m = reshape %t");
    let cuda = generate(&parse_module(&staged, "k.ssa").unwrap().kernels[0], &Options::default()).unwrap();
    assert!(cuda.source.contains("mt_shared"), "{}", cuda.source);
}

#[test]
fn lines_larger_than_shared_memory_are_refused() {
    let text = "kernel @k(%p: ptr<f32>) {
        %i = range 0, 12000
        %f = s_to_f %i : tile<12000xi32> to tile<12000xf32>
        %s, %at = reduce %f, %i axis 0 : tile<12000xf32>, tile<12000xi32> (%a, %i0, %b, %i1) {
          %c = add %a, %b : f32
          yield %c, %i0
        }
        store %p, %s : ptr<f32>
    }";
    let kernel = &parse_module(text, "sum.ssa").unwrap().kernels[0];
    let error = generate(kernel, &Options::default()).unwrap_err();
    assert!(
        matches!(
            error,
            CudaError::SharedMemory {
                bytes: 96000,
                limit: 49152,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "kernel 'k': the reduce at sum.ssa:4:9 keeps the elements along its axis in shared memory, which takes 96000 bytes ('f' of \
         type tile<12000xf32>: 48000 bytes, 'i' of type tile<12000xi32>: 48000 bytes), and a block has 49152: use \
         smaller tiles and a loop"
    );
    // One of them fits.
    let one = text.replace("%s, %at", "%s").replace("%f, %i axis", "%f axis");
    let one = one
        .replace(", tile<12000xi32> (", " (")
        .replace("(%a, %i0, %b, %i1)", "(%a, %b)")
        .replace("%c, %i0", "%c");
    let kernel = &parse_module(&one, "sum.ssa").unwrap().kernels[0];
    assert!(
        generate(kernel, &Options::default())
            .unwrap()
            .source
            .contains("mt_shared[48000]")
    );
}
