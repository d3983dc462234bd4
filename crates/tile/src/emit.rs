//! Appending operations to a block: the one way in which this project makes IR from Rust.

use melior::Context;
use melior::ir::attribute::{
    DenseElementsAttribute, FlatSymbolRefAttribute, FloatAttribute, IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType, TypeLike};
use melior::ir::{
    Attribute, Block, BlockRef, Identifier, Location, Operation, OperationRef, Region, RegionLike, ShapedTypeLike,
    Type, Value, ValueLike,
};

pub use crate::ops::arith::{CmpFPredicate as CmpF, CmpIPredicate as CmpI};
use crate::types::tensor;

/// Appends operations to the end of one block, at a current location.
#[derive(Clone, Copy)]
pub struct Emitter<'c, 'a> {
    /// The context of everything that is made.
    pub context: &'c Context,
    /// Where operations go.
    pub block: BlockRef<'c, 'a>,
    /// The source location that they get.
    pub location: Location<'c>,
}

impl<'c: 'a, 'a> Emitter<'c, 'a> {
    /// An emitter at the end of `block`.
    pub fn new(context: &'c Context, block: BlockRef<'c, 'a>, location: Location<'c>) -> Self {
        Emitter {
            context,
            block,
            location,
        }
    }

    /// The same block with another source location.
    pub fn at(self, location: Location<'c>) -> Self {
        Emitter { location, ..self }
    }

    /// The same location in another block.
    pub fn inside(self, block: BlockRef<'c, 'a>) -> Self {
        Emitter { block, ..self }
    }

    /// Appends an operation made elsewhere.
    pub fn append(&self, operation: Operation<'c>) -> OperationRef<'c, 'a> {
        self.block.append_operation(operation)
    }

    /// Appends an operation without regions.
    pub fn op(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> OperationRef<'c, 'a> {
        self.op_with_regions(name, operands, results, attributes, Vec::new())
    }

    /// Appends an operation that holds regions.
    pub fn op_with_regions(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
        regions: Vec<Region<'c>>,
    ) -> OperationRef<'c, 'a> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|&(n, a)| (Identifier::new(self.context, n), a))
            .collect();
        let operation = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()
            .expect("result types are given, so nothing is inferred that could fail");
        self.append(operation)
    }

    /// Appends an operation of the same name and attributes as `model`, with other operands, results and regions.
    pub fn like(
        &self,
        model: OperationRef<'c, '_>,
        operands: &[Value<'c, 'a>],
        results: &[Type<'c>],
        regions: Vec<Region<'c>>,
    ) -> OperationRef<'c, 'a> {
        let attributes: Vec<_> = model.attributes().collect();
        let name = model.name();
        let operation = OperationBuilder::new(name.as_string_ref().as_str().unwrap_or_default(), self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()
            .expect("result types are given, so nothing is inferred that could fail");
        self.append(operation)
    }

    /// Appends an operation of one result and gives it.
    pub fn value(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        result: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Value<'c, 'a> {
        result_of(self.op(name, operands, &[result], attributes), 0)
    }

    /// `arith.constant` of the given attribute.
    pub fn constant(&self, value: Attribute<'c>, ty: Type<'c>) -> Value<'c, 'a> {
        self.arith_constant(value, ty).result()
    }

    /// An integer constant of the given width.
    pub fn int(&self, bits: u32, value: i64) -> Value<'c, 'a> {
        let ty: Type = IntegerType::new(self.context, bits).into();
        self.constant(IntegerAttribute::new(ty, value).into(), ty)
    }

    /// A constant of type `ty` (an integer, or a vector or tensor of them) with `value` in every element.
    pub fn int_like(&self, ty: Type<'c>, value: i64) -> Value<'c, 'a> {
        let element = element_type(ty);
        self.constant(splat_attribute(ty, IntegerAttribute::new(element, value).into()), ty)
    }

    /// A constant of type `ty` (a float, or a vector or tensor of them) with `value` in every element.
    pub fn float_like(&self, ty: Type<'c>, value: f64) -> Value<'c, 'a> {
        let element = element_type(ty);
        self.constant(
            splat_attribute(ty, FloatAttribute::new(self.context, element, value).into()),
            ty,
        )
    }

    /// A two-operand operation whose result has the first operand's type.
    pub fn binary(&self, name: &str, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.value(name, &[a, b], a.r#type(), &[])
    }

    /// `arith.cmpi` with the named predicate.
    pub fn cmpi(&self, predicate: CmpI, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        let ty = with_element(a.r#type(), IntegerType::new(self.context, 1).into());
        self.arith_cmpi(a, b, predicate, ty).result()
    }

    /// `arith.cmpf` with the named predicate.
    pub fn cmpf(&self, predicate: CmpF, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        let ty = with_element(a.r#type(), IntegerType::new(self.context, 1).into());
        self.arith_cmpf(a, b, predicate, ty).result()
    }

    /// `arith.select`.
    pub fn select(&self, condition: Value<'c, 'a>, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.arith_select(condition, a, b, a.r#type()).result()
    }

    /// An `i64` attribute.
    pub fn i64_attribute(&self, value: i64) -> Attribute<'c> {
        IntegerAttribute::new(IntegerType::new(self.context, 64).into(), value).into()
    }

    /// An `i32` attribute.
    pub fn i32_attribute(&self, value: i64) -> Attribute<'c> {
        IntegerAttribute::new(IntegerType::new(self.context, 32).into(), value).into()
    }

    /// A string attribute.
    pub fn string_attribute(&self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.context, text).into()
    }

    /// A reference to a symbol.
    pub fn symbol(&self, name: &str) -> Attribute<'c> {
        FlatSymbolRefAttribute::new(self.context, name).into()
    }

    /// An attribute that holds a type.
    pub fn type_attribute(&self, ty: Type<'c>) -> Attribute<'c> {
        TypeAttribute::new(ty).into()
    }

    /// A unit attribute.
    pub fn unit(&self) -> Attribute<'c> {
        Attribute::unit(self.context)
    }

    /// A region of one block, with the block to fill it by.
    pub fn region(&self, arguments: &[Type<'c>]) -> (Region<'c>, BlockRef<'c, 'a>) {
        let region = Region::new();
        let arguments: Vec<_> = arguments.iter().map(|&ty| (ty, self.location)).collect();
        let block = region.append_block(Block::new(&arguments));
        (region, block)
    }
}

/// A result of an operation that is known to have it.
pub fn result_of<'c, 'a>(operation: OperationRef<'c, 'a>, index: usize) -> Value<'c, 'a> {
    operation.result(index).expect("the operation has the result").into()
}

/// An argument of a block that is known to have it.
pub fn argument_of<'c, 'a>(block: BlockRef<'c, 'a>, index: usize) -> Value<'c, 'a> {
    block.argument(index).expect("the block has the argument").into()
}

/// Any tensor or vector type. (melior has a type for tensors alone.)
struct Shaped<'c>(Type<'c>);

impl<'c> TypeLike<'c> for Shaped<'c> {
    fn to_raw(&self) -> mlir_sys::MlirType {
        self.0.to_raw()
    }
}

impl<'c> ShapedTypeLike<'c> for Shaped<'c> {}

impl<'c> Shaped<'c> {
    fn of(ty: Type<'c>) -> Option<Self> {
        (ty.is_ranked_tensor() || ty.is_vector()).then_some(Shaped(ty))
    }
}

/// The element type of a tensor or vector; any other type itself.
pub fn element_type(ty: Type<'_>) -> Type<'_> {
    Shaped::of(ty).map_or(ty, |shaped| shaped.element())
}

/// The extents of a tensor or vector of static shape; none for any other type.
pub fn shape_of(ty: Type<'_>) -> Option<Vec<u64>> {
    let shaped = Shaped::of(ty)?;
    (0..shaped.rank())
        .map(|i| match shaped.dim_size(i) {
            Ok(DimSize::Static(size)) => Some(size),
            _ => None,
        })
        .collect()
}

/// The same tensor (its encoding included) or vector type with another element type; for a scalar, the element type.
pub fn with_element<'c>(ty: Type<'c>, element: Type<'c>) -> Type<'c> {
    match (shape_of(ty), tensor(ty)) {
        (None, _) => element,
        (Some(shape), Some(tensor)) => RankedTensorType::new(&shape, element, tensor.encoding()).into(),
        (Some(shape), None) => Type::vector(&shape, element),
    }
}

/// The attribute for a constant of type `ty` that has `element` everywhere.
pub fn splat_attribute<'c>(ty: Type<'c>, element: Attribute<'c>) -> Attribute<'c> {
    if Shaped::of(ty).is_some() {
        DenseElementsAttribute::splat(ty, element).into()
    } else {
        element
    }
}
