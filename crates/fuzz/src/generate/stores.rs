//! Stores: every one has a part of a buffer to itself, and every program a part of that.

use mytriton_ssa::{BinaryOp, Scalar, Shape};

use super::address::Place;
use super::launch::Content;
use super::{Generator, Known};
use crate::rule::Rule;
use crate::tree::Val;

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

impl Generator {
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
    pub(super) fn store_mask(&mut self, shape: Shape, known: Known, needed: Option<Val>) -> Option<Val> {
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

    /// A scalar stored by every element of a tile to one place.
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
}
