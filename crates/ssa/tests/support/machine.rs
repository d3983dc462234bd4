//! Runs one program of a kernel by the meaning of its operations, element by element: slow and plain.
//!
//! The tests of the optimiser compare the memory that it leaves; those of the passes' analyses watch every value.

use std::collections::HashMap;

use mytriton_ssa::{
    Const, Kernel, OpId, OpKind, RegionId, Type, ValueId, eval_binary, eval_cast, eval_cmp, eval_fma, eval_select,
    eval_unary,
};

/// One element of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cell {
    Number(Const),
    /// An element of a buffer, by number of the parameter.
    Pointer(usize, i64),
    /// Unspecified: a division by zero, or an element that a mask kept from being loaded.
    Open,
}

/// Why a program has no meaning that could be checked.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Meaningless(String);

type Run<T> = Result<T, Meaningless>;

/// The memory behind each pointer parameter.
pub type Memory = HashMap<usize, Vec<Cell>>;

/// A loop of more iterations has no meaning that a test could check in time.
const MAX_ITERATIONS: usize = 200;

/// Which program runs, and who watches it.
pub struct Options<'o> {
    /// Its number along each dimension of the grid, of 7 programs.
    pub program: i32,
    /// Leaves a loop after so many iterations as if its condition had failed.
    pub leave_loops_after: Option<usize>,
    /// Sees each value as it is defined, and may decide what its unspecified elements are.
    pub observer: &'o mut dyn FnMut(ValueId, &mut [Cell]),
}

/// Runs the kernel with the parameters' values, changing memory.
pub fn run(kernel: &Kernel, args: &[Cell], memory: &mut Memory, options: Options) -> Run<()> {
    let mut machine = Machine {
        kernel,
        memory,
        values: HashMap::new(),
        options,
    };
    for (param, &arg) in kernel.params().iter().zip(args) {
        machine.define(param.value, vec![arg]);
    }
    machine.region(kernel.body(), &[]).map(|_| ())
}

struct Machine<'a, 'o> {
    kernel: &'a Kernel,
    memory: &'a mut Memory,
    values: HashMap<ValueId, Vec<Cell>>,
    options: Options<'o>,
}

fn numbers<const N: usize>(cells: [Cell; N], f: impl FnOnce([Const; N]) -> Option<Const>) -> Cell {
    let mut out = [Const::bool(false); N];
    for (out, cell) in out.iter_mut().zip(cells) {
        match cell {
            Cell::Number(c) => *out = c,
            _ => return Cell::Open,
        }
    }
    f(out).map_or(Cell::Open, Cell::Number)
}

impl Machine<'_, '_> {
    fn define(&mut self, value: ValueId, mut cells: Vec<Cell>) {
        assert_eq!(cells.len(), self.kernel.ty(value).shape.elements());
        (self.options.observer)(value, &mut cells);
        self.values.insert(value, cells);
    }

    /// Runs a region and gives what its terminator passes on.
    fn region(&mut self, region: RegionId, args: &[Vec<Cell>]) -> Run<Vec<Vec<Cell>>> {
        let kernel = self.kernel;
        for (&arg, value) in kernel.region(region).args.iter().zip(args) {
            self.define(arg, value.clone());
        }
        for &op in &kernel.region(region).ops {
            let data = kernel.op(op);
            if data.kind.is_terminator() {
                return Ok(data.operands.iter().map(|v| self.values[v].clone()).collect());
            }
            let results = self.op(op)?;
            assert_eq!(results.len(), data.results.len());
            for (&result, value) in data.results.iter().zip(results) {
                self.define(result, value);
            }
        }
        Ok(Vec::new())
    }

    fn scalar(&self, value: ValueId) -> Run<Const> {
        match self.values[&value][0] {
            Cell::Number(c) => Ok(c),
            _ => Err(Meaningless("control depends on an unspecified value".to_owned())),
        }
    }

    fn op(&mut self, op: OpId) -> Run<Vec<Vec<Cell>>> {
        let kernel = self.kernel;
        let data = kernel.op(op);
        let inputs: Vec<Vec<Cell>> = data.operands.iter().map(|v| self.values[v].clone()).collect();
        match data.kind {
            OpKind::For => return self.for_loop(op, inputs),
            OpKind::If => {
                let taken = usize::from(self.scalar(data.operands[0])?.bits() == 0);
                return self.region(data.regions[taken], &[]);
            }
            OpKind::While => {
                let mut carried = inputs;
                for done in 0..MAX_ITERATIONS {
                    let mut passed = self.region(data.regions[0], &carried)?;
                    match passed.remove(0)[0] {
                        Cell::Number(c) if c.bits() == 0 || self.leaves_after(done) => return Ok(passed),
                        Cell::Number(_) => carried = self.region(data.regions[1], &passed)?,
                        _ => return Err(Meaningless("an unspecified condition".to_owned())),
                    }
                }
                return Err(Meaningless("too many iterations".to_owned()));
            }
            OpKind::Reduce { axis } => return self.combine(op, &inputs, axis, None),
            OpKind::Scan { axis, reverse } => return self.combine(op, &inputs, axis, Some(reverse)),
            OpKind::Split => {
                let half = |half| inputs[0].iter().skip(half).step_by(2).copied().collect();
                return Ok(vec![half(0), half(1)]);
            }
            OpKind::Histogram => return Ok(vec![histogram(&inputs, kernel.ty(data.results[0]).shape.elements())]),
            OpKind::Store => {
                for i in 0..inputs[0].len() {
                    if let Some(cell) = self.address(&inputs, 2, i)? {
                        *cell = inputs[1][i];
                    }
                }
                return Ok(Vec::new());
            }
            _ => {}
        }
        let ty = kernel.ty(data.results[0]);
        let mut result = Vec::new();
        for i in 0..ty.shape.elements() {
            let cell = match data.kind {
                OpKind::Load => match self.address(&inputs, 1, i)? {
                    Some(cell) => *cell,
                    None => inputs.get(2).map_or(Cell::Open, |other| other[i]),
                },
                _ => self.element(op, &inputs, ty, i),
            };
            result.push(cell);
        }
        Ok(vec![result])
    }

    /// The cell that element `i` of a load or store addresses, unless operand `mask` masks it off.
    fn address(&mut self, inputs: &[Vec<Cell>], mask: usize, i: usize) -> Run<Option<&mut Cell>> {
        match inputs.get(mask).map(|m| m[i]) {
            Some(Cell::Number(c)) if c.bits() == 0 => return Ok(None),
            None | Some(Cell::Number(_)) => {}
            _ => return Err(Meaningless("an unspecified mask".to_owned())),
        }
        let Cell::Pointer(buffer, at) = inputs[0][i] else {
            return Err(Meaningless("an unspecified address".to_owned()));
        };
        let cells = self.memory.get_mut(&buffer).expect("a buffer");
        let cell = usize::try_from(at).ok().and_then(|at| cells.get_mut(at));
        cell.map(Some)
            .ok_or_else(|| Meaningless(format!("element {at} is out of bounds")))
    }

    fn element(&self, op: OpId, inputs: &[Vec<Cell>], ty: Type, i: usize) -> Cell {
        let data = self.kernel.op(op);
        let at = |operand: usize| inputs[operand][i];
        match data.kind {
            OpKind::Const(c) => Cell::Number(c),
            OpKind::ProgramId(_) => Cell::Number(Const::i32(self.options.program)),
            OpKind::NumPrograms(_) => Cell::Number(Const::i32(7)),
            OpKind::Range { start, .. } => Cell::Number(Const::i32(start + i as i32)),
            OpKind::Splat => inputs[0][0],
            OpKind::ExpandDims { .. } | OpKind::Reshape => at(0),
            OpKind::Transpose { permutation } => {
                let from = self.kernel.ty(data.operands[0]).shape;
                let strides: Vec<usize> = (0..from.rank())
                    .map(|axis| from.dims()[axis + 1..].iter().map(|&d| d as usize).product())
                    .collect();
                let (mut rest, mut index) = (i, 0);
                let axes: Vec<usize> = permutation.axes().collect();
                for (&extent, &axis) in ty.shape.dims().iter().zip(&axes).rev() {
                    index += rest % extent as usize * strides[axis];
                    rest /= extent as usize;
                }
                inputs[0][index]
            }
            OpKind::Join => inputs[i % 2][i / 2],
            OpKind::Gather { axis } => {
                let Cell::Number(chosen) = inputs[1][i] else {
                    return Cell::Open;
                };
                let from = self.kernel.ty(data.operands[0]).shape;
                let inner: usize = from.dims()[axis + 1..].iter().map(|&d| d as usize).product();
                let (extent, indices) = (u64::from(from.dims()[axis]), ty.shape.dims()[axis] as usize);
                if chosen.bits() >= extent {
                    return Cell::Open;
                }
                let line = i / (indices * inner) * extent as usize + chosen.bits() as usize;
                inputs[0][line * inner + i % inner]
            }
            OpKind::Broadcast => {
                let from = self.kernel.ty(data.operands[0]).shape;
                let (mut rest, mut index, mut stride) = (i, 0, 1);
                for (&to, &from) in ty.shape.dims().iter().zip(from.dims()).rev() {
                    let (to, from) = (to as usize, from as usize);
                    index += (rest % to).min(from - 1) * stride;
                    rest /= to;
                    stride *= from;
                }
                inputs[0][index]
            }
            OpKind::Unary(op) => numbers([at(0)], |[x]| Some(eval_unary(op, x))),
            OpKind::Binary(op) => numbers([at(0), at(1)], |[x, y]| eval_binary(op, x, y)),
            OpKind::Fma => numbers([at(0), at(1), at(2)], |[x, y, z]| Some(eval_fma(x, y, z))),
            OpKind::Cmp(pred) => match (at(0), at(1)) {
                (Cell::Pointer(a, i), Cell::Pointer(b, j)) => {
                    let equal = (a, i) == (b, j);
                    Cell::Number(Const::bool(equal == (pred == mytriton_ssa::CmpPred::Eq)))
                }
                (x, y) => numbers([x, y], |[x, y]| Some(Const::bool(eval_cmp(pred, x, y)))),
            },
            OpKind::Select => match inputs[0][if inputs[0].len() == 1 { 0 } else { i }] {
                Cell::Number(c) => match (at(1), at(2)) {
                    (Cell::Number(x), Cell::Number(y)) => Cell::Number(eval_select(c, x, y)),
                    (x, y) => [y, x][c.bits() as usize],
                },
                _ => Cell::Open,
            },
            OpKind::Cast(kind) => numbers([at(0)], |[x]| {
                // The payload of a NaN is unspecified, and so are the bits of an integer made of it.
                let payload = kind == mytriton_ssa::CastKind::Bitcast && x.is_nan();
                (!payload).then(|| eval_cast(kind, x, ty.as_scalar().unwrap()))
            }),
            OpKind::AddPtr => match (at(0), at(1)) {
                (Cell::Pointer(buffer, base), Cell::Number(c)) => {
                    Cell::Pointer(buffer, base.wrapping_add(c.as_signed().unwrap()))
                }
                _ => Cell::Open,
            },
            ref kind => unreachable!("{} is no operation on elements", kind.name()),
        }
    }

    /// A reduction, or a scan in a direction: one line along the axis after another, from its first element on.
    fn combine(&mut self, op: OpId, inputs: &[Vec<Cell>], axis: usize, scan: Option<bool>) -> Run<Vec<Vec<Cell>>> {
        let data = self.kernel.op(op);
        let shape = self.kernel.ty(data.operands[0]).shape;
        let inner: usize = shape.dims()[axis + 1..].iter().map(|&d| d as usize).product();
        let extent = shape.dims()[axis] as usize;
        let mut results: Vec<Vec<Cell>> = match scan {
            Some(_) => inputs.to_vec(),
            None => vec![Vec::new(); inputs.len()],
        };
        for lane in 0..shape.elements() / extent {
            let at = |i: usize| (lane / inner * extent + i) * inner + lane % inner;
            let mut order: Vec<usize> = (0..extent).map(at).collect();
            if scan == Some(true) {
                order.reverse();
            }
            let element = |i: usize| -> Vec<Vec<Cell>> { inputs.iter().map(|x| vec![x[i]]).collect() };
            let mut prefix = element(order[0]);
            for &i in &order[1..] {
                let args = [prefix, element(i)].concat();
                prefix = self.region(data.regions[0], &args)?;
                if scan.is_some() {
                    for (result, value) in results.iter_mut().zip(&prefix) {
                        result[i] = value[0];
                    }
                }
            }
            if scan.is_none() {
                for (result, value) in results.iter_mut().zip(&prefix) {
                    result.push(value[0]);
                }
            }
        }
        Ok(results)
    }

    fn for_loop(&mut self, op: OpId, inputs: Vec<Vec<Cell>>) -> Run<Vec<Vec<Cell>>> {
        let data = self.kernel.op(op);
        let mut bounds = [0i128; 3];
        for (bound, &operand) in bounds.iter_mut().zip(&data.operands) {
            *bound = i128::from(self.scalar(operand)?.as_signed().unwrap());
        }
        let [mut index, upper, step] = bounds;
        if step < 1 {
            return Err(Meaningless("a step below 1".to_owned()));
        }
        let scalar = self.kernel.ty(data.operands[0]).as_scalar().unwrap();
        let mut carried = inputs[3..].to_vec();
        for done in 0..MAX_ITERATIONS {
            if index >= upper || self.leaves_after(done) {
                return Ok(carried);
            }
            let mut args = vec![vec![Cell::Number(Const::from_int(scalar, index))]];
            args.append(&mut carried);
            carried = self.region(data.regions[0], &args)?;
            index += step;
        }
        Err(Meaningless("too many iterations".to_owned()))
    }

    fn leaves_after(&self, iterations: usize) -> bool {
        self.options.leave_loops_after == Some(iterations)
    }
}

/// Counts of the numbers 0 to `bins`, where the mask holds.
fn histogram(inputs: &[Vec<Cell>], bins: usize) -> Vec<Cell> {
    let mut counts = vec![0; bins];
    for (i, cell) in inputs[0].iter().enumerate() {
        match (inputs.get(1).map(|mask| mask[i]), cell) {
            (Some(Cell::Number(no)), _) if no.bits() == 0 => {}
            (None | Some(Cell::Number(_)), Cell::Number(bin)) => {
                if let Some(count) = counts.get_mut(bin.bits() as usize) {
                    *count += 1;
                }
            }
            _ => return vec![Cell::Open; bins],
        }
    }
    counts
        .into_iter()
        .map(|count| Cell::Number(Const::i32(count)))
        .collect()
}
