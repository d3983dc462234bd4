//! Every element-wise operation on every type that takes it. The table of operations and the typing rules decide what
//! there is, so that a new operation is in the suite by itself.

use std::ops::Range;

use mytriton_ssa::{
    BinaryOp, BuildError, Builder, CastKind, CmpPred, Const, Elem, Kernel, OpKind, Scalar, Type, UnaryOp, eval_binary,
    eval_cast, eval_cmp, eval_fma, eval_select, eval_unary, result_type,
};

use crate::case::{Arg, Case, Data, Launch, LocalMemory};
use crate::compare::Rule;
use crate::suite::{Group, SIZES};
use crate::values::{Domain, Random};

/// One operation in a kernel of many: what it does to which inputs, and what type that gives.
#[derive(Clone, Debug)]
struct Op {
    kind: OpKind,
    operands: Range<usize>,
    result: Scalar,
}

/// A kernel of many operations on the same inputs, each with its own part of an output.
#[derive(Clone)]
struct Matrix {
    name: String,
    inputs: Vec<(Scalar, Domain)>,
    ops: Vec<Op>,
}

/// Block sizes and warps that the kernels take turns with: less than one element of a thread, one, and up to four. With
/// more, each of which has its own mask, ptxas runs out of predicate registers.
const SHAPES: [(u32, u32); 6] = [(256, 4), (1024, 8), (64, 4), (256, 2), (128, 1), (512, 16)];

/// One group for each type.
pub fn groups() -> Vec<Group> {
    Scalar::ALL
        .into_iter()
        .map(|scalar| Group::cases(format!("matrix-{scalar}"), move || cases(scalar)))
        .collect()
}

fn cases(scalar: Scalar) -> Result<Vec<Case>, BuildError> {
    let any = (scalar, Domain::Any);
    let matrices = [
        Matrix::new("unary", scalar, vec![any], unary_ops(scalar, |op| !is_function(op))),
        Matrix::new(
            "functions",
            scalar,
            vec![any],
            unary_ops(scalar, |op| is_function(op) && !is_periodic(op) && !is_special(op)),
        ),
        Matrix::new("special", scalar, vec![any], unary_ops(scalar, is_special)),
        Matrix::new(
            "periodic",
            scalar,
            vec![(scalar, Domain::Angle)],
            unary_ops(scalar, is_periodic),
        ),
        Matrix::new(
            "binary",
            scalar,
            vec![any; 2],
            binary_ops(scalar, |op| !is_division(op) && !is_shift(op) && !is_special_of_two(op)),
        ),
        Matrix::new(
            "special_of_two",
            scalar,
            vec![any; 2],
            binary_ops(scalar, is_special_of_two),
        ),
        Matrix::new(
            "power",
            scalar,
            vec![any, (Scalar::I32, Domain::Any)],
            allowed([OpKind::Binary(BinaryOp::PowI)], 0..2, &[scalar, Scalar::I32], None),
        ),
        Matrix::new(
            "division",
            scalar,
            vec![any, (scalar, Domain::Divisor)],
            binary_ops(scalar, is_division),
        ),
        Matrix::new(
            "shift",
            scalar,
            vec![any, (scalar, Domain::Shift)],
            binary_ops(scalar, is_shift),
        ),
        Matrix::new("cmp", scalar, vec![any; 2], cmp_ops(scalar)),
        Matrix::new(
            "select",
            scalar,
            vec![(Scalar::I1, Domain::Any), any, any],
            select_op(scalar),
        ),
        Matrix::new("fma", scalar, vec![any; 3], fma_op(scalar)),
        Matrix::new("cast", scalar, vec![any], casts(scalar)),
    ];
    let mut shape = scalar as usize;
    let used = matrices.into_iter().filter(|matrix| !matrix.ops.is_empty());
    used.map(|matrix| {
        shape += 1;
        let (block, warps) = SHAPES[shape % SHAPES.len()];
        matrix.case(block, warps)
    })
    .collect()
}

fn is_function(op: UnaryOp) -> bool {
    use UnaryOp::*;
    !matches!(op, Neg | Abs | Floor | Ceil | Trunc | Round | RoundEven)
}

fn is_periodic(op: UnaryOp) -> bool {
    matches!(op, UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tan)
}

/// The functions that are rarer than exponentials, logarithms and roots: a kernel of their own.
fn is_special(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(
        op,
        Acos | Acosh
            | Asin
            | Asinh
            | Atan
            | Atanh
            | Cbrt
            | Cosh
            | CosPi
            | Erfc
            | Exp10
            | Lgamma
            | Sinh
            | SinPi
            | Tgamma
    )
}

fn is_special_of_two(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Atan2 | Fdim | Hypot | NextAfter | Remainder)
}

fn is_division(op: BinaryOp) -> bool {
    op.undefined().is_some()
}

fn is_shift(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Shl | BinaryOp::ShrS | BinaryOp::ShrU)
}

/// The operations of those given that the typing rules allow; `operands` are positions among the inputs.
fn allowed(
    kinds: impl IntoIterator<Item = OpKind>,
    operands: Range<usize>,
    types: &[Scalar],
    requested: Option<Scalar>,
) -> Vec<Op> {
    let types: Vec<Type> = types.iter().map(|&s| Type::scalar(s)).collect();
    let op = |kind: OpKind| {
        let result = result_type(&kind, &types, requested.map(Type::scalar)).ok().flatten()?;
        Some(Op {
            kind,
            operands: operands.clone(),
            result: result.as_scalar()?,
        })
    };
    kinds.into_iter().filter_map(op).collect()
}

fn unary_ops(scalar: Scalar, wanted: impl Fn(UnaryOp) -> bool) -> Vec<Op> {
    let kinds = UnaryOp::ALL
        .iter()
        .filter(|op| wanted(**op))
        .map(|&op| OpKind::Unary(op));
    allowed(kinds, 0..1, &[scalar], None)
}

fn binary_ops(scalar: Scalar, wanted: impl Fn(BinaryOp) -> bool) -> Vec<Op> {
    let kinds = BinaryOp::ALL
        .iter()
        .filter(|op| wanted(**op))
        .map(|&op| OpKind::Binary(op));
    allowed(kinds, 0..2, &[scalar; 2], None)
}

fn cmp_ops(scalar: Scalar) -> Vec<Op> {
    allowed(
        CmpPred::ALL.iter().map(|&pred| OpKind::Cmp(pred)),
        0..2,
        &[scalar; 2],
        None,
    )
}

fn select_op(scalar: Scalar) -> Vec<Op> {
    allowed([OpKind::Select], 0..3, &[Scalar::I1, scalar, scalar], None)
}

fn fma_op(scalar: Scalar) -> Vec<Op> {
    allowed([OpKind::Fma], 0..3, &[scalar; 3], None)
}

fn casts(scalar: Scalar) -> Vec<Op> {
    let to = |&kind: &CastKind| {
        let results = Scalar::ALL.into_iter();
        results.flat_map(move |to| allowed([OpKind::Cast(kind)], 0..1, &[scalar], Some(to)))
    };
    CastKind::ALL.iter().flat_map(to).collect()
}

/// The one scalar meaning of an operation.
fn eval(op: &Op, x: &[Const]) -> Option<Const> {
    Some(match op.kind {
        OpKind::Unary(f) => eval_unary(f, x[0]),
        OpKind::Binary(f) => eval_binary(f, x[0], x[1])?,
        OpKind::Cmp(pred) => Const::bool(eval_cmp(pred, x[0], x[1])),
        OpKind::Cast(kind) => eval_cast(kind, x[0], op.result),
        OpKind::Fma => eval_fma(x[0], x[1], x[2]),
        OpKind::Select => eval_select(x[0], x[1], x[2]),
        _ => return None,
    })
}

impl Matrix {
    fn new(what: &str, scalar: Scalar, inputs: Vec<(Scalar, Domain)>, ops: Vec<Op>) -> Matrix {
        Matrix {
            name: format!("{what}_{scalar}"),
            inputs,
            ops,
        }
    }

    /// The types of the results, each once; results of one type share an output.
    fn result_types(&self) -> Vec<Scalar> {
        Scalar::ALL
            .into_iter()
            .filter(|scalar| self.ops.iter().any(|op| op.result == *scalar))
            .collect()
    }

    /// The operations with a result of that type, in the order of their parts of the output.
    fn of_result(&self, result: Scalar) -> impl Iterator<Item = &Op> {
        self.ops.iter().filter(move |op| op.result == result)
    }

    fn case(self, block: u32, warps: u32) -> Result<Case, BuildError> {
        let kernel = self.kernel(block)?;
        let periodic = self
            .ops
            .iter()
            .any(|op| matches!(op.kind, OpKind::Unary(f) if is_periodic(f)));
        let mut case = Case::new(self.name.clone(), kernel, move |random| {
            SIZES.iter().map(|&n| self.launch(random, n, block)).collect()
        });
        // The reduction of large angles looks up digits of 2 / pi.
        if periodic {
            case.local_memory = LocalMemory::Table;
        }
        Ok(case.warps(warps))
    }

    fn kernel(&self, block: u32) -> Result<Kernel, BuildError> {
        let mut b = Builder::new(self.name.clone());
        let inputs: Vec<_> = (self.inputs.iter().enumerate())
            .map(|(i, (scalar, _))| b.param(format!("x{i}"), Elem::Ptr(*scalar)))
            .collect();
        let outputs: Vec<_> = (self.result_types().into_iter())
            .map(|scalar| (scalar, b.param(format!("out_{scalar}"), Elem::Ptr(scalar))))
            .collect();
        let n = b.param("n", Elem::Scalar(Scalar::I32));
        // All buffers begin at multiples of 16 bytes: a fact that compilation may use.
        for param in b.kernel_mut().params_mut().iter_mut().rev().skip(1) {
            param.divisibility = 16;
        }
        let pid = b.program_id(mytriton_ssa::Axis::X)?;
        let size = b.constant(Const::i32(block as i32));
        let start = b.binary(BinaryOp::Mul, pid, size)?;
        let range = b.range(0, block as i32)?;
        let ints = b.ty(range);
        let start = b.splat(start, ints)?;
        let at = b.binary(BinaryOp::Add, start, range)?;
        let limit = b.splat(n, ints)?;
        let mask = b.cmp(CmpPred::Lt, at, limit)?;
        let mut loaded = Vec::new();
        for x in inputs {
            let ty = b.ty(x).with_shape(ints.shape);
            let x = b.splat(x, ty)?;
            let x = b.addptr(x, at)?;
            loaded.push(b.load(x, Some(mask), None)?);
        }
        for (scalar, out) in outputs {
            for (slot, op) in self.of_result(scalar).enumerate() {
                let shape = Type::scalar(op.result).with_shape(ints.shape);
                let operands = &loaded[op.operands.clone()];
                let Some(value) = b.op(op.kind.clone(), operands, Some(shape))? else {
                    continue;
                };
                let slot = b.constant(Const::i32(slot as i32));
                let part = b.binary(BinaryOp::Mul, slot, n)?;
                let part = b.addptr(out, part)?;
                let ty = b.ty(part).with_shape(ints.shape);
                let part = b.splat(part, ty)?;
                let part = b.addptr(part, at)?;
                b.store(part, value, Some(mask))?;
            }
        }
        Ok(b.finish())
    }

    fn launch(&self, random: &mut Random, n: usize, block: u32) -> Launch {
        let inputs: Vec<Data> = (self.inputs.iter())
            .map(|(scalar, domain)| Data::random(random, *scalar, n, *domain, 0))
            .collect();
        let results = self.result_types();
        let outputs: Vec<Data> = (results.iter())
            .map(|&scalar| Data::random(random, scalar, n * self.of_result(scalar).count(), Domain::Any, 0))
            .collect();
        let args = (inputs.iter().cloned().chain(outputs).map(Arg::from)).chain([Arg::from(n as i32)]);
        let grid = [(n as u32).div_ceil(block), 1, 1];
        let mut launch = Launch::new(format!("n = {n}"), grid, args);
        for (position, &scalar) in results.iter().enumerate() {
            for (slot, op) in self.of_result(scalar).enumerate() {
                let operands = &inputs[op.operands.clone()];
                let expected = (0..n).map(|i| {
                    let x: Vec<Const> = operands.iter().map(|data| data.get(i)).collect();
                    eval(op, &x)
                });
                let expected = expected.collect::<Option<Vec<Const>>>().unwrap_or_default();
                let name = match op.kind {
                    OpKind::Cmp(pred) => format!("cmp {pred}"),
                    OpKind::Cast(kind) => format!("{kind} to {scalar}"),
                    _ => op.kind.name().to_owned(),
                };
                let operand = self.inputs[op.operands.start].0;
                let rule = Rule::Of(mytriton_fuzz::Rule::of(&op.kind, operand));
                launch = launch.output(inputs.len() + position, name, slot * n..(slot + 1) * n, rule, expected);
            }
        }
        launch
    }
}
