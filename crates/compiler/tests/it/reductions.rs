//! Reductions, scans, reshapes and transposes: programs of the SIMT executor against the interpreter.

use mytriton_codegen_ptx::ptxas::Ptxas;
use mytriton_compiler::{CompileOptions, Stage, Target, emit};
use mytriton_ssa::Scalar;
use proptest::prelude::*;

use crate::case::{Case, WARPS, block, shapes, without};
use crate::pipeline;

/// One operation of two elements.
fn simple(op: &str, scalar: Scalar) -> String {
    format!("(%a, %b) {{\n%c = {op} %a, %b : {scalar}\nyield %c\n}}")
}

fn reduction(scalar: Scalar, dims: &[u32], axis: usize, combine: &str) -> Case {
    Case {
        scalar,
        dims: dims.to_vec(),
        body: format!(
            "%r0 = reduce %v axis {axis} : {} {combine}\n",
            block(scalar.name(), dims)
        ),
        results: vec![(scalar, without(dims, axis))],
    }
}

#[test]
fn sums_of_every_type_and_extent() {
    for (scalar, extents) in [
        (Scalar::I8, &[3, 128][..]),
        (Scalar::I16, &[17]),
        (Scalar::I32, &[1, 3, 17, 32, 127, 128, 513, 1024]),
        (Scalar::I64, &[127]),
        (Scalar::F16, &[32, 513]),
        (Scalar::BF16, &[127]),
        (Scalar::F32, &[1, 128, 513]),
        (Scalar::F64, &[17, 128]),
    ] {
        for &extent in extents {
            reduction(scalar, &[extent], 0, &simple("add", scalar)).check(WARPS, false);
        }
    }
}

#[test]
fn axes_of_several_dimensions() {
    for dims in [
        &[16, 32][..],
        &[32, 16],
        &[3, 17],
        &[17, 3],
        &[1, 128],
        &[4, 5, 6],
        &[2, 3, 4, 5],
        &[8, 4, 16],
    ] {
        for axis in 0..dims.len() {
            reduction(Scalar::I32, dims, axis, &simple("add", Scalar::I32)).check(&[1, 4], false);
        }
    }
    reduction(Scalar::F16, &[64, 33], 0, &simple("max", Scalar::F16)).check(WARPS, true);
    reduction(Scalar::I8, &[33, 64], 1, &simple("xor", Scalar::I8)).check(WARPS, false);
}

#[test]
fn what_combines() {
    for (op, scalar) in [
        ("max", Scalar::F32),
        ("min", Scalar::BF16),
        ("min", Scalar::F64),
        ("max_s", Scalar::I8),
        ("min_u", Scalar::I64),
        ("xor", Scalar::I16),
    ] {
        reduction(scalar, &[127], 0, &simple(op, scalar)).check(WARPS, true);
    }
    let own = "(%a, %b) {
        %one = const 1 : i64
        %c = add %a, %one : i64
        %d = add %b, %one : i64
        %e = mul %c, %d : i64
        %f = sub %e, %one : i64
        yield %f
    }";
    reduction(Scalar::I64, &[100], 0, own).check(WARPS, false);
    reduction(Scalar::I64, &[6, 100], 1, own).check(WARPS, false);
}

#[test]
fn the_first_of_the_largest() {
    for (scalar, dims, axis) in [
        (Scalar::F32, &[513][..], 0),
        (Scalar::I8, &[4, 100], 1),
        (Scalar::F64, &[17, 8], 0),
        (Scalar::F16, &[2, 3, 37], 2),
    ] {
        let ints = block("i32", dims);
        let mut along = vec![1; dims.len()];
        along[axis] = dims[axis];
        let extent = dims[axis];
        let body = format!(
            "%n = range 0, {extent}
             %m = reshape %n : tile<{extent}xi32> to {along}
             %i = broadcast %m : {along} to {ints}
             %r0, %r1 = reduce %v, %i axis {axis} : {}, {ints} (%a, %j, %b, %k) {{
               %more = cmp gt %a, %b : {scalar}
               %same = cmp eq %a, %b : {scalar}
               %first = cmp lt %j, %k : i32
               %tie = and %same, %first : i1
               %take = or %more, %tie : i1
               %c = select %take, %a, %b : {scalar}
               %l = select %take, %j, %k : i32
               yield %c, %l
             }}\n",
            block(scalar.name(), dims),
            along = block("i32", &along),
        );
        let kept = without(dims, axis);
        let case = Case {
            scalar,
            dims: dims.to_vec(),
            body,
            results: vec![(scalar, kept.clone()), (Scalar::I32, kept)],
        };
        case.check(WARPS, false);
    }
}

#[test]
fn scans_in_both_directions() {
    for (scalar, dims, axis) in [
        (Scalar::I32, &[1][..], 0),
        (Scalar::I32, &[3], 0),
        (Scalar::I32, &[127], 0),
        (Scalar::I64, &[1024], 0),
        (Scalar::I8, &[513], 0),
        (Scalar::F32, &[128], 0),
        (Scalar::I32, &[16, 32], 0),
        (Scalar::I32, &[16, 32], 1),
        (Scalar::I16, &[17, 5], 0),
        (Scalar::F16, &[3, 4, 17], 1),
    ] {
        for reverse in ["", " reverse"] {
            let ty = block(scalar.name(), dims);
            let case = Case {
                scalar,
                dims: dims.to_vec(),
                body: format!("%r0 = scan %v axis {axis}{reverse} : {ty} {}\n", simple("add", scalar)),
                results: vec![(scalar, dims.to_vec())],
            };
            case.check(WARPS, false);
        }
    }
}

/// Linear functions one after another: associative, and the order matters.
#[test]
fn scans_keep_the_order() {
    for (dims, axis) in [(&[100][..], 0), (&[1024], 0), (&[8, 33], 0), (&[8, 33], 1)] {
        for reverse in ["", " reverse"] {
            let ty = block("i32", dims);
            let body = format!(
                "%r0, %r1 = scan %v, %v axis {axis}{reverse} : {ty}, {ty} (%a, %b, %c, %d) {{
                   %e = mul %a, %c : i32
                   %f = mul %b, %c : i32
                   %g = add %f, %d : i32
                   yield %e, %g
                 }}\n"
            );
            let case = Case {
                scalar: Scalar::I32,
                dims: dims.to_vec(),
                body,
                results: vec![(Scalar::I32, dims.to_vec()), (Scalar::I32, dims.to_vec())],
            };
            case.check(WARPS, false);
        }
    }
}

#[test]
fn elements_move() {
    for (dims, permutation) in [
        (&[16, 32][..], &[1, 0][..]),
        (&[3, 17], &[1, 0]),
        (&[2, 3, 4], &[2, 0, 1]),
        (&[5, 4, 3, 2], &[3, 1, 0, 2]),
    ] {
        let result: Vec<u32> = permutation.iter().map(|&axis| dims[axis]).collect();
        let case = Case {
            scalar: Scalar::I16,
            dims: dims.to_vec(),
            body: format!(
                "%r0 = transpose %v {permutation:?} : {} to {}\n",
                block("i16", dims),
                block("i16", &result)
            ),
            results: vec![(Scalar::I16, result)],
        };
        case.check(WARPS, false);
    }
    for (from, to) in [
        (&[24][..], &[4, 6][..]),
        (&[6, 4], &[4, 6]),
        (&[16, 32], &[64, 8]),
        (&[1, 1], &[]),
        (&[5, 3, 7], &[7, 15]),
    ] {
        let case = Case {
            scalar: Scalar::F32,
            dims: from.to_vec(),
            body: format!("%r0 = reshape %v : {} to {}\n", block("f32", from), block("f32", to)),
            results: vec![(Scalar::F32, to.to_vec())],
        };
        case.check(WARPS, false);
    }
}

/// A row less its largest element, over the sum of what that gives, as a softmax does.
fn softmax_like(extent: u32, rows: Option<u32>) -> Case {
    let dims: Vec<u32> = rows.into_iter().chain([extent]).collect();
    let ty = block("f32", &dims);
    let axis = dims.len() - 1;
    let back = |name: &str| match rows {
        None => format!("%{name}_t = splat %{name} : {ty}\n"),
        Some(rows) => format!(
            "%{name}_e = expand_dims %{name}, 1 : tile<{rows}xf32> to tile<{rows}x1xf32>\n%{name}_t = broadcast %{name}_e : tile<{rows}x1xf32> to {ty}\n"
        ),
    };
    let body = format!(
        "%m = reduce %v axis {axis} : {ty} {}
         {}%d = sub %v, %m_t : {ty}
         %e = mul %d, %d : {ty}
         %s = reduce %e axis {axis} : {ty} {}
         {}%r0 = div_rn %e, %s_t : {ty}\n",
        simple("max", Scalar::F32),
        back("m"),
        simple("add", Scalar::F32),
        back("s")
    );
    Case {
        scalar: Scalar::F32,
        dims: dims.clone(),
        body,
        results: vec![(Scalar::F32, dims)],
    }
}

#[test]
fn results_come_back_to_the_rows() {
    softmax_like(1024, None).check(WARPS, false);
    softmax_like(100, None).check(WARPS, false);
    softmax_like(64, Some(8)).check(WARPS, false);
    softmax_like(37, Some(3)).check(WARPS, false);
}

#[test]
fn no_more_is_exchanged_than_needed() {
    let count = |case: &Case, num_warps| {
        let options = CompileOptions {
            num_warps,
            ..CompileOptions::new(Target::Sm90a)
        };
        let text = emit(&case.kernel(), Stage::Gpu, &options).unwrap();
        ["gpu.shuffle", "gpu.barrier"].map(|op| text.matches(op).count())
    };
    // Two reductions of 32 lanes and 4 warps.
    assert_eq!(count(&softmax_like(1024, None), 4), [10, 2]);
    // Rows of a warp, of which a thread holds an element each: what comes back to them moves nothing. The barrier is for
    // memory, since what is loaded may be what is stored.
    assert_eq!(count(&softmax_like(32, Some(16)), 4), [2 * 4 * 5, 1]);
}

/// A maximum and a sum over the blocks of a long row, and a branch by what they are: memory is used again and again, and
/// all threads must go the same way.
#[test]
fn loops_and_branches() {
    let ty = block("i32", &[2, 100]);
    let body = format!(
        "%zero = const 0 : i32
         %one = const 1 : i32
         %five = const 5 : i32
         %start = const 0 : {ty}
         %r0 = for %i = %zero to %five step %one : i32 carry (%acc = %start : {ty}) {{
           %w = add %v, %acc : {ty}
           %s = reduce %w axis 1 : {ty} (%a, %b) {{
             %c = xor %a, %b : i32
             yield %c
           }}
           %t = reduce %s axis 0 : tile<2xi32> (%a1, %b1) {{
             %c1 = add %a1, %b1 : i32
             yield %c1
           }}
           %odd = and %t, %one : i32
           %is_odd = cmp eq %odd, %one : i32
           %next = if %is_odd -> ({ty}) {{
             %u = scan %w axis 1 : {ty} (%a2, %b2) {{
               %c2 = add %a2, %b2 : i32
               yield %c2
             }}
             yield %u
           }} else {{
             %ts = splat %t : {ty}
             %u1 = add %w, %ts : {ty}
             yield %u1
           }}
           yield %next
         }}\n"
    );
    let case = Case {
        scalar: Scalar::I32,
        dims: vec![2, 100],
        body,
        results: vec![(Scalar::I32, vec![2, 100])],
    };
    case.check(WARPS, false);
}

proptest! {
    #![proptest_config(pipeline::cases(24))]

    #[test]
    fn random_shapes(
        (dims, axis) in shapes(),
        scalar in prop::sample::select(vec![Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F32]),
        op in prop::sample::select(vec!["add", "mul"]),
        form in prop::sample::select(vec!["reduce", "scan", "scan reverse"]),
        warps in prop::sample::select(vec![1u32, 2, 4, 8, 16]),
        target in prop::sample::select(&pipeline::TARGETS),
    ) {
        let mut case = reduction(scalar, &dims, axis, &simple(op, scalar));
        if let Some(reverse) = form.strip_prefix("scan") {
            case.body = format!(
                "%r0 = scan %v axis {axis}{reverse} : {} {}\n",
                block(scalar.name(), &dims),
                simple(op, scalar)
            );
            case.results[0].1 = dims;
        }
        case.check(&[warps], false);
        pipeline::assert_compiles(&case.kernel(), target, warps, Ptxas::find_for_tests().as_ref());
    }
}
