//! Building kernels one operation at a time, checked as they are made.

use rustc_hash::FxHashSet;

use crate::associative::{non_associative, non_associative_message};
use crate::constant::Const;
use crate::kernel::{Kernel, OpData, OpId, RegionId, ValueId};
use crate::loc::Loc;
use crate::op::{Axis, BinaryOp, CastKind, CmpPred, OpKind, UnaryOp};
use crate::permutation::Permutation;
use crate::types::{Elem, Scalar, Shape, Type};
use crate::typing::{TypeError, reduction_types, result_types};

/// What is wrong with an operation, and where in the user's source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildError {
    /// What is wrong.
    pub error: StructureError,
    /// Where, in the kernel's files.
    pub loc: Loc,
    /// The same as `file:line:column`, if known.
    pub place: Option<String>,
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.error)
    }
}

impl std::error::Error for BuildError {}

/// What can be wrong with an operation while building: its types, or the values that regions pass on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StructureError {
    /// Operand or result types.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// A region passes on another number of values than its operation has.
    #[error("'{op}' carries {expected} value(s), but {what} passes on {found}")]
    Count {
        /// The operation's name.
        op: &'static str,
        /// Which region.
        what: &'static str,
        /// How many it should pass on.
        expected: usize,
        /// How many it does.
        found: usize,
    },
    /// A value changes its type on its way through a region.
    #[error(
        "value {index} of '{op}' is {expected}, but {what} passes on {found}: a carried value keeps its exact type and shape"
    )]
    Carried {
        /// The operation's name.
        op: &'static str,
        /// Which region.
        what: &'static str,
        /// Which value.
        index: usize,
        /// The type that it should have.
        expected: Type,
        /// The type that it has.
        found: Type,
    },
    /// An operation or value that the combiner of a reduction or scan cannot have.
    #[error("'{op}': {what}")]
    Combine {
        /// The operation's name.
        op: &'static str,
        /// What is wrong.
        what: String,
    },
    /// Loop bounds that are not integers of one type, or a constant step below 1.
    #[error("{0}")]
    Bounds(String),
}

/// Checks the bounds and step of a `for`: shared by builder and verifier.
pub(crate) fn check_bounds(
    kernel: &Kernel,
    lower: ValueId,
    upper: ValueId,
    step: ValueId,
) -> Result<(), StructureError> {
    let types = [lower, upper, step].map(|v| kernel.ty(v));
    let ty = types[0];
    let wide = ty.is_int() && ty.is_scalar() && ty.as_scalar() != Some(Scalar::I1);
    if !wide || types.iter().any(|&t| t != ty) {
        let [l, u, s] = types;
        let message = format!("the bounds and step of 'for' are scalars of one integer type, not {l}, {u} and {s}");
        return Err(StructureError::Bounds(message));
    }
    match kernel.as_const(step).and_then(Const::as_signed) {
        Some(s) if s < 1 => Err(StructureError::Bounds(format!(
            "the step of 'for' is {s}: it must be at least 1"
        ))),
        _ => Ok(()),
    }
}

/// Checks that the values a region passes on have the types that its operation carries.
pub(crate) fn check_carried(
    op: &'static str,
    what: &'static str,
    expected: &[Type],
    found: &[Type],
) -> Result<(), StructureError> {
    if expected.len() != found.len() {
        return Err(StructureError::Count {
            op,
            what,
            expected: expected.len(),
            found: found.len(),
        });
    }
    for (index, (&expected, &found)) in expected.iter().zip(found).enumerate() {
        if expected != found {
            return Err(StructureError::Carried {
                op,
                what,
                index,
                expected,
                found,
            });
        }
    }
    Ok(())
}

/// Checks that a reduction's region computes element-wise on scalars, from its own arguments alone, and not plainly by an
/// operation that is not associative.
fn check_combine(kernel: &Kernel, op: &'static str, region: RegionId) -> Result<(), StructureError> {
    let mut inside: FxHashSet<ValueId> = kernel.region(region).args.iter().copied().collect();
    for &id in &kernel.region(region).ops {
        let data = kernel.op(id);
        if data.operands.iter().any(|v| !inside.contains(v)) {
            return Err(StructureError::Combine {
                op,
                what: OUTSIDE.to_owned(),
            });
        }
        if let Some(what) = combine_refusal(kernel, data) {
            return Err(StructureError::Combine { op, what });
        }
        inside.extend(&data.results);
    }
    match non_associative(kernel, region) {
        Some(id) => {
            let what = non_associative_message(&kernel.op(id).kind);
            Err(StructureError::Combine { op, what })
        }
        None => Ok(()),
    }
}

/// What is wrong with a combiner that uses a value from around it.
pub(crate) const OUTSIDE: &str = "a combiner uses its own arguments and constants alone, no value from outside of it";

/// Why an operation cannot stand in the combiner of a reduction or scan; none when it can.
pub(crate) fn combine_refusal(kernel: &Kernel, op: &OpData) -> Option<String> {
    let name = op.kind.name();
    if op.kind.is_terminator() {
        return None;
    }
    if !op.kind.is_elementwise() {
        return Some(format!(
            "a combiner is made of element-wise operations on numbers: '{name}' is none"
        ));
    }
    let values = op.operands.iter().chain(&op.results);
    let other = values
        .map(|&v| kernel.ty(v))
        .find(|t| !t.is_scalar() || t.as_scalar().is_none());
    other.map(|ty| format!("a combiner computes with scalars of numbers: {ty} in '{name}' is none"))
}

/// Builds one [`Kernel`]. Each method appends an operation to the current region and gives its result, or an error at
/// the current place ([`Builder::set_loc`]) when the operands do not fit.
#[derive(Debug)]
pub struct Builder {
    kernel: Kernel,
    regions: Vec<RegionId>,
    loc: Loc,
}

type Built<T> = Result<T, BuildError>;

impl Builder {
    /// Starts a kernel.
    pub fn new(name: impl Into<String>) -> Builder {
        let kernel = Kernel::new(name);
        let regions = vec![kernel.body()];
        Builder {
            kernel,
            regions,
            loc: Loc::UNKNOWN,
        }
    }

    /// Adds a parameter.
    pub fn param(&mut self, name: impl Into<String>, elem: Elem) -> ValueId {
        self.kernel.add_param(name, elem)
    }

    /// The kernel so far.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The kernel so far, to set names, files and facts.
    pub fn kernel_mut(&mut self) -> &mut Kernel {
        &mut self.kernel
    }

    /// The finished kernel. Run the verifier on it before handing it on.
    pub fn finish(self) -> Kernel {
        self.kernel
    }

    /// Sets the place that following operations get.
    pub fn set_loc(&mut self, loc: Loc) {
        self.loc = loc;
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> Type {
        self.kernel.ty(value)
    }

    /// An error at the current place.
    pub fn error(&self, error: impl Into<StructureError>) -> BuildError {
        BuildError {
            error: error.into(),
            loc: self.loc,
            place: self.kernel.describe_loc(self.loc),
        }
    }

    fn append(&mut self, op: OpId) {
        let region = *self.regions.last().expect("the body is never closed");
        self.kernel.region_mut(region).ops.push(op);
    }

    fn types(&self, values: &[ValueId]) -> Vec<Type> {
        values.iter().map(|&v| self.ty(v)).collect()
    }

    /// Appends an operation without regions, its result types derived as [`result_types`] does, and gives its first
    /// result.
    pub fn op(&mut self, kind: OpKind, operands: &[ValueId], requested: Option<Type>) -> Built<Option<ValueId>> {
        let op = self.simple(kind, operands, requested)?;
        Ok(self.kernel.op(op).results.first().copied())
    }

    fn simple(&mut self, kind: OpKind, operands: &[ValueId], requested: Option<Type>) -> Built<OpId> {
        let types: smallvec::SmallVec<[Type; 3]> = operands.iter().map(|&v| self.ty(v)).collect();
        let results = result_types(&kind, &types, requested).map_err(|e| self.error(e))?;
        let op = self
            .kernel
            .new_op(kind, operands.iter().copied(), results, [], self.loc);
        self.append(op);
        Ok(op)
    }

    fn value_op(&mut self, kind: OpKind, operands: &[ValueId], requested: Option<Type>) -> Built<ValueId> {
        Ok(self.op(kind, operands, requested)?.expect("the operation has a result"))
    }

    /// A scalar constant.
    pub fn constant(&mut self, value: Const) -> ValueId {
        let ty = Type::scalar(value.scalar());
        let op = self.kernel.new_op(OpKind::Const(value), [], [ty], [], self.loc);
        self.append(op);
        self.kernel.op(op).results[0]
    }

    /// A constant tile (or scalar): every element of `ty` is the constant.
    pub fn constant_of(&mut self, value: Const, ty: Type) -> Built<ValueId> {
        self.value_op(OpKind::Const(value), &[], Some(ty))
    }

    /// This program's index along a grid dimension.
    pub fn program_id(&mut self, axis: Axis) -> Built<ValueId> {
        self.value_op(OpKind::ProgramId(axis), &[], None)
    }

    /// The grid's extent along a dimension.
    pub fn num_programs(&mut self, axis: Axis) -> Built<ValueId> {
        self.value_op(OpKind::NumPrograms(axis), &[], None)
    }

    /// The tile start, start + 1, ... end - 1 of `i32`.
    pub fn range(&mut self, start: i32, end: i32) -> Built<ValueId> {
        self.value_op(OpKind::Range { start, end }, &[], None)
    }

    /// A scalar in every element of a tile with the given extents.
    pub fn splat(&mut self, scalar: ValueId, ty: Type) -> Built<ValueId> {
        self.value_op(OpKind::Splat, &[scalar], Some(ty))
    }

    /// A dimension of extent 1 put in at `axis`.
    pub fn expand_dims(&mut self, tile: ValueId, axis: usize) -> Built<ValueId> {
        self.value_op(OpKind::ExpandDims { axis }, &[tile], None)
    }

    /// Dimensions of extent 1 stretched to those of `ty`.
    pub fn broadcast(&mut self, tile: ValueId, ty: Type) -> Built<ValueId> {
        self.value_op(OpKind::Broadcast, &[tile], Some(ty))
    }

    /// The same elements, in row-major order, in another shape.
    pub fn reshape(&mut self, x: ValueId, shape: Shape) -> Built<ValueId> {
        let ty = self.ty(x).with_shape(shape);
        self.value_op(OpKind::Reshape, &[x], Some(ty))
    }

    /// The dimensions of a tile in another order.
    pub fn transpose(&mut self, tile: ValueId, permutation: Permutation) -> Built<ValueId> {
        self.value_op(OpKind::Transpose { permutation }, &[tile], None)
    }

    /// Two values of one type side by side, along a new last dimension of extent 2.
    pub fn join(&mut self, a: ValueId, b: ValueId) -> Built<ValueId> {
        self.value_op(OpKind::Join, &[a, b], None)
    }

    /// The two halves of a tile along its last dimension, whose extent is 2.
    pub fn split(&mut self, tile: ValueId) -> Built<[ValueId; 2]> {
        let op = self.simple(OpKind::Split, &[tile], None)?;
        let results = &self.kernel.op(op).results;
        Ok([results[0], results[1]])
    }

    /// Elements of a tile chosen along an axis, in the shape of the index: see [`OpKind::Gather`].
    pub fn gather(&mut self, tile: ValueId, index: ValueId, axis: usize) -> Built<ValueId> {
        self.value_op(OpKind::Gather { axis }, &[tile, index], None)
    }

    /// How many elements of a tile of integers are 0, 1, ... `bins` - 1: see [`OpKind::Histogram`].
    pub fn histogram(&mut self, tile: ValueId, bins: u32, mask: Option<ValueId>) -> Built<ValueId> {
        let shape = Shape::new(&[bins]).map_err(|e| {
            let what = format!("{bins} bins: {e}");
            self.error(TypeError::Attribute { op: "histogram", what })
        })?;
        let operands: Vec<ValueId> = [Some(tile), mask].into_iter().flatten().collect();
        self.value_op(OpKind::Histogram, &operands, Some(Type::I32.with_shape(shape)))
    }

    /// A function of one number.
    pub fn unary(&mut self, op: UnaryOp, x: ValueId) -> Built<ValueId> {
        self.value_op(OpKind::Unary(op), &[x], None)
    }

    /// A function of two numbers.
    pub fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> Built<ValueId> {
        self.value_op(OpKind::Binary(op), &[a, b], None)
    }

    /// `a * b + c`, rounded once.
    pub fn fma(&mut self, a: ValueId, b: ValueId, c: ValueId) -> Built<ValueId> {
        self.value_op(OpKind::Fma, &[a, b, c], None)
    }

    /// A comparison.
    pub fn cmp(&mut self, pred: CmpPred, a: ValueId, b: ValueId) -> Built<ValueId> {
        self.value_op(OpKind::Cmp(pred), &[a, b], None)
    }

    /// `a` where the condition holds, else `b`.
    pub fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> Built<ValueId> {
        self.value_op(OpKind::Select, &[condition, a, b], None)
    }

    /// A conversion of the element type.
    pub fn cast(&mut self, kind: CastKind, x: ValueId, to: Scalar) -> Built<ValueId> {
        let ty = self.ty(x).with_scalar(to);
        self.value_op(OpKind::Cast(kind), &[x], Some(ty))
    }

    /// A pointer `offset` elements further.
    pub fn addptr(&mut self, ptr: ValueId, offset: ValueId) -> Built<ValueId> {
        self.value_op(OpKind::AddPtr, &[ptr, offset], None)
    }

    /// A load; `other` needs a mask.
    pub fn load(&mut self, ptr: ValueId, mask: Option<ValueId>, other: Option<ValueId>) -> Built<ValueId> {
        if mask.is_none() && other.is_some() {
            let what = "'other' needs a mask: without one no element takes it".to_owned();
            return Err(self.error(TypeError::Attribute { op: "load", what }));
        }
        let operands: Vec<ValueId> = [Some(ptr), mask, other].into_iter().flatten().collect();
        self.value_op(OpKind::Load, &operands, None)
    }

    /// A store.
    pub fn store(&mut self, ptr: ValueId, value: ValueId, mask: Option<ValueId>) -> Built<()> {
        let operands: Vec<ValueId> = [Some(ptr), Some(value), mask].into_iter().flatten().collect();
        self.op(OpKind::Store, &operands, None).map(|_| ())
    }

    /// Runs `body` with a new region of the given argument types as the current one, ended by `terminator` with the
    /// operands that `body` gives.
    fn region<E: From<BuildError>>(
        &mut self,
        args: &[Type],
        terminator: OpKind,
        body: impl FnOnce(&mut Builder, &[ValueId]) -> Result<Vec<ValueId>, E>,
    ) -> Result<(RegionId, Vec<ValueId>), E> {
        let region = self.kernel.new_region(args.iter().copied());
        let args = self.kernel.region(region).args.clone();
        self.regions.push(region);
        let passed = body(self, &args);
        let passed = match passed {
            Ok(values) => values,
            Err(error) => {
                self.regions.pop();
                return Err(error);
            }
        };
        let end = self.kernel.new_op(terminator, passed.iter().copied(), [], [], self.loc);
        self.append(end);
        self.regions.pop();
        Ok((region, passed))
    }

    /// A counted loop: see [`OpKind::For`]. `body` gets the index and the carried values and gives the next ones.
    pub fn for_loop<E: From<BuildError>>(
        &mut self,
        [lower, upper, step]: [ValueId; 3],
        initial: &[ValueId],
        body: impl FnOnce(&mut Builder, ValueId, &[ValueId]) -> Result<Vec<ValueId>, E>,
    ) -> Result<Vec<ValueId>, E> {
        let loc = self.loc;
        check_bounds(&self.kernel, lower, upper, step).map_err(|e| self.error(e))?;
        let carried = self.types(initial);
        let args: Vec<Type> = std::iter::once(self.ty(lower)).chain(carried.iter().copied()).collect();
        let (region, passed) = self.region(&args, OpKind::Yield, |b, args| body(b, args[0], &args[1..]))?;
        self.loc = loc;
        let passed = self.types(&passed);
        check_carried("for", "its body", &carried, &passed).map_err(|e| self.error(e))?;
        let operands = [lower, upper, step].into_iter().chain(initial.iter().copied());
        let op = self.kernel.new_op(OpKind::For, operands, carried, [region], loc);
        self.append(op);
        Ok(self.kernel.op(op).results.to_vec())
    }

    /// A branch: see [`OpKind::If`]. Both branches give values of the same types.
    pub fn if_else<E: From<BuildError>>(
        &mut self,
        condition: ValueId,
        then: impl FnOnce(&mut Builder) -> Result<Vec<ValueId>, E>,
        otherwise: impl FnOnce(&mut Builder) -> Result<Vec<ValueId>, E>,
    ) -> Result<Vec<ValueId>, E> {
        let loc = self.loc;
        self.check_condition("if", condition)?;
        let (then_region, then_values) = self.region(&[], OpKind::Yield, |b, _| then(b))?;
        let (else_region, else_values) = self.region(&[], OpKind::Yield, |b, _| otherwise(b))?;
        self.loc = loc;
        let types = self.types(&then_values);
        let others = self.types(&else_values);
        check_carried("if", "its else branch", &types, &others).map_err(|e| self.error(e))?;
        let op = self
            .kernel
            .new_op(OpKind::If, [condition], types, [then_region, else_region], loc);
        self.append(op);
        Ok(self.kernel.op(op).results.to_vec())
    }

    /// A conditional loop: see [`OpKind::While`]. `test` gets the carried values and gives the condition (in this
    /// form it passes the carried values on as they are); `body` gets them and gives the next ones.
    pub fn while_loop<E: From<BuildError>>(
        &mut self,
        initial: &[ValueId],
        test: impl FnOnce(&mut Builder, &[ValueId]) -> Result<ValueId, E>,
        body: impl FnOnce(&mut Builder, &[ValueId]) -> Result<Vec<ValueId>, E>,
    ) -> Result<Vec<ValueId>, E> {
        let loc = self.loc;
        let carried = self.types(initial);
        let (test_region, _) = self.region(&carried, OpKind::Condition, |b, args| {
            let condition = test(b, args)?;
            b.check_condition("while", condition)?;
            Ok::<_, E>(std::iter::once(condition).chain(args.iter().copied()).collect())
        })?;
        let (body_region, passed) = self.region(&carried, OpKind::Yield, body)?;
        self.loc = loc;
        let passed = self.types(&passed);
        check_carried("while", "its body", &carried, &passed).map_err(|e| self.error(e))?;
        let op = self.kernel.new_op(
            OpKind::While,
            initial.iter().copied(),
            carried,
            [test_region, body_region],
            loc,
        );
        self.append(op);
        Ok(self.kernel.op(op).results.to_vec())
    }

    /// Combines the elements of tiles along an axis into one: see [`OpKind::Reduce`]. `combine` gets the scalars of two
    /// elements, one of each tile, and gives those of their combination.
    pub fn reduce<E: From<BuildError>>(
        &mut self,
        tiles: &[ValueId],
        axis: usize,
        combine: impl FnOnce(&mut Builder, &[ValueId], &[ValueId]) -> Result<Vec<ValueId>, E>,
    ) -> Result<Vec<ValueId>, E> {
        self.reduction(OpKind::Reduce { axis }, tiles, combine)
    }

    /// The running combination of tiles along an axis: see [`OpKind::Scan`]. `combine` is as for [`Builder::reduce`],
    /// the prefix being its first element.
    pub fn scan<E: From<BuildError>>(
        &mut self,
        tiles: &[ValueId],
        axis: usize,
        reverse: bool,
        combine: impl FnOnce(&mut Builder, &[ValueId], &[ValueId]) -> Result<Vec<ValueId>, E>,
    ) -> Result<Vec<ValueId>, E> {
        self.reduction(OpKind::Scan { axis, reverse }, tiles, combine)
    }

    fn reduction<E: From<BuildError>>(
        &mut self,
        kind: OpKind,
        tiles: &[ValueId],
        combine: impl FnOnce(&mut Builder, &[ValueId], &[ValueId]) -> Result<Vec<ValueId>, E>,
    ) -> Result<Vec<ValueId>, E> {
        let loc = self.loc;
        let types = self.types(tiles);
        let results = reduction_types(&kind, &types).map_err(|e| self.error(e))?;
        let elements: Vec<Type> = types.iter().map(|t| t.element()).collect();
        let args = [&elements[..], &elements].concat();
        let (region, passed) = self.region(&args, OpKind::Yield, |b, args| {
            let (left, right) = args.split_at(tiles.len());
            combine(b, left, right)
        })?;
        self.loc = loc;
        check_carried(kind.name(), "its combiner", &elements, &self.types(&passed)).map_err(|e| self.error(e))?;
        check_combine(&self.kernel, kind.name(), region).map_err(|e| self.error(e))?;
        let op = self.kernel.new_op(kind, tiles.iter().copied(), results, [region], loc);
        self.append(op);
        Ok(self.kernel.op(op).results.to_vec())
    }

    fn check_condition(&self, op: &'static str, condition: ValueId) -> Built<()> {
        let found = self.ty(condition);
        if found == Type::I1 {
            return Ok(());
        }
        Err(self.error(TypeError::Role {
            op,
            role: "condition",
            expected: Type::I1,
            found,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector_add() -> Built<Kernel> {
        let mut b = Builder::new("add");
        let f32_ptr = Elem::Ptr(Scalar::F32);
        let (x, y, n) = (
            b.param("x", f32_ptr),
            b.param("y", f32_ptr),
            b.param("n", Elem::Scalar(Scalar::I32)),
        );
        let pid = b.program_id(Axis::X)?;
        let size = b.constant(Const::i32(64));
        let start = b.binary(BinaryOp::Mul, pid, size)?;
        let range = b.range(0, 64)?;
        let i32s = b.ty(range);
        let start = b.splat(start, i32s)?;
        let at = b.binary(BinaryOp::Add, start, range)?;
        let n = b.splat(n, i32s)?;
        let mask = b.cmp(CmpPred::Lt, at, n)?;
        let mut pointers = Vec::new();
        for p in [x, y] {
            let ty = b.ty(p).with_shape(i32s.shape);
            let p = b.splat(p, ty)?;
            pointers.push(b.addptr(p, at)?);
        }
        let v = b.load(pointers[0], Some(mask), None)?;
        b.store(pointers[1], v, Some(mask))?;
        Ok(b.finish())
    }

    #[test]
    fn builds_a_kernel() {
        let kernel = vector_add().unwrap();
        assert_eq!(kernel.ops_in_order().len(), 14);
        assert_eq!(kernel.params().len(), 3);
    }

    #[test]
    fn errors_carry_the_place() {
        let mut b = Builder::new("k");
        let file = b.kernel_mut().file_index("kernel.rs");
        let x = b.constant(Const::f32(1.0));
        let i = b.constant(Const::i32(1));
        b.set_loc(Loc { file, line: 3, col: 9 });
        let error = b.binary(BinaryOp::Add, x, i).unwrap_err();
        assert_eq!(
            error.to_string(),
            "kernel.rs:3:9: the operands of 'add' have one type: f32 and i32 differ"
        );
    }

    #[test]
    fn a_carried_value_keeps_its_type() {
        let mut b = Builder::new("k");
        let [zero, ten, one] = [0, 10, 1].map(|v| b.constant(Const::i32(v)));
        let x = b.constant(Const::f32(0.0));
        let error = b
            .for_loop::<BuildError>([zero, ten, one], &[x], |_, i, _| Ok(vec![i]))
            .unwrap_err();
        assert!(
            matches!(error.error, StructureError::Carried { index: 0, .. }),
            "{error}"
        );
        let step = b.constant(Const::i32(0));
        let error = b
            .for_loop::<BuildError>([zero, ten, step], &[], |_, _, _| Ok(vec![]))
            .unwrap_err();
        assert!(error.to_string().contains("at least 1"), "{error}");
    }
}
