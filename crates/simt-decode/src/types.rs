//! Types of the `gpu` stage: how many registers a value takes, and how it lies in memory.

use std::rc::Rc;

use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::{DimSize, MemRefType};
use melior::ir::{Attribute, ShapedTypeLike, Type, TypeLike};
use mytriton_simt::program::Space;
use mytriton_ssa::Scalar;
use mytriton_tile::emit::{element_type, shape_of};
use mytriton_tile::ops::gpu::AddressSpace;
use mytriton_tile::types::ssa_scalar;
use mytriton_tile_sys as sys;

/// A type that the executor knows.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ty {
    /// A number; `index` is an `i64`.
    Number(Scalar),
    /// A pointer of the llvm dialect. Without a space it is a generic one.
    Pointer(Option<Space>),
    /// A vector of numbers or pointers.
    Vector { shape: Vec<usize>, element: Rc<Ty> },
    /// An array of the llvm dialect.
    Array { count: u64, element: Rc<Ty> },
    /// A struct of the llvm dialect.
    Struct { fields: Vec<Ty>, packed: bool },
    /// A strided memref.
    MemRef(Rc<MemRef>),
}

/// A memref: its elements, and which of its extents, strides and offset (in elements) are known.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MemRef {
    pub element: Ty,
    pub space: Space,
    pub offset: Option<i64>,
    pub sizes: Vec<Option<i64>>,
    pub strides: Vec<Option<i64>>,
}

impl MemRef {
    /// What the type leaves open: registers besides the pointer.
    pub fn open(&self) -> usize {
        let all = std::iter::once(&self.offset).chain(&self.sizes).chain(&self.strides);
        all.filter(|extent| extent.is_none()).count()
    }
}

impl Ty {
    /// Registers of a value.
    pub fn registers(&self) -> usize {
        match self {
            Ty::Number(_) | Ty::Pointer(_) => 1,
            Ty::Vector { shape, .. } => shape.iter().fold(1, |count, &extent| count.saturating_mul(extent)),
            Ty::Array { count, element } => {
                let count = usize::try_from(*count).unwrap_or(usize::MAX);
                count.saturating_mul(element.registers())
            }
            Ty::Struct { fields, .. } => fields
                .iter()
                .fold(0, |sum, field| field.registers().saturating_add(sum)),
            Ty::MemRef(memref) => 1 + memref.open(),
        }
    }

    /// The number type of a scalar or of a vector's elements; a pointer's is an `i64`.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Ty::Number(scalar) => Some(*scalar),
            Ty::Pointer(_) => Some(Scalar::I64),
            Ty::Vector { element, .. } => element.scalar(),
            _ => None,
        }
    }

    /// The extents of a vector; none of a scalar.
    pub fn shape(&self) -> &[usize] {
        match self {
            Ty::Vector { shape, .. } => shape,
            _ => &[],
        }
    }

    /// The size in memory in bytes, padding at the end included, and the natural alignment (NVPTX data layout); none for
    /// memrefs and for vectors of booleans, which LLVM packs into bits.
    pub fn layout(&self) -> Option<(u64, u64)> {
        Some(match self {
            Ty::Number(scalar) => (u64::from(scalar.bytes()), u64::from(scalar.bytes())),
            Ty::Pointer(_) => (8, 8),
            Ty::Vector { element, .. } => {
                if **element == Ty::Number(Scalar::I1) {
                    return None;
                }
                let bytes = element.layout()?.0.checked_mul(self.registers() as u64)?;
                let rounded = bytes.checked_next_power_of_two()?;
                (rounded, rounded)
            }
            Ty::Array { count, element } => {
                let (size, align) = element.layout()?;
                (size.checked_mul(*count)?, align)
            }
            Ty::Struct { fields, packed } => {
                let (mut end, mut align) = (0u64, 1);
                for field in fields {
                    let (size, natural) = field.layout()?;
                    let natural = if *packed { 1 } else { natural };
                    end = end.checked_next_multiple_of(natural)?.checked_add(size)?;
                    align = align.max(natural);
                }
                (end.checked_next_multiple_of(align)?, align)
            }
            Ty::MemRef(_) => return None,
        })
    }

    /// The byte offset of a struct's field.
    pub fn field_offset(&self, index: usize) -> Option<u64> {
        let Ty::Struct { fields, packed } = self else {
            return None;
        };
        let mut end = 0u64;
        for (number, field) in fields.iter().enumerate() {
            let (size, natural) = field.layout()?;
            end = end.checked_next_multiple_of(if *packed { 1 } else { natural })?;
            if number == index {
                return Some(end);
            }
            end = end.checked_add(size)?;
        }
        None
    }

    /// The type of a part of an aggregate, and the first of its registers.
    pub fn part(&self, index: usize) -> Option<(&Ty, usize)> {
        match self {
            Ty::Struct { fields, .. } => {
                let before = fields.get(..index)?.iter().map(Ty::registers).sum();
                Some((fields.get(index)?, before))
            }
            Ty::Array { count, element } if (index as u64) < *count => {
                Some((element, index.saturating_mul(element.registers())))
            }
            _ => None,
        }
    }
}

/// The most numbers of one value: more is no program for a thread.
const MAX_REGISTERS: usize = 1 << 16;

/// What a type is; an error says which type is not known.
pub(crate) fn read(ty: Type<'_>) -> Result<Ty, String> {
    known(ty)?.ok_or_else(|| format!("the executor does not know type {ty}"))
}

/// What the type of a value is.
pub(crate) fn read_value(ty: Type<'_>) -> Result<Ty, String> {
    let known = read(ty)?;
    if known.registers() > MAX_REGISTERS {
        return Err(format!(
            "{ty} is too large for a thread: at most {MAX_REGISTERS} numbers"
        ));
    }
    Ok(known)
}

fn known(ty: Type<'_>) -> Result<Option<Ty>, String> {
    if let Some(number) = number(ty) {
        return Ok(Some(number));
    }
    if ty.is_vector() {
        let shape = shape_of(ty).filter(|_| !sys::is_scalable(ty));
        let element = element_type(ty);
        let element = number(element).or_else(|| pointer(element));
        return Ok(shape.zip(element).map(|(shape, element)| Ty::Vector {
            shape: shape.iter().map(|&extent| extent as usize).collect(),
            element: Rc::new(element),
        }));
    }
    if let Ok(memref) = MemRefType::try_from(ty) {
        return read_memref(memref).map(Some);
    }
    if let Some((count, element)) = sys::llvm_array(ty) {
        return Ok(known(element)?.map(Rc::new).map(|element| Ty::Array { count, element }));
    }
    if let Some(record) = sys::llvm_struct(ty) {
        let fields: Result<Option<Vec<Ty>>, String> = record.fields.into_iter().map(|field| known(field)).collect();
        return Ok(fields?.map(|fields| Ty::Struct {
            fields,
            packed: record.packed,
        }));
    }
    Ok(pointer(ty))
}

fn number(ty: Type<'_>) -> Option<Ty> {
    if ty.is_index() {
        return Some(Ty::Number(Scalar::I64));
    }
    ssa_scalar(ty).map(Ty::Number)
}

fn read_memref(ty: MemRefType<'_>) -> Result<Ty, String> {
    let layout = ty.layout();
    if !(ty.affine_map().is_identity() || sys::is_strided_layout(layout)) {
        return Err(format!(
            "the executor does not know memory layout {layout} of {ty}: use a strided one"
        ));
    }
    let space = match ty.memory_space() {
        None => Space::Global,
        Some(space) => {
            memory_space(space).ok_or_else(|| format!("the executor does not know memory space {space} of {ty}"))?
        }
    };
    let element = known(ty.element())?.filter(|element| element.layout().is_some());
    let element = element.ok_or_else(|| format!("the executor does not know elements {} in memory", ty.element()))?;
    let known = |value: i64| MemRefType::is_static_stride_or_offset(value).then_some(value);
    let (strides, offset) = ty.strides_and_offset();
    let size = |axis| match ty.dim_size(axis) {
        Ok(DimSize::Static(size)) => i64::try_from(size).ok(),
        _ => None,
    };
    Ok(Ty::MemRef(Rc::new(MemRef {
        element,
        space,
        offset: known(offset),
        sizes: (0..ty.rank()).map(size).collect(),
        strides: strides.into_iter().map(known).collect(),
    })))
}

/// The memory that the space of a memref names: an address space of `gpu`, or a number.
fn memory_space(space: Attribute<'_>) -> Option<Space> {
    if let Some(space) = AddressSpace::of(space) {
        return match space {
            AddressSpace::Global => Some(Space::Global),
            AddressSpace::Workgroup => Some(Space::Shared),
            AddressSpace::Private => None,
        };
    }
    match IntegerAttribute::try_from(space).ok()?.value() {
        0 | 1 => Some(Space::Global),
        3 => Some(Space::Shared),
        _ => None,
    }
}

/// An `!llvm.ptr` by its address space: 0 generic, 1 global, 3 shared, 7 shared of the cluster, which is the block's own
/// where clusters are of one block.
fn pointer(ty: Type<'_>) -> Option<Ty> {
    match sys::llvm_pointer(ty)? {
        0 => Some(Ty::Pointer(None)),
        1 => Some(Ty::Pointer(Some(Space::Global))),
        3 | 7 => Some(Ty::Pointer(Some(Space::Shared))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use melior::Context;
    use melior::dialect::DialectRegistry;

    use super::*;

    /// The type that a text is of, read.
    fn named(text: &str) -> Option<Ty> {
        let registry = DialectRegistry::new();
        sys::register_all_dialects(&registry);
        let context = Context::new();
        context.append_dialect_registry(&registry);
        context.load_all_available_dialects();
        let ty = Type::parse(&context, text).unwrap_or_else(|| panic!("no type {text}"));
        known(ty).expect("no memref")
    }

    #[test]
    fn layouts_are_those_of_the_data_layout() {
        let layout = |text: &str| named(text).and_then(|ty| ty.layout());
        assert_eq!(layout("!llvm.struct<(i8, i64, array<3 x f16>)>"), Some((24, 8)));
        assert_eq!(layout("!llvm.struct<packed (i8, i64, vector<3xf32>)>"), Some((25, 1)));
        assert_eq!(layout("!llvm.array<0 x i8>"), Some((0, 1)));
        assert_eq!(layout("!llvm.array<2 x struct<(ptr<3>, i1)>>"), Some((32, 8)));
    }

    #[test]
    fn parts_are_ranges_of_registers() {
        let ty = named("!llvm.struct<(i32, array<2 x vector<4xf32>>, i1)>").expect("a known type");
        assert_eq!(ty.registers(), 10);
        assert_eq!(ty.part(2).map(|part| part.1), Some(9));
        let array = ty.part(1).expect("a part").0;
        assert_eq!(array.part(1).map(|part| part.1), Some(4));
        assert_eq!(ty.field_offset(1), Some(16));
        assert!(array.part(2).is_none() && ty.part(3).is_none());
    }

    #[test]
    fn unknown_types_are_none() {
        for text in [
            "!llvm.ptr<5>",
            "!llvm.x86_amx",
            "!llvm.struct<\"s\", (i32)>",
            "!llvm.array<2 x i7>",
            "i7",
            "vector<[4]xi32>",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
