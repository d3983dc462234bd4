//! Planted faults: each is found within a few cases, and shrinks to a kernel that shows it and little else.

use mytriton_fuzz::{Case, Executor, Failure, Fuzzer, Limit, Outputs, Problem, interpret, oracle, read_case, rules};
use mytriton_ssa::{BinaryOp, CmpPred, Kernel, OpId, OpKind, Scalar, UnaryOp};

/// Operations of a kernel that shows a fault, at most.
const SMALL: usize = 10;

/// The interpreter on a kernel with a mistake in it, as a compiler would make one.
struct Planted {
    name: &'static str,
    plant: fn(&mut Kernel, OpId),
}

impl Executor for Planted {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn run(&self, case: &Case) -> Result<Outputs, Failure> {
        let mut kernel = case.kernel.clone();
        for op in kernel.ops_in_order() {
            (self.plant)(&mut kernel, op);
        }
        interpret(case, &kernel, false)
    }
}

fn scalar_of(kernel: &Kernel, op: OpId, operand: usize) -> Option<Scalar> {
    kernel.ty(*kernel.op(op).operands.get(operand)?).as_scalar()
}

/// Replaces one kind of operation by another, on one type.
fn swap(kernel: &mut Kernel, op: OpId, on: Scalar, from: OpKind, to: OpKind) {
    if kernel.op(op).kind == from && scalar_of(kernel, op, 0) == Some(on) {
        kernel.op_mut(op).kind = to;
    }
}

/// Finds the fault within so many cases, and gives the operations of what it shrinks to: the least of up to three
/// findings, as addresses that stay within a buffer by a hair keep one from getting smaller.
fn hunt(name: &'static str, plant: fn(&mut Kernel, OpId), cases: usize) -> (usize, Problem) {
    let mut fuzzer = Fuzzer::new(1);
    fuzzer.limit = Limit::Cases(cases);
    fuzzer.max_findings = 3;
    fuzzer.executors = vec![Box::new(Planted { name, plant })];
    let (statistics, findings) = fuzzer.run(&mut |_| ());
    assert!(statistics.refused.is_empty(), "{statistics}");
    let Some(finding) = findings.iter().min_by_key(|finding| finding.case.op_count()) else {
        panic!("{name}: not found in {} cases", statistics.cases);
    };
    // What is reported reads back as the case, and still shows the fault.
    let text = finding.to_text();
    let again = read_case(&text, "finding.ssa").unwrap_or_else(|e| panic!("{e}\n{text}"));
    let expected = oracle(&again).unwrap();
    assert!(rules(&again).is_ok());
    let got = Planted { name, plant }.run(&again);
    assert_ne!(got.as_ref(), Ok(&expected), "{name}:\n{text}");
    let ops = finding.case.op_count();
    println!("{name}: {} -> {ops} operations\n{text}", finding.original_ops);
    (ops, finding.problem.clone())
}

#[track_caller]
fn is_found(name: &'static str, plant: fn(&mut Kernel, OpId), cases: usize) {
    let (found, problem) = hunt(name, plant, cases);
    assert!(found <= SMALL, "{name}: {found} operations");
    assert!(matches!(
        problem,
        Problem::Mismatch(_) | Problem::Failure(Failure::Fault(_))
    ));
}

#[test]
fn wrong_arithmetic() {
    is_found(
        "a sum of i8 as a difference",
        |kernel, op| {
            swap(
                kernel,
                op,
                Scalar::I8,
                OpKind::Binary(BinaryOp::Add),
                OpKind::Binary(BinaryOp::Sub),
            )
        },
        200,
    );
    is_found(
        "a right shift of i16 without its sign",
        |kernel, op| {
            swap(
                kernel,
                op,
                Scalar::I16,
                OpKind::Binary(BinaryOp::ShrS),
                OpKind::Binary(BinaryOp::ShrU),
            )
        },
        200,
    );
    is_found(
        "a largest of f16 that lets NaN through",
        |kernel, op| {
            swap(
                kernel,
                op,
                Scalar::F16,
                OpKind::Binary(BinaryOp::Max),
                OpKind::Binary(BinaryOp::MaxNan),
            )
        },
        400,
    );
    is_found(
        "ties of f32 away from zero",
        |kernel, op| {
            let (from, to) = (OpKind::Unary(UnaryOp::RoundEven), OpKind::Unary(UnaryOp::Round));
            swap(kernel, op, Scalar::F32, from, to);
        },
        800,
    );
    is_found(
        "an unsigned comparison of i64 with the sign",
        |kernel, op| {
            swap(
                kernel,
                op,
                Scalar::I64,
                OpKind::Cmp(CmpPred::LtU),
                OpKind::Cmp(CmpPred::Lt),
            )
        },
        200,
    );
}

#[test]
fn wrong_selection() {
    is_found(
        "the arms of select exchanged",
        |kernel, op| {
            if kernel.op(op).kind == OpKind::Select {
                kernel.op_mut(op).operands.swap(1, 2);
            }
        },
        50,
    );
}

#[test]
fn wrong_masks() {
    is_found(
        "the mask of a store forgotten",
        |kernel, op| {
            if kernel.op(op).kind == OpKind::Store {
                kernel.op_mut(op).operands.truncate(2);
            }
        },
        50,
    );
    is_found(
        "the mask of a load forgotten",
        |kernel, op| {
            if kernel.op(op).kind == OpKind::Load {
                kernel.op_mut(op).operands.truncate(1);
            }
        },
        50,
    );
}

#[test]
fn wrong_control_flow() {
    is_found(
        "the arms of a branch exchanged",
        |kernel, op| {
            if kernel.op(op).kind == OpKind::If {
                kernel.op_mut(op).regions.swap(0, 1);
            }
        },
        50,
    );
    is_found(
        "a loop that forgets its first value",
        |kernel, op| {
            if kernel.op(op).kind != OpKind::For || kernel.op(op).operands.len() < 5 {
                return;
            }
            let [a, b] = [3, 4].map(|i| kernel.op(op).operands[i]);
            if kernel.ty(a) == kernel.ty(b) {
                kernel.op_mut(op).operands.swap(3, 4);
            }
        },
        400,
    );
}

#[test]
fn wrong_shapes() {
    is_found(
        "the start of a range forgotten",
        |kernel, op| {
            if let OpKind::Range { start, end } = &mut kernel.op_mut(op).kind {
                (*start, *end) = (0, *end - *start);
            }
        },
        100,
    );
    let (ops, _) = hunt(
        "rows taken for columns",
        |kernel, op| {
            // Only of square tiles, where types do not tell.
            let is_square = |dims: &[u32]| matches!(dims, [n, m] if n == m && *n > 1);
            let OpKind::Broadcast = kernel.op(op).kind else {
                return;
            };
            let (operand, result) = (kernel.op(op).operands[0], kernel.op(op).results[0]);
            if !is_square(kernel.ty(result).shape.dims()) {
                return;
            }
            let expand = kernel
                .ops_in_order()
                .into_iter()
                .find(|&id| kernel.op(id).results.contains(&operand));
            let Some(expand) = expand.filter(|&id| matches!(kernel.op(id).kind, OpKind::ExpandDims { .. })) else {
                return;
            };
            let axis = usize::from(kernel.ty(operand).shape.dims()[0] != 1);
            let inner = kernel.op(expand).operands[0];
            let shape = kernel
                .ty(operand)
                .shape
                .dims()
                .iter()
                .rev()
                .copied()
                .collect::<Vec<u32>>();
            let ty = kernel.ty(operand).with_shape(mytriton_ssa::Shape::new(&shape).unwrap());
            let turned = OpKind::ExpandDims { axis: 1 - axis };
            let loc = kernel.op(op).loc;
            let turned = kernel.new_op(turned, [inner], [ty], [], loc);
            let value = kernel.op(turned).results[0];
            kernel.op_mut(op).operands[0] = value;
            insert_before(kernel, op, turned);
        },
        300,
    );
    // Two ranges, their dimensions, and an access through the sum, at least.
    assert!(ops <= 20, "{ops} operations");
}

fn insert_before(kernel: &mut Kernel, op: OpId, new: OpId) {
    let mut regions = vec![kernel.body()];
    regions.extend(
        kernel
            .ops_in_order()
            .into_iter()
            .flat_map(|id| kernel.op(id).regions.to_vec()),
    );
    for region in regions {
        if let Some(at) = kernel.region(region).ops.iter().position(|&id| id == op) {
            kernel.region_mut(region).ops.insert(at, new);
        }
    }
}

/// Gives a combiner its sides in the other order.
fn swap_sides(kernel: &mut Kernel, op: OpId) {
    let region = kernel.op(op).regions[0];
    let (args, ops) = (kernel.region(region).args.clone(), kernel.region(region).ops.clone());
    for op in ops {
        for operand in &mut kernel.op_mut(op).operands {
            if let Some(at) = args.iter().position(|arg| arg == operand) {
                *operand = args[(at + args.len() / 2) % args.len()];
            }
        }
    }
}

#[test]
fn wrong_reductions() {
    // A combiner with an index has nine operations by itself, and an address in the shape of a reshape some more.
    let is_found = |name, plant, cases| {
        let (ops, _) = hunt(name, plant, cases);
        assert!(ops <= 40, "{name}: {ops} operations");
    };
    is_found(
        "a scan that forgets its direction",
        |kernel, op| {
            if let OpKind::Scan { reverse, .. } = &mut kernel.op_mut(op).kind {
                *reverse = false;
            }
        },
        200,
    );
    is_found(
        "a scan that takes the prefix for the element",
        |kernel, op| {
            if let OpKind::Scan { .. } = kernel.op(op).kind {
                swap_sides(kernel, op);
            }
        },
        400,
    );
    is_found(
        "ties of a largest element to the highest index",
        |kernel, op| {
            let data = kernel.op(op);
            if !matches!(data.kind, OpKind::Reduce { .. }) || data.operands.len() != 2 {
                return;
            }
            let region = data.regions[0];
            let args = &kernel.region(region).args;
            let indices = [args[1], args[3]];
            for op in kernel.region(region).ops.clone() {
                if kernel.op(op).operands[..] == indices && kernel.op(op).kind == OpKind::Cmp(CmpPred::Lt) {
                    kernel.op_mut(op).kind = OpKind::Cmp(CmpPred::Gt);
                }
            }
        },
        400,
    );
}

/// Another order of a reduction is no fault, neither in what is generated nor in what is shrunk.
#[test]
fn the_order_is_open() {
    let mut fuzzer = Fuzzer::new(5);
    fuzzer.limit = Limit::Cases(100);
    fuzzer.executors = vec![Box::new(Planted {
        name: "reductions that take their sides the other way round",
        plant: |kernel, op| {
            if let OpKind::Reduce { .. } = kernel.op(op).kind {
                swap_sides(kernel, op);
            }
        },
    })];
    let (statistics, findings) = fuzzer.run(&mut |_| ());
    assert!(findings.is_empty(), "{statistics}\n{}", findings[0].to_text());
}
