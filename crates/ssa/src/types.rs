//! Types of values: scalars, pointers to scalars, and tiles of either.

use std::fmt;
use std::str::FromStr;

/// The largest rank of a tile.
pub const MAX_RANK: usize = 5;

/// The largest number of elements of a tile (2^20, as in Triton): a larger one could not be held by any program.
pub const MAX_TILE_ELEMENTS: u64 = 1 << 20;

/// The type of one element. Integers are signless: signedness belongs to the operations, as in MLIR and LLVM.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scalar {
    /// A boolean; one byte in memory, where any non-zero byte is true.
    I1,
    /// 8-bit integer.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// IEEE 754 binary16.
    F16,
    /// bfloat16: the upper half of an `f32`.
    BF16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl Scalar {
    /// Every scalar type.
    pub const ALL: [Scalar; 9] = [
        Scalar::I1,
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::F16,
        Scalar::BF16,
        Scalar::F32,
        Scalar::F64,
    ];

    /// Width of the value in bits: 1 for [`Scalar::I1`].
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::I1 => 1,
            Scalar::I8 => 8,
            Scalar::I16 | Scalar::F16 | Scalar::BF16 => 16,
            Scalar::I32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::F64 => 64,
        }
    }

    /// Size in memory in bytes; an `i1` takes one.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Is this `i1` or a wider integer?
    pub const fn is_int(self) -> bool {
        matches!(self, Scalar::I1 | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// Is this a floating-point type?
    pub const fn is_float(self) -> bool {
        !self.is_int()
    }

    /// The name in the text form, the same as MLIR's.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::I1 => "i1",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::F16 => "f16",
            Scalar::BF16 => "bf16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// A mask of the value's bits within 64.
    pub const fn bit_mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scalar {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Scalar::ALL
            .into_iter()
            .find(|s| s.name() == text)
            .ok_or_else(|| UnknownName(text.to_owned()))
    }
}

/// A name that stands for nothing known.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown name '{0}'")]
pub struct UnknownName(pub String);

/// What one element of a value is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Elem {
    /// A number.
    Scalar(Scalar),
    /// A 64-bit address in global memory of elements of the given type.
    Ptr(Scalar),
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Elem::Scalar(s) => write!(f, "{s}"),
            Elem::Ptr(s) => write!(f, "ptr<{s}>"),
        }
    }
}

/// The extents of a tile, outermost first. Rank 0 is a scalar value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Shape {
    dims: [u32; MAX_RANK],
    rank: u8,
}

impl Shape {
    /// The shape of a scalar.
    pub const SCALAR: Shape = Shape {
        dims: [0; MAX_RANK],
        rank: 0,
    };

    /// A shape from its extents. Errors when the rank is above [`MAX_RANK`], an extent is zero, or the tile would
    /// hold more than [`MAX_TILE_ELEMENTS`].
    pub fn new(dims: &[u32]) -> Result<Shape, ShapeError> {
        if dims.len() > MAX_RANK {
            return Err(ShapeError::Rank(dims.len()));
        }
        let mut shape = Shape {
            dims: [0; MAX_RANK],
            rank: dims.len() as u8,
        };
        let mut count = 1u64;
        for (axis, &extent) in dims.iter().enumerate() {
            if extent == 0 {
                return Err(ShapeError::ZeroExtent { axis });
            }
            count = count.saturating_mul(u64::from(extent));
            shape.dims[axis] = extent;
        }
        if count > MAX_TILE_ELEMENTS {
            return Err(ShapeError::TooLarge(count));
        }
        Ok(shape)
    }

    /// The extents.
    pub fn dims(&self) -> &[u32] {
        &self.dims[..usize::from(self.rank)]
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        usize::from(self.rank)
    }

    /// Is this the shape of a scalar?
    pub fn is_scalar(&self) -> bool {
        self.rank == 0
    }

    /// The number of elements, 1 for a scalar.
    pub fn elements(&self) -> usize {
        self.dims().iter().map(|&d| d as usize).product()
    }

    /// The same shape with an extent of 1 put in at `axis`. Errors when `axis` is above the rank or the rank is full.
    pub fn expand(&self, axis: usize) -> Result<Shape, ShapeError> {
        if axis > self.rank() {
            return Err(ShapeError::Axis {
                axis,
                rank: self.rank(),
            });
        }
        if self.rank() == MAX_RANK {
            return Err(ShapeError::Rank(MAX_RANK + 1));
        }
        let mut dims = self.dims().to_vec();
        dims.insert(axis, 1);
        Shape::new(&dims)
    }

    /// The same shape with a last dimension of an extent after the others. Errors when the rank is full or the tile would
    /// be too large.
    pub fn append(&self, extent: u32) -> Result<Shape, ShapeError> {
        Shape::new(&[self.dims(), &[extent]].concat())
    }

    /// The same shape without a dimension: that of a reduction. Errors when there is no such dimension.
    pub fn without(&self, axis: usize) -> Result<Shape, ShapeError> {
        if axis >= self.rank() {
            return Err(ShapeError::Axis {
                axis,
                rank: self.rank(),
            });
        }
        let mut dims = self.dims().to_vec();
        dims.remove(axis);
        Shape::new(&dims)
    }

    /// The shape that two tiles have together after broadcasting: ranks are padded with 1 on the left, and extents
    /// of 1 stretch. Errors when two extents differ and neither is 1.
    pub fn broadcast(&self, other: &Shape) -> Result<Shape, ShapeError> {
        let rank = self.rank().max(other.rank());
        let at = |s: &Shape, axis: usize| (axis + s.rank()).checked_sub(rank).map_or(1, |i| s.dims()[i]);
        let mut dims = Vec::with_capacity(rank);
        for axis in 0..rank {
            dims.push(match (at(self, axis), at(other, axis)) {
                (a, b) if a == b => a,
                (1, b) => b,
                (a, 1) => a,
                _ => {
                    return Err(ShapeError::Broadcast {
                        left: *self,
                        right: *other,
                    });
                }
            });
        }
        Shape::new(&dims)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.dims().iter().enumerate() {
            if i > 0 {
                f.write_str("x")?;
            }
            write!(f, "{d}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

/// Why a shape is not one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ShapeError {
    /// More dimensions than a tile may have.
    #[error("a tile of rank {0}: at most {MAX_RANK} dimensions are possible")]
    Rank(usize),
    /// An extent of zero.
    #[error("extent 0 in dimension {axis}: every extent of a tile is at least 1")]
    ZeroExtent {
        /// The dimension.
        axis: usize,
    },
    /// More elements than a program can hold.
    #[error("a tile of {0} elements: at most {MAX_TILE_ELEMENTS} are possible; use a smaller tile and a larger grid")]
    TooLarge(u64),
    /// A dimension that the tile does not have.
    #[error("axis {axis} is outside of a tile of rank {rank}")]
    Axis {
        /// The dimension asked for.
        axis: usize,
        /// The tile's rank.
        rank: usize,
    },
    /// Shapes that do not broadcast.
    #[error("shapes [{left}] and [{right}] do not broadcast: extents that meet are equal or 1")]
    Broadcast {
        /// The one shape.
        left: Shape,
        /// The other.
        right: Shape,
    },
}

/// The type of a value: an element type and a shape. A scalar has rank 0; a tile of rank 0 *is* the scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// What each element is.
    pub elem: Elem,
    /// How many there are.
    pub shape: Shape,
}

impl Type {
    /// The type of a boolean.
    pub const I1: Type = Type::scalar(Scalar::I1);
    /// The type of program ids and ranges' elements.
    pub const I32: Type = Type::scalar(Scalar::I32);

    /// A number.
    pub const fn scalar(scalar: Scalar) -> Type {
        Type {
            elem: Elem::Scalar(scalar),
            shape: Shape::SCALAR,
        }
    }

    /// A pointer.
    pub const fn ptr(pointee: Scalar) -> Type {
        Type {
            elem: Elem::Ptr(pointee),
            shape: Shape::SCALAR,
        }
    }

    /// A tile of numbers. Errors as [`Shape::new`] does.
    pub fn tile(scalar: Scalar, dims: &[u32]) -> Result<Type, ShapeError> {
        Ok(Type {
            elem: Elem::Scalar(scalar),
            shape: Shape::new(dims)?,
        })
    }

    /// The same element type in another shape.
    pub const fn with_shape(self, shape: Shape) -> Type {
        Type { elem: self.elem, shape }
    }

    /// The same shape with another element type.
    pub const fn with_scalar(self, scalar: Scalar) -> Type {
        Type {
            elem: Elem::Scalar(scalar),
            shape: self.shape,
        }
    }

    /// The type of one element.
    pub const fn element(self) -> Type {
        self.with_shape(Shape::SCALAR)
    }

    /// The number type, unless this is a pointer.
    pub const fn as_scalar(self) -> Option<Scalar> {
        match self.elem {
            Elem::Scalar(s) => Some(s),
            Elem::Ptr(_) => None,
        }
    }

    /// What the pointer points to, if this is one.
    pub const fn pointee(self) -> Option<Scalar> {
        match self.elem {
            Elem::Ptr(s) => Some(s),
            Elem::Scalar(_) => None,
        }
    }

    /// Is every element an integer (`i1` included)?
    pub fn is_int(self) -> bool {
        self.as_scalar().is_some_and(Scalar::is_int)
    }

    /// Is every element a floating-point number?
    pub fn is_float(self) -> bool {
        self.as_scalar().is_some_and(Scalar::is_float)
    }

    /// Is this a single value rather than a tile?
    pub fn is_scalar(self) -> bool {
        self.shape.is_scalar()
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_scalar() {
            write!(f, "{}", self.elem)
        } else {
            write!(f, "tile<{}x{}>", self.shape, self.elem)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dims() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(prop::sample::select(vec![1u32, 1, 2, 3]), 0..=MAX_RANK)
    }

    /// A bit of memory is never less than a byte.
    #[test]
    fn sizes_in_memory() {
        let sizes = Scalar::ALL.map(|scalar| (scalar.bits(), scalar.bytes()));
        let expected = [
            (1, 1),
            (8, 1),
            (16, 2),
            (32, 4),
            (64, 8),
            (16, 2),
            (16, 2),
            (32, 4),
            (64, 8),
        ];
        assert_eq!(sizes, expected);
        assert_eq!(format!("{:?}", Shape::new(&[4, 17]).unwrap()), "[4x17]");
    }

    proptest! {
        /// Aligned at the right, the extents of two shapes are equal, or one of them is 1.
        #[test]
        fn shapes_are_broadcast_from_the_right((a, b) in (dims(), dims())) {
            let (left, right) = (Shape::new(&a).unwrap(), Shape::new(&b).unwrap());
            let rank = a.len().max(b.len());
            let padded = |dims: &[u32]| [&vec![1; rank - dims.len()], dims].concat();
            let pairs: Vec<(u32, u32)> = padded(&a).into_iter().zip(padded(&b)).collect();
            let fits = pairs.iter().all(|&(a, b)| a == b || a == 1 || b == 1);
            let both = pairs.into_iter().map(|(a, b)| a.max(b)).collect::<Vec<_>>();
            let expected = if fits { Shape::new(&both) } else { Err(ShapeError::Broadcast { left, right }) };
            prop_assert_eq!(left.broadcast(&right), expected);
        }

        /// Dimensions are put in and taken out where they should be.
        #[test]
        fn dimensions_come_and_go(dims in dims(), axis in 0usize..8, extent in 1u32..5) {
            let (shape, rank) = (Shape::new(&dims).unwrap(), dims.len());
            prop_assert_eq!(shape.dims(), &dims[..]);
            prop_assert_eq!(shape.elements() as u32, dims.iter().product::<u32>());
            prop_assert_eq!((shape.rank(), shape.is_scalar()), (rank, dims.is_empty()));
            let full = Err(ShapeError::Rank(MAX_RANK + 1));
            let wider = shape.append(extent);
            prop_assert_eq!(wider, if rank < MAX_RANK { Shape::new(&[&dims[..], &[extent]].concat()) } else { full });
            let outside = Err(ShapeError::Axis { axis, rank });
            let expanded = shape.expand(axis);
            match axis <= rank {
                false => prop_assert_eq!(&expanded, &outside),
                true if rank == MAX_RANK => prop_assert_eq!(&expanded, &full),
                true => {
                    let expanded = expanded.unwrap();
                    prop_assert_eq!((expanded.rank(), expanded.dims()[axis]), (rank + 1, 1));
                    prop_assert_eq!(expanded.without(axis), Ok(shape));
                }
            }
            if axis >= rank {
                prop_assert_eq!(shape.without(axis), outside);
            }
        }
    }

    #[test]
    fn limits_of_shapes() {
        let most = MAX_TILE_ELEMENTS as u32;
        assert_eq!(Shape::new(&[most]).unwrap().elements() as u64, MAX_TILE_ELEMENTS);
        assert_eq!(
            Shape::new(&[2, most / 2]).unwrap().to_string(),
            format!("2x{}", most / 2)
        );
        assert_eq!(
            Shape::new(&[most + 1]),
            Err(ShapeError::TooLarge(MAX_TILE_ELEMENTS + 1))
        );
        assert_eq!(Shape::new(&[u32::MAX; 3]), Err(ShapeError::TooLarge(u64::MAX)));
        assert_eq!(Shape::new(&[2, 0]), Err(ShapeError::ZeroExtent { axis: 1 }));
        assert_eq!(Shape::new(&[1; MAX_RANK + 1]), Err(ShapeError::Rank(MAX_RANK + 1)));
    }

    /// What types are called, and what they hold.
    #[test]
    fn kinds_of_types() {
        for scalar in Scalar::ALL {
            let (number, pointer) = (Type::scalar(scalar), Type::ptr(scalar));
            let tile = Type::tile(scalar, &[2, 4]).unwrap();
            assert_eq!(number.to_string(), scalar.name());
            assert_eq!(pointer.to_string(), format!("ptr<{scalar}>"));
            assert_eq!(tile.to_string(), format!("tile<2x4x{scalar}>"));
            assert_eq!(scalar.name().parse(), Ok(scalar));
            for ty in [number, tile] {
                assert_eq!((ty.as_scalar(), ty.pointee()), (Some(scalar), None));
                assert_eq!((ty.is_int(), ty.is_float()), (scalar.is_int(), scalar.is_float()));
                assert_eq!((ty.element(), ty.with_shape(Shape::SCALAR)), (number, number));
            }
            assert_eq!((pointer.as_scalar(), pointer.pointee()), (None, Some(scalar)));
            assert!(!pointer.is_int() && !pointer.is_float() && pointer.is_scalar() && !tile.is_scalar());
            assert_eq!(tile.with_scalar(Scalar::I1).to_string(), "tile<2x4xi1>");
        }
        assert!("f31".parse::<Scalar>().is_err());
    }
}
