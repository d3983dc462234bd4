//! Loads and stores.

use mytriton_ssa::{BinaryOp, CmpPred, Const, Scalar, Shape, Type};

use super::address::Place;
use super::launch::Content;
use super::{Generator, Known};
use crate::rule::Rule;
use crate::tree::Val;

/// A buffer that is only read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub elem: Scalar,
    pub buffer: usize,
    pub pointer: Val,
}

/// A buffer that is only written: each store has its own part, and in it each program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub elem: Scalar,
    pub rule: Rule,
    pub buffer: usize,
    pub pointer: Val,
    /// May more stores go there?
    pub open: bool,
}

/// A buffer that is read and written.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    pub elem: Scalar,
    /// Its pointer, and perhaps a second one to the same place.
    pub pointers: Vec<Val>,
    /// Elements of each program: a power of two.
    pub room: usize,
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
    fn further(&mut self, buffer: usize, shape: Shape, slot: usize) -> Option<(Val, Place)> {
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

    fn remember(&mut self, buffer: usize, pointers: Val, place: Place) {
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
    fn below_length(&mut self, place: Place, pattern: &super::address::Pattern, buffer: usize) -> (Val, Val) {
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

    /// Stores a value in a place of its own; where it is undefined, not.
    pub fn store_value(&mut self, value: Val) {
        let (ty, known) = (self.ty(value), self.known(value));
        let (elem, shape) = (self.scalar_of(value), ty.shape);
        let plain = known.when.is_none();
        match self.random.below(20) {
            0..=2 => return self.store_bounded(value),
            3 if plain && shape.is_scalar() => return self.store_everywhere(value),
            4 | 5 if shape.elements() > 1 => return self.scatter(value),
            _ => {}
        }
        let output = self.output(elem, known.rule);
        let slot = self.length(output.buffer);
        let pointers = match self.further(output.buffer, shape, slot) {
            Some((pointers, _)) => pointers,
            None => {
                let pattern = self.pattern(shape, true, usize::MAX, false);
                let place = self.place(slot, pattern.extent, true);
                self.demand(output.buffer, place.end(self.programs()));
                let pointers = self.pointers_to(output.pointer, place, &pattern);
                self.remember(output.buffer, pointers, place);
                pointers
            }
        };
        let mask = self.store_mask(shape, known, None);
        self.store(pointers, value, mask);
    }

    /// The mask of a store of what is known: at times one more than is needed.
    fn store_mask(&mut self, shape: Shape, known: Known, needed: Option<Val>) -> Option<Val> {
        let extra = self.random.one_in(4).then(|| self.mask(shape));
        let mut masks = [known.when, needed, extra].into_iter().flatten();
        let first = masks.next()?;
        Some(masks.fold(first, |a, b| self.binary(BinaryOp::And, a, b)))
    }

    fn output(&mut self, elem: Scalar, rule: Rule) -> Output {
        let same = |o: &&Output| o.open && o.elem == elem && o.rule == rule;
        if let Some(&output) = self.outputs.iter().find(same) {
            return output;
        }
        let (buffer, pointer) = self.buffer(elem, Content::Any);
        let output = Output {
            elem,
            rule,
            buffer,
            pointer,
            open: true,
        };
        self.outputs.push(output);
        output
    }

    /// A store to a buffer that ends before the last program's elements do.
    fn store_bounded(&mut self, value: Val) {
        let (shape, known) = (self.ty(value).shape, self.known(value));
        let elem = self.scalar_of(value);
        let pattern = self.pattern(shape, true, usize::MAX, true);
        let place = self.place(0, pattern.extent, true);
        let (buffer, pointer) = self.buffer(elem, Content::Any);
        let (offsets, mask) = self.below_length(place, &pattern, buffer);
        let base = self.splat(pointer, shape);
        let pointers = self.addptr(base, offsets);
        let mask = self.store_mask(shape, known, Some(mask));
        self.store(pointers, value, mask);
        self.outputs.push(Output {
            elem,
            rule: known.rule,
            buffer,
            pointer,
            open: false,
        });
    }

    /// A scalar stored by every element of a block to one place.
    fn store_everywhere(&mut self, value: Val) {
        let output = self.output(self.scalar_of(value), self.known(value).rule);
        let slot = self.length(output.buffer);
        let place = self.place(slot, 1, true);
        self.demand(output.buffer, place.end(self.programs()));
        let shape = self.shape();
        let pointer = match self.start(place) {
            None => output.pointer,
            Some(start) => self.addptr(output.pointer, start),
        };
        let (pointers, values) = (self.splat(pointer, shape), self.splat(value, shape));
        let mask = self.random.one_in(3).then(|| self.mask(shape));
        self.store(pointers, values, mask);
    }

    /// A store through a permutation that was loaded.
    fn scatter(&mut self, value: Val) {
        let (shape, known) = (self.ty(value).shape, self.known(value));
        let elements = shape.elements();
        // Row after row, so that every program sees one permutation.
        let pattern = self.pattern(shape, true, elements, false);
        let place = Place {
            slot: 0,
            extent: elements,
            per_program: true,
            term: None,
        };
        let int = self.random.pick(&[Scalar::I16, Scalar::I32, Scalar::I64]);
        let (buffer, pointer) = self.buffer(int, Content::Permutations(elements));
        self.demand(buffer, place.end(self.programs()));
        let from = self.pointers_to(pointer, place, &pattern);
        let order = self.load(from, None, None);
        let output = self.output(self.scalar_of(value), known.rule);
        let slot = self.length(output.buffer);
        let place = self.place(slot, elements, true);
        self.demand(output.buffer, place.end(self.programs()));
        let base = match self.start(place) {
            None => output.pointer,
            Some(start) => self.addptr(output.pointer, start),
        };
        let base = self.splat(base, shape);
        let pointers = self.addptr(base, order);
        let mask = self.store_mask(shape, known, None);
        self.store(pointers, value, mask);
    }

    /// Stores a value in scope, one that nothing took if there is one.
    pub fn store_something(&mut self) {
        let unused: Vec<Val> = self.pool.iter().copied().filter(|v| !self.used.contains(v)).collect();
        let from = if unused.is_empty() { self.pool.clone() } else { unused };
        if !from.is_empty() {
            let value = self.random.pick(&from);
            self.store_value(value);
        }
    }

    /// Stores what nothing took of the values from a position in the pool on, so many of so many.
    pub fn store_rest(&mut self, mark: usize, some: usize, of: usize) {
        let rest: Vec<Val> = self.pool[mark..]
            .iter()
            .copied()
            .filter(|v| !self.used.contains(v))
            .collect();
        for value in rest {
            if self.random.below(of) < some && !self.used.contains(&value) {
                self.store_value(value);
            }
        }
    }

    fn has_scratch(&self, elem: Scalar, shape: Shape) -> bool {
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

    fn load_scratch(&mut self, ty: Type) -> Val {
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
