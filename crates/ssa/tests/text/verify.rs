//! One test per rule of the verifier, named after it, and kernels broken in every way at once.

use mytriton_ssa::{
    Axis, BinaryOp, BuildError, Builder, Const, Elem, Kernel, Loc, MAX_NESTING, Module, OpId, OpKind, RegionId, Rule,
    Scalar, Type, UnaryOp, ValueId, verify, verify_module,
};
use proptest::prelude::*;

use crate::generate::kernels;

/// Asserts that the kernel breaks this rule alone and gives the message.
#[track_caller]
fn broken(kernel: &Kernel, rule: Rule) -> String {
    let errors = verify(kernel).expect_err("the kernel should break a rule");
    let rules: Vec<Rule> = errors.all().iter().map(|e| e.rule).collect();
    assert_eq!(rules, [rule], "{errors}");
    errors.first().to_string()
}

fn append(kernel: &mut Kernel, region: RegionId, kind: OpKind, operands: &[ValueId], results: &[Type]) -> OpId {
    let op = kernel.new_op(
        kind,
        operands.iter().copied(),
        results.iter().copied(),
        [],
        Loc::UNKNOWN,
    );
    kernel.region_mut(region).ops.push(op);
    op
}

fn in_body(kernel: &mut Kernel, kind: OpKind, operands: &[ValueId], results: &[Type]) -> Option<ValueId> {
    let body = kernel.body();
    let op = append(kernel, body, kind, operands, results);
    kernel.op(op).results.first().copied()
}

fn constant(kernel: &mut Kernel, value: i32) -> ValueId {
    in_body(kernel, OpKind::Const(Const::i32(value)), &[], &[Type::I32]).unwrap()
}

/// A kernel with a `for` that carries one `i32`: its id, and the kernel.
fn loop_kernel() -> (Kernel, OpId) {
    let mut b = Builder::new("k");
    let [lower, upper, step] = [0, 10, 1].map(|v| b.constant(Const::i32(v)));
    b.for_loop::<BuildError>([lower, upper, step], &[lower], |b, i, acc| {
        Ok(vec![b.binary(BinaryOp::Add, acc[0], i)?])
    })
    .unwrap();
    let kernel = b.finish();
    let op = *kernel.region(kernel.body()).ops.last().unwrap();
    verify(&kernel).unwrap();
    (kernel, op)
}

/// A kernel with a `while` that carries one `i32`.
fn while_kernel() -> (Kernel, OpId) {
    let mut b = Builder::new("k");
    let zero = b.constant(Const::i32(0));
    let test = |b: &mut Builder, args: &[ValueId]| b.cmp(mytriton_ssa::CmpPred::Lt, args[0], args[0]);
    b.while_loop::<BuildError>(&[zero], test, |_, args| Ok(args.to_vec()))
        .unwrap();
    let kernel = b.finish();
    let op = *kernel.region(kernel.body()).ops.last().unwrap();
    verify(&kernel).unwrap();
    (kernel, op)
}

#[test]
fn kernel_name() {
    for name in ["", "1k", "a b", "größe", "a-b"] {
        broken(&Kernel::new(name), Rule::KernelName);
    }
    let module = Module {
        kernels: vec![Kernel::new("k"), Kernel::new("k")],
    };
    let errors = verify_module(&module).unwrap_err();
    assert_eq!(errors.first().rule, Rule::KernelName);
    assert_eq!(
        errors.to_string(),
        "in kernel 'k': another kernel of the module has this name"
    );
}

#[test]
fn param_name() {
    let mut kernel = Kernel::new("k");
    kernel.add_param("x", Elem::Scalar(Scalar::I32));
    kernel.add_param("x", Elem::Scalar(Scalar::I32));
    assert!(broken(&kernel, Rule::ParamName).contains("two parameters have the name 'x'"));
    kernel.params_mut()[1].name = "0".to_owned();
    broken(&kernel, Rule::ParamName);
}

#[test]
fn param_value() {
    let mut kernel = Kernel::new("k");
    kernel.add_param("x", Elem::Scalar(Scalar::I32));
    kernel.add_param("y", Elem::Scalar(Scalar::I32));
    let x = kernel.params()[0].value;
    kernel.params_mut()[1].value = x;
    broken(&kernel, Rule::ParamValue);
}

#[test]
fn divisibility() {
    let mut kernel = Kernel::new("k");
    kernel.add_param("x", Elem::Scalar(Scalar::I32));
    for divisibility in [0, 3, 24] {
        kernel.params_mut()[0].divisibility = divisibility;
        broken(&kernel, Rule::Divisibility);
    }
    let mut kernel = Kernel::new("k");
    kernel.add_param("x", Elem::Scalar(Scalar::F32));
    kernel.params_mut()[0].divisibility = 16;
    broken(&kernel, Rule::Divisibility);
}

#[test]
fn id() {
    // Ids of a larger kernel, the first and a later one that a smaller one lacks.
    let mut big = Kernel::new("big");
    let values: Vec<ValueId> = (0..9).map(|v| constant(&mut big, v)).collect();
    for missing in [1, 8] {
        let mut kernel = Kernel::new("k");
        let one = constant(&mut kernel, 1);
        let body = kernel.body();
        let op = append(&mut kernel, body, OpKind::Unary(UnaryOp::Abs), &[one], &[]);
        kernel.op_mut(op).results.push(values[missing]);
        broken(&kernel, Rule::Id);
        kernel.op_mut(op).results.pop();
        kernel.op_mut(op).operands[0] = values[missing];
        assert!(verify(&kernel).is_err());
    }
    let op = *big.region(big.body()).ops.last().unwrap();
    let region = (0..9).map(|_| big.new_region([])).last().unwrap();

    let mut kernel = Kernel::new("k");
    in_body(&mut kernel, OpKind::Unary(UnaryOp::Abs), &[values[8]], &[Type::I32]);
    broken(&kernel, Rule::Id);

    let mut kernel = Kernel::new("k");
    let body = kernel.body();
    kernel.region_mut(body).ops.push(op);
    broken(&kernel, Rule::Id);

    let (mut kernel, holder) = loop_kernel();
    kernel.op_mut(holder).regions[0] = region;
    broken(&kernel, Rule::Id);

    let mut kernel = Kernel::new("k");
    constant(&mut kernel, 1);
    let only = kernel.region(kernel.body()).ops[0];
    kernel.op_mut(only).results[0] = values[8];
    broken(&kernel, Rule::Id);

    let mut kernel = Kernel::new("k");
    kernel.add_param("x", Elem::Scalar(Scalar::I32));
    kernel.params_mut()[0].value = values[8];
    broken(&kernel, Rule::Id);
}

#[test]
fn op_once() {
    let mut kernel = Kernel::new("k");
    constant(&mut kernel, 1);
    let body = kernel.body();
    let op = kernel.region(body).ops[0];
    kernel.region_mut(body).ops.push(op);
    broken(&kernel, Rule::OpOnce);
}

#[test]
fn region_once() {
    let mut b = Builder::new("k");
    let condition = b.constant(Const::bool(true));
    b.if_else::<BuildError>(condition, |_| Ok(vec![]), |_| Ok(vec![]))
        .unwrap();
    let mut kernel = b.finish();
    let holder = *kernel.region(kernel.body()).ops.last().unwrap();
    let then = kernel.op(holder).regions[0];
    kernel.op_mut(holder).regions[1] = then;
    broken(&kernel, Rule::RegionOnce);
    // A region that holds itself does not make the verifier or printer run forever.
    let body = kernel.body();
    kernel.op_mut(holder).regions[1] = body;
    assert!(verify(&kernel).is_err());
    assert!(kernel.to_string().contains("<region 0>"));
}

#[test]
fn value_once() {
    let mut kernel = Kernel::new("k");
    constant(&mut kernel, 1);
    constant(&mut kernel, 2);
    let [first, second] = [0, 1].map(|i| kernel.region(kernel.body()).ops[i]);
    let value = kernel.op(first).results[0];
    kernel.op_mut(second).results[0] = value;
    broken(&kernel, Rule::ValueOnce);
    // One that is never defined elsewhere, but says so.
    let stray = kernel.new_op(OpKind::Const(Const::i32(0)), [], [Type::I32], [], Loc::UNKNOWN);
    let value = kernel.op(stray).results[0];
    kernel.op_mut(second).results[0] = value;
    broken(&kernel, Rule::ValueOnce);
}

/// A constant within so many regions.
pub fn nested(depth: usize) -> Kernel {
    fn nest(b: &mut Builder, condition: ValueId, depth: usize) -> Result<Vec<ValueId>, BuildError> {
        if depth == 0 {
            b.constant(Const::i32(7));
            return Ok(vec![]);
        }
        b.if_else(condition, |b| nest(b, condition, depth - 1), |_| Ok(vec![]))
    }
    let mut b = Builder::new("k");
    let condition = b.constant(Const::bool(true));
    nest(&mut b, condition, depth).unwrap();
    b.finish()
}

#[test]
fn nesting() {
    verify(&nested(MAX_NESTING)).unwrap();
    let errors = verify(&nested(MAX_NESTING + 1)).unwrap_err();
    assert!(errors.all().iter().all(|e| e.rule == Rule::Nesting), "{errors}");
}

#[test]
fn use_before_def() {
    let mut kernel = Kernel::new("k");
    let one = constant(&mut kernel, 1);
    in_body(&mut kernel, OpKind::Binary(BinaryOp::Add), &[one, one], &[Type::I32]);
    let body = kernel.body();
    kernel.region_mut(body).ops.reverse();
    let message = broken_all(&kernel, Rule::UseBeforeDef);
    assert_eq!(
        message,
        "in kernel 'k', %0 = add %c1, %c1 : i32: %c1 is not defined before its use"
    );
    // A value of a region that has ended.
    let (mut kernel, holder) = loop_kernel();
    let inner = kernel.region(kernel.op(holder).regions[0]).args[0];
    in_body(&mut kernel, OpKind::Unary(UnaryOp::Abs), &[inner], &[Type::I32]);
    broken(&kernel, Rule::UseBeforeDef);
    // An operation's own result.
    let mut kernel = Kernel::new("k");
    let x = constant(&mut kernel, 1);
    let own = in_body(&mut kernel, OpKind::Unary(UnaryOp::Abs), &[x], &[Type::I32]).unwrap();
    let op = kernel.region(kernel.body()).ops[1];
    kernel.op_mut(op).operands[0] = own;
    broken(&kernel, Rule::UseBeforeDef);
}

/// As [`broken`], for one mistake that shows in several places.
#[track_caller]
fn broken_all(kernel: &Kernel, rule: Rule) -> String {
    let errors = verify(kernel).expect_err("the kernel should break a rule");
    assert!(errors.all().iter().all(|e| e.rule == rule), "{errors}");
    errors.first().to_string()
}

#[test]
fn region_count() {
    let mut kernel = Kernel::new("k");
    let condition = in_body(&mut kernel, OpKind::Const(Const::bool(true)), &[], &[Type::I1]).unwrap();
    in_body(&mut kernel, OpKind::If, &[condition], &[]);
    assert!(broken(&kernel, Rule::RegionCount).contains("2 region(s), not 0"));
}

#[test]
fn arity() {
    let mut kernel = Kernel::new("k");
    let one = constant(&mut kernel, 1);
    in_body(&mut kernel, OpKind::Binary(BinaryOp::Add), &[one], &[Type::I32]);
    let message = broken(&kernel, Rule::Arity);
    assert_eq!(
        message,
        "in kernel 'k', %0 = add %c1 : i32: 'add' takes 2 operand(s), not 1"
    );
    let (mut kernel, holder) = loop_kernel();
    kernel.op_mut(holder).operands.truncate(2);
    broken(&kernel, Rule::Arity);
}

#[test]
fn operand_types() {
    let mut kernel = Kernel::new("k");
    let file = kernel.file_index("add.rs");
    let one = constant(&mut kernel, 1);
    in_body(&mut kernel, OpKind::Unary(UnaryOp::Exp), &[one], &[Type::I32]);
    let op = kernel.region(kernel.body()).ops[1];
    kernel.op_mut(op).loc = Loc { file, line: 7, col: 3 };
    let message = broken(&kernel, Rule::OperandTypes);
    assert_eq!(
        message,
        "add.rs:7:3: in kernel 'k', %0 = exp %c1 : i32: 'exp' takes floating-point numbers, not i32"
    );
}

#[test]
fn memory_types() {
    let mut kernel = Kernel::new("k");
    let p = kernel.add_param("p", Elem::Ptr(Scalar::F32));
    let mask = in_body(&mut kernel, OpKind::Const(Const::i32(1)), &[], &[Type::I32]).unwrap();
    let f32 = Type::scalar(Scalar::F32);
    let mut masked = kernel.clone();
    in_body(&mut masked, OpKind::Load, &[p, mask], &[f32]);
    assert!(broken(&masked, Rule::MemoryTypes).contains("the mask of 'load' is i1 here, not i32"));
    let mut stored = kernel.clone();
    in_body(&mut stored, OpKind::Store, &[p, mask], &[]);
    assert!(broken(&stored, Rule::MemoryTypes).contains("the value of 'store' is f32 here, not i32"));
    in_body(&mut kernel, OpKind::Load, &[mask], &[f32]);
    broken(&kernel, Rule::MemoryTypes);
}

/// Ids of a larger kernel: the first that this one lacks, and further ones. They break rules, and are printed somehow.
#[test]
fn ids_beyond_the_last_one() {
    for beyond in 0..3 {
        for (mut kernel, holder) in [loop_kernel(), while_kernel(), reduce_kernel()] {
            let mut larger = kernel.clone();
            let mut op = holder;
            for _ in 0..=beyond {
                let body = larger.body();
                op = append(&mut larger, body, OpKind::ProgramId(Axis::X), &[], &[Type::I32]);
            }
            let value = larger.op(op).results[0];
            let region = (0..=beyond).map(|_| larger.new_region([])).last().unwrap();
            let looked_at = |kernel: &Kernel| {
                assert!(verify(kernel).is_err());
                assert!(!kernel.to_string().is_empty() && !kernel.describe_op(holder).is_empty());
            };
            let good = kernel.clone();
            let body = kernel.body();
            kernel.region_mut(body).ops.push(op);
            looked_at(&kernel);
            assert!(
                kernel
                    .to_string()
                    .contains(&format!("<undefined operation {}>", op.index()))
            );
            for index in 0..good.op(holder).regions.len() {
                let mut kernel = good.clone();
                let inner = kernel.op(holder).regions[index];
                kernel.region_mut(inner).ops.push(op);
                looked_at(&kernel);
                let mut kernel = good.clone();
                kernel.op_mut(holder).regions[index] = region;
                looked_at(&kernel);
            }
            for index in 0..good.op(holder).operands.len() {
                let mut kernel = good.clone();
                kernel.op_mut(holder).operands[index] = value;
                looked_at(&kernel);
            }
            let mut kernel = good.clone();
            kernel.op_mut(holder).results[0] = value;
            looked_at(&kernel);
        }
    }
}

/// A loop of other numbers of values than its regions take is printed as any operation.
#[test]
fn loops_that_do_not_fit_their_regions_are_printed() {
    for remove in [false, true] {
        for (mut kernel, holder) in [loop_kernel(), while_kernel()] {
            let extra = kernel.op(holder).operands[0];
            let operands = &mut kernel.op_mut(holder).operands;
            if remove {
                operands.pop();
            } else {
                operands.push(extra);
            }
            assert!(verify(&kernel).is_err());
            let line = kernel.describe_op(holder);
            assert!(!line.contains(" to ") && !line.contains(" = while ("), "{line}");
        }
    }
}

#[test]
fn result_types() {
    let mut kernel = Kernel::new("k");
    in_body(
        &mut kernel,
        OpKind::ProgramId(Axis::X),
        &[],
        &[Type::scalar(Scalar::I64)],
    );
    assert!(broken(&kernel, Rule::ResultTypes).contains("it gives (i32), not (i64)"));
    for results in [&[][..], &[Type::I32, Type::I32]] {
        let mut kernel = Kernel::new("k");
        in_body(&mut kernel, OpKind::ProgramId(Axis::X), &[], results);
        broken(&kernel, Rule::ResultTypes);
    }
    // Operands alone do not tell its type.
    let mut kernel = Kernel::new("k");
    let one = constant(&mut kernel, 1);
    in_body(&mut kernel, OpKind::Splat, &[one], &[]);
    assert!(broken(&kernel, Rule::ResultTypes).contains("the type of the result must be given"));
    let (mut kernel, holder) = loop_kernel();
    kernel.op_mut(holder).results.clear();
    broken(&kernel, Rule::ResultTypes);
}

#[test]
fn bounds() {
    let (mut kernel, holder) = loop_kernel();
    let lower = kernel.op(holder).operands[0];
    kernel.op_mut(holder).operands[2] = lower;
    assert!(broken(&kernel, Rule::Bounds).contains("the step of 'for' is 0"));
}

#[test]
fn condition() {
    let (mut kernel, holder) = while_kernel();
    let test = kernel.op(holder).regions[0];
    let carried = kernel.region(test).args[0];
    let end = *kernel.region(test).ops.last().unwrap();
    kernel.op_mut(end).operands[0] = carried;
    assert!(broken(&kernel, Rule::Condition).contains("the condition of 'while' is i1 here, not i32"));

    let mut b = Builder::new("k");
    let condition = b.constant(Const::bool(true));
    let number = b.constant(Const::i32(1));
    b.if_else::<BuildError>(condition, |_| Ok(vec![]), |_| Ok(vec![]))
        .unwrap();
    let mut kernel = b.finish();
    let holder = *kernel.region(kernel.body()).ops.last().unwrap();
    kernel.op_mut(holder).operands[0] = number;
    broken(&kernel, Rule::Condition);
}

#[test]
fn region_args() {
    let (mut kernel, holder) = loop_kernel();
    let region = kernel.op(holder).regions[0];
    kernel.add_region_arg(region, Type::I1);
    assert!(broken(&kernel, Rule::RegionArgs).contains("the arguments of its body are (i32, i32), not (i32, i32, i1)"));
    let mut kernel = Kernel::new("k");
    let body = kernel.body();
    kernel.add_region_arg(body, Type::I1);
    broken(&kernel, Rule::RegionArgs);
}

#[test]
fn carried() {
    let (mut kernel, holder) = loop_kernel();
    let region = kernel.op(holder).regions[0];
    let end = *kernel.region(region).ops.last().unwrap();
    let passed = kernel.op_mut(end).operands.pop().unwrap();
    assert!(broken(&kernel, Rule::Carried).contains("'for' carries 1 value(s), but its body passes on 0"));
    kernel.op_mut(end).operands.push(passed);

    let (mut kernel, holder) = while_kernel();
    let test = kernel.op(holder).regions[0];
    let end = *kernel.region(test).ops.last().unwrap();
    let condition = kernel.op(end).operands[0];
    kernel.op_mut(end).operands[1] = condition;
    assert!(broken(&kernel, Rule::Carried).contains("its test passes on i1"));
}

#[test]
fn terminator() {
    let (mut kernel, holder) = loop_kernel();
    let region = kernel.op(holder).regions[0];
    let end = kernel.region_mut(region).ops.pop().unwrap();
    assert!(broken(&kernel, Rule::Terminator).contains("does not end with 'yield'"));
    // In the middle: what follows it is no end.
    let index = kernel.region(region).args[1];
    kernel.op_mut(end).operands[0] = index;
    kernel.region_mut(region).ops.insert(0, end);
    broken_all(&kernel, Rule::Terminator);
    // A terminator in the body.
    let mut kernel = Kernel::new("k");
    in_body(&mut kernel, OpKind::Yield, &[], &[]);
    broken(&kernel, Rule::Terminator);
    // The wrong one: both that it stands there and that the right one does not.
    let (mut kernel, holder) = while_kernel();
    let test = kernel.op(holder).regions[0];
    let end = *kernel.region(test).ops.last().unwrap();
    kernel.op_mut(end).kind = OpKind::Yield;
    broken_all(&kernel, Rule::Terminator);
}

#[test]
fn place() {
    for file in [1, 3] {
        let at = |file| Loc { file, line: 1, col: 1 };
        let mut kernel = Kernel::new("k");
        assert_eq!(kernel.file_index("k.rs"), 0);
        kernel.loc = at(file);
        broken(&kernel, Rule::Place);
        kernel.loc = at(0);
        constant(&mut kernel, 1);
        let op = kernel.region(kernel.body()).ops[0];
        kernel.op_mut(op).loc = at(file);
        broken(&kernel, Rule::Place);
        kernel.op_mut(op).loc = at(0);
        verify(&kernel).unwrap();
    }
}

#[test]
fn all_errors_are_listed_in_order() {
    let mut kernel = Kernel::new("1");
    let one = constant(&mut kernel, 1);
    in_body(&mut kernel, OpKind::Unary(UnaryOp::Exp), &[one], &[Type::I32]);
    in_body(&mut kernel, OpKind::Yield, &[], &[]);
    let errors = verify(&kernel).unwrap_err();
    let rules: Vec<Rule> = errors.all().iter().map(|e| e.rule).collect();
    assert_eq!(rules, [Rule::KernelName, Rule::OperandTypes, Rule::Terminator]);
    assert_eq!(errors.to_string().lines().count(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Kernels whose ids are exchanged at random: an answer, never a panic, and they still print.
    #[test]
    fn broken_kernels_get_an_answer(
        kernel in kernels(),
        other in kernels(),
        edits in prop::collection::vec((0..8u8, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
    ) {
        let mut kernel = kernel;
        let ops = kernel.ops_in_order();
        let strange = other.ops_in_order();
        if ops.is_empty() || strange.is_empty() {
            return Ok(());
        }
        for (edit, at, from) in edits {
            let (op, source) = (ops[at.index(ops.len())], other.op(strange[from.index(strange.len())]));
            let data = kernel.op_mut(op);
            match edit {
                0 => data.kind = source.kind.clone(),
                1 => data.operands = source.operands.clone(),
                2 => data.results = source.results.clone(),
                3 => data.regions = source.regions.clone(),
                4 => data.loc = Loc { file: 9, line: 1, col: 1 },
                5 => { data.operands.pop(); }
                _ => {
                    let mut regions = data.regions.clone();
                    regions.retain(|r| r.index() < kernel.region_count());
                    for &region in &regions {
                        let region = kernel.region_mut(region);
                        if edit == 6 {
                            region.ops.push(op);
                        } else {
                            region.args.extend(&source.operands);
                        }
                    }
                }
            }
        }
        if let Err(errors) = verify(&kernel) {
            prop_assert!(!errors.to_string().is_empty());
        }
        prop_assert!(!kernel.to_string().is_empty());
    }
}

/// A kernel that reduces a tile of `i32`: the reduction's id, and the kernel.
fn reduce_kernel() -> (Kernel, OpId) {
    let mut b = Builder::new("k");
    let n = b.constant(Const::i32(1));
    b.kernel_mut().set_name(n, "n");
    let tile = b.range(0, 17).unwrap();
    b.reduce::<BuildError>(&[tile], 0, |b, x, y| Ok(vec![b.binary(BinaryOp::Add, x[0], y[0])?]))
        .unwrap();
    let kernel = b.finish();
    let op = *kernel.region(kernel.body()).ops.last().unwrap();
    verify(&kernel).unwrap();
    (kernel, op)
}

#[test]
fn combine() {
    let body = |combine: &str| {
        format!(
            "kernel @k(%p: ptr<i32>) {{ %x = range 0, 4 %s = reduce %x axis 0 : tile<4xi32> (%a, %b) {{ {combine} }} }}"
        )
    };
    for (wrong, message) in [
        (
            "%c = program_id x yield %c",
            "element-wise operations on numbers: 'program_id' is none",
        ),
        ("%r = range 0, 4 yield %a", "'range' is none"),
        ("%r = splat %a : tile<4xi32> yield %a", "'splat' is none"),
        (
            "%r = const 0 : tile<4xi32> yield %a",
            "scalars of numbers: tile<4xi32> in 'const' is none",
        ),
        ("%c = cmp eq %a, %b : i32 if %c { } yield %a", "'if' is none"),
        (
            "%r = const 0 : tile<4xi32> %s = reduce %r axis 0 : tile<4xi32> (%c, %d) { yield %c } yield %a",
            "'const' is none",
        ),
        (
            "%c = sub %a, %b : i32 yield %c",
            "'sub' of the two elements is not associative: a combiner may be applied in any order",
        ),
        (
            "%c = shl %b, %a : i32 yield %c",
            "'shl' of the two elements is not associative",
        ),
    ] {
        let error = mytriton_ssa::parse_module(&body(wrong), "k.ssa")
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{wrong}: {error}");
    }
    let (mut kernel, op) = reduce_kernel();
    let region = kernel.op(op).regions[0];
    let end = kernel.region_mut(region).ops.pop().unwrap();
    append(&mut kernel, region, OpKind::ProgramId(Axis::X), &[], &[Type::I32]);
    kernel.region_mut(region).ops.push(end);
    broken(&kernel, Rule::Combine);
}

#[test]
fn isolated() {
    let (mut kernel, op) = reduce_kernel();
    let n = kernel.op(kernel.region(kernel.body()).ops[0]).results[0];
    let add = kernel.region(kernel.op(op).regions[0]).ops[0];
    kernel.op_mut(add).operands[1] = n;
    assert_eq!(
        broken(&kernel, Rule::Isolated),
        "in kernel 'k', %4 = add %2, %n : i32: %n is defined around the region: a combiner uses its own arguments and \
         constants alone, no value from outside of it"
    );
    let text = "kernel @k(%n: i32) { %x = range 0, 4 %s = scan %x axis 0 : tile<4xi32> (%a, %b) { yield %n } }";
    let error = mytriton_ssa::parse_module(text, "k.ssa").unwrap_err().to_string();
    assert!(error.starts_with("k.ssa:1:83: %n is defined around"), "{error}");
    // What the region defines ends with it.
    let text = "kernel @k() { %x = range 0, 4 %s = reduce %x axis 0 : tile<4xi32> (%a, %b) { yield %a }
        %t = abs %a : i32 }";
    assert!(mytriton_ssa::parse_module(text, "k.ssa").is_err());
    // A builder says it at once.
    let mut b = Builder::new("k");
    let n = b.constant(Const::i32(1));
    let x = b.range(0, 4).unwrap();
    let error = b.reduce::<BuildError>(&[x], 0, |b, x, _| Ok(vec![b.binary(BinaryOp::Add, x[0], n)?]));
    assert!(error.unwrap_err().to_string().contains("no value from outside"));
}

#[test]
fn combines_that_depend_on_the_order() {
    let refused = |scalar: Scalar, op: BinaryOp, swap: bool| {
        let mut b = Builder::new("k");
        let one = b.constant(Const::from_bits(scalar, 1));
        let x = b.splat(one, Type::tile(scalar, &[4]).unwrap()).unwrap();
        let made = b.scan::<BuildError>(&[x, x], 0, false, |b, x, y| {
            let (first, second) = if swap { (y[1], x[1]) } else { (x[1], y[1]) };
            Ok(vec![b.binary(BinaryOp::Add, x[0], y[0])?, b.binary(op, first, second)?])
        });
        made.err().map(|error| error.to_string())
    };
    for swap in [false, true] {
        let message = refused(Scalar::I32, BinaryOp::DivU, swap).unwrap();
        assert!(
            message.contains("'div_u' of the two elements is not associative"),
            "{message}"
        );
        assert!(refused(Scalar::F32, BinaryOp::Pow, swap).is_some());
        assert_eq!(refused(Scalar::I32, BinaryOp::Mul, swap), None);
        // The exclusive or.
        assert_eq!(refused(Scalar::I1, BinaryOp::Sub, swap), None);
    }
}

#[test]
fn parts_of_reductions() {
    // The other rules, as they hold of a reduction.
    let (mut kernel, op) = reduce_kernel();
    kernel.op_mut(op).operands.clear();
    let errors = verify(&kernel).unwrap_err();
    assert_eq!(errors.first().rule, Rule::Arity);

    let (mut kernel, op) = reduce_kernel();
    kernel.op_mut(op).kind = OpKind::Reduce { axis: 1 };
    broken(&kernel, Rule::OperandTypes);
    kernel.op_mut(op).kind = OpKind::Scan { axis: 0, reverse: true };
    broken(&kernel, Rule::ResultTypes);

    let (mut kernel, op) = reduce_kernel();
    let region = kernel.op(op).regions[0];
    kernel.add_region_arg(region, Type::I32);
    broken(&kernel, Rule::RegionArgs);

    let (mut kernel, op) = reduce_kernel();
    let region = kernel.op(op).regions[0];
    let end = *kernel.region(region).ops.last().unwrap();
    kernel.op_mut(end).operands.clear();
    broken(&kernel, Rule::Carried);

    let (mut kernel, op) = reduce_kernel();
    let region = kernel.op(op).regions[0];
    kernel.region_mut(region).ops.pop();
    broken(&kernel, Rule::Terminator);

    let (mut kernel, op) = reduce_kernel();
    kernel.op_mut(op).regions.clear();
    broken(&kernel, Rule::RegionCount);
}
