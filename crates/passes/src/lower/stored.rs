//! Numbers as they lie in memory, and as they travel between lanes: a boolean is a byte, all others are unchanged.

use melior::ir::r#type::IntegerType;
use melior::ir::{Type, Value, ValueLike};
use mytriton_tile::emit::{CmpI, Emitter, element_type, with_element};
use mytriton_tile::ops::arith;
use mytriton_tile::types::{integer, ssa_scalar};

/// The bytes that a number of this type takes in memory; a boolean takes one, a pointer eight.
pub fn stored_bytes(element: Type<'_>) -> u64 {
    ssa_scalar(element).map_or(8, |scalar| u64::from(scalar.bytes()))
}

/// The type by which a number of this type lies in memory.
pub fn stored_type<'c>(emitter: Emitter<'c, '_>, element: Type<'c>) -> Type<'c> {
    match integer(element).is_some_and(|int| int.width() == 1) {
        true => IntegerType::new(emitter.context, 8).into(),
        false => element,
    }
}

/// Numbers, one or a vector, as they are stored.
pub fn to_stored<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, value: Value<'c, 'a>) -> Value<'c, 'a> {
    let element = element_type(value.r#type());
    let stored = stored_type(emitter, element);
    match stored == element {
        true => value,
        false => emitter.value(arith::EXTUI, &[value], with_element(value.r#type(), stored), &[]),
    }
}

/// Numbers of type `element`, one or a vector, from what was stored of them. Any byte but 0 is true.
pub fn from_stored<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, stored: Value<'c, 'a>, element: Type<'c>) -> Value<'c, 'a> {
    if element_type(stored.r#type()) == element {
        return stored;
    }
    let zero = emitter.int_like(stored.r#type(), 0);
    emitter.cmpi(CmpI::Ne, stored, zero)
}
