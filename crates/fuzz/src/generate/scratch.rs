//! Memory that is both read and written: each program works on a part of its own, in place.

use mytriton_ssa::{BinaryOp, Scalar, Shape, Type};

use super::address::Place;
use super::launch::Content;
use super::{Generator, Known};
use crate::tree::Val;

/// A buffer that is read and written.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    pub elem: Scalar,
    /// Its pointer, and perhaps a second one to the same place.
    pub pointers: Vec<Val>,
    /// Elements of each program: a power of two.
    pub room: usize,
}

impl Generator {
    pub(super) fn has_scratch(&self, elem: Scalar, shape: Shape) -> bool {
        self.scratch
            .iter()
            .any(|s| s.elem == elem && s.room >= shape.elements())
    }

    /// A load from or a store to memory that is both read and written.
    pub fn in_place(&mut self) {
        let shape = self.shape();
        let elem = match self.scratch.last() {
            Some(scratch) if !self.random.one_in(3) => scratch.elem,
            _ => self.random.pick(&Scalar::ALL),
        };
        let ty = Type::scalar(elem).with_shape(shape);
        if !self.has_scratch(elem, shape) {
            self.new_scratch(elem, shape);
        }
        if self.random.one_in(2) {
            self.load_scratch(ty);
        } else {
            self.store_scratch(ty);
        }
    }

    fn new_scratch(&mut self, elem: Scalar, shape: Shape) {
        let room = (shape.elements().next_power_of_two() << self.random.below(2)).max(8);
        let (buffer, pointer) = self.buffer(elem, Content::Any);
        self.demand(buffer, room * self.programs());
        let mut pointers = vec![pointer];
        if self.random.one_in(4) {
            pointers.push(self.pointer_param(buffer));
        }
        self.scratch.push(Scratch { elem, pointers, room });
    }

    /// A pointer to this program's part of memory that is read and written, and the room there.
    fn own_part(&mut self, ty: Type) -> (Val, usize) {
        let fits = |s: &&Scratch| Some(s.elem) == ty.as_scalar() && s.room >= ty.shape.elements();
        let fitting: Vec<Scratch> = self.scratch.iter().filter(fits).cloned().collect();
        let scratch = &fitting[self.random.below(fitting.len())];
        let pointer = self.random.pick(&scratch.pointers);
        let place = Place {
            slot: 0,
            extent: scratch.room,
            per_program: true,
            term: None,
        };
        let pointer = match self.start(place) {
            None => pointer,
            Some(start) => self.addptr(pointer, start),
        };
        (pointer, scratch.room)
    }

    /// Offsets within a program's part, which holds a power of two of elements.
    fn inner_offsets(&mut self, shape: Shape, room: usize, distinct: bool) -> Val {
        let last = room as i64 - 1;
        if (!distinct || shape.is_scalar()) && self.random.one_in(3) {
            let any = self.plain(Type::I32.with_shape(shape));
            return self.with_int(BinaryOp::And, any, last);
        }
        let pattern = self.pattern(shape, distinct, room, true);
        let offsets = self.offsets(&pattern);
        match self.random.below(5) {
            // Odd numbers have an inverse modulo a power of two, so that elements stay apart.
            0 => {
                let odd = 2 * self.random.below(16) as i64 + 1;
                let scaled = self.with_int(BinaryOp::Mul, offsets, odd);
                let moved = self.with_int(BinaryOp::Add, scaled, odd / 2);
                self.with_int(BinaryOp::And, moved, last)
            }
            1 => {
                let flip = self.random.below(room) as i64;
                self.with_int(BinaryOp::Xor, offsets, flip)
            }
            2 => {
                let shift = self.random.below(room - pattern.extent + 1) as i64;
                self.with_int(BinaryOp::Add, offsets, shift)
            }
            _ => offsets,
        }
    }

    pub(super) fn load_scratch(&mut self, ty: Type) -> Val {
        let (pointer, room) = self.own_part(ty);
        let offsets = self.inner_offsets(ty.shape, room, false);
        let base = self.splat(pointer, ty.shape);
        let pointers = self.addptr(base, offsets);
        let known = Known {
            loose_nan: ty.is_float(),
            ..Known::default()
        };
        let value = if self.random.one_in(4) {
            let (mask, other) = (self.mask(ty.shape), self.plain(ty));
            self.load(pointers, Some(mask), Some(other))
        } else {
            self.load(pointers, None, None)
        };
        self.keep(value, known)
    }

    fn store_scratch(&mut self, ty: Type) {
        let (pointer, room) = self.own_part(ty);
        let offsets = self.inner_offsets(ty.shape, room, true);
        let base = self.splat(pointer, ty.shape);
        let pointers = self.addptr(base, offsets);
        let (value, known) = self.perhaps_undefined(ty);
        let mask = self.store_mask(ty.shape, known, None);
        self.store(pointers, value, mask);
    }
}
