//! Loops and branches.
//!
//! A carried value is a variable that the region's end assigns. What a loop passes on is assigned at once, as if in
//! parallel: a value that is itself about to be assigned is copied first.

use mytriton_ssa::{Const, OpData, RegionId, ValueId};

use crate::ctypes::{constant_declaration, element_type, literal, register_type, signed_type};
use crate::emit::{Emitter, Variable};
use crate::threads::Ownership;

/// A variable and the value that it is to get.
struct Assignment {
    target: Variable,
    source: ValueId,
    ownership: Ownership,
}

impl Emitter<'_> {
    /// `for`: with a wide counter where the step is known, by the number of iterations where it is not.
    pub(crate) fn for_loop(&mut self, op: &OpData) {
        let kernel = self.kernel;
        let body = op.regions[0];
        let args = &kernel.region(body).args;
        let mut carried = Vec::new();
        for (index, &initial) in op.operands[3..].iter().enumerate() {
            for &ownership in self.demands.get(op.results[index]) {
                let target = self.carry(&[args[index + 1], op.results[index]], Some(initial), ownership);
                carried.push((index, ownership, target));
            }
        }
        self.writer.flush();
        self.for_header(op, args[0]);
        self.region(body);
        let assignments = self.assignments(body, 0, &carried);
        self.assign(assignments);
        self.writer.close();
    }

    fn for_header(&mut self, op: &OpData, index: ValueId) {
        let kernel = self.kernel;
        let elem = kernel.ty(index).elem;
        // The verifier asks for bounds of one integer type.
        let scalar = kernel.ty(index).as_scalar().unwrap_or(mytriton_ssa::Scalar::I64);
        let place = self
            .place(op.loc)
            .map_or(String::new(), |place| format!("  // {place}"));
        let bounds: Vec<String> = op.operands[..3].iter().map(|&bound| self.signed(bound)).collect();
        let used = !self.demands.get(index).is_empty();
        let name = self.name(index);
        let counter = self.namer.unique(&format!("{name}_n"));
        let step = kernel.as_const(op.operands[2]).and_then(Const::as_signed);
        match step {
            // A counter of 64 bits goes past any bound of 32 without wrapping.
            Some(step) if scalar.bits() <= 32 => {
                let [lower, upper] = [&bounds[0], &bounds[1]];
                let next = if step == 1 {
                    format!("++{counter}")
                } else {
                    format!("{counter} += {step}")
                };
                self.writer.open(&format!(
                    "for (i64 {counter} = {lower}; {counter} < {upper}; {next}) {{{place}"
                ));
                if used {
                    let text = format!(
                        "{} = ({}){counter};",
                        constant_declaration(elem, &name),
                        register_type(scalar)
                    );
                    self.writer.line(&text);
                }
            }
            _ => {
                self.helpers.insert("mt_trips");
                let mut next = format!("--{counter}");
                if used {
                    let lower = self.operand(op.operands[0], Ownership::Uniform);
                    let step = self.operand(op.operands[2], Ownership::Uniform);
                    self.writer.line(&format!("{} {name} = {lower};", element_type(elem)));
                    next += &format!(", {name} += {step}");
                }
                let iterations = format!("mt_trips({})", bounds.join(", "));
                self.writer.open(&format!(
                    "for (u64 {counter} = {iterations}; {counter} != 0; {next}) {{{place}"
                ));
            }
        }
        let variable = Variable { name, array: false };
        self.variables.insert((index, Ownership::Uniform), variable);
    }

    /// A scalar integer as a signed number.
    fn signed(&self, value: ValueId) -> String {
        let ty = self.kernel.ty(value);
        match self.kernel.as_const(value) {
            Some(constant) => match constant.as_signed() {
                Some(i64::MIN) => "(i64)0x8000000000000000ull".to_owned(),
                Some(number) => format!(
                    "{number}{}",
                    if ty.as_scalar().is_some_and(|s| s.bits() == 64) {
                        "ll"
                    } else {
                        ""
                    }
                ),
                None => literal(constant),
            },
            None => {
                let signed = ty.as_scalar().map_or("i64", signed_type);
                format!("({signed}){}", self.operand(value, Ownership::Uniform))
            }
        }
    }

    /// `if`: the branches assign the results.
    pub(crate) fn if_else(&mut self, op: &OpData) {
        let mut results = Vec::new();
        for (index, &result) in op.results.iter().enumerate() {
            for &ownership in self.demands.get(result) {
                let target = self.carry(&[result], None, ownership);
                results.push((index, ownership, target));
            }
        }
        self.writer.flush();
        let condition = self.operand(op.operands[0], Ownership::Uniform);
        let place = self
            .place(op.loc)
            .map_or(String::new(), |place| format!("  // {place}"));
        self.writer.open(&format!("if ({condition}) {{{place}"));
        self.region(op.regions[0]);
        let assignments = self.assignments(op.regions[0], 0, &results);
        self.assign(assignments);
        let start = self.writer.open_else();
        self.region(op.regions[1]);
        let assignments = self.assignments(op.regions[1], 0, &results);
        self.assign(assignments);
        self.writer.close_else(start);
    }

    /// `while`: an endless loop that is left after the test. Values that the test passes on as they are need no
    /// variables of their own.
    pub(crate) fn while_loop(&mut self, op: &OpData) {
        let kernel = self.kernel;
        let [test, body] = [op.regions[0], op.regions[1]];
        let (test_args, body_args) = (&kernel.region(test).args, &kernel.region(body).args);
        let passed: &[ValueId] = kernel
            .region(test)
            .ops
            .last()
            .map_or(&[], |&end| &kernel.op(end).operands);
        let mut carried = Vec::new();
        for (index, &initial) in op.operands.iter().enumerate() {
            for &ownership in self.demands.get(test_args[index]) {
                let target = self.carry(&[test_args[index]], Some(initial), ownership);
                carried.push((index, ownership, target));
            }
        }
        let mut results = Vec::new();
        for (index, &result) in op.results.iter().enumerate() {
            for &ownership in self.demands.get(result) {
                if passed[index + 1] == test_args[index] {
                    let variable = self.variables[&(test_args[index], ownership)].clone();
                    self.variables.insert((body_args[index], ownership), variable.clone());
                    self.variables.insert((result, ownership), variable);
                } else {
                    let target = self.carry(&[body_args[index], result], None, ownership);
                    results.push((index, ownership, target));
                }
            }
        }
        self.writer.flush();
        let place = self
            .place(op.loc)
            .map_or(String::new(), |place| format!("  // {place}"));
        self.writer.open(&format!("while (true) {{{place}"));
        self.region(test);
        let assignments = self.assignments(test, 1, &results);
        self.assign(assignments);
        let condition = self.operand(passed[0], Ownership::Uniform);
        self.writer.line(&format!("if (!{condition}) break;"));
        self.region(body);
        let assignments = self.assignments(body, 0, &carried);
        self.assign(assignments);
        self.writer.close();
    }

    /// A variable that stands for the given values, with its initial value if there is one.
    pub(crate) fn carry(&mut self, values: &[ValueId], initial: Option<ValueId>, ownership: Ownership) -> Variable {
        let kernel = self.kernel;
        let named = values.iter().find(|&&value| kernel.value(value).name.is_some());
        let name = self.name(*named.unwrap_or(&values[0]));
        let (elem, root) = (kernel.ty(values[0]).elem, ownership.root());
        let array = self.writer.has_rounds(root);
        let variable = Variable { name, array };
        let start = initial.map(|initial| self.operand(initial, ownership));
        let ty = element_type(elem);
        match (array, start) {
            (true, start) => {
                let rounds = self.writer.rounds(root);
                let declaration = self.array_declaration(elem, &variable.name, rounds);
                self.writer.line(&declaration);
                if let Some(start) = start {
                    self.writer
                        .statement(root, format!("{} = {start};", variable.element()), None);
                }
            }
            (false, Some(start)) => self.writer.line(&format!("{ty} {} = {start};", variable.name)),
            (false, None) => self.writer.line(&format!("{ty} {};", variable.name)),
        }
        for &value in values {
            self.variables.insert((value, ownership), variable.clone());
        }
        variable
    }

    /// What the end of a region assigns; `skip` operands of the terminator come before the carried ones.
    fn assignments(&self, region: RegionId, skip: usize, targets: &[(usize, Ownership, Variable)]) -> Vec<Assignment> {
        let kernel = self.kernel;
        let Some(&end) = kernel.region(region).ops.last() else {
            return Vec::new();
        };
        let operands = &kernel.op(end).operands;
        let assignment = |(index, ownership, target): &(usize, Ownership, Variable)| Assignment {
            target: target.clone(),
            source: operands[index + skip],
            ownership: *ownership,
        };
        targets.iter().map(assignment).collect()
    }

    /// Writes assignments as if they happened at once, and everything that was gathered before them.
    fn assign(&mut self, assignments: Vec<Assignment>) {
        // Tiles of several rounds first: their loop may still use scalars that change here.
        let (rounds, once): (Vec<_>, Vec<_>) = assignments.into_iter().partition(|assignment| assignment.target.array);
        self.assign_kind(&rounds);
        self.writer.flush();
        self.assign_kind(&once);
    }

    fn assign_kind(&mut self, assignments: &[Assignment]) {
        let mut statements = Vec::new();
        for Assignment {
            target,
            source,
            ownership,
        } in assignments
        {
            let (to, from) = (target.element(), self.operand(*source, *ownership));
            if to == from {
                continue;
            }
            let changes = assignments.iter().any(|other| other.target.element() == from);
            let from = if changes {
                let copy = self.namer.unique(&format!("{}_next", target.name));
                let declaration = constant_declaration(self.kernel.ty(*source).elem, &copy);
                self.writer
                    .statement(ownership.root(), format!("{declaration} = {from};"), None);
                copy
            } else {
                from
            };
            statements.push((ownership.root(), format!("{to} = {from};")));
        }
        for (root, statement) in statements {
            self.writer.statement(root, statement, None);
        }
    }
}
