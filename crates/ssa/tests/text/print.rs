//! How kernels look.

use mytriton_ssa::{
    Axis, BinaryOp, BuildError, Builder, CastKind, CmpPred, Const, Elem, Kernel, Loc, PrintOptions, Scalar, Shape,
    Type, UnaryOp, parse_module,
};

/// Adds vectors: the shape that most kernels have.
fn add() -> Result<Kernel, BuildError> {
    let mut b = Builder::new("add");
    let file = b.kernel_mut().file_index("add.rs");
    b.kernel_mut().loc = Loc { file, line: 3, col: 1 };
    b.set_loc(Loc { file, line: 4, col: 5 });
    let x = b.param("x", Elem::Ptr(Scalar::F32));
    let y = b.param("y", Elem::Ptr(Scalar::F32));
    let n = b.param("n", Elem::Scalar(Scalar::I32));
    b.kernel_mut().params_mut()[0].divisibility = 16;
    let pid = b.program_id(Axis::X)?;
    b.kernel_mut().set_name(pid, "pid");
    let size = b.constant(Const::i32(64));
    let start = b.binary(BinaryOp::Mul, pid, size)?;
    let range = b.range(0, 64)?;
    let tile = b.ty(range);
    let start = b.splat(start, tile)?;
    let at = b.binary(BinaryOp::Add, start, range)?;
    b.kernel_mut().set_name(at, "at");
    let n = b.splat(n, tile)?;
    let mask = b.cmp(CmpPred::Lt, at, n)?;
    b.set_loc(Loc::UNKNOWN);
    let pointers = |b: &mut Builder, p| {
        let p = b.splat(p, Type::ptr(Scalar::F32).with_shape(tile.shape))?;
        b.addptr(p, at)
    };
    let (x, y) = (pointers(&mut b, x)?, pointers(&mut b, y)?);
    let other = b.constant_of(Const::f32(-0.0), Type::scalar(Scalar::F32).with_shape(tile.shape))?;
    let v = b.load(x, Some(mask), Some(other))?;
    b.store(y, v, Some(mask))?;
    Ok(b.finish())
}

#[test]
fn a_kernel() {
    insta::assert_snapshot!(add().unwrap(), @r#"
    kernel @add(%x: ptr<f32> {divisibility = 16}, %y: ptr<f32>, %n: i32) {
      %pid = program_id x
      %c64 = const 64 : i32
      %0 = mul %pid, %c64 : i32
      %1 = range 0, 64
      %2 = splat %0 : tile<64xi32>
      %at = add %2, %1 : tile<64xi32>
      %3 = splat %n : tile<64xi32>
      %4 = cmp lt %at, %3 : tile<64xi32>
      %5 = splat %x : tile<64xptr<f32>>
      %6 = addptr %5, %at : tile<64xptr<f32>>
      %7 = splat %y : tile<64xptr<f32>>
      %8 = addptr %7, %at : tile<64xptr<f32>>
      %cst = const -0.0 : tile<64xf32>
      %9 = load %6, %4, %cst : tile<64xptr<f32>>
      store %8, %9, %4 : tile<64xptr<f32>>
    }
    "#);
}

#[test]
fn with_locations() {
    insta::assert_snapshot!(add().unwrap().display(PrintOptions { locations: true }), @r#"
    kernel @add(%x: ptr<f32> {divisibility = 16}, %y: ptr<f32>, %n: i32) {
      %pid = program_id x loc("add.rs":4:5)
      %c64 = const 64 : i32 loc("add.rs":4:5)
      %0 = mul %pid, %c64 : i32 loc("add.rs":4:5)
      %1 = range 0, 64 loc("add.rs":4:5)
      %2 = splat %0 : tile<64xi32> loc("add.rs":4:5)
      %at = add %2, %1 : tile<64xi32> loc("add.rs":4:5)
      %3 = splat %n : tile<64xi32> loc("add.rs":4:5)
      %4 = cmp lt %at, %3 : tile<64xi32> loc("add.rs":4:5)
      %5 = splat %x : tile<64xptr<f32>> loc(unknown)
      %6 = addptr %5, %at : tile<64xptr<f32>> loc(unknown)
      %7 = splat %y : tile<64xptr<f32>> loc(unknown)
      %8 = addptr %7, %at : tile<64xptr<f32>> loc(unknown)
      %cst = const -0.0 : tile<64xf32> loc(unknown)
      %9 = load %6, %4, %cst : tile<64xptr<f32>> loc(unknown)
      store %8, %9, %4 : tile<64xptr<f32>> loc(unknown)
    } loc("add.rs":3:1)
    "#);
}

#[test]
fn control_flow_and_names() {
    let build = || {
        let mut b = Builder::new("flow");
        let out = b.param("out", Elem::Ptr(Scalar::F64));
        let n = b.param("n", Elem::Scalar(Scalar::I64));
        let [zero, one] = [0, 1].map(|v| b.constant(Const::from_int(Scalar::I64, v)));
        let [inf, tenth] = [f64::INFINITY, 0.1].map(|v| b.constant(Const::from_f64(Scalar::F64, v)));
        let yes = b.constant(Const::bool(true));
        let sums = b.for_loop::<BuildError>([zero, n, one], &[tenth, inf], |b, i, acc| {
            b.kernel_mut().set_name(acc[0], "acc");
            let x = b.cast(CastKind::SToF, i, Scalar::F64)?;
            let x = b.binary(BinaryOp::Add, acc[0], x)?;
            b.kernel_mut().set_name(x, "acc");
            b.for_loop::<BuildError>([i, n, one], &[], |b, j, _| {
                let at = b.addptr(out, j)?;
                b.store(at, x, None)?;
                Ok(vec![])
            })?;
            Ok(vec![x, acc[1]])
        })?;
        b.kernel_mut().set_name(sums[0], "sum");
        let chosen = b.if_else::<BuildError>(
            yes,
            |_| Ok(vec![sums[0]]),
            |b| Ok(vec![b.unary(UnaryOp::Neg, sums[1])?]),
        )?;
        b.if_else::<BuildError>(
            yes,
            |b| {
                b.store(out, chosen[0], None)?;
                Ok(vec![])
            },
            |_| Ok(vec![]),
        )?;
        b.while_loop::<BuildError>(
            &[n],
            |b, args| b.cmp(CmpPred::Gt, args[0], zero),
            |b, args| Ok(vec![b.binary(BinaryOp::ShrU, args[0], one)?]),
        )?;
        Ok::<_, BuildError>(b.finish())
    };
    insta::assert_snapshot!(build().unwrap(), @r#"
    kernel @flow(%out: ptr<f64>, %n: i64) {
      %c0_i64 = const 0 : i64
      %c1_i64 = const 1 : i64
      %cst = const 0x7FF0000000000000 : f64
      %cst_1 = const 0.1 : f64
      %ctrue = const true : i1
      %sum, %0 = for %i = %c0_i64 to %n step %c1_i64 : i64 carry (%acc = %cst_1 : f64, %1 = %cst : f64) {
        %2 = s_to_f %i : i64 to f64
        %acc_1 = add %acc, %2 : f64
        for %i_1 = %i to %n step %c1_i64 : i64 {
          %3 = addptr %out, %i_1 : ptr<f64>
          store %3, %acc_1 : ptr<f64>
        }
        yield %acc_1, %1
      }
      %4 = if %ctrue -> (f64) {
        yield %sum
      } else {
        %5 = neg %0 : f64
        yield %5
      }
      if %ctrue {
        store %out, %4 : ptr<f64>
      }
      %6 = while (%7 = %n : i64) {
        %8 = cmp gt %7, %c0_i64 : i64
        condition %8, %7
      } do (%9: i64) {
        %10 = shr_u %9, %c1_i64 : i64
        yield %10
      }
    }
    "#);
}

#[test]
fn shapes_and_constants() {
    let build = || {
        let mut b = Builder::new("shapes");
        let range = b.range(-2, 2)?;
        let column = b.expand_dims(range, 1)?;
        let square = Shape::new(&[4, 4]).unwrap();
        let wide = b.broadcast(column, Type::I32.with_shape(square))?;
        b.cast(CastKind::SExt, wide, Scalar::I64)?;
        b.num_programs(Axis::Z)?;
        for constant in [
            Const::i32(-1),
            Const::i32(-1),
            Const::from_int(Scalar::I8, -128),
            Const::from_f64(Scalar::F16, 0.1),
            Const::from_f64(Scalar::BF16, f64::NAN),
            Const::f32(1e-30),
            Const::bool(false),
        ] {
            b.constant(constant);
        }
        let x = b.constant_of(Const::f32(1.0), Type::scalar(Scalar::F32).with_shape(square))?;
        let x = b.fma(x, x, x)?;
        let mask = b.cmp(CmpPred::Ne, wide, wide)?;
        b.select(mask, x, x)?;
        Ok::<_, BuildError>(b.finish())
    };
    insta::assert_snapshot!(build().unwrap(), @r#"
    kernel @shapes() {
      %0 = range -2, 2
      %1 = expand_dims %0, 1 : tile<4xi32> to tile<4x1xi32>
      %2 = broadcast %1 : tile<4x1xi32> to tile<4x4xi32>
      %3 = sext %2 : tile<4x4xi32> to tile<4x4xi64>
      %4 = num_programs z
      %cm1 = const -1 : i32
      %cm1_1 = const -1 : i32
      %cm128_i8 = const -128 : i8
      %cst = const 0.099975586 : f16
      %cst_1 = const 0x7FC0 : bf16
      %cst_2 = const 1e-30 : f32
      %cfalse = const false : i1
      %cst_3 = const 1.0 : tile<4x4xf32>
      %5 = fma %cst_3, %cst_3, %cst_3 : tile<4x4xf32>
      %6 = cmp ne %2, %2 : tile<4x4xi32>
      %7 = select %6, %5, %5 : tile<4x4xf32>
    }
    "#);
}

/// Written by hand: comments, any blanks, names given again in regions beside one another, numbers out of order.
#[test]
fn hand_written_text_is_read() {
    let text = "
        // A comment.
        kernel @k(%p: ptr<i32> { divisibility = 8 }, %c: i1) { // another
          %7 = const 0xFFFFFFFF : i32
          %big = const 255 : i8
          if %c { %x = add %7, %7 : i32 store %p, %x : ptr<i32> }
          else { %x = sub %7, %7 : i32
                 store %p, %x, %c : ptr<i32> yield }
          %x = load %p : ptr<i32> loc(\"far.py\":9)
        }";
    let module = parse_module(text, "hand.ssa").unwrap();
    let kernel = &module.kernels[0];
    insta::assert_snapshot!(kernel, @r#"
    kernel @k(%p: ptr<i32> {divisibility = 8}, %c: i1) {
      %cm1 = const -1 : i32
      %big = const -1 : i8
      if %c {
        %x = add %cm1, %cm1 : i32
        store %p, %x : ptr<i32>
      } else {
        %x_1 = sub %cm1, %cm1 : i32
        store %p, %x_1, %c : ptr<i32>
      }
      %x_2 = load %p : ptr<i32>
    }
    "#);
    let last = *kernel.region(kernel.body()).ops.last().unwrap();
    assert_eq!(kernel.describe_loc(kernel.op(last).loc).as_deref(), Some("far.py:9"));
    let first = kernel.region(kernel.body()).ops[0];
    assert_eq!(
        kernel.describe_loc(kernel.op(first).loc).as_deref(),
        Some("hand.ssa:4:11")
    );
}

const REDUCTIONS: &str = "\
kernel @k(%x: f32, %k: i32) {
  %0 = splat %x : tile<4x17xf32>
  %1 = splat %k : tile<4x17xi32>
  %s = reduce %0 axis 1 : tile<4x17xf32> (%a, %b) {
    %c = add %a, %b : f32
    yield %c
  }
  %2, %3 = reduce %0, %1 axis 0 : tile<4x17xf32>, tile<4x17xi32> (%4, %5, %6, %7) {
    %8 = cmp gt %4, %6 : f32
    %9 = select %8, %4, %6 : f32
    %10 = select %8, %5, %7 : i32
    yield %9, %10
  }
  %11 = scan %s axis 0 : tile<4xf32> (%12, %13) {
    %cst = const 2.0 : f32
    %14 = fma %12, %cst, %13 : f32
    yield %14
  }
  %15 = scan %0 axis 1 reverse : tile<4x17xf32> (%16, %17) {
    %18 = max %16, %17 : f32
    yield %18
  }
  %19 = reshape %0 : tile<4x17xf32> to tile<2x34xf32>
  %20 = reshape %x : f32 to tile<1x1xf32>
  %21 = transpose %1 [1, 0] : tile<4x17xi32> to tile<17x4xi32>
}
";

#[test]
fn reductions_and_shapes() {
    let module = parse_module(REDUCTIONS, "k.ssa").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(module.to_string(), REDUCTIONS);
    let kernel = &module.kernels[0];
    let op = kernel.region(kernel.body()).ops[3];
    assert_eq!(
        kernel.describe_op(op),
        "%2, %3 = reduce %0, %1 axis 0 : tile<4x17xf32>, tile<4x17xi32> (%4, %5, %6, %7) {...}"
    );
}

const CHOICES: &str = "\
kernel @k(%x: f32, %k: i32) {
  %0 = splat %x : tile<4x17xf32>
  %1 = splat %k : tile<4x1xi32>
  %2 = join %0, %0 : tile<4x17xf32>
  %pair = join %x, %x : f32
  %a, %b = split %2 : tile<4x17x2xf32>
  %3, %4 = split %pair : tile<2xf32>
  %5 = gather %0, %1 axis 1 : tile<4x17xf32> to tile<4x1xf32>
  %6 = histogram %1 : tile<4x1xi32> to tile<256xi32>
  %cst = const true : tile<4x1xi1>
  %7 = histogram %1, %cst : tile<4x1xi32> to tile<3xi32>
}
";

#[test]
fn elements_from_elsewhere() {
    let module = parse_module(CHOICES, "k.ssa").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(module.to_string(), CHOICES);
}
