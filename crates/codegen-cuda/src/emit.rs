//! Writes the body of a kernel, operation by operation.

#![warn(clippy::wildcard_enum_match_arm)]

use mytriton_ssa::{Effects, Elem, Kernel, Loc, OpData, OpId, OpKind, RegionId, Scalar, ValueDef, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ctypes::{constant_declaration, element_type, literal, register_type};
use crate::demand::Demands;
use crate::expr::{self, Expr};
use crate::moves::{element_bytes, relabelled};
use crate::names::Namer;
use crate::segments::Segments;
use crate::staged::Combiner;
use crate::threads::{Ownership, Threads};
use crate::writer::Writer;

/// A variable: its name, and whether it is an array with an entry for each round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub array: bool,
}

impl Variable {
    /// The element of the thread, in the round.
    pub(crate) fn element(&self) -> String {
        if self.array {
            format!("{}[s]", self.name)
        } else {
            self.name.clone()
        }
    }
}

/// What emission gives beside the text.
pub(crate) struct Body {
    pub text: String,
    pub helpers: FxHashSet<&'static str>,
    /// Bytes that the arrays of one thread take.
    pub array_bytes: u64,
    /// The device functions of reductions and scans.
    pub combiners: Vec<Combiner>,
}

pub(crate) struct Emitter<'a> {
    pub kernel: &'a Kernel,
    pub threads: &'a Threads,
    pub demands: &'a Demands,
    pub segments: &'a Segments,
    pub barriers: &'a FxHashSet<OpId>,
    pub places: bool,
    pub namer: &'a mut Namer,
    pub variables: FxHashMap<(ValueId, Ownership), Variable>,
    pub writer: Writer<'a>,
    pub helpers: FxHashSet<&'static str>,
    pub array_bytes: u64,
    pub combiners: Vec<Combiner>,
    /// Names of the variables of loops over tiles in shared memory.
    pub locals: FxHashMap<&'static str, String>,
}

impl Emitter<'_> {
    /// Writes the whole body.
    pub(crate) fn run(mut self) -> Body {
        self.region(self.kernel.body());
        Body {
            text: self.writer.finish(),
            helpers: self.helpers,
            array_bytes: self.array_bytes,
            combiners: self.combiners,
        }
    }

    /// The operations of a region up to its terminator, which is its holder's affair.
    pub(crate) fn region(&mut self, region: RegionId) {
        let kernel = self.kernel;
        for &id in &kernel.region(region).ops {
            let op = kernel.op(id);
            if self.barriers.contains(&id) {
                self.writer.flush();
                let why = match op.kind.effects() {
                    Effects::Writes => "the accesses above come before the store",
                    Effects::Reads => "the stores above come before the load",
                    Effects::None | Effects::OfRegions => "the tile above has been read",
                };
                self.writer.line(&format!("__syncthreads();  // {why}"));
            }
            if let Some(how) = self.demands.moved(id) {
                self.move_elements(op, how);
                continue;
            }
            match op.kind {
                OpKind::For => self.for_loop(op),
                OpKind::If => self.if_else(op),
                OpKind::While => self.while_loop(op),
                OpKind::Yield | OpKind::Condition => {}
                OpKind::Store => self.store(id, op),
                // They stand where they are used.
                OpKind::Const(_) => {}
                OpKind::Reduce { .. } | OpKind::Scan { .. } => self.relabel_all(op),
                OpKind::ProgramId(_)
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
                | OpKind::Load => self.compute(op),
            }
        }
    }

    /// The place of an operation, for a comment.
    pub(crate) fn place(&self, loc: Loc) -> Option<String> {
        if !self.places || !loc.is_known() {
            return None;
        }
        let file = self.kernel.files.get(loc.file as usize)?;
        Some(format!("{}:{}", comment_text(file), loc.line))
    }

    /// A new name for a value, its own if it has one.
    pub(crate) fn name(&mut self, value: ValueId) -> String {
        match &self.kernel.value(value).name {
            Some(name) => self.namer.unique(name),
            None => self.namer.fresh(),
        }
    }

    /// One element of a value as an operand of an expression.
    pub(crate) fn operand(&self, value: ValueId, ownership: Ownership) -> String {
        if let Some(constant) = self.kernel.as_const(value) {
            return literal(constant);
        }
        // Every operand was demanded, and its definition comes before.
        self.variables[&(value, self.ownership(value, ownership))].element()
    }

    /// The ownership of an operand of an operation whose result has the given one.
    pub(crate) fn ownership(&self, value: ValueId, ownership: Ownership) -> Ownership {
        if self.kernel.ty(value).is_scalar() {
            Ownership::Uniform
        } else {
            ownership
        }
    }

    /// Declares an array for the rounds of a root and counts it.
    pub(crate) fn array_declaration(&mut self, elem: Elem, name: &str, rounds: u32) -> String {
        self.array_bytes += element_bytes(elem) * u64::from(rounds);
        format!("{} {name}[{rounds}];", element_type(elem))
    }

    /// Gives a value in one ownership its expression.
    pub(crate) fn define(&mut self, value: ValueId, ownership: Ownership, text: &str, loc: Loc) {
        let (elem, name, root) = (self.kernel.ty(value).elem, self.name(value), ownership.root());
        let array = self.writer.has_rounds(root) && self.segments.outlives(value);
        let statement = match root {
            Some(root) if array => {
                let rounds = self.writer.rounds(Some(root));
                let declaration = self.array_declaration(elem, &name, rounds);
                self.writer.array(root, declaration);
                format!("{name}[s] = {text};")
            }
            _ => format!("{} = {text};", constant_declaration(elem, &name)),
        };
        let place = self.place(loc);
        self.writer.statement(root, statement, place);
        self.variables.insert((value, ownership), Variable { name, array });
    }

    /// A reduction or scan over one element: every result is its operand.
    fn relabel_all(&mut self, op: &OpData) {
        for (&operand, &result) in op.operands.iter().zip(&op.results) {
            for &ownership in self.demands.get(result) {
                let text = self.relabelled(op, operand, ownership).unwrap_or_default();
                self.define(result, ownership, &text, op.loc);
            }
        }
    }

    /// An operation whose one result is that of its operands at the same places, or at those that these get.
    fn compute(&mut self, op: &OpData) {
        let result = op.results[0];
        for &ownership in self.demands.get(result) {
            if op.kind == OpKind::Splat && self.stays_scalar(op, ownership) {
                let name = self.operand(op.operands[0], Ownership::Uniform);
                self.variables
                    .insert((result, ownership), Variable { name, array: false });
                continue;
            }
            let text = self.expression(op, ownership);
            self.define(result, ownership, &text, op.loc);
        }
    }

    /// Need a scalar in every element no array? It does not where the scalar never changes.
    fn stays_scalar(&self, op: &OpData, ownership: Ownership) -> bool {
        let kernel = self.kernel;
        let fixed = match kernel.value(op.operands[0]).def {
            ValueDef::Param(_) => true,
            ValueDef::Result { op, .. } => kernel.op(op).regions.is_empty() || kernel.op(op).kind.is_isolated(),
            ValueDef::Arg { .. } => false,
        };
        fixed && self.writer.has_rounds(ownership.root()) && self.segments.outlives(op.results[0])
    }

    pub(crate) fn expression(&mut self, op: &OpData, ownership: Ownership) -> String {
        let kernel = self.kernel;
        // A pointer's "scalar" is not looked at.
        let scalar_of = |value: ValueId| kernel.ty(value).as_scalar().unwrap_or(Scalar::I64);
        let result = scalar_of(op.results[0]);
        if op.kind == OpKind::Join {
            return self.join(op, ownership);
        }
        if let Some(text) = op.operands.first().and_then(|&x| self.relabelled(op, x, ownership)) {
            return text;
        }
        let operand = |index: usize| self.operand(op.operands[index], ownership);
        let first = || scalar_of(op.operands[0]);
        let expression = match &op.kind {
            OpKind::Range { start, .. } => return self.range(*start, ownership),
            OpKind::ProgramId(axis) => return format!("blockIdx.{axis}"),
            OpKind::NumPrograms(axis) => return format!("gridDim.{axis}"),
            OpKind::Load => return self.load(op, ownership),
            OpKind::Unary(unary) => expr::unary(*unary, result, &operand(0)),
            OpKind::Binary(binary) => expr::binary(*binary, result, &operand(0), &operand(1)),
            OpKind::Fma => expr::fma(result, &operand(0), &operand(1), &operand(2)),
            OpKind::Cmp(pred) if kernel.ty(op.operands[0]).pointee().is_some() => {
                let [a, b] = [0, 1].map(|index| format!("(u64){}", operand(index)));
                expr::compare(*pred, Scalar::I1, &a, &b)
            }
            OpKind::Cmp(pred) => expr::compare(*pred, first(), &operand(0), &operand(1)),
            OpKind::Cast(cast) => expr::cast(*cast, first(), result, &operand(0)),
            OpKind::Select => return format!("{} ? {} : {}", operand(0), operand(1), operand(2)),
            OpKind::AddPtr => {
                let signed = crate::ctypes::signed_type(scalar_of(op.operands[1]));
                Expr {
                    text: format!("mt_at({}, ({signed}){})", operand(0), operand(1)),
                    helper: Some("mt_at"),
                }
            }
            // Every element is the scalar.
            OpKind::Splat => return operand(0),
            // What relabels elements was written above, as was `join`; the others move elements, hold regions, or are
            // written where they stand.
            OpKind::ExpandDims { .. } | OpKind::Broadcast | OpKind::Reshape | OpKind::Transpose { .. } => {
                unreachable!("'{}' relabels elements or moves them", op.kind.name())
            }
            OpKind::Join | OpKind::Split | OpKind::Gather { .. } | OpKind::Histogram => {
                unreachable!("'{}' moves elements", op.kind.name())
            }
            OpKind::Reduce { .. } | OpKind::Scan { .. } | OpKind::For | OpKind::If | OpKind::While => {
                unreachable!("'{}' holds a region", op.kind.name())
            }
            OpKind::Const(_) | OpKind::Store | OpKind::Yield | OpKind::Condition => {
                unreachable!("'{}' is no expression", op.kind.name())
            }
        };
        self.helpers.extend(expression.helper);
        expression.text
    }

    /// An element of an operand that only gets other coordinates.
    fn relabelled(&self, op: &OpData, operand: ValueId, ownership: Ownership) -> Option<String> {
        let ownership = relabelled(self.kernel, op, operand, ownership)?;
        Some(self.operand(operand, ownership))
    }

    /// The element of one operand or the other, as the last coordinate says.
    fn join(&mut self, op: &OpData, ownership: Ownership) -> String {
        let Ownership::Tile { root, projection } = ownership else {
            // A result of two elements or more has coordinates.
            return String::new();
        };
        let parts: Vec<String> = op
            .operands
            .iter()
            .filter_map(|&part| self.relabelled(op, part, ownership))
            .collect();
        let last = projection.dims().last().copied().flatten();
        match (last, &parts[..]) {
            (Some(dim), [a, b]) => {
                let which = self.writer.coordinate(root, usize::from(dim));
                format!("{which} == 0 ? {a} : {b}")
            }
            _ => String::new(),
        }
    }

    fn range(&mut self, start: i32, ownership: Ownership) -> String {
        let coordinate = match ownership {
            Ownership::Tile { root, projection } => projection.dims()[0].map(|dim| (root, usize::from(dim))),
            Ownership::Uniform => None,
        };
        match (coordinate, start) {
            (None, _) => literal(mytriton_ssa::Const::i32(start)),
            (Some((root, dim)), 0) => self.writer.coordinate(root, dim),
            (Some((root, dim)), _) => {
                let (sign, magnitude) = (if start < 0 { '-' } else { '+' }, start.unsigned_abs());
                format!("{} {sign} {magnitude}u", self.writer.coordinate(root, dim))
            }
        }
    }

    fn load(&mut self, op: &OpData, ownership: Ownership) -> String {
        let scalar = self.kernel.ty(op.results[0]).as_scalar().unwrap_or(Scalar::I1);
        let pointer = self.operand(op.operands[0], ownership);
        let loaded = if scalar == Scalar::I1 {
            format!("*{pointer} != 0")
        } else {
            format!("*{pointer}")
        };
        let mut conditions: Vec<String> = ownership
            .root()
            .and_then(|root| self.writer.owner(root))
            .into_iter()
            .collect();
        conditions.extend(op.operands.get(1).map(|&mask| self.operand(mask, ownership)));
        if conditions.is_empty() {
            return loaded;
        }
        // Without `other` the value is unspecified.
        let other = match op.operands.get(2) {
            Some(&other) => self.operand(other, ownership),
            None if matches!(scalar, Scalar::F16 | Scalar::BF16) => format!("{}()", register_type(scalar)),
            None => literal(mytriton_ssa::Const::zero(scalar)),
        };
        format!("{} ? {loaded} : {other}", conditions.join(" && "))
    }

    fn store(&mut self, id: OpId, op: &OpData) {
        let ownership = self.threads.stores.get(&id).copied().unwrap_or(Ownership::Uniform);
        let mut conditions = Vec::new();
        match ownership {
            Ownership::Uniform => conditions.push(format!("{} == 0", self.writer.thread())),
            Ownership::Tile { root, projection } => {
                conditions.extend(self.writer.owner(root));
                // Of a replicated tile one owner stores.
                for (dim, &extent) in self.threads.roots[root].shape.iter().enumerate() {
                    if extent > 1 && !projection.dims().contains(&Some(dim as u8)) {
                        conditions.push(format!("{} == 0", self.writer.coordinate(root, dim)));
                    }
                }
            }
        }
        conditions.extend(op.operands.get(2).map(|&mask| self.operand(mask, ownership)));
        let (pointer, value) = (
            self.operand(op.operands[0], ownership),
            self.operand(op.operands[1], ownership),
        );
        let assignment = format!("*{pointer} = {value};");
        let text = match conditions.len() {
            0 => assignment,
            _ => format!("if ({}) {assignment}", conditions.join(" && ")),
        };
        let place = self.place(op.loc);
        self.writer.statement(ownership.root(), text, place);
    }
}

/// Text that may stand in a comment to the end of the line.
pub(crate) fn comment_text(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\\' => '/',
            c if c.is_control() => '?',
            c => c,
        })
        .collect()
}
