//! Joins, splits, gathers and histograms: programs of the SIMT executor against the interpreter.

use mytriton_codegen_ptx::ptxas::Ptxas;
use mytriton_compiler::{CompileOptions, Stage, Target, emit};
use mytriton_ssa::Scalar;
use proptest::prelude::*;

use crate::case::{Case, WARPS, block, count, shapes};
use crate::pipeline;

fn with(dims: &[u32], last: u32) -> Vec<u32> {
    [dims, &[last]].concat()
}

/// The block and its double, joined and split again, each stored too.
fn pairs(scalar: Scalar, dims: &[u32]) -> Case {
    let (half, pair) = (block(scalar.name(), dims), block(scalar.name(), &with(dims, 2)));
    Case {
        scalar,
        dims: dims.to_vec(),
        body: format!(
            "%w = add %v, %v : {half}
             %r0 = join %v, %w : {half}
             %d = add %r0, %r0 : {pair}
             %r1, %r2 = split %d : {pair}\n"
        ),
        results: vec![
            (scalar, with(dims, 2)),
            (scalar, dims.to_vec()),
            (scalar, dims.to_vec()),
        ],
    }
}

/// Elements at scattered indices of some type along an axis; `named` indices of it for each place of the others.
fn gather(scalar: Scalar, dims: &[u32], axis: usize, named: u32, index: Scalar) -> Case {
    let mut of_index = dims.to_vec();
    of_index[axis] = named;
    let n = count(&of_index);
    let line = block("i32", &[n]);
    let (places, indices) = (block("i32", &of_index), block(index.name(), &of_index));
    let (name, resize) = match index {
        Scalar::I32 => ("i", String::new()),
        Scalar::I64 => ("at", format!("%i = zext %at : {places} to {indices}")),
        _ => ("at", format!("%i = trunc_int %at : {places} to {indices}")),
    };
    Case {
        scalar,
        dims: dims.to_vec(),
        body: format!(
            "%n = range 0, {n}
             %seven = const 7 : {line}
             %many = mul %n, %seven : {line}
             %end = const {} : {line}
             %below = rem_u %many, %end : {line}
             %{name} = reshape %below : {line} to {places}
             {resize}
             %r0 = gather %v, %i axis {axis} : {} to {}\n",
            dims[axis],
            block(scalar.name(), dims),
            block(scalar.name(), &of_index),
        ),
        results: vec![(scalar, of_index)],
    }
}

/// What elements count, all of them and every third.
fn histogram(scalar: Scalar, dims: &[u32], bins: u32) -> Case {
    let n = count(dims);
    let (ty, to) = (block(scalar.name(), dims), block("i32", &[bins]));
    let line = block("i32", &[n]);
    Case {
        scalar,
        dims: dims.to_vec(),
        body: format!(
            "%n = range 0, {n}
             %three = const 3 : {line}
             %rest = rem_u %n, %three : {line}
             %zero = const 0 : {line}
             %third = cmp eq %rest, %zero : {line}
             %mask = reshape %third : {} to {}
             %r0 = histogram %v : {ty} to {to}
             %r1 = histogram %v, %mask : {ty} to {to}\n",
            block("i1", &[n]),
            block("i1", dims),
        ),
        results: vec![(Scalar::I32, vec![bins]), (Scalar::I32, vec![bins])],
    }
}

#[test]
fn joins_and_splits() {
    for (scalar, dims) in [
        (Scalar::F32, &[1][..]),
        (Scalar::I8, &[128]),
        (Scalar::I64, &[100]),
        (Scalar::F16, &[513]),
        (Scalar::I32, &[3, 17]),
        (Scalar::F64, &[4, 5, 6]),
        (Scalar::I16, &[2, 3, 4, 5]),
        (Scalar::I32, &[1, 1, 1, 64]),
    ] {
        pairs(scalar, dims).check(WARPS, false);
    }
}

/// What goes to and comes from scalars, and pairs of pairs.
#[test]
fn pairs_of_scalars() {
    let body = "%a, %b = split %v : tile<2xi32>
        %c = sub %a, %b : i32
        %r0 = join %c, %a : i32
        %p = join %v, %r0 : tile<2xi32>
        %q = transpose %p [1, 0] : tile<2x2xi32> to tile<2x2xi32>
        %r1 = reshape %q : tile<2x2xi32> to tile<4xi32>
        %d, %e = split %q : tile<2x2xi32>
        %f, %r2 = split %e : tile<2xi32>\n";
    let case = Case {
        scalar: Scalar::I32,
        dims: vec![2],
        body: body.to_owned(),
        results: vec![(Scalar::I32, vec![2]), (Scalar::I32, vec![4]), (Scalar::I32, vec![])],
    };
    case.check(WARPS, false);
}

#[test]
fn gathers_along_every_axis() {
    for (scalar, dims, axis, named, index) in [
        (Scalar::F32, &[1][..], 0, 1, Scalar::I32),
        (Scalar::F32, &[128], 0, 128, Scalar::I32),
        (Scalar::I8, &[100], 0, 37, Scalar::I8),
        (Scalar::I64, &[17], 0, 513, Scalar::I64),
        (Scalar::F16, &[16, 32], 0, 16, Scalar::I16),
        (Scalar::F16, &[16, 32], 1, 5, Scalar::I32),
        (Scalar::F64, &[3, 17], 0, 1, Scalar::I32),
        (Scalar::I32, &[3, 17], 1, 33, Scalar::I8),
        (Scalar::BF16, &[4, 5, 6], 1, 9, Scalar::I32),
        (Scalar::I16, &[2, 3, 4, 5], 2, 3, Scalar::I64),
    ] {
        gather(scalar, dims, axis, named, index).check(WARPS, false);
    }
}

#[test]
fn histograms_of_every_type_and_extent() {
    for (scalar, dims, bins) in [
        (Scalar::I32, &[1][..], 1),
        (Scalar::I32, &[513], 64),
        (Scalar::I32, &[1000], 17),
        (Scalar::I1, &[100], 2),
        (Scalar::I1, &[3, 17], 5),
        (Scalar::I8, &[1024], 256),
        (Scalar::I8, &[127], 300),
        (Scalar::I8, &[127], 100),
        (Scalar::I16, &[4, 5, 6], 1000),
        (Scalar::I64, &[2, 3, 4, 5], 127),
    ] {
        histogram(scalar, dims, bins).check(WARPS, false);
    }
}

/// Numbers that crowd into few bins, in which all threads count at once.
#[test]
fn histograms_of_few_different_numbers() {
    let mut case = histogram(Scalar::I32, &[1000], 3);
    case.body = format!(
        "%four = const 4 : tile<1000xi32>
         %u = rem_u %v, %four : tile<1000xi32>
         {}",
        case.body.replace("histogram %v", "histogram %u")
    );
    case.check(WARPS, false);
}

/// What stays in a thread takes no shared memory.
#[test]
fn pairs_stay_in_their_threads() {
    let text = |case: &Case| {
        let options = CompileOptions {
            num_warps: 4,
            ..CompileOptions::new(Target::Sm90a)
        };
        emit(&case.kernel(), Stage::Gpu, &options).unwrap()
    };
    let in_half = |body: &str| Case {
        scalar: Scalar::F32,
        dims: vec![1024],
        body: body.to_owned(),
        results: vec![(Scalar::F32, vec![1024])],
    };
    let case = in_half(
        "%p = join %v, %v : tile<1024xf32>
         %q = add %p, %p : tile<1024x2xf32>
         %a, %b = split %q : tile<1024x2xf32>
         %r0 = add %a, %b : tile<1024xf32>\n",
    );
    let found = text(&case);
    assert!(!found.contains("llvm.mlir.global"), "{found}");
    assert!(text(&gather(Scalar::F32, &[128], 0, 128, Scalar::I32)).contains("llvm.mlir.global"));
}

proptest! {
    #![proptest_config(pipeline::cases(24))]

    #[test]
    fn random_shapes(
        (dims, axis) in shapes(),
        scalar in prop::sample::select(vec![Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]),
        form in prop::sample::select(vec!["pairs", "gather", "histogram"]),
        named in prop::sample::select(vec![1u32, 2, 3, 17]),
        index in prop::sample::select(vec![Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]),
        warps in prop::sample::select(vec![1u32, 2, 4, 8, 16]),
        target in prop::sample::select(&pipeline::TARGETS),
    ) {
        let case = match form {
            "pairs" => pairs(scalar, &dims),
            "gather" => gather(scalar, &dims, axis, named, index),
            _ => histogram(scalar, &dims, 5 * named),
        };
        case.check(&[warps], false);
        pipeline::assert_compiles(&case.kernel(), target, warps, Ptxas::find_for_tests().as_ref());
    }
}
