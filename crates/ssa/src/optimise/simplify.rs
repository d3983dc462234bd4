//! The walk that simplifies: every operation in program order, its operands already in their final form.
//!
//! Regions are rebuilt as they are walked: an operation that stays is pushed to the list of the region it ends up in,
//! so that moving, inlining and dropping operations cost nothing extra. A value that another one replaces is entered
//! in a map, which the operands of all later operations are looked up in.

#![warn(clippy::wildcard_enum_match_arm)]

use smallvec::SmallVec;

use super::table::ValueTable;
use super::{arithmetic, cast, compare, control, fold, memory, reduction, shape};
use crate::constant::Const;
use crate::kernel::{Kernel, OpId, RegionId, ValueId};
use crate::loc::Loc;
use crate::op::{Effects, OpKind};
use crate::types::Type;

/// Operands of an operation.
pub(super) type Operands = SmallVec<[ValueId; 3]>;

/// What becomes of an operation.
pub(super) enum Rewrite {
    /// Its one result is this value.
    Value(ValueId),
    /// It has this constant (in every element).
    Const(Const),
    /// It does this instead, with a result of the same type.
    Op(OpKind, Operands),
    /// It has no effect.
    Erase,
}

/// An operation under simplification: what the equations look at.
pub(super) struct Subject {
    /// What it does.
    pub kind: OpKind,
    /// Its operands.
    pub operands: Operands,
    /// The type of its result; of an operation without one (a store) of no meaning.
    pub ty: Type,
    /// Where it stands.
    pub loc: Loc,
}

/// Simplifies everything that can be reached from the body, merging equal operations if `merge`. Did it change anything?
pub(super) fn simplify(kernel: &mut Kernel, merge: bool) -> bool {
    let body = kernel.body();
    let mut simplifier = Simplifier {
        replaced: vec![None; kernel.value_count()],
        kernel,
        table: merge.then(ValueTable::default),
        out: Vec::new(),
        changed: false,
    };
    simplifier.region(body);
    simplifier.changed
}

/// The state of the walk.
pub(super) struct Simplifier<'k> {
    /// The kernel, whose regions are empty while they are walked.
    pub kernel: &'k mut Kernel,
    /// What stands in place of each value; none for the value itself.
    replaced: Vec<Option<ValueId>>,
    table: Option<ValueTable>,
    /// The operations so far of the region that is being rebuilt.
    pub out: Vec<OpId>,
    /// Has anything been rewritten?
    pub changed: bool,
}

impl Simplifier<'_> {
    /// The value that stands for this one.
    pub fn resolve(&self, mut value: ValueId) -> ValueId {
        while let Some(Some(new)) = self.replaced.get(value.index()) {
            value = *new;
        }
        value
    }

    /// Puts `new` in the place of `old` from here on. A name in the user's source passes to a value without one, but
    /// not to a constant, which stands for itself.
    pub fn replace(&mut self, old: ValueId, new: ValueId) {
        let new = self.resolve(new);
        if old == new {
            return;
        }
        if self.replaced.len() <= old.index() {
            self.replaced.resize(self.kernel.value_count(), None);
        }
        self.replaced[old.index()] = Some(new);
        self.changed = true;
        if self.kernel.value(new).name.is_none()
            && self.kernel.as_const(new).is_none()
            && let Some(name) = self.kernel.value(old).name.clone()
        {
            self.kernel.set_name(new, name);
        }
    }

    /// A constant (in every element of `ty`).
    pub fn constant(&mut self, value: Const, ty: Type, loc: Loc) -> ValueId {
        self.emit(OpKind::Const(value), Operands::new(), ty, loc)
    }

    /// A new operation at this point, itself simplified.
    pub fn emit(&mut self, kind: OpKind, operands: Operands, ty: Type, loc: Loc) -> ValueId {
        let op = self.kernel.new_op(kind, operands, [ty], [], loc);
        let result = self.kernel.op(op).results[0];
        self.plain(op);
        self.resolve(result)
    }

    /// Rebuilds a region in a scope of its own: what is computed in it is not available after it.
    pub fn region(&mut self, region: RegionId) {
        let outer = std::mem::take(&mut self.out);
        let mark = self.table.as_ref().map(ValueTable::mark);
        for op in std::mem::take(&mut self.kernel.region_mut(region).ops) {
            self.visit(op);
        }
        if let (Some(table), Some(mark)) = (&mut self.table, mark) {
            table.leave(mark);
        }
        self.kernel.region_mut(region).ops = std::mem::replace(&mut self.out, outer);
    }

    /// Rebuilds an isolated region: nothing that is available around it is available in it, nor the other way round.
    pub fn isolated_region(&mut self, region: RegionId) {
        let inner = self.table.is_some().then(ValueTable::default);
        let outer = std::mem::replace(&mut self.table, inner);
        self.region(region);
        self.table = outer;
    }

    /// An available operation equal to this one, if equal ones are merged; without one, this one becomes available.
    pub fn equal(&mut self, op: OpId) -> Option<OpId> {
        self.table.as_mut()?.find_or_insert(self.kernel, op)
    }

    /// Memory may have changed: loads so far say nothing about later ones.
    pub fn forget_loads(&mut self) {
        if let Some(table) = &mut self.table {
            table.forget_loads();
        }
    }

    /// Simplifies one operation and puts what is left of it into the region that is being rebuilt.
    pub fn visit(&mut self, op: OpId) {
        for i in 0..self.kernel.op(op).operands.len() {
            let value = self.resolve(self.kernel.op(op).operands[i]);
            self.kernel.op_mut(op).operands[i] = value;
        }
        match self.kernel.op(op).kind {
            OpKind::For => control::visit_for(self, op),
            OpKind::If => control::visit_if(self, op),
            OpKind::While => control::visit_while(self, op),
            OpKind::Reduce { .. } | OpKind::Scan { .. } => reduction::visit(self, op),
            OpKind::Split => shape::visit_split(self, op),
            OpKind::Yield | OpKind::Condition => self.out.push(op),
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
            | OpKind::Store => self.plain(op),
        }
    }

    /// Simplifies an operation without regions and with at most one result.
    fn plain(&mut self, op: OpId) {
        let result = self.kernel.op(op).results.first().copied();
        while let Some(rewrite) = self.rewrite(op) {
            self.changed = true;
            let (kind, operands) = match rewrite {
                Rewrite::Value(value) => {
                    self.replace(result.expect("a value replaces a value"), value);
                    return;
                }
                Rewrite::Erase => return,
                Rewrite::Const(c) => (OpKind::Const(c), Operands::new()),
                Rewrite::Op(kind, operands) => (kind, operands),
            };
            let data = self.kernel.op_mut(op);
            data.kind = kind;
            data.operands = operands;
        }
        if let (Some(table), Some(result)) = (&mut self.table, result)
            && let Some(equal) = table.find_or_insert(self.kernel, op)
        {
            self.replace(result, self.kernel.op(equal).results[0]);
            return;
        }
        match self.kernel.op(op).kind.effects() {
            Effects::Writes | Effects::OfRegions => self.forget_loads(),
            Effects::None | Effects::Reads => {}
        }
        self.out.push(op);
    }

    /// The first equation that applies.
    fn rewrite(&mut self, op: OpId) -> Option<Rewrite> {
        let data = self.kernel.op(op);
        if matches!(data.kind, OpKind::Const(_)) {
            return None;
        }
        let subject = Subject {
            kind: data.kind.clone(),
            operands: data.operands.clone(),
            ty: data.results.first().map_or(Type::I1, |&r| self.kernel.ty(r)),
            loc: data.loc,
        };
        if let Some(c) = fold::fold(self.kernel, &subject) {
            return Some(Rewrite::Const(c));
        }
        match subject.kind {
            OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Fma => arithmetic::rewrite(self, &subject),
            OpKind::Cmp(_) | OpKind::Select => compare::rewrite(self, &subject),
            OpKind::Cast(kind) => cast::rewrite(self.kernel, kind, &subject),
            OpKind::Splat | OpKind::ExpandDims { .. } | OpKind::Broadcast => shape::rewrite(self.kernel, &subject),
            OpKind::Reshape | OpKind::Transpose { .. } => shape::rewrite(self.kernel, &subject),
            OpKind::Join => shape::join(self.kernel, &subject),
            OpKind::Histogram => shape::histogram(self.kernel, &subject),
            OpKind::AddPtr | OpKind::Load | OpKind::Store => memory::rewrite(self, &subject),
            OpKind::Const(_) | OpKind::ProgramId(_) | OpKind::NumPrograms(_) | OpKind::Range { .. } => None,
            OpKind::Split | OpKind::Gather { .. } | OpKind::Reduce { .. } | OpKind::Scan { .. } => None,
            OpKind::For | OpKind::If | OpKind::While | OpKind::Yield | OpKind::Condition => None,
        }
    }

    /// The kind and operands of the operation that gives a value.
    pub fn definition(&self, value: ValueId) -> Option<(&OpKind, &[ValueId])> {
        definition(self.kernel, value)
    }
}

/// The kind and operands of the operation that gives a value.
pub(super) fn definition(kernel: &Kernel, value: ValueId) -> Option<(&OpKind, &[ValueId])> {
    kernel.defining_op(value).map(|op| (&op.kind, &op.operands[..]))
}
