//! Loads and stores of values of any type: which accesses of the hardware they are.

use mytriton_simt::program::{AtomicOp, Instr, Order, Reg, Space};
use mytriton_ssa::{BinaryOp, CastKind, Scalar};

use crate::decoder::{Decoder, Op, Result, Words};
use crate::math::integer_of;
use crate::types::Ty;

/// The most bytes of one access of a thread (PTX ISA, "ld").
const MAX_BYTES: u64 = 16;

/// Where in memory a value is.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub space: Space,
    pub address: Reg,
    /// What the address is known to be a multiple of, in bytes.
    pub alignment: u64,
}

impl Decoder<'_> {
    /// The number type, count and bytes of the numbers that a value has in memory.
    fn in_memory(&self, op: Op<'_, '_>, ty: &Ty, alignment: u64) -> Result<(Scalar, usize, u64)> {
        let known = ty.layout().and(ty.scalar());
        let scalar = known.ok_or_else(|| {
            let why = "numbers, pointers, and vectors of them that are not of i1";
            self.error(
                op,
                format!("the executor does not know accesses of this type to memory: {why}"),
            )
        })?;
        let bytes = u64::from(scalar.bytes());
        if alignment < bytes {
            let message = format!(
                "the executor does not know accesses to numbers of {bytes} bytes at an alignment of {alignment}"
            );
            return Err(self.error(op, message));
        }
        Ok((scalar, ty.registers(), bytes))
    }

    /// The accesses to `count` numbers: the first of each and how many, as many as its alignment and the hardware allow.
    fn accesses(count: usize, bytes: u64, alignment: u64) -> Vec<(usize, usize)> {
        let mut accesses = Vec::new();
        let mut first = 0;
        while first < count {
            let offset = first as u64 * bytes;
            let natural = if offset == 0 {
                alignment
            } else {
                alignment.min(1 << offset.trailing_zeros())
            };
            let most = natural.min(MAX_BYTES) / bytes;
            let left = (count - first) as u64;
            let number = most.min(1 << left.ilog2()).max(1) as usize;
            accesses.push((first, number));
            first += number;
        }
        accesses
    }

    fn address_of(&mut self, at: At, offset: u64) -> Reg {
        let offset = self.constant(offset);
        self.add_offset(at.address, offset)
    }

    /// Loads a value.
    pub(crate) fn load(&mut self, op: Op<'_, '_>, ty: &Ty, at: At) -> Result<Words> {
        let (scalar, count, bytes) = self.in_memory(op, ty, at.alignment)?;
        let mut words = Words::new();
        for (first, number) in Self::accesses(count, bytes, at.alignment) {
            let address = self.address_of(at, first as u64 * bytes);
            let loaded: Words = (0..number).map(|_| self.fresh()).collect();
            let dst = self.list(&loaded);
            self.emit(Instr::Load {
                space: at.space,
                bytes: bytes as u8,
                dst,
                address,
                guard: None,
                other: Default::default(),
            });
            words.extend(loaded);
        }
        if scalar == Scalar::I1 {
            // A boolean is the lowest bit of its byte.
            return Ok(words
                .iter()
                .map(|&byte| self.cast(CastKind::Trunc, Scalar::I8, Scalar::I1, byte))
                .collect());
        }
        Ok(words)
    }

    /// Stores a value.
    pub(crate) fn store(&mut self, op: Op<'_, '_>, ty: &Ty, at: At, value: &[Reg]) -> Result {
        let (_, count, bytes) = self.in_memory(op, ty, at.alignment)?;
        for (first, number) in Self::accesses(count, bytes, at.alignment) {
            let address = self.address_of(at, first as u64 * bytes);
            let src = self.list(&value[first..first + number]);
            self.emit(Instr::Store {
                space: at.space,
                bytes: bytes as u8,
                src,
                address,
                guard: None,
            });
        }
        Ok(())
    }

    /// Reads, changes and writes one number.
    pub(crate) fn atomic(&mut self, at: At, op: AtomicOp, ty: Scalar, value: Reg, order: Order) -> Reg {
        let dst = self.fresh();
        self.emit(Instr::Atomic {
            space: at.space,
            op,
            ty,
            dst,
            address: at.address,
            value,
            order,
        });
        dst
    }

    /// A load that does not race with other atomic ones: what an atomic or with nothing gives.
    pub(crate) fn atomic_load(&mut self, op: Op<'_, '_>, ty: &Ty, at: At, order: Order) -> Result<Words> {
        let (scalar, 1, _) = self.in_memory(op, ty, at.alignment)? else {
            return Err(self.error(op, "an atomic load is of one number"));
        };
        let zero = self.constant(0);
        let or = AtomicOp::Binary(BinaryOp::Or);
        Ok(smallvec::smallvec![self.atomic(
            at,
            or,
            integer_of(scalar),
            zero,
            order
        )])
    }

    /// A store likewise: an exchange.
    pub(crate) fn atomic_store(&mut self, op: Op<'_, '_>, ty: &Ty, at: At, value: &[Reg], order: Order) -> Result {
        let (scalar, 1, _) = self.in_memory(op, ty, at.alignment)? else {
            return Err(self.error(op, "an atomic store is of one number"));
        };
        self.atomic(at, AtomicOp::Exchange, integer_of(scalar), value[0], order);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_as_wide_as_alignment_and_hardware_allow() {
        let accesses = Decoder::accesses;
        assert_eq!(accesses(8, 2, 16), [(0, 8)]);
        assert_eq!(accesses(8, 4, 32), [(0, 4), (4, 4)]);
        assert_eq!(accesses(4, 4, 4), [(0, 1), (1, 1), (2, 1), (3, 1)]);
        assert_eq!(accesses(3, 4, 16), [(0, 2), (2, 1)]);
        assert_eq!(accesses(7, 4, 16), [(0, 4), (4, 2), (6, 1)]);
        assert_eq!(accesses(1, 8, 8), [(0, 1)]);
    }
}
