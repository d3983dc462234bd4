//! Every value that a kernel without memory operations computes, for given arguments: numbers and addresses, as `i64`.

use std::collections::HashMap;

use mytriton_ssa::{Const, Elem, Kernel, OpId, OpKind, RegionId, Type, ValueId, eval_binary, eval_cast, eval_cmp};

/// The values that each SSA value takes in turn, row by row.
pub type Trace = HashMap<ValueId, Vec<Vec<i64>>>;

pub struct Evaluator<'k> {
    kernel: &'k Kernel,
    now: HashMap<ValueId, Vec<i64>>,
    pub trace: Trace,
    /// Did a sum, difference or product of 32 or more bits, or an address, not fit?
    pub overflowed: bool,
    pub program: i64,
}

/// The most often that a loop goes round.
const ITERATIONS: i64 = 3;

impl<'k> Evaluator<'k> {
    pub fn new(kernel: &'k Kernel, arguments: &[i64], program: i64) -> Self {
        let mut this = Evaluator {
            kernel,
            now: HashMap::new(),
            trace: Trace::new(),
            overflowed: false,
            program,
        };
        for (param, &argument) in kernel.params().iter().zip(arguments) {
            this.define(param.value, vec![argument]);
        }
        this
    }

    pub fn run(&mut self) {
        self.region(self.kernel.body());
    }

    fn define(&mut self, value: ValueId, elements: Vec<i64>) {
        self.trace.entry(value).or_default().push(elements.clone());
        self.now.insert(value, elements);
    }

    /// Runs a region and gives what its terminator passes on.
    fn region(&mut self, region: RegionId) -> Vec<Vec<i64>> {
        for &op in &self.kernel.region(region).ops {
            let data = self.kernel.op(op);
            if matches!(data.kind, OpKind::Yield) {
                return data.operands.iter().map(|v| self.now[v].clone()).collect();
            }
            self.op(op);
        }
        Vec::new()
    }

    fn op(&mut self, op: OpId) {
        let data = self.kernel.op(op);
        let operands: Vec<Vec<i64>> = data.operands.iter().map(|v| self.now[v].clone()).collect();
        match data.kind {
            OpKind::For => {
                let (lower, upper, step) = (operands[0][0], operands[1][0], operands[2][0]);
                let mut carried = operands[3..].to_vec();
                let (mut index, mut count) = (lower, 0);
                let args = self.kernel.region(data.regions[0]).args.clone();
                while index < upper && count < ITERATIONS {
                    self.define(args[0], vec![index]);
                    for (&arg, value) in args[1..].iter().zip(carried) {
                        self.define(arg, value);
                    }
                    carried = self.region(data.regions[0]);
                    (index, count) = (index + step, count + 1);
                }
                for (&result, value) in data.results.iter().zip(carried) {
                    self.define(result, value);
                }
            }
            OpKind::If => {
                let taken = data.regions[usize::from(operands[0][0] == 0)];
                for (&result, value) in data.results.iter().zip(self.region(taken)) {
                    self.define(result, value);
                }
            }
            _ => {
                let result = data.results[0];
                let elements = self.simple(op, self.kernel.ty(result), &operands);
                self.define(result, elements);
            }
        }
    }

    fn simple(&mut self, op: OpId, ty: Type, operands: &[Vec<i64>]) -> Vec<i64> {
        let data = self.kernel.op(op);
        let types: Vec<Type> = data.operands.iter().map(|&v| self.kernel.ty(v)).collect();
        let count = ty.shape.dims().iter().product::<u32>() as usize;
        // The coordinates of an element, and its place in a tile of another shape.
        let coordinates = |mut index: usize, dims: &[u32]| -> Vec<usize> {
            let mut all = vec![0; dims.len()];
            for (at, &dim) in all.iter_mut().zip(dims).rev() {
                (*at, index) = (index % dim as usize, index / dim as usize);
            }
            all
        };
        let dims = ty.shape.dims();
        let element = |operand: usize, index: usize| match types[operand].is_scalar() {
            true => operands[operand][0],
            false => operands[operand][index],
        };
        let number = |operand: usize, index: usize| {
            Const::from_bits(
                types[operand].element().as_scalar().unwrap(),
                element(operand, index) as u64,
            )
        };
        let signed = |c: Const| ((c.bits() as i64) << (64 - c.scalar().bits())) >> (64 - c.scalar().bits());
        let mut overflowed = false;
        let elements = (0..count)
            .map(|index| match data.kind {
                OpKind::Const(value) => signed(value),
                OpKind::ProgramId(_) => self.program,
                OpKind::NumPrograms(_) => 7,
                OpKind::Range { start, .. } => i64::from(start) + index as i64,
                OpKind::Splat => operands[0][0],
                OpKind::ExpandDims { .. } => operands[0][index],
                OpKind::Broadcast => {
                    let from = types[0].shape.dims();
                    let at = coordinates(index, dims);
                    at.iter()
                        .zip(from)
                        .fold(0, |flat, (&c, &dim)| flat * dim as usize + if dim == 1 { 0 } else { c })
                        as i64
                }
                OpKind::Binary(binary) => {
                    let value = eval_binary(binary, number(0, index), number(1, index));
                    let wide = [number(0, index), number(1, index)].map(|c| i128::from(signed(c)));
                    let exact = match binary.name() {
                        "add" => Some(wide[0] + wide[1]),
                        "sub" => Some(wide[0] - wide[1]),
                        "mul" => Some(wide[0] * wide[1]),
                        _ => None,
                    };
                    // What division by zero gives is not said.
                    let value = value.unwrap_or(Const::from_bits(types[0].element().as_scalar().unwrap(), 0));
                    overflowed |= ty.element().as_scalar().unwrap().bits() >= 32
                        && exact.is_some_and(|exact| exact != i128::from(signed(value)));
                    signed(value)
                }
                // True is all ones, as every number is kept sign-extended.
                OpKind::Cmp(pred) => -i64::from(eval_cmp(pred, number(0, index), number(1, index))),
                OpKind::Select if element(0, index) & 1 != 0 => element(1, index),
                OpKind::Select => element(2, index),
                OpKind::Cast(kind) => {
                    let to = ty.element().as_scalar().unwrap();
                    signed(eval_cast(kind, number(0, index), to))
                }
                OpKind::AddPtr => {
                    let Elem::Ptr(to) = ty.elem else {
                        unreachable!("a pointer")
                    };
                    let (offset, scale) = (element(1, index), i64::from(to.bytes()));
                    let (scaled, too_far) = offset.overflowing_mul(scale);
                    let (address, beyond) = element(0, index).overflowing_add(scaled);
                    overflowed |= too_far || beyond;
                    address
                }
                _ => unreachable!("not evaluated: {}", data.kind.name()),
            })
            .collect::<Vec<i64>>();
        self.overflowed |= overflowed;
        match data.kind {
            OpKind::Broadcast => elements.into_iter().map(|from| operands[0][from as usize]).collect(),
            _ => elements,
        }
    }
}
