//! Where the elements of a tile lie: strides in any order, padded, reversed, or zero where elements may share a place.

use mytriton_ssa::{BinaryOp, Scalar, Shape, Type};

use super::{Generator, Term};
use crate::tree::Val;

/// Offsets of a tile's elements, as a sum of tiles that each vary along one dimension.
pub(super) struct Pattern {
    pub shape: Shape,
    /// Integers with the shape's extent along one dimension and 1 along the others.
    pub parts: Vec<Val>,
    /// Their type.
    pub int: Scalar,
    /// One more than the largest offset.
    pub extent: usize,
}

/// What sets the elements of one access apart from others of its buffer.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Elements in front.
    pub slot: usize,
    /// Elements of one access.
    pub extent: usize,
    /// Has every program its own?
    pub per_program: bool,
    /// Has every turn of a loop its own?
    pub term: Option<Term>,
}

impl Place {
    /// One more than the last element that any program accesses.
    pub fn end(&self, programs: usize) -> usize {
        let programs = if self.per_program { programs } else { 1 };
        self.slot + self.extent * programs * self.term.map_or(1, |term| term.count)
    }
}

impl Generator {
    /// Offsets for a tile's elements: no two the same if `distinct`, and below `most`, which is at least the number of
    /// elements. `wide` ones are `i32` or `i64`.
    pub(super) fn pattern(&mut self, shape: Shape, distinct: bool, most: usize, wide: bool) -> Pattern {
        let rank = shape.rank();
        let mut order: Vec<usize> = (0..rank).collect();
        if self.random.one_in(4) {
            order = self.random.permutation(rank);
        }
        let mut strides = vec![0; rank];
        let mut stride = if self.random.one_in(8) {
            self.random.between(2, 3)
        } else {
            1
        };
        for &axis in order.iter().rev() {
            let extent = shape.dims()[axis] as usize;
            if !distinct && extent > 1 && self.random.one_in(7) {
                continue;
            }
            strides[axis] = stride;
            stride *= extent;
            if self.random.one_in(8) {
                stride += self.random.between(1, 3);
            }
        }
        let extent_of = |strides: &[usize]| {
            let last = shape.dims().iter().zip(strides).map(|(&d, s)| (d as usize - 1) * s);
            1 + last.sum::<usize>()
        };
        if extent_of(&strides) > most {
            // Row after row.
            let mut stride = 1;
            for axis in (0..rank).rev() {
                strides[axis] = stride;
                stride *= shape.dims()[axis] as usize;
            }
        }
        let extent = extent_of(&strides);
        let int = match self.random.below(8) {
            0 if !wide && extent <= 127 => Scalar::I8,
            1 if !wide && extent <= 32767 => Scalar::I16,
            2 | 3 => Scalar::I64,
            _ => Scalar::I32,
        };
        let mut parts = Vec::new();
        for (axis, &stride) in strides.iter().enumerate() {
            let last = i64::from(shape.dims()[axis]) - 1;
            if stride == 0 || (last == 0 && self.random.one_in(2)) {
                continue;
            }
            let mut part = self.index_along(shape, axis, int);
            if self.random.one_in(8) {
                let ty = self.ty(part);
                let last = self.int(last, ty);
                part = self.binary(BinaryOp::Sub, last, part);
            }
            if stride != 1 || self.random.one_in(12) {
                part = self.with_int(BinaryOp::Mul, part, stride as i64);
            }
            parts.push(part);
        }
        Pattern {
            shape,
            parts,
            int,
            extent,
        }
    }

    /// The offsets as one tile.
    pub(super) fn offsets(&mut self, pattern: &Pattern) -> Val {
        let mut sum = None;
        for &part in &pattern.parts {
            let part = self.broadcast(part, pattern.shape);
            sum = Some(match sum {
                None => part,
                Some(sum) => self.binary(BinaryOp::Add, sum, part),
            });
        }
        sum.unwrap_or_else(|| self.int(0, Type::scalar(pattern.int).with_shape(pattern.shape)))
    }

    /// Where an access begins, as a scalar `i32`; none at element 0.
    pub(super) fn start(&mut self, place: Place) -> Option<Val> {
        let programs = if place.per_program { self.programs() } else { 1 };
        let mut sum = None;
        let mut scaled = Vec::new();
        if let Some(program) = self.program.filter(|_| place.per_program) {
            scaled.push((program, place.extent));
        }
        if let Some(term) = place.term {
            scaled.push((term.value, place.extent * programs));
        }
        for (value, scale) in scaled {
            let value = self.with_int(BinaryOp::Mul, value, scale as i64);
            sum = Some(match sum {
                None => value,
                Some(sum) => self.binary(BinaryOp::Add, sum, value),
            });
        }
        match sum {
            Some(sum) if place.slot > 0 => Some(self.with_int(BinaryOp::Add, sum, place.slot as i64)),
            None if place.slot > 0 => Some(self.int(place.slot as i64, Type::I32)),
            sum => sum,
        }
    }

    /// A place for an access of such an extent behind `slot`.
    pub(super) fn place(&mut self, slot: usize, extent: usize, per_program: bool) -> Place {
        let terms = self.terms.clone();
        let term = (!terms.is_empty() && self.random.one_in(2)).then(|| self.random.pick(&terms));
        Place {
            slot,
            extent,
            per_program,
            term,
        }
    }

    /// The offsets of an access from its buffer's pointer, in the pattern's type, which is wide.
    pub(super) fn absolute(&mut self, place: Place, pattern: &Pattern) -> Val {
        let offsets = self.offsets(pattern);
        match self.start(place) {
            None => offsets,
            Some(start) => {
                let start = self.resize(start, pattern.int);
                let start = self.splat(start, pattern.shape);
                let (a, b) = if self.random.one_in(2) {
                    (start, offsets)
                } else {
                    (offsets, start)
                };
                self.binary(BinaryOp::Add, a, b)
            }
        }
    }

    /// A scalar in every element of a tile, in one of the ways that there are.
    fn spread(&mut self, scalar: Val, shape: Shape) -> Val {
        self.stretch(scalar, shape).unwrap_or(scalar)
    }

    /// The pointers of an access, put together in one of several ways.
    pub(super) fn pointers_to(&mut self, base: Val, place: Place, pattern: &Pattern) -> Val {
        let wide = matches!(pattern.int, Scalar::I32 | Scalar::I64);
        let way = self.random.below(3);
        if way == 0 && wide {
            let offsets = self.absolute(place, pattern);
            let base = self.spread(base, pattern.shape);
            return self.addptr(base, offsets);
        }
        let base = match self.start(place) {
            None => base,
            Some(start) => {
                let start = if self.random.one_in(3) {
                    self.resize(start, Scalar::I64)
                } else {
                    start
                };
                self.addptr(base, start)
            }
        };
        if pattern.parts.is_empty() && self.random.one_in(2) {
            return self.spread(base, pattern.shape);
        }
        if way < 2 || pattern.parts.is_empty() {
            let base = self.spread(base, pattern.shape);
            let offsets = self.offsets(pattern);
            return self.addptr(base, offsets);
        }
        // Dimension by dimension: the pointers themselves are stretched.
        let mut pointers: Option<Val> = None;
        for &part in &pattern.parts {
            let shape = self.ty(part).shape;
            let (so_far, joint) = match pointers {
                None => (self.splat(base, shape), shape),
                Some(so_far) => {
                    let before = self.ty(so_far).shape;
                    // Shapes of one rank whose extents are equal or 1.
                    let joint = before.broadcast(&shape).unwrap_or(pattern.shape);
                    (self.broadcast(so_far, joint), joint)
                }
            };
            let part = self.broadcast(part, joint);
            pointers = Some(self.addptr(so_far, part));
        }
        let pointers = pointers.unwrap_or(base);
        self.broadcast(pointers, pattern.shape)
    }
}
