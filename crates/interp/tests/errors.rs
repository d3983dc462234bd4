//! Every error, with its whole message.

mod common;

use common::Bench;
use insta::assert_snapshot;
use mytriton_interp::{Argument, Fault, InterpError, Memory, Options, Prepared, run};
use mytriton_ssa::{Const, Elem, Kernel, Loc, OpKind, Scalar};

/// Loads two elements from where %at says, with or without a mask, and stores their sum with what was there.
fn copy(mask: bool) -> Bench {
    let (declare, load) = if mask {
        ("%all = const true : tile<2x4xi1>", "%xp, %all")
    } else {
        ("", "%xp")
    };
    Bench::new(&format!(
        "kernel @copy(%x: ptr<f32>, %out: ptr<f32>, %from: i32, %to: i32) {{
  {declare}
  %pid = program_id y
  %eight = const 8 : i32
  %start = mul %pid, %eight : i32
  %starts = splat %start : tile<2x4xi32>
  %row = range 0, 4
  %row2 = expand_dims %row, 0 : tile<4xi32> to tile<1x4xi32>
  %rows = broadcast %row2 : tile<1x4xi32> to tile<2x4xi32>
  %column = range 0, 2
  %column2 = expand_dims %column, 1 : tile<2xi32> to tile<2x1xi32>
  %columns = broadcast %column2 : tile<2x1xi32> to tile<2x4xi32>
  %four = const 4 : tile<2x4xi32>
  %base = mul %columns, %four : tile<2x4xi32>
  %i = add %base, %rows : tile<2x4xi32>
  %at = add %starts, %i : tile<2x4xi32>
  %froms = splat %from : tile<2x4xi32>
  %xat = add %at, %froms : tile<2x4xi32>
  %xs = splat %x : tile<2x4xptr<f32>>
  %xp = addptr %xs, %xat : tile<2x4xptr<f32>>
  %v = load {load} : tile<2x4xptr<f32>>
  %tos = splat %to : tile<2x4xi32>
  %oat = add %at, %tos : tile<2x4xi32>
  %outs = splat %out : tile<2x4xptr<f32>>
  %op = addptr %outs, %oat : tile<2x4xptr<f32>>
  store %op, %v : tile<2x4xptr<f32>>
}}"
    ))
}

fn copy_error(mask: bool, elements: usize, from: i32, to: i32) -> String {
    let mut b = copy(mask);
    b.f32s(&vec![0.0; elements]);
    b.f32s(&vec![0.0; elements]);
    b.i32(from);
    b.i32(to);
    b.error([1, (elements / 8) as u32, 1])
}

#[test]
fn out_of_bounds() {
    let messages = [
        copy_error(false, 80, 3, 0),
        copy_error(false, 80, -2, 0),
        copy_error(false, 80, 0, 6),
        copy_error(true, 80, 1, 0),
        // Far outside is still the same buffer's fault.
        copy_error(false, 8, i32::MAX - 7, 0),
    ];
    assert_snapshot!(messages.join("\n"));
}

/// The buffer is named as the parameter where it has no name of its own.
#[test]
fn a_buffer_without_a_name() {
    let mut b = copy(false);
    let id = b.memory.add_zeros("", Scalar::F32, 1).unwrap();
    b.args = vec![Argument::Address(b.memory.address(id).unwrap()), Argument::buffer(id)];
    b.i32(0);
    b.i32(0);
    let by_address = b.error([1, 1, 1]);
    assert_snapshot!(by_address);
    // The first parameter points to another buffer.
    let other = b.memory.add_zeros("", Scalar::F32, 80).unwrap();
    b.args[0] = Argument::buffer(other);
    let second = b.error([1, 1, 1]);
    assert!(second.contains("buffer 'out'"), "{second}");
    b.args[1] = Argument::Address(b.memory.address(id).unwrap());
    assert_eq!(b.error([1, 1, 1]), second);
}

#[test]
fn no_buffer() {
    let mut messages = Vec::new();
    let mut b = copy(false);
    let x = b.f32s(&[0.0; 8]);
    b.f32s(&[0.0; 8]);
    b.i32(0);
    b.i32(0);
    b.args[0] = Argument::Address(16);
    messages.push(b.error([1, 1, 1]));
    // Removed, but its address is still about.
    b.args[0] = Argument::Address(b.memory.address(x).unwrap());
    b.memory.remove_buffer(x).unwrap();
    messages.push(b.error([1, 1, 1]));
    assert_snapshot!(messages.join("\n"));
}

#[test]
fn misaligned() {
    let mut b = copy(false);
    let x = b.f32s(&[0.0; 80]);
    b.f32s(&[0.0; 80]);
    b.i32(0);
    b.i32(0);
    b.args[0] = Argument::Buffer {
        buffer: x,
        byte_offset: 6,
    };
    assert_snapshot!(b.error([1, 1, 1]));
}

/// All programs fault, on many threads: the first one is reported, every time.
#[test]
fn the_first_program_is_reported() {
    let mut b = copy(false);
    b.f32s(&[0.0; 8 * 700]);
    b.f32s(&[0.0; 8 * 700]);
    b.i32(0);
    b.i32(0);
    let expected = b.error([3, 5000, 2]);
    assert_snapshot!(expected);
    for _ in 0..20 {
        assert_eq!(b.error([3, 5000, 2]), expected);
    }
    let Err(InterpError::Program(error)) = b.run([3, 5000, 2]) else {
        panic!()
    };
    assert_eq!((error.program, error.element.clone()), ([0, 700, 0], Some(vec![0, 0])));
    assert!(
        matches!(
            error.fault,
            Fault::OutOfBounds {
                index: 5600,
                len: 22400,
                masked: false,
                ..
            }
        ),
        "{error}"
    );
}

fn undefined(use_it: &str) -> String {
    let mut b = Bench::new(&format!(
        "kernel @k(%x: ptr<i32>, %n: i32) {{
  %at = range 0, 4
  %zero = const 0 : i32
  %one = const 1 : i32
  %ns = splat %n : tile<4xi32>
  %mask = cmp lt %at, %ns : tile<4xi32>
  %xs = splat %x : tile<4xptr<i32>>
  %xp = addptr %xs, %at : tile<4xptr<i32>>
  %v = load %xp, %mask : tile<4xptr<i32>>
  %ones = const 1 : tile<4xi32>
  %w = add %v, %ones : tile<4xi32>
  %m = cmp lt %w, %ns : tile<4xi32>
  %mask1 = cmp lt %zero, %n : i32
  %mask2 = cmp lt %n, %zero : i32
  %s = load %x, %mask2 : ptr<i32>
  %c = cmp lt %s, %n : i32
  {use_it}
}}"
    ));
    b.i32s(&[0; 4]);
    b.i32(2);
    b.error([1, 1, 1])
}

#[test]
fn undefined_values() {
    let messages = [
        undefined("store %xp, %w : tile<4xptr<i32>>"),
        undefined("store %xp, %ones, %m : tile<4xptr<i32>>"),
        undefined("%p = addptr %xs, %w : tile<4xptr<i32>>  %r = load %p : tile<4xptr<i32>>"),
        undefined("store %x, %s : ptr<i32>"),
        undefined("if %c { }"),
        undefined("for %i = %zero to %s step %one : i32 { }"),
        undefined("for %i = %zero to %n step %s : i32 { }"),
        undefined(
            "%r = while (%a = %s : i32) { %d = cmp lt %a, %zero : i32  condition %d, %a } do (%a: i32) { yield %a }",
        ),
        // Through every operation that passes it on: what decides is whether it is chosen.
        undefined("%r = select %c, %one, %zero : i32  store %x, %r : ptr<i32>"),
        undefined("%r = splat %s : tile<4xi32>  store %xp, %r : tile<4xptr<i32>>"),
        undefined("%r = s_to_f %s : i32 to f32  %t = bitcast %r : f32 to i32  store %x, %t : ptr<i32>"),
    ];
    assert_snapshot!(messages.join("\n"));
}

/// What is chosen by an undefined number, or from an undefined tile, is undefined where it is used, and there alone.
#[test]
fn undefined_numbers_choose_nothing() {
    let outcome = |use_it: &str| {
        let mut b = Bench::new(&format!(
            "kernel @k(%x: ptr<i32>) {{
  %i = range 0, 4
  %two = const 2 : tile<4xi32>
  %low = cmp lt %i, %two : tile<4xi32>
  %high = cmp ge %i, %two : tile<4xi32>
  %xs = splat %x : tile<4xptr<i32>>
  %xp = addptr %xs, %i : tile<4xptr<i32>>
  %b = load %xp : tile<4xptr<i32>>
  %u = load %xp, %low : tile<4xptr<i32>>
  %m = cmp lt %u, %two : tile<4xi32>
  {use_it}
}}"
        ));
        let x = b.i32s(&[1, 0, 3, 2]);
        match b.run([1, 1, 1]) {
            Ok(()) => Ok(b.read_i32s(x)),
            Err(error) => Err(error.to_string()),
        }
    };
    let why = "the mask of 'load' at k.ssa:9:3 does not hold";
    for op in [
        "%r = gather %b, %u axis 0 : tile<4xi32> to tile<4xi32>",
        "%r = gather %u, %b axis 0 : tile<4xi32> to tile<4xi32>",
        "%r = load %xp, %low, %u : tile<4xptr<i32>>",
        "%r = histogram %u : tile<4xi32> to tile<4xi32>",
        "%r = histogram %b, %m : tile<4xi32> to tile<4xi32>",
        "%r = histogram %u, %m : tile<4xi32> to tile<4xi32>",
        "%r = select %m, %b, %two : tile<4xi32>",
        "%r = select %high, %u, %two : tile<4xi32>",
        "%r = select %low, %two, %u : tile<4xi32>",
        "%j = join %b, %u : tile<4xi32> %l, %r = split %j : tile<4x2xi32>",
        "%j = join %u, %b : tile<4xi32> %r, %l = split %j : tile<4x2xi32>",
        "%r = scan %u axis 0 : tile<4xi32> (%a, %c) { %s = add %a, %c : i32 yield %s }",
    ] {
        let error = outcome(&format!("{op}  store %xp, %r : tile<4xptr<i32>>")).unwrap_err();
        assert!(error.contains(why), "{op}: {error}");
    }
    for (op, mask, expected) in [
        (
            "%r = gather %b, %u axis 0 : tile<4xi32> to tile<4xi32>",
            "%low",
            [0, 1, 3, 2],
        ),
        ("%r = load %xp, %low, %u : tile<4xptr<i32>>", "%low", [1, 0, 3, 2]),
        ("%r = load %xp, %high, %u : tile<4xptr<i32>>", "%high", [1, 0, 3, 2]),
        (
            "%r = histogram %u, %low : tile<4xi32> to tile<4xi32>",
            "%low",
            [1, 1, 3, 2],
        ),
    ] {
        let store = format!("{op}  store %xp, %r, {mask} : tile<4xptr<i32>>");
        assert_eq!(outcome(&store), Ok(expected.to_vec()), "{op}");
    }
}

fn division(op: &str, a: i32, b: &[i32; 6]) -> String {
    let mut bench = Bench::new(&format!(
        "kernel @k(%x: ptr<i32>, %out: ptr<i32>, %a: i32) {{
  %row = range 0, 3
  %row2 = expand_dims %row, 0 : tile<3xi32> to tile<1x3xi32>
  %at = broadcast %row2 : tile<1x3xi32> to tile<2x3xi32>
  %xs = splat %x : tile<2x3xptr<i32>>
  %xp = addptr %xs, %at : tile<2x3xptr<i32>>
  %v = load %xp : tile<2x3xptr<i32>>
  %as = splat %a : tile<2x3xi32>
  %q = {op} %as, %v : tile<2x3xi32>
  %outs = splat %out : tile<2x3xptr<i32>>
  %op = addptr %outs, %q : tile<2x3xptr<i32>>
  store %op, %q : tile<2x3xptr<i32>>
}}"
    ));
    bench.i32s(b);
    bench.i32s(&[0]);
    bench.i32(a);
    bench.error([1, 1, 1])
}

#[test]
fn integer_division() {
    let mut messages = Vec::new();
    let by = [1 << 30, 0, -1, 7, 7, 7];
    for op in ["div_s", "rem_u"] {
        messages.push(division(op, 0, &by));
    }
    messages.push(division("rem_s", i32::MIN, &[1, -1, 1, 1, 1, 1]));
    assert_snapshot!(messages.join("\n"));
}

/// What depends on arguments alone is computed before any program runs, and must not fail there.
#[test]
fn a_division_that_no_program_reaches() {
    let text = |condition| {
        format!(
            "kernel @k(%x: ptr<i32>, %n: i32) {{
  %zero = const 0 : i32
  %one = const 1 : i32
  %q = div_s %one, %n : i32
  %r = add %q, %one : i32
  %c = cmp {condition} %n, %zero : i32
  if %c {{
    store %x, %r : ptr<i32>
  }}
}}"
        )
    };
    let mut b = Bench::new(&text("ne"));
    let x = b.i32s(&[5]);
    b.i32(0);
    b.run([4, 1, 1]).unwrap();
    assert_eq!(b.read_i32s(x), [5]);
    let mut b = Bench::new(&text("eq"));
    b.i32s(&[5]);
    b.i32(0);
    assert_snapshot!(b.error([4, 1, 1]));
}

fn steps(text: &str, n: i32) -> String {
    let mut b = Bench::new(&format!(
        "kernel @k(%n: i32) {{
  %zero = const 0 : i32
  %ten = const 10 : i32
  {text}
}}"
    ));
    b.i32(n);
    b.options = Options {
        max_steps: Some(50),
        ..Options::default()
    };
    b.error([1, 1, 1])
}

#[test]
fn loops() {
    let messages = [
        steps("for %i = %zero to %ten step %n : i32 { }", 0),
        // An error even where no trip would be made.
        steps("for %i = %ten to %zero step %n : i32 { }", -3),
        steps("while () { %t = const true : i1  condition %t } do () { }", 0),
        steps(
            "for %i = %zero to %ten step %n : i32 { for %j = %zero to %ten step %n : i32 { } }",
            1,
        ),
    ];
    assert_snapshot!(messages.join("\n"));
}

/// So many iterations, and not one more.
#[test]
fn the_last_iteration_that_is_allowed() {
    let run = |limit, n| {
        let mut b = Bench::new(
            "kernel @k(%n: i32) {
  %zero = const 0 : i32
  %one = const 1 : i32
  for %i = %zero to %n step %one : i32 { }
}",
        );
        b.i32(n);
        b.options = Options {
            max_steps: Some(limit),
            ..Options::default()
        };
        b.run([3, 1, 1]).is_ok()
    };
    for limit in [0, 1, 7] {
        assert!(run(limit, limit as i32) && !run(limit, limit as i32 + 1) && !run(limit, limit as i32 + 5));
    }
}

fn racing(body: &str) -> String {
    let mut b = Bench::new(&format!(
        "kernel @k(%x: ptr<i16>) {{
  %pid = program_id y
  %one = const 1 : i32
  %one16 = const 1 : i16
  %pid16 = trunc_int %pid : i32 to i16
  %own = addptr %x, %pid : ptr<i16>
  %next = addptr %own, %one : ptr<i16>
  {body}
}}"
    ));
    b.bytes(Scalar::I16, &[0; 64]);
    b.options = Options {
        check_races: true,
        ..Options::default()
    };
    b.error([1, 8, 2])
}

#[test]
fn races() {
    let messages = [
        racing("store %x, %pid16 : ptr<i16>"),
        racing("%v = load %next : ptr<i16>  store %own, %v : ptr<i16>"),
        racing("store %next, %one16 : ptr<i16>  %v = load %own : ptr<i16>"),
    ];
    assert_snapshot!(messages.join("\n"));
}

/// The byte in which two accesses meet is named, not the first of the access.
#[test]
fn races_in_one_byte() {
    let error = racing(
        "%high = const 256 : i16  %v = mul %pid16, %high : i16  %three = const 3 : i32
         %at = addptr %x, %three : ptr<i16>  store %at, %v : ptr<i16>",
    );
    assert!(error.contains("byte 7 of buffer 'x'"), "{error}");
}

/// An element has to lie in the buffer as a whole.
#[test]
fn elements_that_reach_beyond_the_end() {
    for (elem, bytes) in [(Scalar::I16, 6), (Scalar::I8, 7), (Scalar::I32, 5), (Scalar::I64, 7)] {
        for access in [
            "%v = load %p : ptr<i32>  store %x, %v : ptr<i32>",
            "store %p, %one : ptr<i32>",
        ] {
            let text = |at| {
                format!(
                    "kernel @k(%x: ptr<i32>) {{
  %one = const 1 : i32
  %at = const {at} : i32
  %p = addptr %x, %at : ptr<i32>
  {access}
}}"
                )
            };
            let mut b = Bench::new(&text(0));
            b.bytes(elem, &vec![0; bytes]);
            b.run([1, 1, 1]).unwrap();
            let mut b = Bench::new(&text(1));
            b.bytes(elem, &vec![0; bytes]);
            let error = b.error([1, 1, 1]);
            assert!(error.contains("element 1 (byte 4) of buffer 'x'"), "{error}");
        }
    }
}

/// What is wrong before any program runs.
#[test]
fn launches() {
    let mut messages = Vec::new();
    let mut b = copy(false);
    messages.push(b.error([1, 1, 1]));
    let x = b.f32s(&[0.0; 8]);
    b.f32s(&[0.0; 8]);
    b.i32(0);
    b.i32(0);
    b.run([1, 1, 1]).unwrap();
    messages.push(b.error([1 << 31, 1, 1]));
    messages.push(b.error([1, 65536, 1]));
    messages.push(b.error([1, 1, 65536]));
    // Also of a grid without programs.
    messages.push(b.error([0, 1, u32::MAX]));
    let good = b.args.clone();
    for (index, bad) in [
        (0, Argument::Scalar(Const::i32(5))),
        (2, Argument::buffer(x)),
        (3, Argument::Scalar(Const::f32(2.5))),
        (3, Argument::Scalar(Const::from_int(Scalar::I64, 3))),
    ] {
        b.args[index] = bad;
        messages.push(b.error([1, 1, 1]));
        b.args.clone_from(&good);
    }
    b.memory.remove_buffer(x).unwrap();
    messages.push(b.error([1, 1, 1]));
    assert_snapshot!(messages.join("\n"));
}

#[test]
fn facts_that_do_not_hold() {
    let mut messages = Vec::new();
    let mut b = Bench::new("kernel @k(%x: ptr<f32> {divisibility = 16}, %n: i32 {divisibility = 8}) { }");
    let x = b.f32s(&[0.0; 8]);
    b.i32(24);
    b.run([1, 1, 1]).unwrap();
    b.args[1] = Argument::Scalar(Const::i32(-12));
    messages.push(b.error([1, 1, 1]));
    b.args[0] = Argument::Buffer {
        buffer: x,
        byte_offset: 4,
    };
    messages.push(b.error([1, 1, 1]));
    assert_snapshot!(messages.join("\n"));
}

#[test]
fn too_many_programs_to_check_for_races() {
    // The first program ends the launch.
    let mut b = Bench::new("kernel @k(%p: ptr<i32>) {\n  %x = load %p : ptr<i32>\n}");
    b.args = vec![Argument::Address(0)];
    b.options = Options {
        check_races: true,
        ..Options::default()
    };
    assert_snapshot!(b.error([i32::MAX as u32, 3, 1]));
    // As many as can be told apart.
    let error = b.run([i32::MAX as u32, 2, 1]).unwrap_err();
    assert!(matches!(error, InterpError::Program(_)), "{error}");
}

/// A kernel that was not made by builder or parser: refused, and without a place its operations are quoted.
#[test]
fn kernels_without_places_or_rules() {
    let mut messages = Vec::new();
    let mut kernel = Kernel::new("bare");
    let x = kernel.add_param("x", Elem::Ptr(Scalar::F64));
    let ty = kernel.ty(x).with_scalar(Scalar::F64);
    let load = kernel.new_op(OpKind::Load, [x], [ty], [], Loc::UNKNOWN);
    let body = kernel.body();
    kernel.region_mut(body).ops.push(load);
    let options = Options::default();
    let error = run(&kernel, [1, 1, 1], &[Argument::Address(0)], &Memory::new(), &options).unwrap_err();
    messages.push(error.to_string());
    kernel.region_mut(body).ops.push(load);
    messages.push(
        run(&kernel, [1, 1, 1], &[], &Memory::new(), &options)
            .unwrap_err()
            .to_string(),
    );
    assert!(matches!(Prepared::new(kernel), Err(InterpError::InvalidKernel(_))));
    assert_snapshot!(messages.join("\n"));
}
