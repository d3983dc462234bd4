//! Layouts of the `layout` crate as encodings of tensor types and layouts of buffers, and back.

use melior::ir::r#type::RankedTensorType;
use melior::ir::{Location, Type};
use mytriton_layout::{Dim, DistributedLayout, LayoutError, LinearLayout};
use mytriton_tile_sys as sys;

use crate::emit::shape_of;
use crate::types::tensor;

/// The layout that a tensor type carries: none for scalars and tensors without one. An error says why an encoding is no
/// layout of the tensor; a verified module has none such.
pub fn layout_of(ty: Type<'_>) -> Result<Option<DistributedLayout>, LayoutError> {
    let Some(encoding) = tensor(ty).and_then(|t| t.encoding()) else {
        return Ok(None);
    };
    let (Some(layout), Some(shape)) = (sys::LayoutRef::new(encoding), shape_of(ty)) else {
        return Ok(None);
    };
    let outs: Vec<String> = (0..shape.len()).map(|d| format!("dim{d}")).collect();
    let outs: Vec<(&str, u32)> = outs
        .iter()
        .zip(&shape)
        .map(|(name, &size)| (name.as_str(), (size as u32).next_power_of_two()))
        .collect();
    let ins = sys::LayoutIndex::ALL.map(|index| {
        let bases: Vec<Vec<u32>> = layout
            .bases(index)
            .map(|basis| basis.iter().map(|&c| c as u32).collect())
            .collect();
        (index.name(), bases)
    });
    DistributedLayout::new(LinearLayout::from_bases(ins, &outs)?).map(Some)
}

/// The layout of a `!tile.buffer`, from `offset` and `block` to the tile padded to powers of two; none for other types.
pub fn shared_layout_of(ty: Type<'_>) -> Result<Option<LinearLayout>, LayoutError> {
    let Some(buffer) = sys::BufferRef::new(ty) else {
        return Ok(None);
    };
    let outs: Vec<Dim> = (0..buffer.shape().len()).map(Dim::out).collect();
    let sizes = buffer.shape().iter().map(|&extent| (extent as u32).next_power_of_two());
    let outs: Vec<(&str, u32)> = outs.iter().map(Dim::as_str).zip(sizes).collect();
    let ins = [("offset", buffer.offset_bases()), ("block", buffer.block_bases())].map(|(name, bases)| {
        let unsigned = |basis: &[i32]| basis.iter().map(|&c| c as u32).collect::<Vec<u32>>();
        (name, bases.map(unsigned).collect::<Vec<_>>())
    });
    LinearLayout::from_bases(ins, &outs).map(Some)
}

/// The `!tile.buffer` of the given extents and element type with a layout from `offset`.
///
/// # Errors
/// The reason is reported at the location, and none returned, if the layout is not one of such a tile.
pub fn buffer_type<'c>(
    location: Location<'c>,
    shape: &[u64],
    element: Type<'c>,
    layout: &LinearLayout,
) -> Option<Type<'c>> {
    let shape: Vec<i64> = shape.iter().map(|&extent| extent as i64).collect();
    let coordinates = |basis: mytriton_layout::Coords| basis.into_iter().map(|c| c as i32);
    let offset: Vec<i32> = layout.bases("offset").flat_map(coordinates).collect();
    sys::buffer_type(location, &shape, element, &offset)
}

/// The tensor type with the given extents, element type and layout.
pub fn tensor_type<'c>(
    location: Location<'c>,
    shape: &[u64],
    element: Type<'c>,
    layout: &DistributedLayout,
) -> Type<'c> {
    let flat = sys::LayoutIndex::ALL.map(|index| {
        layout
            .linear()
            .bases(index.name())
            .flat_map(|b| b.iter().map(|&c| c as i32).collect::<Vec<_>>())
            .collect()
    });
    let flat: [Vec<i32>; 4] = flat;
    let bases = sys::LayoutBases {
        rank: layout.rank(),
        bases: flat.each_ref().map(Vec::as_slice),
    };
    let encoding =
        sys::layout_attribute(location, bases).expect("a distributed layout satisfies the attribute's rules");
    RankedTensorType::new(shape, element, Some(encoding)).into()
}
