//! A thread's identity, and the vectors that are its share of tiles.

use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, Value, ValueLike};
use mytriton_layout::{Dim, DistributedLayout, IndexBuilder, IndexPlan, LayoutError, LinearLayout};
use mytriton_tile::emit::{CmpI, Emitter, element_type, result_of, shape_of};
use mytriton_tile::ops::arith::IntegerOverflowFlags;
use mytriton_tile::ops::gpu::Dimension;
use mytriton_tile::ops::{arith, vector};

/// The thread's numbers, computed at the start of the kernel.
pub struct Thread<'c, 'a> {
    /// The thread within its block.
    pub id: Value<'c, 'a>,
    lane: Value<'c, 'a>,
    warp: Value<'c, 'a>,
}

struct Index<'c, 'a>(Emitter<'c, 'a>);

impl<'c: 'a, 'a> IndexBuilder for Index<'c, 'a> {
    type Value = Value<'c, 'a>;

    fn constant(&mut self, value: u32) -> Self::Value {
        self.0.int(32, i64::from(value as i32))
    }

    fn and(&mut self, x: Self::Value, mask: u32) -> Self::Value {
        let mask = self.constant(mask);
        self.0.binary(arith::ANDI, x, mask)
    }

    fn shl(&mut self, x: Self::Value, amount: u32) -> Self::Value {
        let amount = self.constant(amount);
        self.0.binary(arith::SHLI, x, amount)
    }

    fn shr(&mut self, x: Self::Value, amount: u32) -> Self::Value {
        let amount = self.constant(amount);
        self.0.binary(arith::SHRUI, x, amount)
    }

    fn or_disjoint(&mut self, x: Self::Value, y: Self::Value) -> Self::Value {
        // A sum folds into addresses, which an or does not.
        add(self.0, x, y)
    }

    fn xor(&mut self, x: Self::Value, y: Self::Value) -> Self::Value {
        self.0.binary(arith::XORI, x, y)
    }
}

/// A sum of non-negative indices that does not overflow.
fn add<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, x: Value<'c, 'a>, y: Value<'c, 'a>) -> Value<'c, 'a> {
    let flags = IntegerOverflowFlags::NSW | IntegerOverflowFlags::NUW;
    emitter.arith_addi(x, y).with_overflow_flags(flags).result()
}

impl<'c: 'a, 'a> Thread<'c, 'a> {
    /// Emits the numbers at the current place, the start of the kernel.
    pub fn new(emitter: Emitter<'c, 'a>) -> Self {
        let index = emitter.gpu_thread_id(Dimension::X).result();
        let i32_type: Type = IntegerType::new(emitter.context, 32).into();
        let id = emitter.value(arith::INDEX_CAST, &[index], i32_type, &[]);
        let mut arithmetic = Index(emitter);
        let lane = arithmetic.and(id, 31);
        let warp = arithmetic.shr(id, 5);
        Thread { id, lane, warp }
    }

    /// The coordinates along `axis` of the elements that this thread holds: one `i32` per register.
    pub fn coordinates(
        &self,
        emitter: Emitter<'c, 'a>,
        layout: &DistributedLayout,
        axis: usize,
    ) -> Result<Value<'c, 'a>, LayoutError> {
        let disjoint = IndexPlan::new(layout.linear()).axes()[axis].disjoint;
        let of_thread = self.share(emitter, layout.linear(), axis)?;
        let of_register: Vec<i32> = (0..layout.num_registers())
            .map(|r| layout.coords(r, 0, 0)[axis] as i32)
            .collect();
        let ty = Type::vector(
            &[of_register.len() as u64],
            IntegerType::new(emitter.context, 32).into(),
        );
        let of_thread = emitter.value(vector::BROADCAST, &[of_thread], ty, &[]);
        if of_register.iter().all(|&c| c == 0) {
            return Ok(of_thread);
        }
        let of_register = emitter.constant(DenseElementsAttribute::i32_values(ty, &of_register).into(), ty);
        Ok(match disjoint {
            true => add(emitter, of_thread, of_register),
            false => emitter.binary(arith::XORI, of_thread, of_register),
        })
    }

    /// What lane and warp add, by an exclusive or, to the output `axis` of a map from register, lane and warp: an `i32`.
    ///
    /// # Errors
    /// The map has no input `register`.
    pub fn share(
        &self,
        emitter: Emitter<'c, 'a>,
        map: &LinearLayout,
        axis: usize,
    ) -> Result<Value<'c, 'a>, LayoutError> {
        let of_thread = IndexPlan::new(map).without("register")?;
        let zero = emitter.int(32, 0);
        let share = of_thread.axes()[axis].emit(&mut Index(emitter), |_, input: &Dim| match input.as_str() {
            "lane" => self.lane,
            "warp" => self.warp,
            _ => zero,
        });
        Ok(share)
    }

    /// Output `axis` of a map from an input `index` alone, of an `i32` below its size: an `i32`.
    pub fn of_index(
        &self,
        emitter: Emitter<'c, 'a>,
        map: &LinearLayout,
        axis: usize,
        index: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        IndexPlan::new(map).axes()[axis].emit(&mut Index(emitter), |_, _| index)
    }

    /// Whether this thread writes what it holds in a layout: of threads with the same elements one does. None when all
    /// threads hold different ones.
    pub fn is_owner(&self, emitter: Emitter<'c, 'a>, layout: &DistributedLayout) -> Option<Value<'c, 'a>> {
        let lanes = layout.lane_free_mask();
        let warps = layout.warp_free_mask();
        self.is_zero_in(emitter, lanes | warps << 5)
    }

    /// The number made of these bits of the thread's, the first one lowest.
    pub fn gathered(&self, emitter: Emitter<'c, 'a>, bits: &[u32]) -> Value<'c, 'a> {
        let mut index = Index(emitter);
        let mut sum: Option<Value<'c, 'a>> = None;
        let mut at = 0;
        // Bits that follow one another move together.
        for run in bits.chunk_by(|a, b| a + 1 == *b) {
            let mut part = self.id;
            if run[0] > 0 {
                part = index.shr(part, run[0]);
            }
            part = index.and(part, low_bits(run.len() as u32));
            if at > 0 {
                part = index.shl(part, at);
            }
            sum = Some(match sum {
                Some(sum) => index.or_disjoint(sum, part),
                None => part,
            });
            at += run.len() as u32;
        }
        sum.unwrap_or_else(|| index.constant(0))
    }

    /// Whether an odd number of the bits of the thread's number under a mask is set.
    pub fn is_odd_in(&self, emitter: Emitter<'c, 'a>, mask: u32) -> Value<'c, 'a> {
        let mut index = Index(emitter);
        let first = mask.trailing_zeros().min(u32::BITS - 1);
        let odd = match mask.count_ones() {
            0 | 1 => index.and(self.id, mask),
            _ => {
                let bits = (0..u32::BITS).filter(|bit| mask >> bit & 1 != 0);
                let shifted = bits.map(|bit| {
                    if bit == first {
                        self.id
                    } else {
                        index.shr(self.id, bit - first)
                    }
                });
                let shifted: Vec<Value<'c, 'a>> = shifted.collect();
                let sum = shifted
                    .into_iter()
                    .reduce(|sum, bit| index.xor(sum, bit))
                    .unwrap_or(self.id);
                index.and(sum, 1 << first)
            }
        };
        emitter.cmpi(CmpI::Ne, odd, emitter.int(32, 0))
    }

    /// Whether the bits of the thread's number under a mask are zero; none for an empty mask.
    pub fn is_zero_in(&self, emitter: Emitter<'c, 'a>, mask: u32) -> Option<Value<'c, 'a>> {
        if mask == 0 {
            return None;
        }
        let bits = Index(emitter).and(self.id, mask);
        let zero = emitter.int(32, 0);
        Some(emitter.cmpi(CmpI::Eq, bits, zero))
    }
}

fn low_bits(count: u32) -> u32 {
    u32::MAX.checked_shr(u32::BITS - count).unwrap_or(0)
}

/// One element of a vector; a scalar is itself.
pub fn extract<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, vector: Value<'c, 'a>, index: u32) -> Value<'c, 'a> {
    if shape_of(vector.r#type()).is_none() {
        return vector;
    }
    let element = element_type(vector.r#type());
    result_of(
        emitter
            .vector_extract(vector, &[], &[i64::from(index)], element)
            .operation(),
        0,
    )
}

/// A vector of type `ty` from its elements.
pub fn from_elements<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, elements: &[Value<'c, 'a>], ty: Type<'c>) -> Value<'c, 'a> {
    emitter.vector_from_elements(elements, ty).result()
}

/// The vector of type `ty` whose element i is element `picked[i]` of another.
pub fn pick<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    vector: Value<'c, 'a>,
    picked: &[u32],
    ty: Type<'c>,
) -> Value<'c, 'a> {
    let same = vector.r#type() == ty && picked.iter().enumerate().all(|(i, &p)| i as u32 == p);
    if same {
        return vector;
    }
    let mask: Vec<i64> = picked.iter().map(|&p| i64::from(p)).collect();
    emitter.vector_shuffle(vector, vector, &mask, ty).result()
}

/// Applies `f` to every element of a vector (or to the scalar), giving a vector of the result's element type.
pub fn map<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    operands: &[Value<'c, 'a>],
    ty: Type<'c>,
    mut f: impl FnMut(&[Value<'c, 'a>]) -> Value<'c, 'a>,
) -> Value<'c, 'a> {
    let Some(shape) = shape_of(ty) else { return f(operands) };
    let count = shape[0] as u32;
    let mut elements = Vec::with_capacity(count as usize);
    for index in 0..count {
        let of_index: Vec<_> = operands.iter().map(|&v| extract(emitter, v, index)).collect();
        elements.push(f(&of_index));
    }
    from_elements(emitter, &elements, ty)
}
