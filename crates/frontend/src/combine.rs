//! Reductions and scans by a combiner of the user's.

use mytriton_ssa::{OpKind, Shape, ValueId};

use crate::builder::KernelBuilder;
use crate::dtype::{DisplayShape, ValueType};
use crate::expr::{Expr, IntoExpr};
use crate::site::{Built, Operand, Site, describe};
use crate::staged::{Staged, leaves_of};

/// What to do along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Along {
    /// Combine all elements into one.
    Reduce,
    /// Keep every prefix.
    Scan { reverse: bool },
}

/// Tiles of numbers in one shape, and the axis along which they are combined.
pub(crate) struct Tiles {
    pub ids: Vec<ValueId>,
    pub types: Vec<ValueType>,
    pub axis: usize,
}

impl<'k> Site<'k> {
    /// Combines the elements of a tile along an axis into one. Several tiles, as a tuple, are combined together: the
    /// combine gets and gives tuples of their elements. It must be associative and commutative, for the order is open; it
    /// computes with its arguments and compile-time constants alone, element by element.
    pub fn reduce<T: Staged<'k>>(self, x: T, axis: impl IntoExpr<'k>, combine: impl FnOnce(T, T) -> T) -> T {
        let axis = Some(self.lift(axis));
        self.by_user("reduce", x, axis, Along::Reduce, combine)
    }

    /// The same over all elements: the result is a scalar.
    pub fn reduce_all<T: Staged<'k>>(self, x: T, combine: impl FnOnce(T, T) -> T) -> T {
        self.by_user("reduce", x, None, Along::Reduce, combine)
    }

    /// The running combination along an axis. The combiner is as for [`Site::reduce`], but need not be commutative: its
    /// left argument is the prefix.
    pub fn associative_scan<T: Staged<'k>>(self, x: T, axis: impl IntoExpr<'k>, combine: impl FnOnce(T, T) -> T) -> T {
        let axis = Some(self.lift(axis));
        self.by_user("associative_scan", x, axis, Along::Scan { reverse: false }, combine)
    }

    /// The same from the last element down: the prefix is what stands at higher indices.
    pub fn associative_scan_reverse<T: Staged<'k>>(
        self,
        x: T,
        axis: impl IntoExpr<'k>,
        combine: impl FnOnce(T, T) -> T,
    ) -> T {
        let axis = Some(self.lift(axis));
        let along = Along::Scan { reverse: true };
        self.by_user("associative_scan_reverse", x, axis, along, combine)
    }

    fn by_user<T: Staged<'k>>(
        self,
        name: &str,
        mut x: T,
        axis: Option<Expr<'k>>,
        along: Along,
        combine: impl FnOnce(T, T) -> T,
    ) -> T {
        let given: Vec<Expr<'k>> = leaves_of(&mut x).into_iter().map(|leaf| *leaf).collect();
        let of = |values: &[Expr<'k>]| {
            let mut staged = T::poison(self.k);
            for (leaf, value) in leaves_of(&mut staged).into_iter().zip(values) {
                *leaf = *value;
            }
            staged
        };
        let built = self.tiles(name, &given, axis).and_then(|tiles| {
            self.combined(name, &tiles, along, |left, right| {
                let mut result = combine(of(left), of(right));
                leaves_of(&mut result).into_iter().map(|leaf| *leaf).collect()
            })
        });
        match built {
            Some(results) => of(&results),
            None => T::poison(self.k),
        }
    }

    /// Operands of a reduction in their common shape, flat without an axis.
    pub(crate) fn tiles(self, name: &str, given: &[Expr<'k>], axis: Option<Expr<'k>>) -> Built<Tiles> {
        let most = mytriton_ssa::MAX_REDUCED;
        if !(1..=most).contains(&given.len()) {
            return self.fail(format!(
                "{name} combines 1 to {most} tiles together, not {}",
                given.len()
            ));
        }
        let mut found = Vec::new();
        for &x in given {
            let (id, ty) = self.tile(name, x)?;
            if ty.dtype().is_none() {
                return self.fail(format!("{name} takes numbers, not {ty}"));
            }
            found.push((id, ty));
        }
        let shape = self.common_shape(name, found.iter().map(|(_, ty)| ty.shape))?;
        let (mut ids, mut types) = (Vec::new(), Vec::new());
        for (id, ty) in found {
            ids.push(self.broadcast_value(id, ty, shape)?);
            types.push(ty.with_shape(shape));
        }
        let axis = match axis {
            Some(axis) => self.axis_of(name, axis, types[0])?,
            None => {
                let Ok(flat) = Shape::new(&[shape.elements() as u32]) else {
                    return self.fail(format!("{name}: a tile of shape {} is too large", DisplayShape(shape)));
                };
                for (id, ty) in ids.iter_mut().zip(&mut types) {
                    *id = self.reshaped(*id, *ty, flat)?;
                    *ty = ty.with_shape(flat);
                }
                0
            }
        };
        Some(Tiles { ids, types, axis })
    }

    /// The reduction or scan whose combiner `combine` builds from the elements of two sides.
    pub(crate) fn combined(
        self,
        name: &str,
        tiles: &Tiles,
        along: Along,
        combine: impl FnOnce(&[Expr<'k>], &[Expr<'k>]) -> Vec<Expr<'k>>,
    ) -> Built<Vec<Expr<'k>>> {
        let k = self.k;
        let axis = tiles.axis;
        let elements: Vec<ValueType> = tiles.types.iter().map(|t| t.with_shape(Shape::SCALAR)).collect();
        let (region, args) = k.open_isolated_region(&[&elements[..], &elements].concat());
        let args: Vec<Expr<'k>> = args.into_iter().map(|repr| Expr::new(k, repr)).collect();
        let (left, right) = args.split_at(elements.len());
        let results = combine(left, right);
        let yielded: Vec<Built<ValueId>> = results
            .iter()
            .zip(&elements)
            .map(|(&result, &ty)| self.yielded(name, result, ty))
            .collect();
        let ids: Option<Vec<ValueId>> = yielded.into_iter().collect();
        k.terminate(self.loc, OpKind::Yield, ids.as_deref().unwrap_or_default());
        k.close_region();
        let refused = k.refused_in_combine(region);
        for &(loc, op) in &refused {
            let advice = match op {
                "if" => ": choose with `where_`",
                _ => "",
            };
            k.report(
                loc,
                format!(
                    "the combiner of {name} computes with numbers, element by element: no memory, tiles, program ids, \
                     loops or branches ('{op}'){advice}"
                ),
            );
        }
        ids.filter(|ids| ids.len() == elements.len() && refused.is_empty())?;
        if let Some((loc, message)) = k.non_associative(region) {
            k.report(loc, format!("the combiner of {name}: {message}"));
            return None;
        }
        let (kind, shape) = match along {
            Along::Scan { reverse } => (OpKind::Scan { axis, reverse }, tiles.types[0].shape),
            Along::Reduce => match tiles.types[0].shape.without(axis) {
                Ok(shape) => (OpKind::Reduce { axis }, shape),
                Err(e) => return self.fail(format!("{name}: {e}")),
            },
        };
        let types: Vec<ValueType> = elements.iter().map(|t| t.with_shape(shape)).collect();
        let results = k.emit_with_regions(self.loc, kind, &tiles.ids, &types, &[region]);
        Some(results.into_iter().map(|repr| Expr::new(k, repr)).collect())
    }

    /// What the combiner passes on for elements of a type.
    fn yielded(self, name: &str, result: Expr<'k>, ty: ValueType) -> Built<ValueId> {
        let dtype = ty.dtype()?;
        match self.operand(name, result)? {
            literal @ Operand::Literal(l) if l.value.kind() <= dtype.kind() => {
                self.convert(literal, dtype, Shape::SCALAR)
            }
            Operand::Value(id, found) if found == ty => Some(id),
            // A tile is refused with the operation that made it.
            Operand::Value(_, found) if !found.shape.is_scalar() => None,
            _ => self.fail(format!(
                "the combiner of {name} gives {}, but the elements are {ty}: convert it (`as {ty}`), or the tile before",
                describe(result)
            )),
        }
    }
}

/// The same by hand.
impl KernelBuilder {
    /// Combines the elements of a tile, or of a tuple of tiles together, along an axis: see [`Site::reduce`].
    ///
    /// ```
    /// # use mytriton_frontend::{DType, KernelBuilder};
    /// # let k = KernelBuilder::new("product");
    /// let x = k.range(1, 6);
    /// let product = k.reduce(x, 0, |a, b| a * b);
    /// # assert_eq!(product.ty().unwrap().to_string(), "i32");
    /// # k.finish().unwrap();
    /// ```
    #[track_caller]
    pub fn reduce<'k, T: Staged<'k>>(&'k self, x: T, axis: impl IntoExpr<'k>, combine: impl FnOnce(T, T) -> T) -> T {
        self.here().reduce(x, axis, combine)
    }

    /// The same over all elements.
    #[track_caller]
    pub fn reduce_all<'k, T: Staged<'k>>(&'k self, x: T, combine: impl FnOnce(T, T) -> T) -> T {
        self.here().reduce_all(x, combine)
    }

    /// The running combination along an axis: see [`Site::associative_scan`].
    #[track_caller]
    pub fn associative_scan<'k, T: Staged<'k>>(
        &'k self,
        x: T,
        axis: impl IntoExpr<'k>,
        combine: impl FnOnce(T, T) -> T,
    ) -> T {
        self.here().associative_scan(x, axis, combine)
    }

    /// The same from the last element down.
    #[track_caller]
    pub fn associative_scan_reverse<'k, T: Staged<'k>>(
        &'k self,
        x: T,
        axis: impl IntoExpr<'k>,
        combine: impl FnOnce(T, T) -> T,
    ) -> T {
        self.here().associative_scan_reverse(x, axis, combine)
    }
}
