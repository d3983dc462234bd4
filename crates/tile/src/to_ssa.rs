//! The `tile` stage without layouts back to typed SSA, so that a `.mlir` file runs on every device.

use std::fmt;

use melior::ir::attribute::{
    ArrayAttribute, BoolAttribute, DenseElementsAttribute, DictionaryAttribute, FloatAttribute, IntegerAttribute,
    StringAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationResult};
use melior::ir::{
    Attribute, AttributeLike, BlockRef, Location, Module as MlirModule, OperationRef, RegionLike, Type as MlirType,
    Value, ValueLike,
};
use mytriton_ssa::{
    Axis, CmpPred, Const, Kernel, Loc, Module, OpId, OpKind, Permutation, RegionId, Scalar, Type, ValueId,
};
use mytriton_tile_sys as sys;
use rustc_hash::FxHashMap;

use crate::attributes;
use crate::names;
use crate::ops::arith::FastMathFlags;
use crate::ops::{self, PtrToIntOp, TileOp, TransposeOp, arith, func, math, scf};
use crate::types::{ssa_type, tensor};

/// Something in a module that typed SSA has no form for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToSsaError {
    /// `file:line:column`, if known.
    pub place: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ToSsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ToSsaError {}

/// The kernels of a verified module in the `tile` stage: every `func.func` with the attribute `tile.kernel`. They are
/// valid kernels ([`mytriton_ssa::verify()`]).
///
/// Flags that only allow more than the plain operation does (`nsw`, `exact`, most of fast-math) are dropped.
pub fn to_ssa(module: &MlirModule<'_>) -> Result<Module, ToSsaError> {
    let mut kernels = Vec::new();
    let mut next = module.body().first_operation();
    while let Some(op) = next {
        next = op.next_in_block();
        if name_of(op) != func::FUNC || !op.has_attribute(attributes::KERNEL) {
            return Err(error(
                op,
                format!(
                    "'{}' is not a kernel: a func.func with the attribute tile.kernel",
                    name_of(op)
                ),
            ));
        }
        kernels.push(kernel_of(op)?);
    }
    let module = Module { kernels };
    // What MLIR allows and typed SSA does not, such as signed comparisons of booleans.
    match mytriton_ssa::verify_module(&module) {
        Ok(()) => Ok(module),
        Err(errors) => {
            let first = errors.first();
            let what = first.op_text.as_ref().map(|op| format!(", {op}")).unwrap_or_default();
            let message = format!("in kernel '{}'{what}: {}", first.kernel, first.message);
            Err(ToSsaError {
                place: first.place.clone(),
                message,
            })
        }
    }
}

/// The name of an operation, dialect included.
pub fn name_of(op: OperationRef<'_, '_>) -> String {
    op.name().as_string_ref().as_str().unwrap_or_default().to_owned()
}

fn error(op: OperationRef<'_, '_>, message: String) -> ToSsaError {
    ToSsaError {
        place: sys::place_text(op.location()),
        message,
    }
}

fn int_attribute(op: OperationRef<'_, '_>, name: &str) -> Result<i64, ToSsaError> {
    op.attribute(name)
        .ok()
        .and_then(|a| IntegerAttribute::try_from(a).ok())
        .map(|a| a.value())
        .ok_or_else(|| error(op, format!("'{}' has no integer attribute '{name}'", name_of(op))))
}

fn kernel_of(op: OperationRef<'_, '_>) -> Result<Kernel, ToSsaError> {
    let name = op
        .attribute("sym_name")
        .ok()
        .and_then(|a| StringAttribute::try_from(a).ok());
    let name = name.map(|a| a.value().to_owned()).unwrap_or_default();
    let body = op.region(0).ok().and_then(|r| r.first_block());
    let body = body.ok_or_else(|| error(op, format!("kernel '{name}' has no body")))?;
    let mut reader = Reader {
        kernel: Kernel::new(name),
        values: FxHashMap::default(),
    };
    reader.kernel.loc = reader.loc(op.location());
    for index in 0..body.argument_count() {
        let argument: Value = crate::emit::argument_of(body, index);
        let ty = reader.ty(op, argument.r#type())?;
        let facts = argument_attributes(op, index);
        let given = facts.iter().find(|(name, _)| name == attributes::NAME).map(|(_, a)| *a);
        let given = given
            .and_then(|a| StringAttribute::try_from(a).ok())
            .map(|a| a.value().to_owned());
        let value = reader
            .kernel
            .add_param(given.unwrap_or_else(|| format!("arg{index}")), ty.elem);
        let divisibility = facts
            .iter()
            .find(|(name, _)| name == attributes::DIVISIBILITY)
            .map(|(_, a)| *a);
        if let Some(fact) = divisibility.and_then(|a| IntegerAttribute::try_from(a).ok()) {
            reader.kernel.params_mut()[index].divisibility = u32::try_from(fact.value()).unwrap_or(1);
        }
        reader.values.insert(key(argument), value);
    }
    let region = reader.kernel.body();
    reader.block(body, region)?;
    Ok(reader.kernel)
}

/// A value's identity, for maps.
fn key(value: Value<'_, '_>) -> usize {
    value.to_raw().ptr as usize
}

/// Attributes that change what an operation gives, and what typed SSA has.
const MEANINGFUL: &[(&str, &str)] = &[
    ("roundingmode", "rounding to the nearest"),
    ("unsignedCmp", "loops with signed bounds"),
];

struct Reader {
    kernel: Kernel,
    values: FxHashMap<usize, ValueId>,
}

impl Reader {
    fn loc(&mut self, location: Location<'_>) -> Loc {
        match sys::place_of(location) {
            Some((file, line, col)) => Loc {
                file: self.kernel.file_index(&file),
                line,
                col,
            },
            None => Loc::UNKNOWN,
        }
    }

    fn ty(&self, op: OperationRef<'_, '_>, ty: MlirType<'_>) -> Result<Type, ToSsaError> {
        if tensor(ty).is_some_and(|tensor| tensor.encoding().is_some()) {
            let message = format!(
                "{ty} of '{}' has a layout: typed SSA is read from the tile stage",
                name_of(op)
            );
            return Err(error(op, message));
        }
        ssa_type(ty).ok_or_else(|| error(op, format!("type {ty} of '{}' is none of typed SSA", name_of(op))))
    }

    fn value(&self, op: OperationRef<'_, '_>, value: Value<'_, '_>) -> Result<ValueId, ToSsaError> {
        self.values
            .get(&key(value))
            .copied()
            .ok_or_else(|| error(op, format!("an operand of '{}' has no form in typed SSA", name_of(op))))
    }

    fn block(&mut self, block: BlockRef<'_, '_>, region: RegionId) -> Result<(), ToSsaError> {
        let mut next = block.first_operation();
        while let Some(op) = next {
            next = op.next_in_block();
            self.op(op, region)?;
        }
        Ok(())
    }

    fn op(&mut self, op: OperationRef<'_, '_>, region: RegionId) -> Result<(), ToSsaError> {
        let name = name_of(op);
        match name.as_str() {
            func::RETURN => return Ok(()),
            // Read where it is compared: SSA compares the pointers themselves.
            ops::PTR_TO_INT => return Ok(()),
            _ => {}
        }
        if let Some((flag, meaning)) = MEANINGFUL.iter().find(|(flag, _)| op.has_attribute(flag)) {
            return Err(error(
                op,
                format!("'{flag}' on '{name}': typed SSA has {meaning} alone"),
            ));
        }
        let kind = self.kind(op, &name)?;
        let loc = self.loc(op.location());
        let operands = op
            .operands()
            .map(|v| self.value(op, address_of(&kind, v).unwrap_or(v)))
            .collect::<Result<Vec<_>, _>>()?;
        let types = op
            .results()
            .map(|r| self.ty(op, r.r#type()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut regions = Vec::new();
        for inner in op.regions() {
            let made = self.kernel.new_region([]);
            regions.push(made);
            let Some(block) = inner.first_block() else {
                // An scf.if without an else branch.
                let end = self.kernel.new_op(OpKind::Yield, [], [], [], loc);
                self.kernel.region_mut(made).ops.push(end);
                continue;
            };
            for index in 0..block.argument_count() {
                let argument: Value = crate::emit::argument_of(block, index);
                let ty = self.ty(op, argument.r#type())?;
                let value = self.kernel.add_region_arg(made, ty);
                self.values.insert(key(argument), value);
            }
            self.block(block, made)?;
        }
        let made: OpId = self.kernel.new_op(kind, operands, types, regions, loc);
        self.kernel.region_mut(region).ops.push(made);
        for (index, result) in op.results().enumerate() {
            let value = self.kernel.op(made).results[index];
            self.values.insert(key(result.into()), value);
        }
        Ok(())
    }

    fn kind(&self, op: OperationRef<'_, '_>, name: &str) -> Result<OpKind, ToSsaError> {
        if let Some(kind) = TileOp::cast(op).and_then(tile_kind) {
            return Ok(kind);
        }
        Ok(match name {
            arith::CONSTANT => OpKind::Const(self.constant(op)?),
            math::FMA => OpKind::Fma,
            arith::SELECT => OpKind::Select,
            scf::FOR => OpKind::For,
            scf::IF => OpKind::If,
            scf::WHILE => OpKind::While,
            scf::YIELD => OpKind::Yield,
            scf::CONDITION => OpKind::Condition,
            arith::CMPI | arith::CMPF => {
                let number = int_attribute(op, "predicate")?;
                let has_number = |pred: &&CmpPred| match name {
                    arith::CMPI => pred.cmpi() == Some(number),
                    _ => pred.cmpf() == Some(number),
                };
                let pred = CmpPred::ALL.iter().find(has_number);
                OpKind::Cmp(*pred.ok_or_else(|| {
                    let known = "oeq, olt, ole, ogt, oge and une";
                    error(
                        op,
                        format!("this predicate of '{name}' is none of typed SSA, which has {known}"),
                    )
                })?)
            }
            _ => {
                let function = names::function(op);
                let kind = names::elementwise(name, function.as_ref().map(|name| name.value()), fast_math(op));
                kind.ok_or_else(|| error(op, format!("'{name}' has no form in typed SSA")))?
            }
        })
    }

    fn constant(&self, op: OperationRef<'_, '_>) -> Result<Const, ToSsaError> {
        let value = op.attribute("value").map_err(|e| error(op, e.to_string()))?;
        let element = match DenseElementsAttribute::try_from(value) {
            Ok(dense) if dense.is_splat() => dense.splat_value(),
            Ok(_) => {
                return Err(error(
                    op,
                    "a constant tile has the same value everywhere: build others from a range".into(),
                ));
            }
            Err(_) => value,
        };
        let scalar = ssa_type(element.r#type()).and_then(Type::as_scalar);
        constant_of(element, scalar).ok_or_else(|| error(op, format!("constant {value} is none of typed SSA")))
    }
}

fn constant_of(element: Attribute<'_>, scalar: Option<Scalar>) -> Option<Const> {
    let scalar = scalar?;
    if let Ok(truth) = BoolAttribute::try_from(element)
        && scalar == Scalar::I1
    {
        return Some(Const::bool(truth.value()));
    }
    if let Ok(int) = IntegerAttribute::try_from(element) {
        return Some(Const::from_bits(scalar, int.value() as u64));
    }
    let float = FloatAttribute::try_from(element).ok()?.value();
    if !float.is_nan() {
        return Some(Const::from_f64(scalar, float));
    }
    // `0x7FC00000 : f32`: the printed bits keep a NaN's payload.
    let text = element.to_string();
    let digits = text.split_whitespace().next()?.strip_prefix("0x")?.to_owned();
    u64::from_str_radix(&digits, 16)
        .ok()
        .map(|bits| Const::from_bits(scalar, bits))
}

/// The pointer under a `tile.ptr_to_int` that a comparison takes.
fn address_of<'c: 'a, 'a>(kind: &OpKind, value: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    let OpKind::Cmp(_) = kind else { return None };
    let op = defining_operation(value)?;
    PtrToIntOp::cast(op).map(|op| op.pointer())
}

/// The operation that gives a value; none for a block's argument.
pub fn defining_operation<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    // melior prints a value that is none, for an error.
    let result = value
        .is_operation_result()
        .then(|| OperationResult::try_from(value).ok());
    result.flatten().map(|result| result.owner())
}

/// The attributes of a function's argument.
pub fn argument_attributes<'c>(function: OperationRef<'c, '_>, index: usize) -> Vec<(String, Attribute<'c>)> {
    let all = function
        .attribute("arg_attrs")
        .ok()
        .and_then(|a| ArrayAttribute::try_from(a).ok());
    let own = all
        .and_then(|all| all.element(index).ok())
        .and_then(|a| DictionaryAttribute::try_from(a).ok());
    let Some(own) = own else { return Vec::new() };
    let text = |name: melior::ir::Identifier| name.as_string_ref().as_str().unwrap_or_default().to_owned();
    (0..own.len())
        .filter_map(|i| own.element(i).ok())
        .map(|(name, a)| (text(name), a))
        .collect()
}

/// The operations of the tile dialect; none for those that are in the tables of [`names`], or have no form in typed SSA.
fn tile_kind(op: TileOp<'_, '_>) -> Option<OpKind> {
    let axis_of = |axis| Axis::from_index(axis as usize);
    Some(match op {
        TileOp::ProgramId(op) => OpKind::ProgramId(axis_of(op.axis())?),
        TileOp::NumPrograms(op) => OpKind::NumPrograms(axis_of(op.axis())?),
        TileOp::Range(op) => OpKind::Range {
            start: op.start(),
            end: op.end(),
        },
        TileOp::Splat(_) => OpKind::Splat,
        TileOp::ExpandDims(op) => OpKind::ExpandDims {
            axis: usize::try_from(op.axis()).ok()?,
        },
        TileOp::Broadcast(_) => OpKind::Broadcast,
        TileOp::Reshape(_) => OpKind::Reshape,
        TileOp::Transpose(op) => OpKind::Transpose {
            permutation: Permutation::new(&permutation_of(op)?).ok()?,
        },
        TileOp::Reduce(op) => OpKind::Reduce {
            axis: usize::try_from(op.axis()).ok()?,
        },
        TileOp::Scan(op) => OpKind::Scan {
            axis: usize::try_from(op.axis()).ok()?,
            reverse: op.reverse(),
        },
        TileOp::Join(_) => OpKind::Join,
        TileOp::Split(_) => OpKind::Split,
        TileOp::Gather(op) => OpKind::Gather {
            axis: usize::try_from(op.axis()).ok()?,
        },
        TileOp::Histogram(_) => OpKind::Histogram,
        TileOp::Yield(_) => OpKind::Yield,
        TileOp::AddPtr(_) => OpKind::AddPtr,
        TileOp::Load(_) => OpKind::Load,
        TileOp::Store(_) => OpKind::Store,
        TileOp::Shl(_) | TileOp::ShrS(_) | TileOp::ShrU(_) => return None,
        TileOp::DivS(_) | TileOp::DivU(_) | TileOp::RemS(_) | TileOp::RemU(_) => return None,
        TileOp::FpToSi(_) | TileOp::FpToUi(_) => return None,
        TileOp::UnaryFunction(_) | TileOp::BinaryFunction(_) => return None,
        TileOp::PtrToInt(_) | TileOp::ConvertLayout(_) => return None,
        TileOp::Alloc(_) | TileOp::Dealloc(_) | TileOp::LocalLoad(_) | TileOp::LocalStore(_) => return None,
    })
}

/// The dimensions of the source in the order of a transpose's result.
pub fn permutation_of(op: TransposeOp<'_, '_>) -> Option<Vec<usize>> {
    let axes = op.permutation().into_iter();
    axes.map(|axis| usize::try_from(axis).ok()).collect()
}

/// The fast-math flags of an operation of arith or math.
pub fn fast_math(op: OperationRef<'_, '_>) -> FastMathFlags {
    let flags = op.attribute("fastmath").ok().and_then(FastMathFlags::of);
    flags.unwrap_or(FastMathFlags::NONE)
}
