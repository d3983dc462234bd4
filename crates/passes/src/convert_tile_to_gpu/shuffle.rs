//! Numbers of another lane: `gpu.shuffle` of 32-bit words, into which narrow numbers are packed.

use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, Value, ValueLike};
use mytriton_layout::{WordPlan, WordSlot};
use mytriton_tile::emit::Emitter;
use mytriton_tile::types::ssa_scalar;

use super::combine::{Live, Partial};
use super::{Conversion, LANES};

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
    pub(super) fn shuffled(
        &self,
        emitter: Emitter<'c, 'a>,
        partials: &[Partial<'c, 'a>],
        mask: u32,
    ) -> Vec<Partial<'c, 'a>> {
        let mut sent = Vec::new();
        for partial in partials {
            sent.extend(&partial.values);
            if let Live::Where(live) = partial.live {
                sent.push(live);
            }
        }
        let mut got = self.exchanged(emitter, &sent, From::Flipped(mask)).into_iter();
        let mut next = || got.next().expect("as many as were sent");
        let of_partial = |partial: &Partial<'c, 'a>| Partial {
            values: partial.values.iter().map(|_| next()).collect(),
            live: match partial.live {
                Live::Where(_) => Live::Where(next()),
                live => live,
            },
        };
        partials.iter().map(of_partial).collect()
    }

    /// The same values of another lane. All lanes take part.
    pub(super) fn exchanged(
        &self,
        emitter: Emitter<'c, 'a>,
        values: &[Value<'c, 'a>],
        from: From<'c, 'a>,
    ) -> Vec<Value<'c, 'a>> {
        let int = |bits: u32| -> Type<'c> { IntegerType::new(self.context, bits).into() };
        let word_type = int(WORD_BITS);
        let plan = WordPlan::new(values.iter().map(|value| bits_of(value.r#type())));
        let mut words: Vec<Value<'c, 'a>> = Vec::new();
        for (&value, &slot) in values.iter().zip(&plan.slots) {
            let bits = bits_of(value.r#type());
            let number = as_type(emitter, value, int(bits));
            let WordSlot::Part { word, bit } = slot else {
                let half = emitter.int_like(int(bits), WORD_BITS.into());
                let high = emitter.binary("arith.shrui", number, half);
                words.extend([number, high].map(|part| emitter.value("arith.trunci", &[part], word_type, &[])));
                continue;
            };
            let number = match bits < WORD_BITS {
                true => emitter.value("arith.extui", &[number], word_type, &[]),
                false => number,
            };
            if bit == 0 {
                words.push(number);
            } else {
                let amount = emitter.int_like(word_type, bit.into());
                let shifted = emitter.binary("arith.shli", number, amount);
                words[word] = emitter.binary("arith.ori", words[word], shifted);
            }
        }
        let mode = match from {
            From::Flipped(_) => "#gpu<shuffle_mode xor>",
            From::Lane(_) => "#gpu<shuffle_mode idx>",
        };
        let mode = Attribute::parse(self.context, mode).expect("an attribute of gpu");
        let offset = match from {
            From::Flipped(mask) => emitter.int_like(word_type, mask.into()),
            From::Lane(lane) => lane,
        };
        let width = emitter.int_like(word_type, LANES.into());
        let results = [word_type, int(1)];
        for word in &mut words {
            let shuffle = emitter.op("gpu.shuffle", &[*word, offset, width], &results, &[("mode", mode)]);
            *word = mytriton_tile::emit::result_of(shuffle, 0);
        }
        let received = |(&value, slot): (&Value<'c, 'a>, &WordSlot)| {
            let ty = value.r#type();
            let bits = bits_of(ty);
            let number = match *slot {
                WordSlot::Pair { low } => {
                    let [low, high] =
                        [low, low + 1].map(|word| emitter.value("arith.extui", &[words[word]], int(bits), &[]));
                    let half = emitter.int_like(int(bits), WORD_BITS.into());
                    let high = emitter.binary("arith.shli", high, half);
                    emitter.binary("arith.ori", low, high)
                }
                WordSlot::Part { word, bit } => {
                    let mut number = words[word];
                    if bit > 0 {
                        let amount = emitter.int_like(word_type, bit.into());
                        number = emitter.binary("arith.shrui", number, amount);
                    }
                    match bits < WORD_BITS {
                        true => emitter.value("arith.trunci", &[number], int(bits), &[]),
                        false => number,
                    }
                }
            };
            as_type(emitter, number, ty)
        };
        values.iter().zip(&plan.slots).map(received).collect()
    }
}

fn bits_of(ty: Type<'_>) -> u32 {
    ssa_scalar(ty).map_or(2 * WORD_BITS, |scalar| scalar.bits())
}

/// The same bits as a number of another type.
fn as_type<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, value: Value<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
    match value.r#type() == ty {
        true => value,
        false => emitter.value("arith.bitcast", &[value], ty, &[]),
    }
}
