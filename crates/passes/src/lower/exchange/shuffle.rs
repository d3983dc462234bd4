//! Numbers of another lane: `gpu.shuffle` of 32-bit words, into which narrow numbers are packed.

use melior::ir::r#type::IntegerType;
use melior::ir::{Type, Value, ValueLike};
use mytriton_layout::{WordSlot, word_slots};
use mytriton_tile::emit::Emitter;
use mytriton_tile::ops::arith;
use mytriton_tile::ops::gpu::ShuffleMode;
use mytriton_tile::types::ssa_scalar;

use crate::LANES;
use crate::lower::conversion::Conversion;
use crate::lower::reduce::combiner::{Partial, Validity};

const WORD_BITS: u32 = 32;

/// The lane that numbers come from.
#[derive(Clone, Copy)]
pub enum From<'c, 'a> {
    /// That whose number differs in the bits of the mask.
    Flipped(u32),
    /// That of this number, an `i32`.
    Lane(Value<'c, 'a>),
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// What the lane whose number differs in the bits of `mask` has combined. All lanes take part.
    pub(crate) fn shuffled(
        &self,
        emitter: Emitter<'c, 'a>,
        partials: &[Partial<'c, 'a>],
        mask: u32,
    ) -> Vec<Partial<'c, 'a>> {
        let mut sent = Vec::new();
        for partial in partials {
            sent.extend(&partial.values);
            if let Validity::Where(valid) = partial.validity {
                sent.push(valid);
            }
        }
        let mut got = self.exchanged(emitter, &sent, From::Flipped(mask)).into_iter();
        let mut next = || got.next().expect("as many as were sent");
        let of_partial = |partial: &Partial<'c, 'a>| Partial {
            values: partial.values.iter().map(|_| next()).collect(),
            validity: match partial.validity {
                Validity::Where(_) => Validity::Where(next()),
                known => known,
            },
        };
        partials.iter().map(of_partial).collect()
    }

    /// The same values of another lane. All lanes take part.
    pub(crate) fn exchanged(
        &self,
        emitter: Emitter<'c, 'a>,
        values: &[Value<'c, 'a>],
        from: From<'c, 'a>,
    ) -> Vec<Value<'c, 'a>> {
        let slots = word_slots(values.iter().map(|value| bits_of(value.r#type())));
        let mut words = pack(emitter, values, &slots);
        let word_type = int(emitter, WORD_BITS);
        let mode = match from {
            From::Flipped(_) => ShuffleMode::Xor,
            From::Lane(_) => ShuffleMode::Idx,
        };
        let offset = match from {
            From::Flipped(mask) => emitter.int_like(word_type, mask.into()),
            From::Lane(lane) => lane,
        };
        let width = emitter.int_like(word_type, LANES.into());
        for word in &mut words {
            *word = emitter
                .gpu_shuffle(*word, offset, width, mode, word_type)
                .shuffle_result();
        }
        let received = |(value, &slot): (&Value<'c, 'a>, &WordSlot)| unpack(emitter, &words, slot, value.r#type());
        values.iter().zip(&slots).map(received).collect()
    }
}

/// Values as words, narrow ones together.
fn pack<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, values: &[Value<'c, 'a>], slots: &[WordSlot]) -> Vec<Value<'c, 'a>> {
    let word_type = int(emitter, WORD_BITS);
    let mut words: Vec<Value<'c, 'a>> = Vec::new();
    for (&value, &slot) in values.iter().zip(slots) {
        let bits = bits_of(value.r#type());
        let number = as_type(emitter, value, int(emitter, bits));
        let WordSlot::Part { word, bit } = slot else {
            let half = emitter.int_like(int(emitter, bits), WORD_BITS.into());
            let high = emitter.binary(arith::SHRUI, number, half);
            words.extend([number, high].map(|part| emitter.value(arith::TRUNCI, &[part], word_type, &[])));
            continue;
        };
        let number = match bits < WORD_BITS {
            true => emitter.value(arith::EXTUI, &[number], word_type, &[]),
            false => number,
        };
        if bit == 0 {
            words.push(number);
        } else {
            let amount = emitter.int_like(word_type, bit.into());
            let shifted = emitter.binary(arith::SHLI, number, amount);
            words[word] = emitter.binary(arith::ORI, words[word], shifted);
        }
    }
    words
}

/// The value of type `ty` at a slot of words.
fn unpack<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    words: &[Value<'c, 'a>],
    slot: WordSlot,
    ty: Type<'c>,
) -> Value<'c, 'a> {
    let bits = bits_of(ty);
    let number = match slot {
        WordSlot::Pair { low } => {
            let [low, high] =
                [low, low + 1].map(|word| emitter.value(arith::EXTUI, &[words[word]], int(emitter, bits), &[]));
            let half = emitter.int_like(int(emitter, bits), WORD_BITS.into());
            let high = emitter.binary(arith::SHLI, high, half);
            emitter.binary(arith::ORI, low, high)
        }
        WordSlot::Part { word, bit } => {
            let mut number = words[word];
            if bit > 0 {
                let amount = emitter.int_like(int(emitter, WORD_BITS), bit.into());
                number = emitter.binary(arith::SHRUI, number, amount);
            }
            match bits < WORD_BITS {
                true => emitter.value(arith::TRUNCI, &[number], int(emitter, bits), &[]),
                false => number,
            }
        }
    };
    as_type(emitter, number, ty)
}

fn int<'c>(emitter: Emitter<'c, '_>, bits: u32) -> Type<'c> {
    IntegerType::new(emitter.context, bits).into()
}

fn bits_of(ty: Type<'_>) -> u32 {
    ssa_scalar(ty).map_or(2 * WORD_BITS, |scalar| scalar.bits())
}

/// The same bits as a number of another type.
fn as_type<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, value: Value<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
    match value.r#type() == ty {
        true => value,
        false => emitter.value(arith::BITCAST, &[value], ty, &[]),
    }
}
