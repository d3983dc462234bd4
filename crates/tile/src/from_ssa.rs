//! Typed SSA to the `tile` stage.
//!
//! Every operation becomes one operation of the same meaning ([`names`]); a kernel becomes a `func.func` with the
//! attribute `tile.kernel`. Nothing is optimised here, so that [`to_ssa`](crate::to_ssa) gives back the same kernel.

use std::fmt;

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute, TypeAttribute};
use melior::ir::block::BlockLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Location, Module, Region, RegionLike, Type as MlirType, Value};
use melior::ir::{Block, attribute::ArrayAttribute};
use mytriton_ssa::{
    Axis, CmpPred, Const, Kernel, Loc, MlirForm, OpData, OpId, OpKind, RegionId, Scalar, Type, ValueId,
};
use rustc_hash::FxHashMap;

use crate::attributes;
use crate::emit::{Emitter, argument_of, result_of, splat_attribute};
use crate::names;
use crate::ops::{self, arith, func, math, scf};
use crate::types::{mlir_type, scalar_type};

/// An operation that the `tile` stage has no form for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FromSsaError {
    /// The kernel.
    pub kernel: String,
    /// `file:line:column` of the operation, if known.
    pub place: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for FromSsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "in kernel '{}': {}", self.kernel, self.message)
    }
}

impl std::error::Error for FromSsaError {}

/// The largest divisibility that the attribute, an i32, holds. A smaller power of two than the given one holds too.
const MAX_DIVISIBILITY: u32 = 1 << 30;

/// A module of one kernel. The kernel must verify ([`mytriton_ssa::verify()`]); `num_warps` (a power of two) says how many
/// warps run one program.
pub fn from_ssa<'c>(context: &'c Context, kernel: &Kernel, num_warps: u32) -> Result<Module<'c>, FromSsaError> {
    let location = location_of(context, kernel, kernel.loc);
    let module = Module::new(location);
    let region = Region::new();
    let types: Vec<MlirType> = kernel
        .params()
        .iter()
        .map(|p| mlir_type(context, kernel.ty(p.value)))
        .collect();
    let arguments: Vec<_> = types.iter().map(|&ty| (ty, location)).collect();
    let body = region.append_block(Block::new(&arguments));
    let mut conversion = Conversion {
        context,
        kernel,
        values: FxHashMap::default(),
        in_combine: false,
    };
    for (index, param) in kernel.params().iter().enumerate() {
        conversion.values.insert(param.value, argument_of(body, index));
    }
    let emitter = Emitter::new(context, body, location);
    conversion.ops(emitter, kernel.body())?;
    emitter.op(func::RETURN, &[], &[], &[]);

    let top = Emitter::new(context, module.body(), location);
    let facts: Vec<Attribute> = kernel
        .params()
        .iter()
        .map(|p| {
            let name = (
                melior::ir::Identifier::new(context, attributes::NAME),
                top.string_attribute(&p.name),
            );
            let divisibility = (
                melior::ir::Identifier::new(context, attributes::DIVISIBILITY),
                top.i32_attribute(p.divisibility.min(MAX_DIVISIBILITY).into()),
            );
            let facts = if p.divisibility > 1 {
                vec![name, divisibility]
            } else {
                vec![name]
            };
            melior::ir::attribute::DictionaryAttribute::new(context, &facts).into()
        })
        .collect();
    let function_type = FunctionType::new(context, &types, &[]);
    top.op_with_regions(
        func::FUNC,
        &[],
        &[],
        &[
            ("sym_name", top.string_attribute(&kernel.name)),
            ("function_type", TypeAttribute::new(function_type.into()).into()),
            ("arg_attrs", ArrayAttribute::new(context, &facts).into()),
            (attributes::KERNEL, top.unit()),
            (attributes::NUM_WARPS, top.i32_attribute(num_warps.into())),
        ],
        vec![region],
    );
    Ok(module)
}

fn location_of<'c>(context: &'c Context, kernel: &Kernel, loc: Loc) -> Location<'c> {
    match kernel.files.get(loc.file as usize) {
        Some(file) if loc.is_known() => Location::new(context, file, loc.line as usize, loc.col as usize),
        _ => Location::unknown(context),
    }
}

/// The attribute for a constant, exact to the bits.
fn const_attribute(context: &Context, value: Const) -> Attribute<'_> {
    let ty = scalar_type(context, value.scalar());
    match value.as_f64() {
        // A NaN goes by its bits: a payload does not survive the way through f64.
        Some(v) if v.is_nan() => {
            Attribute::parse(context, &format!("{value} : {}", value.scalar())).expect("a hexadecimal float attribute")
        }
        Some(v) => FloatAttribute::new(context, ty, v).into(),
        None => IntegerAttribute::new(ty, value.bits() as i64).into(),
    }
}

struct Conversion<'c, 'a, 'k> {
    context: &'c Context,
    kernel: &'k Kernel,
    values: FxHashMap<ValueId, Value<'c, 'a>>,
    /// Is the region at hand that of a reduction or scan?
    in_combine: bool,
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    fn value(&self, id: ValueId) -> Value<'c, 'a> {
        self.values[&id]
    }

    fn ops(&mut self, emitter: Emitter<'c, 'a>, region: RegionId) -> Result<(), FromSsaError> {
        for &op in &self.kernel.region(region).ops {
            let location = location_of(self.context, self.kernel, self.kernel.op(op).loc);
            self.op(emitter.at(location), op)?;
        }
        Ok(())
    }

    fn op(&mut self, emitter: Emitter<'c, 'a>, id: OpId) -> Result<(), FromSsaError> {
        let op = self.kernel.op(id);
        let operands: Vec<Value<'c, 'a>> = op.operands.iter().map(|&v| self.value(v)).collect();
        let types: Vec<MlirType<'c>> = op
            .results
            .iter()
            .map(|&v| mlir_type(self.context, self.kernel.ty(v)))
            .collect();
        let first = op.operands.first().map(|&v| self.kernel.ty(v));
        let plain = |name: &str| emitter.op(name, &operands, &types, &[]);
        let is_int = first.is_some_and(Type::is_int);
        let elementwise = |form: Option<MlirForm>| {
            let form = form.ok_or_else(|| {
                let ty = first.map(|ty| ty.to_string()).unwrap_or_default();
                self.error(op, format!("'{}' is not defined for {ty}", op.kind.name()))
            })?;
            let flag = form
                .flag
                .map(|flag| ("fastmath", names::fast_math(flag).attribute(self.context)));
            let function = form
                .function
                .map(|function| (names::FUNCTION, emitter.string_attribute(function)));
            let attributes: Vec<_> = flag.into_iter().chain(function).collect();
            Ok(emitter.op(form.name, &operands, &types, &attributes))
        };
        let made = match &op.kind {
            OpKind::Const(value) => {
                let value = splat_attribute(types[0], const_attribute(self.context, *value));
                emitter.op(arith::CONSTANT, &operands, &types, &[("value", value)])
            }
            OpKind::ProgramId(axis) => emitter.tile_program_id(grid_axis(*axis)).operation(),
            OpKind::NumPrograms(axis) => emitter.tile_num_programs(grid_axis(*axis)).operation(),
            OpKind::Range { start, end } => emitter.tile_range(*start, *end, types[0]).operation(),
            OpKind::Splat => emitter.tile_splat(operands[0], types[0]).operation(),
            OpKind::ExpandDims { axis } => emitter
                .tile_expand_dims(operands[0], *axis as i32, types[0])
                .operation(),
            OpKind::Broadcast => emitter.tile_broadcast(operands[0], types[0]).operation(),
            OpKind::Reshape => emitter.tile_reshape(operands[0], types[0]).operation(),
            OpKind::Transpose { permutation } => {
                let axes: Vec<i32> = permutation.axes().map(|axis| axis as i32).collect();
                emitter.tile_transpose(operands[0], &axes, types[0]).operation()
            }
            OpKind::Reduce { axis } => {
                let combine = self.combine(emitter, op.regions[0])?;
                emitter
                    .tile_reduce(&operands, *axis as i32, &types, combine)
                    .operation()
            }
            OpKind::Scan { axis, reverse } => {
                let combine = self.combine(emitter, op.regions[0])?;
                emitter
                    .tile_scan(&operands, *axis as i32, &types, combine)
                    .with_reverse(*reverse)
                    .operation()
            }
            OpKind::Join => emitter.tile_join(operands[0], operands[1], types[0]).operation(),
            OpKind::Split => emitter.tile_split(operands[0], types[0], types[1]).operation(),
            OpKind::Gather { axis } => emitter
                .tile_gather(operands[0], operands[1], *axis as i32, types[0])
                .operation(),
            OpKind::Histogram => emitter
                .tile_histogram(operands[0], operands.get(1).copied(), types[0])
                .operation(),
            OpKind::Unary(unary) if is_int => elementwise(unary.int_form())?,
            OpKind::Unary(unary) => elementwise(unary.float_form())?,
            OpKind::Binary(binary) if is_int => elementwise(binary.int_form())?,
            OpKind::Binary(binary) => elementwise(binary.float_form())?,
            OpKind::Fma => plain(math::FMA),
            OpKind::Cmp(pred) => self.compare(emitter, op, *pred, &operands, &types)?,
            OpKind::Select => plain(arith::SELECT),
            OpKind::Cast(kind) => elementwise(kind.form())?,
            OpKind::AddPtr => emitter.tile_addptr(operands[0], operands[1], types[0]).operation(),
            OpKind::Load => {
                let (mask, other) = (operands.get(1).copied(), operands.get(2).copied());
                emitter.tile_load(operands[0], mask, other, types[0]).operation()
            }
            OpKind::Store => emitter
                .tile_store(operands[0], operands[1], operands.get(2).copied())
                .operation(),
            OpKind::For => {
                let region = self.region(emitter, op.regions[0], scf::YIELD)?;
                emitter.op_with_regions(scf::FOR, &operands, &types, &[], vec![region])
            }
            OpKind::If => {
                let then = self.region(emitter, op.regions[0], scf::YIELD)?;
                let otherwise = self.region(emitter, op.regions[1], scf::YIELD)?;
                emitter.op_with_regions(scf::IF, &operands, &types, &[], vec![then, otherwise])
            }
            OpKind::While => {
                let test = self.region(emitter, op.regions[0], scf::CONDITION)?;
                let body = self.region(emitter, op.regions[1], scf::YIELD)?;
                emitter.op_with_regions(scf::WHILE, &operands, &types, &[], vec![test, body])
            }
            OpKind::Yield if self.in_combine => emitter.tile_yield(&operands).operation(),
            OpKind::Yield => plain(scf::YIELD),
            OpKind::Condition => plain(scf::CONDITION),
        };
        for (index, &result) in op.results.iter().enumerate() {
            self.values.insert(result, result_of(made, index));
        }
        Ok(())
    }

    fn compare(
        &self,
        emitter: Emitter<'c, 'a>,
        op: &OpData,
        pred: CmpPred,
        operands: &[Value<'c, 'a>],
        types: &[MlirType<'c>],
    ) -> Result<melior::ir::OperationRef<'c, 'a>, FromSsaError> {
        let ty = self.kernel.ty(op.operands[0]);
        if ty.pointee().is_some() {
            let wide = mlir_type(self.context, ty.with_scalar(Scalar::I64));
            let addresses: Vec<_> = operands
                .iter()
                .map(|&v| emitter.tile_ptr_to_int(v, wide).result())
                .collect();
            return self.predicated(emitter, op, arith::CMPI, pred.cmpi(), &addresses, types);
        }
        match ty.is_int() {
            true => self.predicated(emitter, op, arith::CMPI, pred.cmpi(), operands, types),
            false => self.predicated(emitter, op, arith::CMPF, pred.cmpf(), operands, types),
        }
    }

    /// A comparison with the predicate of a number.
    fn predicated(
        &self,
        emitter: Emitter<'c, 'a>,
        op: &OpData,
        name: &str,
        number: Option<i64>,
        operands: &[Value<'c, 'a>],
        types: &[MlirType<'c>],
    ) -> Result<melior::ir::OperationRef<'c, 'a>, FromSsaError> {
        let number = number.ok_or_else(|| {
            let ty = self.kernel.ty(op.operands[0]);
            self.error(op, format!("'{}' is not defined for {ty}", op.kind.name()))
        })?;
        Ok(emitter.op(name, operands, types, &[("predicate", emitter.i64_attribute(number))]))
    }

    /// The region of a reduction or scan, in which there are no other regions.
    fn combine(&mut self, emitter: Emitter<'c, 'a>, region: RegionId) -> Result<Region<'c>, FromSsaError> {
        self.in_combine = true;
        let made = self.region(emitter, region, ops::YIELD);
        self.in_combine = false;
        made
    }

    fn region(
        &mut self,
        emitter: Emitter<'c, 'a>,
        region: RegionId,
        terminator: &str,
    ) -> Result<Region<'c>, FromSsaError> {
        let data = self.kernel.region(region);
        let types: Vec<_> = data
            .args
            .iter()
            .map(|&v| mlir_type(self.context, self.kernel.ty(v)))
            .collect();
        let (made, block) = emitter.region(&types);
        for (index, &arg) in data.args.iter().enumerate() {
            self.values.insert(arg, argument_of(block, index));
        }
        self.ops(emitter.inside(block), region)?;
        debug_assert!(block.terminator().is_some(), "a verified region ends in {terminator}");
        Ok(made)
    }

    fn error(&self, op: &OpData, message: String) -> FromSsaError {
        let place = self.kernel.describe_loc(op.loc);
        FromSsaError {
            kernel: self.kernel.name.clone(),
            place,
            message,
        }
    }
}

fn grid_axis(axis: Axis) -> ops::Axis {
    match axis {
        Axis::X => ops::Axis::X,
        Axis::Y => ops::Axis::Y,
        Axis::Z => ops::Axis::Z,
    }
}
