//! Moving a tile to another layout within warps: registers packed into words, selected, shuffled, selected and unpacked,
//! as `mytriton_layout::LaneExchange` says.

use melior::ir::r#type::IntegerType;
use melior::ir::{Type, Value, ValueLike};
use mytriton_layout::{Dim, LaneExchange, LayoutError, LinearLayout, SelectStep};
use mytriton_tile::emit::{Emitter, element_type};
use mytriton_tile::ops::{arith, vector};
use rustc_hash::FxHashMap;

use crate::LANES;
use crate::lower::conversion::Conversion;
use crate::lower::exchange::shuffle::From;
use crate::lower::stored::{from_stored, stored_bytes, stored_type, to_stored};
use crate::lower::thread::{extract, from_elements};

/// The words of a thread after some of the selections, made where they are asked for.
struct Selected<'c, 'a> {
    words: Vec<Value<'c, 'a>>,
    steps: Vec<(u32, Value<'c, 'a>)>,
    /// By the number of steps and the word.
    made: FxHashMap<(usize, u32), Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Selected<'c, 'a> {
    fn word(&mut self, emitter: Emitter<'c, 'a>, word: u32) -> Value<'c, 'a> {
        self.after(emitter, self.steps.len(), word)
    }

    fn after(&mut self, emitter: Emitter<'c, 'a>, count: usize, word: u32) -> Value<'c, 'a> {
        let Some(before) = count.checked_sub(1) else {
            return self.words[word as usize];
        };
        if let Some(&made) = self.made.get(&(count, word)) {
            return made;
        }
        let (flip, condition) = self.steps[before];
        let other = self.after(emitter, before, word ^ flip);
        let own = self.after(emitter, before, word);
        let chosen = emitter.select(condition, other, own);
        self.made.insert((count, word), chosen);
        chosen
    }
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(crate) fn between_lanes(
        &self,
        emitter: Emitter<'c, 'a>,
        operand: Value<'c, 'a>,
        exchange: &LaneExchange,
        ty: Type<'c>,
    ) -> Result<Value<'c, 'a>, LayoutError> {
        let element = element_type(ty);
        // Booleans travel as bytes.
        let carried = stored_type(emitter, element);
        let parts = exchange.words.first().map_or(1, Vec::len);
        let packed: Type<'c> = IntegerType::new(self.context, 8 * (parts as u64 * stored_bytes(element)) as u32).into();
        let words = exchange.words.iter().map(|registers| {
            let of_register = |&r: &u32| to_stored(emitter, extract(emitter, operand, r));
            let values: Vec<Value<'c, 'a>> = registers.iter().map(of_register).collect();
            match values[..] {
                [only] => only,
                _ => {
                    let vector = from_elements(emitter, &values, Type::vector(&[parts as u64], carried));
                    let word = emitter.value(vector::BITCAST, &[vector], Type::vector(&[1], packed), &[]);
                    extract(emitter, word, 0)
                }
            }
        });
        let mut offered = self.selected(emitter, words.collect(), &exchange.before);
        let keeps = exchange.keeps_lanes();
        let from = match keeps {
            true => None,
            false => Some(self.source_lane(emitter, exchange)?),
        };
        let got = exchange.transfers.iter().map(|transfer| {
            let word = offered.word(emitter, transfer.send);
            let from = match (from, transfer.flip) {
                (None, 0) => return word,
                (None, flip) => From::Flipped(flip),
                (Some(lane), 0) => From::Lane(lane),
                (Some(lane), flip) => {
                    let flip = emitter.int_like(lane.r#type(), flip.into());
                    From::Lane(emitter.binary(arith::XORI, lane, flip))
                }
            };
            self.exchanged(emitter, &[word], from)[0]
        });
        let got = got.collect();
        let mut placed = self.selected(emitter, got, &exchange.after);
        let mut unpacked: FxHashMap<u32, Value<'c, 'a>> = FxHashMap::default();
        let values: Vec<Value<'c, 'a>> = exchange
            .places
            .iter()
            .map(|&(word, part)| {
                let mut value = placed.word(emitter, word);
                if parts > 1 {
                    let vector = *unpacked.entry(word).or_insert_with(|| {
                        let word = emitter.value(vector::BROADCAST, &[value], Type::vector(&[1], packed), &[]);
                        emitter.value(vector::BITCAST, &[word], Type::vector(&[parts as u64], carried), &[])
                    });
                    value = extract(emitter, vector, part);
                }
                from_stored(emitter, value, element)
            })
            .collect();
        Ok(from_elements(emitter, &values, ty))
    }

    fn selected(&self, emitter: Emitter<'c, 'a>, words: Vec<Value<'c, 'a>>, steps: &[SelectStep]) -> Selected<'c, 'a> {
        let condition = |step: &SelectStep| {
            let mask = step.lanes | step.warps << LANES.ilog2();
            (step.flip, self.thread.is_odd_in(emitter, mask))
        };
        Selected {
            words,
            steps: steps.iter().map(condition).collect(),
            made: FxHashMap::default(),
        }
    }

    /// The lane that words come from, an `i32`.
    fn source_lane(&self, emitter: Emitter<'c, 'a>, exchange: &LaneExchange) -> Result<Value<'c, 'a>, LayoutError> {
        let [lanes, warps] = exchange.source_lane_bases();
        let bases = |columns: &[u32]| columns.iter().map(|&column| [column]).collect::<Vec<_>>();
        let ins = [
            (Dim::REGISTER, Vec::new()),
            (Dim::LANE, bases(lanes)),
            (Dim::WARP, bases(warps)),
        ];
        let map = LinearLayout::from_bases(ins, &[("lane", LANES)])?;
        self.thread.share(emitter, &map, 0)
    }
}
