//! Says whether a kernel is well formed.
//!
//! A kernel is valid when each of these rules holds. They concern what can be reached from its body; whatever else is
//! in the arenas means nothing.
//!
//!  1. [`KernelName`](Rule::KernelName): a kernel's name is an identifier, and its own in the module.
//!  2. [`ParamName`](Rule::ParamName): the names of parameters are identifiers and distinct.
//!  3. [`ParamValue`](Rule::ParamValue): a parameter's value is a scalar (number or pointer) that points back to it.
//!  4. [`Divisibility`](Rule::Divisibility): divisibility is a power of two, and 1 for floats and `i1`.
//!  5. [`Id`](Rule::Id): every id names something of this kernel.
//!  6. [`OpOnce`](Rule::OpOnce): an operation stands in one region, once.
//!  7. [`RegionOnce`](Rule::RegionOnce): a region is held by one operation, once; the body by none.
//!  8. [`ValueOnce`](Rule::ValueOnce): a value is defined once, and says by what.
//!  9. [`Nesting`](Rule::Nesting): regions are nested at most [`MAX_NESTING`] deep.
//! 10. [`UseBeforeDef`](Rule::UseBeforeDef): operands are defined before, in the same or an enclosing region.
//! 11. [`RegionCount`](Rule::RegionCount): an operation has as many regions as its kind says.
//! 12. [`Arity`](Rule::Arity): an operation has as many operands as its kind says.
//! 13. [`OperandTypes`](Rule::OperandTypes): operands and attributes fit the operation ([`result_types`],
//!     [`reduction_types`]); `i1`, which has no sign, fits no signed one.
//! 14. [`MemoryTypes`](Rule::MemoryTypes): pointer, offset, value, mask and `other` of memory operations fit together.
//! 15. [`ResultTypes`](Rule::ResultTypes): results are exactly those that operands (and regions) determine.
//! 16. [`Bounds`](Rule::Bounds): bounds and step of `for` are of one integer type; a constant step is positive.
//! 17. [`Condition`](Rule::Condition): what `if` and `while` decide by is an `i1`.
//! 18. [`RegionArgs`](Rule::RegionArgs): a region's arguments are those that its holder passes in; the body has none.
//! 19. [`Carried`](Rule::Carried): a region passes on the number and types of values that its holder has as results.
//! 20. [`Terminator`](Rule::Terminator): `yield` ends each region, but `condition` the test of `while`; neither stands elsewhere, and a kernel's body has no terminator.
//! 21. [`Place`](Rule::Place): a known place names one of the kernel's files.
//! 22. [`Combine`](Rule::Combine): the region of `reduce` and `scan` has element-wise operations on scalars alone.
//! 23. [`Isolated`](Rule::Isolated): it uses no value from outside of it.

#![warn(clippy::wildcard_enum_match_arm)]

use std::fmt;

use rustc_hash::FxHashSet;

use crate::builder::{OUTSIDE, StructureError, check_bounds, check_carried, combine_refusal};
use crate::kernel::{Kernel, Module, OpData, OpId, RegionId, ValueDef, ValueId};
use crate::loc::Loc;
use crate::op::{Effects, Flow, OpKind};
use crate::print::describe_op;
use crate::print_names::{Names, is_identifier};
use crate::types::{Scalar, Type};
use crate::typing::{TypeError, reduction_types, result_types};

/// How deep regions may be nested: deeper than any program, and shallow enough for recursion over them.
pub const MAX_NESTING: usize = 64;

/// The rules of valid kernels, numbered as in the list at the top of the module, which says what each demands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// The kernel's name.
    KernelName = 1,
    /// A parameter's name.
    ParamName,
    /// A parameter's value and type.
    ParamValue,
    /// A parameter's divisibility.
    Divisibility,
    /// An id of something that does not exist.
    Id,
    /// An operation in two places.
    OpOnce,
    /// A region with two holders.
    RegionOnce,
    /// A value with two definitions, or one that denies its own.
    ValueOnce,
    /// Regions too deep.
    Nesting,
    /// An operand that is not defined before.
    UseBeforeDef,
    /// The number of an operation's regions.
    RegionCount,
    /// The number of its operands.
    Arity,
    /// The types of its operands, or its attributes.
    OperandTypes,
    /// The same of operations on pointers.
    MemoryTypes,
    /// The number or types of its results.
    ResultTypes,
    /// Bounds or step of a `for`.
    Bounds,
    /// What an `if` or `while` decides by.
    Condition,
    /// The arguments of a region.
    RegionArgs,
    /// What a region passes on.
    Carried,
    /// The end of a region.
    Terminator,
    /// A place in the source.
    Place,
    /// An operation in the combiner of a reduction or scan.
    Combine,
    /// A value from outside in one.
    Isolated,
}

/// One broken rule, and where. Displays as `file:line:column: in kernel 'k', %3 = add %1, %2 : i32: message`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The rule.
    pub rule: Rule,
    /// What breaks it.
    pub message: String,
    /// The kernel's name.
    pub kernel: String,
    /// The operation, unless it is the kernel itself.
    pub op: Option<OpId>,
    /// The operation in the text form, in one line.
    pub op_text: Option<String>,
    /// Where the operation, or the kernel, stands.
    pub loc: Loc,
    /// The same as `file:line:column`, if known.
    pub place: Option<String>,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "in kernel '{}'", self.kernel)?;
        if let Some(op) = &self.op_text {
            write!(f, ", {op}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Everything that is wrong with a kernel or module: at least one error, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyErrors(Vec<VerifyError>);

impl VerifyErrors {
    /// The first error.
    pub fn first(&self) -> &VerifyError {
        &self.0[0]
    }

    /// All errors.
    pub fn all(&self) -> &[VerifyError] {
        &self.0
    }

    fn check(errors: Vec<VerifyError>) -> Result<(), VerifyErrors> {
        if errors.is_empty() {
            Ok(())
        } else {
            Err(VerifyErrors(errors))
        }
    }
}

impl fmt::Display for VerifyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let line_break = if index > 0 { "\n" } else { "" };
            write!(f, "{line_break}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for VerifyErrors {}

/// Checks every rule on a kernel. Never panics, however broken the kernel is.
pub fn verify(kernel: &Kernel) -> Result<(), VerifyErrors> {
    VerifyErrors::check(errors_of(kernel))
}

/// Checks every rule on every kernel of a module.
pub fn verify_module(module: &Module) -> Result<(), VerifyErrors> {
    let mut names = FxHashSet::default();
    let mut errors = Vec::new();
    for kernel in &module.kernels {
        if !names.insert(kernel.name.as_str()) {
            let message = "another kernel of the module has this name".to_owned();
            errors.push(Verifier::new(kernel).error(Rule::KernelName, None, message));
        }
        errors.append(&mut errors_of(kernel));
    }
    VerifyErrors::check(errors)
}

fn errors_of(kernel: &Kernel) -> Vec<VerifyError> {
    let mut verifier = Verifier::new(kernel);
    verifier.kernel();
    verifier.errors
}

/// A region's holder, and which of its regions it is.
type Holder<'a> = Option<(OpId, &'a OpData, usize)>;

struct Verifier<'a> {
    kernel: &'a Kernel,
    /// Made when the first error needs them.
    names: Option<Names>,
    errors: Vec<VerifyError>,
    seen_ops: Vec<bool>,
    seen_regions: Vec<bool>,
    defined: Vec<bool>,
    visible: Vec<bool>,
    /// The isolated region that each visible value is defined in: 0 for the body's.
    home: Vec<usize>,
    /// The isolated region that is being looked at, and the number of those so far.
    isolated: usize,
    isolated_count: usize,
    /// The visible values in the order of their definition, to end scopes.
    scope: Vec<ValueId>,
}

impl<'a> Verifier<'a> {
    fn new(kernel: &'a Kernel) -> Verifier<'a> {
        Verifier {
            kernel,
            names: None,
            errors: Vec::new(),
            seen_ops: vec![false; kernel.op_count()],
            seen_regions: vec![false; kernel.region_count()],
            defined: vec![false; kernel.value_count()],
            visible: vec![false; kernel.value_count()],
            home: vec![0; kernel.value_count()],
            isolated: 0,
            isolated_count: 0,
            scope: Vec::new(),
        }
    }

    fn error(&mut self, rule: Rule, op: Option<OpId>, message: String) -> VerifyError {
        let kernel = self.kernel;
        let names = self.names.get_or_insert_with(|| Names::of(kernel));
        let loc = op.map_or(kernel.loc, |op| kernel.op(op).loc);
        VerifyError {
            rule,
            message,
            kernel: kernel.name.clone(),
            op,
            op_text: op.map(|op| describe_op(kernel, names, op)),
            loc,
            place: kernel.describe_loc(loc),
        }
    }

    /// Notes an error of an operation, or of the kernel itself.
    fn fail(&mut self, rule: Rule, op: Option<OpId>, message: impl Into<String>) {
        let error = self.error(rule, op, message.into());
        self.errors.push(error);
    }

    fn check(&mut self, rule: Rule, op: OpId, result: Result<(), StructureError>) {
        if let Err(error) = result {
            self.fail(rule, Some(op), error.to_string());
        }
    }

    /// The types of values, none if one is not of this kernel.
    fn types(&self, values: &[ValueId]) -> Option<Vec<Type>> {
        let known = values.iter().all(|v| v.index() < self.defined.len());
        known.then(|| values.iter().map(|&v| self.kernel.ty(v)).collect())
    }

    fn is_known_place(&self, loc: Loc) -> bool {
        !loc.is_known() || (loc.file as usize) < self.kernel.files.len()
    }

    fn kernel(&mut self) {
        let kernel = self.kernel;
        if !is_identifier(&kernel.name) {
            let message = "a kernel's name is a letter or underscore, then letters, digits and underscores";
            self.fail(Rule::KernelName, None, message);
        }
        if !self.is_known_place(kernel.loc) {
            self.fail(
                Rule::Place,
                None,
                "the kernel's place names a file that it does not have",
            );
        }
        let mut names = FxHashSet::default();
        for (index, param) in kernel.params().iter().enumerate() {
            let name = &param.name;
            if !is_identifier(name) {
                let rule = "a parameter's name is a letter or underscore, then letters, digits and underscores";
                self.fail(Rule::ParamName, None, format!("parameter '{name}': {rule}"));
            }
            if !names.insert(name) {
                self.fail(Rule::ParamName, None, format!("two parameters have the name '{name}'"));
            }
            if !self.define(param.value, ValueDef::Param(index), None) {
                continue;
            }
            let ty = kernel.ty(param.value);
            if !ty.is_scalar() {
                let message = format!("parameter '{name}' is one number or pointer, not a tile: {ty}");
                self.fail(Rule::ParamValue, None, message);
            }
            let divides = ty.pointee().is_some() || (ty.is_int() && ty.as_scalar() != Some(Scalar::I1));
            if !param.divisibility.is_power_of_two() {
                let message = format!(
                    "the divisibility of parameter '{name}' is a power of two, not {}",
                    param.divisibility
                );
                self.fail(Rule::Divisibility, None, message);
            } else if param.divisibility != 1 && !divides {
                let message = format!("parameter '{name}' is of type {ty}, which has no divisibility");
                self.fail(Rule::Divisibility, None, message);
            }
        }
        self.region(kernel.body(), None, 0);
    }

    /// Makes a value visible. False when it is not one of this kernel or defined before.
    fn define(&mut self, value: ValueId, def: ValueDef, op: Option<OpId>) -> bool {
        let Some(defined) = self.defined.get_mut(value.index()) else {
            self.fail(Rule::Id, op, format!("value {} does not exist", value.index()));
            return false;
        };
        let again = std::mem::replace(defined, true);
        let actual = self.kernel.value(value).def;
        if again || actual != def {
            let rule = if matches!(def, ValueDef::Param(_)) {
                Rule::ParamValue
            } else {
                Rule::ValueOnce
            };
            let message = if again {
                format!("value {} is defined twice", value.index())
            } else {
                format!(
                    "value {} stands here as {def:?}, but says it is {actual:?}",
                    value.index()
                )
            };
            self.fail(rule, op, message);
        }
        if !std::mem::replace(&mut self.visible[value.index()], true) {
            self.home[value.index()] = self.isolated;
            self.scope.push(value);
        }
        !again
    }

    fn region(&mut self, region: RegionId, holder: Holder<'a>, depth: usize) {
        let op = holder.map(|(op, ..)| op);
        let Some(seen) = self.seen_regions.get_mut(region.index()) else {
            return self.fail(Rule::Id, op, format!("region {} does not exist", region.index()));
        };
        if std::mem::replace(seen, true) {
            return self.fail(Rule::RegionOnce, op, format!("region {} is held twice", region.index()));
        }
        if depth > MAX_NESTING {
            return self.fail(
                Rule::Nesting,
                op,
                format!("regions are nested more than {MAX_NESTING} deep"),
            );
        }
        let mark = self.scope.len();
        let outer = self.isolated;
        let is_combine = holder.is_some_and(|(_, op, _)| op.kind.is_isolated());
        if is_combine {
            self.isolated_count += 1;
            self.isolated = self.isolated_count;
        }
        let data = self.kernel.region(region);
        for (index, &arg) in data.args.iter().enumerate() {
            self.define(arg, ValueDef::Arg { region, index }, op);
        }
        if holder.is_none() && !data.args.is_empty() {
            self.fail(Rule::RegionArgs, None, "the body of a kernel has no arguments");
        }
        let end = holder.map(|(_, op, index)| terminator(&op.kind, index));
        for (index, &id) in data.ops.iter().enumerate() {
            let Some(seen) = self.seen_ops.get_mut(id.index()) else {
                self.fail(Rule::Id, op, format!("operation {} does not exist", id.index()));
                continue;
            };
            if std::mem::replace(seen, true) {
                self.fail(Rule::OpOnce, Some(id), "the operation stands in two places");
                continue;
            }
            let kind = &self.kernel.op(id).kind;
            let last = index + 1 == data.ops.len();
            if kind.is_terminator() && !(last && end.as_ref() == Some(kind)) {
                let message = format!("'{}' does not stand here: it ends other regions", kind.name());
                self.fail(Rule::Terminator, Some(id), message);
            }
            if is_combine
                && self.known(id)
                && let Some(message) = combine_refusal(self.kernel, self.kernel.op(id))
            {
                self.fail(Rule::Combine, Some(id), message);
            }
            self.op(id, depth);
        }
        if let Some(end) = end
            && self.end_of(region).is_none_or(|op| op.kind != end)
        {
            let message = format!("a region of the operation does not end with '{}'", end.name());
            self.fail(Rule::Terminator, op, message);
        }
        for value in self.scope.drain(mark..) {
            self.visible[value.index()] = false;
        }
        self.isolated = outer;
    }

    /// Are the operation's values of this kernel?
    fn known(&self, op: OpId) -> bool {
        let op = self.kernel.op(op);
        let mut values = op.operands.iter().chain(&op.results);
        values.all(|v| v.index() < self.defined.len())
    }

    /// The last operation of a region.
    fn end_of(&self, region: RegionId) -> Option<&'a OpData> {
        let ops = (region.index() < self.kernel.region_count()).then(|| &self.kernel.region(region).ops)?;
        let last = ops.last().filter(|op| op.index() < self.kernel.op_count())?;
        Some(self.kernel.op(*last))
    }

    fn op(&mut self, id: OpId, depth: usize) {
        let op = self.kernel.op(id);
        if !self.is_known_place(op.loc) {
            self.fail(
                Rule::Place,
                Some(id),
                "its place names a file that the kernel does not have",
            );
        }
        for &operand in &op.operands {
            match self.visible.get(operand.index()) {
                None => self.fail(Rule::Id, Some(id), format!("value {} does not exist", operand.index())),
                Some(false) => {
                    let names = self.names.get_or_insert_with(|| Names::of(self.kernel));
                    let message = format!("{} is not defined before its use", names.get(operand));
                    self.fail(Rule::UseBeforeDef, Some(id), message);
                }
                Some(true) if self.home[operand.index()] != self.isolated => {
                    let names = self.names.get_or_insert_with(|| Names::of(self.kernel));
                    let message = format!("{} is defined around the region: {OUTSIDE}", names.get(operand));
                    self.fail(Rule::Isolated, Some(id), message);
                }
                Some(true) => {}
            }
        }
        if op.regions.len() != op.kind.region_count() {
            let message = format!("it has {} region(s), not {}", op.kind.region_count(), op.regions.len());
            self.fail(Rule::RegionCount, Some(id), message);
        } else if let (Some(operands), Some(results)) = (self.types(&op.operands), self.types(&op.results)) {
            match op.kind {
                OpKind::For => self.for_loop(id, op, &operands, &results),
                OpKind::If => self.if_else(id, op, &operands, &results),
                OpKind::While => self.while_loop(id, op, &operands, &results),
                OpKind::Reduce { .. } | OpKind::Scan { .. } => self.reduction(id, op, &operands, &results),
                OpKind::Yield | OpKind::Condition => self.results(id, &[], &results),
                OpKind::Const(_)
                | OpKind::ProgramId(_)
                | OpKind::NumPrograms(_)
                | OpKind::Range { .. }
                | OpKind::Splat
                | OpKind::ExpandDims { .. }
                | OpKind::Broadcast
                | OpKind::Reshape
                | OpKind::Transpose { .. }
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
                | OpKind::Load
                | OpKind::Store => self.simple(id, op, &operands, &results),
            }
        }
        for (index, &region) in op.regions.iter().enumerate() {
            self.region(region, Some((id, op, index)), depth + 1);
        }
        for (index, &result) in op.results.iter().enumerate() {
            self.define(result, ValueDef::Result { op: id, index }, Some(id));
        }
    }

    fn simple(&mut self, id: OpId, op: &OpData, operands: &[Type], results: &[Type]) {
        match result_types(&op.kind, operands, results.first().copied()) {
            Ok(expected) => self.results(id, &expected, results),
            Err(error) => {
                let accesses = op.kind == OpKind::AddPtr
                    || match op.kind.effects() {
                        Effects::Reads | Effects::Writes => true,
                        Effects::None | Effects::OfRegions => false,
                    };
                let rule = match &error {
                    TypeError::Arity { .. } => Rule::Arity,
                    TypeError::Result { .. } => Rule::ResultTypes,
                    _ if accesses => Rule::MemoryTypes,
                    _ if results.is_empty() => Rule::ResultTypes,
                    TypeError::Operand { .. } | TypeError::Unsigned { .. } | TypeError::Mismatch { .. } => {
                        Rule::OperandTypes
                    }
                    TypeError::Role { .. } | TypeError::Attribute { .. } => Rule::OperandTypes,
                };
                self.fail(rule, Some(id), error.to_string());
            }
        }
    }

    fn results(&mut self, id: OpId, expected: &[Type], found: &[Type]) {
        if expected != found {
            let message = format!("it gives {}, not {}", list(expected), list(found));
            self.fail(Rule::ResultTypes, Some(id), message);
        }
    }

    fn arity(&mut self, id: OpId, expected: &'static str, ok: bool) -> bool {
        if !ok {
            let op = self.kernel.op(id);
            let error = TypeError::Arity {
                op: op.kind.name(),
                expected,
                found: op.operands.len(),
            };
            self.fail(Rule::Arity, Some(id), error.to_string());
        }
        ok
    }

    fn condition(&mut self, id: OpId, op: &'static str, found: Type) {
        if found != Type::I1 {
            let error = TypeError::Role {
                op,
                role: "condition",
                expected: Type::I1,
                found,
            };
            self.fail(Rule::Condition, Some(id), error.to_string());
        }
    }

    fn region_args(&mut self, id: OpId, region: RegionId, what: &str, expected: &[Type]) {
        if region.index() >= self.kernel.region_count() {
            return;
        }
        if let Some(found) = self.types(&self.kernel.region(region).args)
            && found != expected
        {
            let message = format!("the arguments of {what} are {}, not {}", list(expected), list(&found));
            self.fail(Rule::RegionArgs, Some(id), message);
        }
    }

    /// What a region passes on, if it ends as it should with values of this kernel.
    fn passed(&self, region: RegionId, end: &OpKind) -> Option<Vec<Type>> {
        let op = self.end_of(region).filter(|op| op.kind == *end)?;
        self.types(&op.operands)
    }

    fn for_loop(&mut self, id: OpId, op: &OpData, operands: &[Type], results: &[Type]) {
        if !self.arity(id, "3 or more", operands.len() >= 3) {
            return;
        }
        let bounds = check_bounds(self.kernel, op.operands[0], op.operands[1], op.operands[2]);
        self.check(Rule::Bounds, id, bounds);
        let carried = &operands[3..];
        self.results(id, carried, results);
        let args: Vec<Type> = std::iter::once(operands[0]).chain(carried.iter().copied()).collect();
        self.region_args(id, op.regions[0], "its body", &args);
        if let Some(passed) = self.passed(op.regions[0], &OpKind::Yield) {
            self.check(Rule::Carried, id, check_carried("for", "its body", carried, &passed));
        }
    }

    fn reduction(&mut self, id: OpId, op: &OpData, operands: &[Type], results: &[Type]) {
        match reduction_types(&op.kind, operands) {
            Ok(expected) => self.results(id, &expected, results),
            Err(error @ TypeError::Arity { .. }) => return self.fail(Rule::Arity, Some(id), error.to_string()),
            Err(error) => self.fail(Rule::OperandTypes, Some(id), error.to_string()),
        }
        let elements: Vec<Type> = operands.iter().map(|t| t.element()).collect();
        self.region_args(id, op.regions[0], "its combiner", &[&elements[..], &elements].concat());
        if let Some(passed) = self.passed(op.regions[0], &OpKind::Yield) {
            let carried = check_carried(op.kind.name(), "its combiner", &elements, &passed);
            self.check(Rule::Carried, id, carried);
        }
    }

    fn if_else(&mut self, id: OpId, op: &OpData, operands: &[Type], results: &[Type]) {
        if !self.arity(id, "1", operands.len() == 1) {
            return;
        }
        self.condition(id, "if", operands[0]);
        for (&region, what) in op.regions.iter().zip(["its then branch", "its else branch"]) {
            self.region_args(id, region, what, &[]);
            if let Some(passed) = self.passed(region, &OpKind::Yield) {
                self.check(Rule::Carried, id, check_carried("if", what, results, &passed));
            }
        }
    }

    fn while_loop(&mut self, id: OpId, op: &OpData, carried: &[Type], results: &[Type]) {
        self.results(id, carried, results);
        let [test, body] = [op.regions[0], op.regions[1]];
        self.region_args(id, test, "its test", carried);
        self.region_args(id, body, "its body", carried);
        if let Some(passed) = self.passed(test, &OpKind::Condition) {
            match passed.split_first() {
                Some((&condition, passed)) => {
                    self.condition(id, "while", condition);
                    self.check(Rule::Carried, id, check_carried("while", "its test", carried, passed));
                }
                None => self.fail(Rule::Arity, Some(id), "'condition' of its test takes an i1 first"),
            }
        }
        if let Some(passed) = self.passed(body, &OpKind::Yield) {
            self.check(Rule::Carried, id, check_carried("while", "its body", carried, &passed));
        }
    }
}

/// What ends a region of an operation.
fn terminator(holder: &OpKind, index: usize) -> OpKind {
    match holder.flow() {
        Flow::OpenLoop if index == 0 => OpKind::Condition,
        Flow::OpenLoop | Flow::CountedLoop | Flow::Branch | Flow::Combiner => OpKind::Yield,
        // They hold no region.
        Flow::Straight | Flow::Terminator => OpKind::Yield,
    }
}

fn list(types: &[Type]) -> String {
    let types: Vec<String> = types.iter().map(Type::to_string).collect();
    format!("({})", types.join(", "))
}
