//! One program at a time: the values of its body, and the flow of control through its regions.

#![warn(clippy::wildcard_enum_match_arm)]

use std::rc::Rc;

use mytriton_ssa::{Kernel, OpData, OpId, OpKind, RegionId, ValueId};

use crate::access::{Accessor, Faulty, RawFault};
use crate::combine::combine;
use crate::eval::{Context, evaluate};
use crate::int::Int;
use crate::select::split;
use crate::tile::{Element, Poison, Tile, Why, each_int, each_scalar, storage};

/// What to do for each program, found once per kernel.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Pure operations that depend on arguments and the grid alone, hoisted out of programs and loops. That is safe
    /// since pure operations cannot fail.
    once: Vec<OpId>,
    /// The other operations of each region without its terminator, by the region's index.
    regions: Vec<Vec<OpId>>,
}

impl Plan {
    /// The plan of a valid kernel.
    pub fn new(kernel: &Kernel) -> Plan {
        let mut plan = Plan {
            once: Vec::new(),
            regions: Vec::new(),
        };
        let mut invariant = vec![false; kernel.value_count()];
        for param in kernel.params() {
            invariant[param.value.index()] = true;
        }
        plan.add_region(kernel, kernel.body(), &mut invariant);
        plan
    }

    fn add_region(&mut self, kernel: &Kernel, region: RegionId, invariant: &mut [bool]) {
        let mut ops = Vec::new();
        for &id in &kernel.region(region).ops {
            let op = kernel.op(id);
            let shared = op.kind.is_pure() && !depends_on_program(&op.kind);
            if shared && op.operands.iter().all(|v| invariant[v.index()]) {
                self.once.push(id);
                for result in &op.results {
                    invariant[result.index()] = true;
                }
            } else if !op.kind.is_terminator() {
                ops.push(id);
            }
            // The combiner of a reduction runs with it, not as a region by itself.
            for &inner in op.regions.iter().filter(|_| !op.kind.is_isolated()) {
                self.add_region(kernel, inner, invariant);
            }
        }
        if self.regions.len() <= region.index() {
            self.regions.resize_with(region.index() + 1, Vec::new);
        }
        self.regions[region.index()] = ops;
    }
}

/// Does an operation give each program a result of its own, from the same operands?
fn depends_on_program(kind: &OpKind) -> bool {
    match kind {
        OpKind::ProgramId(_) | OpKind::Load => true,
        OpKind::Const(_)
        | OpKind::NumPrograms(_)
        | OpKind::Range { .. }
        | OpKind::Splat
        | OpKind::ExpandDims { .. }
        | OpKind::Broadcast
        | OpKind::Reshape
        | OpKind::Transpose { .. }
        | OpKind::Reduce { .. }
        | OpKind::Scan { .. }
        | OpKind::Join
        | OpKind::Split
        | OpKind::Gather { .. }
        | OpKind::Histogram
        | OpKind::Unary(_)
        | OpKind::Binary(_)
        | OpKind::Fma
        | OpKind::Cmp(_)
        | OpKind::Select
        | OpKind::Cast(_)
        | OpKind::AddPtr
        | OpKind::Store
        | OpKind::For
        | OpKind::If
        | OpKind::While
        | OpKind::Yield
        | OpKind::Condition => false,
    }
}

/// A fault and where it happened.
#[derive(Debug)]
pub(crate) struct Trap {
    pub op: OpId,
    /// The element's number in the operation's tile.
    pub element: Option<usize>,
    pub fault: RawFault,
}

type Flow<T> = Result<T, Box<Trap>>;

/// Runs programs of one launch, one after another.
pub(crate) struct Machine<'a> {
    cx: Context<'a>,
    plan: &'a Plan,
    accessor: Accessor<'a>,
    max_steps: Option<u64>,
    /// Loop iterations of the current program.
    steps: u64,
    /// The values by index. What a finished operation leaves here is overwritten when it runs again, so that its
    /// allocation is used again unless a carried value shares it.
    frame: Vec<Rc<Tile>>,
    /// Stands in the frame for values that are not there yet.
    empty: Rc<Tile>,
}

impl<'a> Machine<'a> {
    /// A machine for programs with these arguments, in the order of the kernel's parameters.
    pub fn new(
        kernel: &'a Kernel,
        plan: &'a Plan,
        grid: [u32; 3],
        args: &[Tile],
        accessor: Accessor<'a>,
        max_steps: Option<u64>,
    ) -> Machine<'a> {
        let empty = Rc::new(Tile::empty());
        let mut machine = Machine {
            cx: Context {
                kernel,
                program: [0; 3],
                grid,
            },
            plan,
            accessor,
            max_steps,
            steps: 0,
            frame: vec![Rc::clone(&empty); kernel.value_count()],
            empty,
        };
        for (param, arg) in kernel.params().iter().zip(args) {
            machine.frame[param.value.index()] = Rc::new(arg.clone());
        }
        for &id in &plan.once {
            machine.pure(id, kernel.op(id));
        }
        machine
    }

    /// Runs the program at an index of the grid, whose number is `number`.
    pub fn run(&mut self, program: [u32; 3], number: u64) -> Flow<()> {
        self.cx.program = program;
        self.steps = 0;
        if let Some((_, current)) = &mut self.accessor.races {
            *current = number;
        }
        self.region(self.cx.kernel.body())
    }

    /// The number of the first element that an operation's result has for this reason, if the result is still there.
    pub fn find_poison(&self, op: OpId, why: Why) -> Option<usize> {
        let result = self.cx.kernel.op(op).results.first()?;
        let codes = self.frame[result.index()].poison.as_ref()?;
        codes.iter().position(|&code| code == Poison::code(op, why))
    }

    fn region(&mut self, region: RegionId) -> Flow<()> {
        let (plan, kernel) = (self.plan, self.cx.kernel);
        for &id in &plan.regions[region.index()] {
            let op = kernel.op(id);
            match op.kind {
                OpKind::Load => self.load(id, op)?,
                OpKind::Store => self.store(id, op)?,
                OpKind::For => self.for_loop(id, op)?,
                OpKind::If => self.if_else(id, op)?,
                OpKind::While => self.while_loop(id, op)?,
                OpKind::Const(_)
                | OpKind::ProgramId(_)
                | OpKind::NumPrograms(_)
                | OpKind::Range { .. }
                | OpKind::Splat
                | OpKind::ExpandDims { .. }
                | OpKind::Broadcast
                | OpKind::Reshape
                | OpKind::Transpose { .. }
                | OpKind::Reduce { .. }
                | OpKind::Scan { .. }
                | OpKind::Join
                | OpKind::Split
                | OpKind::Gather { .. }
                | OpKind::Histogram
                | OpKind::Unary(_)
                | OpKind::Binary(_)
                | OpKind::Fma
                | OpKind::Cmp(_)
                | OpKind::Select
                | OpKind::Cast(_)
                | OpKind::AddPtr => self.pure(id, op),
                OpKind::Yield | OpKind::Condition => unreachable!("the plan leaves out what ends a region"),
            }
        }
        Ok(())
    }

    fn value(&self, id: ValueId) -> &Tile {
        &self.frame[id.index()]
    }

    /// Takes a result's place out of the frame, to be written and put back.
    fn take(&mut self, id: ValueId) -> Rc<Tile> {
        let old = std::mem::replace(&mut self.frame[id.index()], Rc::clone(&self.empty));
        if Rc::strong_count(&old) == 1 {
            old
        } else {
            Rc::new(Tile::empty())
        }
    }

    fn pure(&mut self, id: OpId, op: &OpData) {
        let result = op.results[0];
        if let OpKind::Reduce { .. } | OpKind::Scan { .. } = op.kind {
            let operands: Vec<&Tile> = op.operands.iter().map(|&v| self.value(v)).collect();
            let values = combine(&self.cx, op, &operands);
            self.assign(&op.results, values.into_iter().map(Rc::new).collect());
            return;
        }
        if op.kind == OpKind::Split {
            let values = split(self.value(op.operands[0]), storage(self.cx.kernel.ty(result)));
            self.assign(&op.results, values.map(Rc::new).into());
            return;
        }
        if let OpKind::ExpandDims { .. } | OpKind::Reshape = op.kind {
            self.frame[result.index()] = Rc::clone(&self.frame[op.operands[0].index()]);
            return;
        }
        let mut out = self.take(result);
        let mut operands = [&*self.empty; 3];
        for (operand, &id) in operands.iter_mut().zip(&op.operands) {
            *operand = self.value(id);
        }
        let target = Rc::get_mut(&mut out).expect("taken values are not shared");
        evaluate(&self.cx, id, op, &operands[..op.operands.len()], target);
        self.frame[result.index()] = out;
    }

    fn load(&mut self, id: OpId, op: &OpData) -> Flow<()> {
        let result = op.results[0];
        let mut out = self.take(result);
        let target = Rc::get_mut(&mut out).expect("taken values are not shared");
        let optional = |i: usize| op.operands.get(i).map(|&v| self.value(v));
        let (pointers, mask, other) = (self.value(op.operands[0]), optional(1), optional(2));
        let poison = Poison::code(id, Why::MaskedOff);
        each_scalar!(storage(self.cx.kernel.ty(result)), T => {
            self.accessor.load::<T>(pointers, mask, other, poison, target)
        })
        .map_err(|faulty| self.access_trap(id, op, faulty))?;
        self.frame[result.index()] = out;
        Ok(())
    }

    fn store(&mut self, id: OpId, op: &OpData) -> Flow<()> {
        let (pointers, value) = (self.value(op.operands[0]), self.value(op.operands[1]));
        let mask = op.operands.get(2).map(|&v| self.value(v));
        each_scalar!(storage(self.cx.kernel.ty(op.operands[1])), T => {
            self.accessor.store::<T>(pointers, value, mask)
        })
        .map_err(|faulty| self.access_trap(id, op, faulty))
    }

    fn access_trap(&self, op: OpId, data: &OpData, faulty: Faulty) -> Box<Trap> {
        let (element, fault) = faulty;
        let tile = !self.cx.kernel.ty(data.operands[0]).is_scalar();
        Box::new(Trap {
            op,
            element: tile.then_some(element),
            fault,
        })
    }

    /// A scalar on which control depends, which must be defined.
    fn scalar<T: Element>(&self, op: OpId, value: ValueId, role: &'static str) -> Flow<T> {
        let tile = self.value(value);
        match tile.poison_at(0) {
            0 => Ok(tile.get::<T>()[0]),
            code => Err(Box::new(Trap {
                op,
                element: None,
                fault: RawFault::Undefined { role, code },
            })),
        }
    }

    /// Counts one loop iteration.
    fn count(&mut self, op: OpId) -> Flow<()> {
        self.steps += 1;
        match self.max_steps {
            Some(limit) if self.steps > limit => Err(Box::new(Trap {
                op,
                element: None,
                fault: RawFault::StepLimit(limit),
            })),
            _ => Ok(()),
        }
    }

    /// The values of some ids, shared.
    fn share(&self, ids: &[ValueId]) -> Vec<Rc<Tile>> {
        ids.iter().map(|id| Rc::clone(&self.frame[id.index()])).collect()
    }

    fn assign(&mut self, ids: &[ValueId], values: Vec<Rc<Tile>>) {
        for (id, value) in ids.iter().zip(values) {
            self.frame[id.index()] = value;
        }
    }

    /// What the terminator of a region passes on.
    fn passed(&self, region: RegionId) -> &'a [ValueId] {
        let kernel = self.cx.kernel;
        match kernel.region(region).ops.last() {
            Some(&end) => &kernel.op(end).operands,
            None => &[],
        }
    }

    fn for_loop(&mut self, id: OpId, op: &OpData) -> Flow<()> {
        let index_ty = storage(self.cx.kernel.ty(op.operands[0]));
        each_int!(index_ty, T => self.counted::<T>(id, op))
    }

    fn counted<T: Int>(&mut self, id: OpId, op: &OpData) -> Flow<()> {
        let bound = |i: usize, role| self.scalar::<T>(id, op.operands[i], role).map(T::signed);
        let (mut index, upper) = (bound(0, "lower bound")?, bound(1, "upper bound")?);
        let step = bound(2, "step")?;
        if step < 1 {
            return Err(Box::new(Trap {
                op: id,
                element: None,
                fault: RawFault::Step(step),
            }));
        }
        let region = op.regions[0];
        let args = &self.cx.kernel.region(region).args;
        let passed = self.passed(region);
        let mut carried = self.share(&op.operands[3..]);
        while index < upper {
            self.count(id)?;
            let mut place = self.take(args[0]);
            let target = Rc::get_mut(&mut place).expect("taken values are not shared");
            target.begin::<T>().push(T::wrap(index as u64));
            self.frame[args[0].index()] = place;
            self.assign(&args[1..], carried);
            self.region(region)?;
            carried = self.share(passed);
            // An index beyond its type would be above any upper bound.
            match index.checked_add(step) {
                Some(next) => index = next,
                None => break,
            }
        }
        self.assign(&op.results, carried);
        Ok(())
    }

    fn if_else(&mut self, id: OpId, op: &OpData) -> Flow<()> {
        let condition = self.scalar::<bool>(id, op.operands[0], "condition")?;
        let region = op.regions[usize::from(!condition)];
        self.region(region)?;
        let values = self.share(self.passed(region));
        self.assign(&op.results, values);
        Ok(())
    }

    fn while_loop(&mut self, id: OpId, op: &OpData) -> Flow<()> {
        let [test, body] = op.regions[..] else { unreachable!() };
        let kernel = self.cx.kernel;
        let mut carried = self.share(&op.operands);
        loop {
            self.assign(&kernel.region(test).args, carried);
            self.region(test)?;
            let [condition, passed @ ..] = self.passed(test) else {
                unreachable!()
            };
            let goes_on = self.scalar::<bool>(id, *condition, "condition")?;
            carried = self.share(passed);
            if !goes_on {
                break;
            }
            self.count(id)?;
            self.assign(&kernel.region(body).args, carried);
            self.region(body)?;
            carried = self.share(self.passed(body));
        }
        self.assign(&op.results, carried);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use mytriton_ssa::parse_module;

    use super::*;

    /// Once for all programs: what depends on arguments and the grid alone, wherever it stands.
    #[test]
    fn what_programs_have_in_common_is_computed_once() {
        let text = "kernel @k(%p: ptr<i32>, %x: i32, %c: i1) {
            %n = num_programs x
            %a = add %x, %n : i32
            %i = program_id x
            %b = add %a, %i : i32
            %l = load %p : ptr<i32>
            %d = mul %l, %l : i32
            if %c {
              %e = sub %x, %a : i32
              %f = sub %e, %b : i32
              store %p, %f : ptr<i32>
            }
          }";
        let kernel = parse_module(text, "k.ssa").unwrap().kernels.remove(0);
        let plan = Plan::new(&kernel);
        let once: Vec<&str> = plan.once.iter().map(|&op| kernel.op(op).kind.name()).collect();
        assert_eq!(once, ["num_programs", "add", "sub"]);
        let body: Vec<&str> = (plan.regions[kernel.body().index()].iter())
            .map(|&op| kernel.op(op).kind.name())
            .collect();
        assert_eq!(body, ["program_id", "add", "load", "mul", "if"]);
    }
}
