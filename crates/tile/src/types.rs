//! Types of typed SSA as MLIR types, and back.

use melior::Context;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Location, Type as MlirType, TypeLike};
use mytriton_ssa::{Elem, Scalar, Shape, Type};
use mytriton_tile_sys as sys;

use crate::emit::{element_type, shape_of};

/// The builtin type of a number.
pub fn scalar_type(context: &Context, scalar: Scalar) -> MlirType<'_> {
    match scalar {
        Scalar::F16 => MlirType::float16(context),
        Scalar::BF16 => MlirType::bfloat16(context),
        Scalar::F32 => MlirType::float32(context),
        Scalar::F64 => MlirType::float64(context),
        int => IntegerType::new(context, int.bits()).into(),
    }
}

/// The type of an SSA value: a scalar, a `!tile.ptr`, or a tensor of either without a layout.
pub fn mlir_type(context: &Context, ty: Type) -> MlirType<'_> {
    let element = match ty.elem {
        Elem::Scalar(scalar) => scalar_type(context, scalar),
        Elem::Ptr(pointee) => sys::ptr_type(Location::unknown(context), scalar_type(context, pointee))
            .expect("every scalar of SSA is a pointee of the dialect"),
    };
    if ty.is_scalar() {
        return element;
    }
    let dims: Vec<u64> = ty.shape.dims().iter().map(|&d| u64::from(d)).collect();
    RankedTensorType::new(&dims, element, None).into()
}

/// The integer type that a type is. (melior prints a type that is none, for an error, which is dear.)
pub fn integer(ty: MlirType<'_>) -> Option<IntegerType<'_>> {
    ty.is_integer().then(|| IntegerType::try_from(ty).ok()).flatten()
}

/// The tensor type that a type is; as [`integer`].
pub fn tensor(ty: MlirType<'_>) -> Option<RankedTensorType<'_>> {
    ty.is_ranked_tensor()
        .then(|| RankedTensorType::try_from(ty).ok())
        .flatten()
}

/// The number type that a builtin type is, if it is one that SSA has.
pub fn ssa_scalar(ty: MlirType<'_>) -> Option<Scalar> {
    if let Some(int) = integer(ty) {
        let wanted = int.width();
        return Scalar::ALL
            .into_iter()
            .find(|s| s.is_int() && s.bits() == wanted && int.is_signless());
    }
    let floats = [
        (ty.is_f16(), Scalar::F16),
        (ty.is_bf16(), Scalar::BF16),
        (ty.is_f32(), Scalar::F32),
        (ty.is_f64(), Scalar::F64),
    ];
    floats.into_iter().find_map(|(is, scalar)| is.then_some(scalar))
}

/// The SSA type of a scalar, `!tile.ptr` or tensor of them, layouts dropped; none for any other type.
pub fn ssa_type(ty: MlirType<'_>) -> Option<Type> {
    let element = element_type(ty);
    let elem = match sys::ptr_pointee(element) {
        Some(pointee) => Elem::Ptr(ssa_scalar(pointee)?),
        None => Elem::Scalar(ssa_scalar(element)?),
    };
    let shape = match shape_of(ty) {
        None => Shape::SCALAR,
        Some(_) if ty.is_vector() => return None,
        Some(dims) => {
            let dims: Option<Vec<u32>> = dims.iter().map(|&d| u32::try_from(d).ok()).collect();
            Shape::new(&dims?).ok()?
        }
    };
    Some(Type { elem, shape })
}
