//! Loads from buffers that are only read, and pointers.

use mytriton_ssa::{BinaryOp, CmpPred, Const, Scalar, Shape, Type};

use super::address::Place;
use super::launch::Content;
use super::{Generator, Known};
use crate::tree::Val;

/// A buffer that is only read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub elem: Scalar,
    pub buffer: usize,
    pub pointer: Val,
}

/// Pointers that were made for an access and can serve another one, some elements further.
#[derive(Clone, Copy)]
pub(super) struct Pointers {
    buffer: usize,
    pointers: Val,
    place: Place,
    /// How many regions were open.
    depth: usize,
}

impl Generator {
    /// Pointers of a shape into a buffer, made from earlier ones if there are some. `slot` is where the elements begin.
    pub(super) fn further(&mut self, buffer: usize, shape: Shape, slot: usize) -> Option<(Val, Place)> {
        if self.random.one_in(4) {
            return None;
        }
        let fits = |known: &&Pointers| known.buffer == buffer && self.ty(known.pointers).shape == shape;
        let known = *self.pointers.iter().rev().find(fits)?;
        let delta = slot as i64 - known.place.slot as i64;
        let place = Place { slot, ..known.place };
        self.demand(buffer, place.end(self.programs()));
        if delta == 0 {
            return Some((known.pointers, place));
        }
        let int = self.random.pick(&[Scalar::I32, Scalar::I32, Scalar::I64]);
        let delta = self.int(delta, Type::scalar(int).with_shape(shape));
        Some((self.addptr(known.pointers, delta), place))
    }

    pub(super) fn remember(&mut self, buffer: usize, pointers: Val, place: Place) {
        let depth = self.open.len();
        self.pointers.push(Pointers {
            buffer,
            pointers,
            place,
            depth,
        });
    }

    /// Forgets the pointers of regions that are closed.
    pub(super) fn forget_pointers(&mut self) {
        let depth = self.open.len();
        self.pointers.retain(|known| known.depth <= depth);
    }

    /// A new buffer and the parameter that points to it.
    pub(super) fn buffer(&mut self, elem: Scalar, content: Content) -> (usize, Val) {
        let buffer = self.new_memory(elem, content);
        (buffer, self.pointer_param(buffer))
    }

    fn input(&mut self, elem: Scalar) -> Input {
        let known: Vec<Input> = self.inputs.iter().copied().filter(|input| input.elem == elem).collect();
        if !known.is_empty() && self.random.one_in(2) {
            return self.random.pick(&known);
        }
        let (buffer, pointer) = self.buffer(elem, Content::Any);
        let input = Input { elem, buffer, pointer };
        self.inputs.push(input);
        input
    }

    /// Pointers to as many elements as the shape has, in a buffer that is only read.
    pub(super) fn input_pointers(&mut self, elem: Scalar, shape: Shape) -> (Val, Input, Place) {
        let pattern = self.pattern(shape, false, usize::MAX, false);
        let input = self.input(elem);
        let per_program = !self.random.one_in(4);
        let slot = if self.random.one_in(4) {
            self.random.below(20)
        } else {
            0
        };
        let place = self.place(slot, pattern.extent, per_program);
        self.demand(input.buffer, place.end(self.programs()));
        let pointers = self.pointers_to(input.pointer, place, &pattern);
        self.remember(input.buffer, pointers, place);
        (pointers, input, place)
    }

    /// A new plain value, loaded.
    pub fn fresh(&mut self, ty: Type) -> Val {
        let (scalar, shape) = (ty.as_scalar().expect("a number"), ty.shape);
        match self.random.weighted(&[6, 4, 3, 2, 1, 3]) {
            1 => self.bounded(ty),
            2 => self.gathered(ty),
            3 => {
                let (pointers, ..) = self.input_pointers(scalar, shape);
                let mask = self.mask(shape);
                self.masked(pointers, mask, ty)
            }
            4 => {
                let (a, ..) = self.input_pointers(scalar, shape);
                let (b, ..) = self.input_pointers(scalar, shape);
                let narrow = if self.random.one_in(2) { Shape::SCALAR } else { shape };
                let condition = self.plain(Type::I1.with_shape(narrow));
                let pointers = self.select(condition, a, b);
                let value = self.load(pointers, None, None);
                self.keep(value, Known::default())
            }
            5 if self.has_scratch(scalar, shape) => self.load_scratch(ty),
            _ => {
                let (pointers, ..) = self.input_pointers(scalar, shape);
                let value = self.load(pointers, None, None);
                self.keep(value, Known::default())
            }
        }
    }

    /// A load under a mask, with or without a value for the other elements.
    fn masked(&mut self, pointers: Val, mask: Val, ty: Type) -> Val {
        let other = self.plain(ty);
        let known = Known {
            loose_nan: self.known(other).loose_nan,
            ..Known::default()
        };
        if self.random.one_in(2) {
            let value = self.load(pointers, Some(mask), Some(other));
            return self.keep(value, known);
        }
        let value = self.load(pointers, Some(mask), None);
        let partial = Known {
            when: Some(mask),
            ..Known::default()
        };
        self.keep(value, partial);
        let value = self.select(mask, value, other);
        self.keep(value, known)
    }

    /// A load from a buffer that ends before the last program's elements do.
    fn bounded(&mut self, ty: Type) -> Val {
        let scalar = ty.as_scalar().expect("a number");
        let pattern = self.pattern(ty.shape, false, usize::MAX, true);
        let place = self.place(0, pattern.extent, true);
        let (buffer, pointer) = self.buffer(scalar, Content::Any);
        let (offsets, mask) = self.below_length(place, &pattern, buffer);
        let base = self.splat(pointer, ty.shape);
        let pointers = self.addptr(base, offsets);
        self.masked(pointers, mask, ty)
    }

    /// The offsets of an access to a buffer of its own, and whether they are within it: its length is an argument.
    pub(super) fn below_length(
        &mut self,
        place: Place,
        pattern: &super::address::Pattern,
        buffer: usize,
    ) -> (Val, Val) {
        let end = place.end(self.programs());
        let length = self.random.between(1, end);
        self.demand(buffer, length);
        let offsets = self.absolute(place, pattern);
        let length = self.number_param(Const::from_int(pattern.int, length as i128));
        let length = self.splat(length, pattern.shape);
        let mask = match self.random.below(3) {
            0 => self.cmp(CmpPred::LtU, offsets, length),
            1 => self.cmp(CmpPred::Gt, length, offsets),
            _ => self.cmp(CmpPred::Lt, offsets, length),
        };
        (offsets, mask)
    }

    /// A load through indices that were loaded.
    fn gathered(&mut self, ty: Type) -> Val {
        let scalar = ty.as_scalar().expect("a number");
        let int = self
            .random
            .pick(&[Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I32, Scalar::I64]);
        let below = self.random.between(1, 100);
        let indices = self.loaded_below(int, below, ty.shape);
        let input = self.input(scalar);
        self.demand(input.buffer, below);
        let base = self.splat(input.pointer, ty.shape);
        let pointers = self.addptr(base, indices);
        let value = self.load(pointers, None, None);
        self.keep(value, Known::default())
    }

    /// Loaded integers below a number.
    fn loaded_below(&mut self, int: Scalar, below: usize, shape: Shape) -> Val {
        let pattern = self.pattern(shape, false, usize::MAX, false);
        let place = self.place(0, pattern.extent, true);
        let (buffer, pointer) = self.buffer(int, Content::Below(below));
        self.demand(buffer, place.end(self.programs()));
        let pointers = self.pointers_to(pointer, place, &pattern);
        self.load(pointers, None, None)
    }

    /// A loaded scalar integer from 0 to `limit`.
    pub fn loaded_small(&mut self, int: Scalar, limit: usize) -> Val {
        self.loaded_below(int, limit + 1, Shape::SCALAR)
    }

    /// Compares pointers: into one buffer, or the first elements of two.
    pub fn compare_pointers(&mut self) {
        if self.inputs.is_empty() {
            return self.elementwise();
        }
        let inputs = self.inputs.clone();
        let a = self.random.pick(&inputs);
        let same: Vec<Input> = inputs.into_iter().filter(|input| input.elem == a.elem).collect();
        let b = self.random.pick(&same);
        let shape = self.shape();
        let mut sides = [self.splat(a.pointer, shape), self.splat(b.pointer, shape)];
        if a.buffer == b.buffer {
            for side in &mut sides {
                let int = self.random.pick(&[Scalar::I8, Scalar::I16]);
                let offset = self.plain(Type::scalar(int).with_shape(shape));
                let offset = self.with_int(BinaryOp::And, offset, 3);
                *side = self.addptr(*side, offset);
            }
        }
        let pred = self.random.pick(&[CmpPred::Eq, CmpPred::Ne]);
        let value = self.cmp(pred, sides[0], sides[1]);
        self.keep(value, Known::default());
    }
}
