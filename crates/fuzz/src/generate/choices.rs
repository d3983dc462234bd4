//! Elements that come from elsewhere: joined, split, gathered and counted.

use mytriton_ssa::{BinaryOp, CastKind, OpKind, Scalar, Shape, Type};

use super::{Generator, Known};
use crate::tree::Val;

/// Elements of a tile that is joined or reshaped to be split, at most.
const MOST: usize = 512;

impl Generator {
    /// One of them.
    pub fn choose(&mut self) {
        if self.is_full() {
            return self.elementwise();
        }
        match self.random.weighted(&[2, 2, 2, 3]) {
            0 => self.join(),
            1 => self.split(),
            2 => self.gather(),
            _ => self.histogram(),
        }
    }

    fn join(&mut self) {
        let ty = self.any_type();
        if ty.shape.append(2).is_err() || ty.shape.elements() > MOST {
            return self.elementwise();
        }
        let (a, b) = (self.plain(ty), self.plain(ty));
        let loose_nan = self.known(a).loose_nan || self.known(b).loose_nan;
        let joined = self.op(OpKind::Join, &[a, b], None);
        self.keep(
            joined,
            Known {
                loose_nan,
                ..Known::default()
            },
        );
    }

    /// A tile in scope that is defined everywhere, of some kind; movement does not mind what its elements are.
    fn tile(&mut self, fits: impl Fn(Type) -> bool) -> Option<Val> {
        let fitting: Vec<Val> = (self.pool.iter().copied())
            .filter(|&v| !self.ty(v).is_scalar() && self.known(v).when.is_none() && fits(self.ty(v)))
            .collect();
        (!fitting.is_empty()).then(|| self.random.pick(&fitting))
    }

    fn split(&mut self) {
        let pairs = |ty: Type| ty.shape.dims().last() == Some(&2);
        let even = |ty: Type| ty.shape.elements().is_multiple_of(2) && ty.shape.elements() <= MOST;
        let paired = match self.random.one_in(2) {
            true => self.tile(pairs),
            false => None,
        };
        let Some(value) = paired.or_else(|| self.tile(even)) else {
            return self.elementwise();
        };
        let (ty, known) = (self.ty(value), self.known(value));
        let value = match paired {
            Some(value) => value,
            None => {
                // Pairs of neighbours, in a row or in two.
                let half = ty.shape.elements() as u32 / 2;
                let wide = half.is_multiple_of(2) && self.random.one_in(2);
                let dims = if wide { vec![2, half / 2, 2] } else { vec![half, 2] };
                let Ok(shape) = Shape::new(&dims) else {
                    return self.elementwise();
                };
                self.op(OpKind::Reshape, &[value], Some(ty.with_shape(shape)))
            }
        };
        let ty = self.ty(value);
        let Ok(shape) = ty.shape.without(ty.shape.rank() - 1) else {
            unreachable!("{ty} has a last dimension")
        };
        let results = [(); 2].map(|()| self.tree.value(ty.with_shape(shape)));
        self.work += self.trips * ty.shape.elements();
        self.append(OpKind::Split, &[value], results.to_vec(), Vec::new());
        for result in results {
            self.keep(result, known);
        }
    }

    fn gather(&mut self) {
        let Some(source) = self.tile(|ty| ty.shape.elements() <= MOST) else {
            return self.elementwise();
        };
        let (ty, known) = (self.ty(source), self.known(source));
        let axis = self.random.below(ty.shape.rank());
        let extent = ty.shape.dims()[axis];
        let index = match self.random.below(3) {
            // Any numbers, as unsigned ones cut down to coordinates.
            0 | 1 => {
                let wide = [Scalar::I32, Scalar::I64];
                let all = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];
                let scalar = self.random.pick(if extent > 127 { &wide[..] } else { &all });
                let any = self.plain(Type::scalar(scalar).with_shape(ty.shape));
                self.with_int(BinaryOp::RemU, any, i64::from(extent))
            }
            // Of another extent: places in steps, from one on.
            _ => {
                let count = self.random.pick(&[1, extent.div_ceil(2), extent + 1]);
                let mut dims = ty.shape.dims().to_vec();
                dims[axis] = count;
                let Ok(shape) = Shape::new(&dims) else {
                    return self.elementwise();
                };
                let (step, start) = (self.random.between(1, 7) as i64, self.random.below(5) as i64);
                let index = self.stretched_index(shape, axis);
                let index = self.with_int(BinaryOp::Mul, index, step);
                let index = self.with_int(BinaryOp::Add, index, start);
                self.with_int(BinaryOp::RemU, index, i64::from(extent))
            }
        };
        let gathered = self.op(OpKind::Gather { axis }, &[source, index], None);
        self.keep(gathered, known);
    }

    fn histogram(&mut self) {
        let mut shape = self.shape();
        if shape.is_scalar() {
            let extent = self.random.pick(&super::EXTENTS);
            shape = Shape::new(&[extent]).unwrap_or(shape);
        }
        let scalar = self
            .random
            .pick(&[Scalar::I1, Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]);
        let ty = Type::scalar(scalar).with_shape(shape);
        let mut x = self.plain(ty);
        // Few numbers are small by themselves.
        if scalar != Scalar::I1 && !self.random.one_in(4) {
            x = self.with_int(BinaryOp::And, x, 31);
        }
        let mut operands = vec![x];
        if self.random.one_in(2) {
            operands.push(self.plain(ty.with_scalar(Scalar::I1)));
        }
        let bins = self.random.pick(&[1, 2, 5, 16, 32, 64, 100]);
        let Ok(bins) = Shape::new(&[bins]) else {
            unreachable!("{bins} bins")
        };
        let counts = self.op(OpKind::Histogram, &operands, Some(Type::I32.with_shape(bins)));
        self.work += self.trips * shape.elements();
        self.keep_computed(counts);
        // Sums of counts are exact as floats, too.
        if self.random.one_in(4) {
            let float = self.random.pick(&[Scalar::F16, Scalar::F32]);
            let ty = self.ty(counts).with_scalar(float);
            let counts = self.op(OpKind::Cast(CastKind::UToF), &[counts], Some(ty));
            self.keep_computed(counts);
        }
    }
}
