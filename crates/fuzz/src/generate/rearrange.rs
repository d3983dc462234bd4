//! Reductions and scans, whose combines are those of [`crate::combine`], and movement of elements.

use std::sync::OnceLock;

use mytriton_ssa::{BinaryOp, CastKind, OpKind, Permutation, Scalar, Shape, Type, reduction_types};

use super::{Generator, Known};
use crate::combine::{Combine, adds_up, small};
use crate::tree::Val;

/// A reduction or scan with the types that it combines.
pub(super) struct Reduction {
    elements: Vec<Scalar>,
    /// None for a reduction, else whether the scan is reversed.
    scan: Option<bool>,
    combine: Combine,
}

/// All of them, in a fixed order.
pub(super) fn reductions() -> &'static [Reduction] {
    static ALL: OnceLock<Vec<Reduction>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Vec::new();
        for scalar in Scalar::ALL {
            for scan in [None, Some(false), Some(true)] {
                for elements in [vec![scalar], vec![scalar, Scalar::I32], vec![scalar; 2]] {
                    let known = |combine| {
                        // Two `i32` are an index and its value, or an affine function, listed once each.
                        let twice = elements == [Scalar::I32; 2]
                            && all
                                .iter()
                                .any(|r: &Reduction| r.elements == elements && r.scan == scan && r.combine == combine);
                        (!twice).then(|| Reduction {
                            elements: elements.clone(),
                            scan,
                            combine,
                        })
                    };
                    let new: Vec<Reduction> = Combine::all(&elements, scan.is_some())
                        .into_iter()
                        .filter_map(known)
                        .collect();
                    all.extend(new);
                }
            }
        }
        all
    })
}

impl Generator {
    /// A reduction or scan of a tile.
    pub fn combine(&mut self) {
        let mut shape = self.shape();
        if shape.is_scalar() {
            let extent = self.random.pick(&super::EXTENTS);
            shape = Shape::new(&[extent]).unwrap_or(shape);
        }
        if shape.is_scalar() || self.is_full() {
            return self.elementwise();
        }
        let axis = self.random.below(shape.rank());
        let owed = self.owed_reductions.pop();
        let number = owed.unwrap_or_else(|| self.random.below(reductions().len()));
        let Reduction {
            elements,
            scan,
            combine,
        } = &reductions()[number];
        let types: Vec<Type> = elements.iter().map(|&s| Type::scalar(s).with_shape(shape)).collect();
        let float = elements[0].is_float();
        let operands = match combine {
            Combine::Op(BinaryOp::Add) if float && !adds_up(shape.dims()[axis], elements[0]) => {
                return self.elementwise();
            }
            Combine::Op(BinaryOp::Add) if float => vec![self.small_numbers(types[0])],
            Combine::Best { .. } => vec![self.plain(types[0]), self.stretched_index(shape, axis)],
            _ => types.iter().map(|&ty| self.plain(ty)).collect(),
        };
        let kind = match *scan {
            Some(reverse) => OpKind::Scan { axis, reverse },
            None => OpKind::Reduce { axis },
        };
        let Ok(types) = reduction_types(&kind, &types) else {
            unreachable!("'{}' of {types:?} along {axis}", kind.name())
        };
        let body = combine.body(&mut self.tree, elements);
        self.work += self.trips * shape.elements() * (1 + body.nodes.len());
        let results: Vec<Val> = types.into_iter().map(|ty| self.tree.value(ty)).collect();
        self.append(kind, &operands, results.clone(), vec![body]);
        for result in results {
            self.keep_computed(result);
        }
    }

    /// The index of each element of a shape along a dimension.
    pub(super) fn stretched_index(&mut self, shape: Shape, axis: usize) -> Val {
        let end = shape.dims()[axis] as i32;
        let mut index = self.op(OpKind::Range { start: 0, end }, &[], None);
        for other in (0..shape.rank()).filter(|&other| other != axis) {
            index = self.op(OpKind::ExpandDims { axis: other }, &[index], None);
        }
        self.broadcast(index, shape)
    }

    /// Whole floats whose sum is exact.
    fn small_numbers(&mut self, ty: Type) -> Val {
        let scalar = self.random.pick(&[Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]);
        let ints = ty.with_scalar(scalar);
        let (x, limit) = (self.plain(ints), self.constant(small(scalar), ints));
        let cut = self.binary(BinaryOp::And, x, limit);
        self.op(OpKind::Cast(CastKind::UToF), &[cut], Some(ty))
    }

    /// A tile's elements in another shape or order.
    pub fn rearrange(&mut self) {
        let fitting: Vec<Val> = (self.pool.iter().copied())
            .filter(|&v| !self.ty(v).is_scalar() && self.known(v).when.is_none())
            .collect();
        if fitting.is_empty() || self.is_full() {
            return self.elementwise();
        }
        let value = self.random.pick(&fitting);
        let (ty, known): (Type, Known) = (self.ty(value), self.known(value));
        let moved = if ty.shape.rank() > 1 && self.random.one_in(2) {
            let order = self.random.permutation(ty.shape.rank());
            let Ok(permutation) = Permutation::new(&order) else {
                unreachable!("{order:?} is no permutation")
            };
            self.op(OpKind::Transpose { permutation }, &[value], None)
        } else {
            let shape = self.other_shape(ty.shape);
            self.op(OpKind::Reshape, &[value], Some(ty.with_shape(shape)))
        };
        self.keep(moved, known);
    }

    /// A shape of as many elements: one of the kernel's, or the factors of their number in any order.
    fn other_shape(&mut self, from: Shape) -> Shape {
        let count = from.elements();
        let fitting: Vec<Shape> = (self.shapes.iter().copied())
            .filter(|shape| shape.elements() == count && *shape != from)
            .collect();
        if !fitting.is_empty() && self.random.one_in(3) {
            return self.random.pick(&fitting);
        }
        if count == 1 && self.random.one_in(4) {
            return Shape::SCALAR;
        }
        let mut dims = vec![1u32; 1 + self.random.below(4)];
        let mut rest = count as u32;
        for factor in [2, 3, 5, 7] {
            while rest.is_multiple_of(factor) {
                let place = self.random.below(dims.len());
                dims[place] *= factor;
                rest /= factor;
            }
        }
        let place = self.random.below(dims.len());
        dims[place] *= rest;
        Shape::new(&dims).unwrap_or(from)
    }
}
