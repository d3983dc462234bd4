//! Every value that a kernel without memory operations computes, for given arguments: numbers and addresses, as `i64`.

use std::collections::HashMap;

use mytriton_ssa::{BinaryOp, Const, Kernel, OpKind, ValueId};

use crate::machine::{Cell, Memory, Options, run};

/// The values that each SSA value takes in turn, row by row.
pub type Trace = HashMap<ValueId, Vec<Vec<i64>>>;

/// The iterations after which a loop is left.
const ITERATIONS: usize = 3;

/// Runs one program. None if a sum, difference or product of 32 or more bits, or an address, did not fit.
pub fn evaluate(kernel: &Kernel, arguments: &[i64], program: i32) -> Option<Trace> {
    let cells: Vec<Cell> = (kernel.params().iter().zip(arguments).enumerate())
        .map(|(index, (param, &argument))| match kernel.ty(param.value).as_scalar() {
            Some(scalar) => Cell::Number(Const::from_int(scalar, argument.into())),
            None => Cell::Pointer(index, 0),
        })
        .collect();
    let mut observer = Observer {
        kernel,
        arguments,
        trace: Trace::new(),
        overflowed: false,
    };
    let options = Options {
        program,
        leave_loops_after: Some(ITERATIONS),
        observer: &mut |value, cells| observer.defined(value, cells),
    };
    run(kernel, &cells, &mut Memory::new(), options).unwrap();
    (!observer.overflowed).then_some(observer.trace)
}

struct Observer<'k> {
    kernel: &'k Kernel,
    arguments: &'k [i64],
    trace: Trace,
    overflowed: bool,
}

impl Observer<'_> {
    fn defined(&mut self, value: ValueId, cells: &mut [Cell]) {
        let ty = self.kernel.ty(value);
        let elements: Vec<i128> = cells
            .iter_mut()
            .map(|cell| match *cell {
                Cell::Number(number) => signed(number),
                Cell::Pointer(param, index) => {
                    let bytes = ty.pointee().expect("a pointer").bytes();
                    i128::from(self.arguments[param]) + i128::from(index) * i128::from(bytes)
                }
                // Division by zero may give any number: here 0.
                Cell::Open => {
                    *cell = Cell::Number(Const::zero(ty.element().as_scalar().expect("a number")));
                    0
                }
            })
            .collect();
        self.overflowed |= self.exact(value).is_some_and(|exact| exact != elements);
        let fitting = elements.iter().map(|&element| {
            self.overflowed |= i64::try_from(element).is_err();
            element as i64
        });
        self.trace.entry(value).or_default().push(fitting.collect());
    }

    /// What a sum, difference or product of 32 or more bits, or an address, would be without overflow.
    fn exact(&self, value: ValueId) -> Option<Vec<i128>> {
        let op = self.kernel.defining_op(value)?;
        let scale = self.kernel.ty(value).pointee().map(|to| i128::from(to.bytes()));
        let narrow = (self.kernel.ty(value).element().as_scalar()).is_some_and(|scalar| scalar.bits() < 32);
        let exact = |x: i128, y: i128| match op.kind {
            OpKind::Binary(_) if narrow => None,
            OpKind::Binary(BinaryOp::Add) => Some(x + y),
            OpKind::Binary(BinaryOp::Sub) => Some(x - y),
            OpKind::Binary(BinaryOp::Mul) => Some(x * y),
            OpKind::AddPtr => Some(x + y * scale?),
            _ => None,
        };
        let [x, y] = op.operands[..] else { return None };
        let now = |operand: ValueId| self.trace[&operand].last().expect("defined before its use").iter();
        now(x).zip(now(y)).map(|(&x, &y)| exact(x.into(), y.into())).collect()
    }
}

/// Sign-extended, a boolean too.
fn signed(number: Const) -> i128 {
    let unused = 64 - number.scalar().bits();
    i128::from((number.bits() as i64) << unused >> unused)
}
