//! Numbers of another lane: `gpu.shuffle` of 32-bit words, into which narrow numbers are packed.

use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, Value, ValueLike};
use mytriton_tile::emit::Emitter;
use mytriton_tile::types::ssa_scalar;

use super::combine::{Live, Partial};
use super::{Conversion, LANES};

const WORD_BITS: u32 = 32;

/// Where a number travels.
enum Place {
    /// In one word from this bit on.
    Part { word: usize, bit: u32 },
    /// In this word and the next.
    Two { low: usize },
}

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
        let mut words: Vec<Value<'c, 'a>> = Vec::new();
        let mut places = Vec::new();
        // The word that has room, and how much of it is taken.
        let mut open: Option<(usize, u32)> = None;
        for &value in values {
            let bits = bits_of(value.r#type());
            let number = as_type(emitter, value, int(bits));
            if bits == 2 * WORD_BITS {
                let half = emitter.int_like(int(bits), WORD_BITS.into());
                let high = emitter.binary("arith.shrui", number, half);
                places.push(Place::Two { low: words.len() });
                words.extend([number, high].map(|part| emitter.value("arith.trunci", &[part], word_type, &[])));
                continue;
            }
            let number = match bits < WORD_BITS {
                true => emitter.value("arith.extui", &[number], word_type, &[]),
                false => number,
            };
            let (word, bit) = match open {
                Some((word, taken)) if taken + bits <= WORD_BITS => (word, taken),
                _ => (words.len(), 0),
            };
            if bit == 0 {
                words.push(number);
            } else {
                let amount = emitter.int_like(word_type, bit.into());
                let shifted = emitter.binary("arith.shli", number, amount);
                words[word] = emitter.binary("arith.ori", words[word], shifted);
            }
            if bit + bits < WORD_BITS {
                open = Some((word, bit + bits));
            } else if bit > 0 {
                open = None;
            }
            places.push(Place::Part { word, bit });
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
        let received = |(&value, place): (&Value<'c, 'a>, &Place)| {
            let ty = value.r#type();
            let bits = bits_of(ty);
            let number = match *place {
                Place::Two { low } => {
                    let [low, high] =
                        [low, low + 1].map(|word| emitter.value("arith.extui", &[words[word]], int(bits), &[]));
                    let half = emitter.int_like(int(bits), WORD_BITS.into());
                    let high = emitter.binary("arith.shli", high, half);
                    emitter.binary("arith.ori", low, high)
                }
                Place::Part { word, bit } => {
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
        values.iter().zip(&places).map(received).collect()
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
