//! Values at run time: a typed vector of elements, with the undefined ones marked.

use half::{bf16, f16};
use mytriton_ssa::{Const, Elem, OpId, Scalar, Type};

use crate::cells::Raw;

/// The elements of one value in row-major order; a scalar has one. Pointers are addresses in `I64`.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    I1(Vec<bool>),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    F16(Vec<f16>),
    BF16(Vec<bf16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// A value of the running program.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub data: Data,
    /// Where there is one, an entry per element: 0, or the [`Poison`] code of why the element is undefined.
    pub poison: Option<Vec<u32>>,
}

impl Tile {
    pub fn empty() -> Tile {
        Tile {
            data: Data::I1(Vec::new()),
            poison: None,
        }
    }

    /// A scalar.
    pub fn scalar<T: Element>(value: T) -> Tile {
        let mut tile = Tile::empty();
        T::vec(&mut tile.data).push(value);
        tile
    }

    pub fn from_const(value: Const) -> Tile {
        each_scalar!(value.scalar(), T => Tile::scalar(T::from_const(value)))
    }

    /// The elements, which are of type `T` since the kernel is well-typed.
    pub fn get<T: Element>(&self) -> &[T] {
        T::slice(&self.data)
    }

    /// The same to write to.
    pub fn get_mut<T: Element>(&mut self) -> &mut [T] {
        T::vec(&mut self.data)
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        match &self.data {
            Data::I1(x) => x.len(),
            Data::I8(x) => x.len(),
            Data::I16(x) => x.len(),
            Data::I32(x) => x.len(),
            Data::I64(x) => x.len(),
            Data::F16(x) => x.len(),
            Data::BF16(x) => x.len(),
            Data::F32(x) => x.len(),
            Data::F64(x) => x.len(),
        }
    }

    /// Room for new elements of type `T`: an empty vector that keeps its allocation. Clears the poison.
    pub fn begin<T: Element>(&mut self) -> &mut Vec<T> {
        self.poison = None;
        let elements = T::vec(&mut self.data);
        elements.clear();
        elements
    }

    /// The poison code of an element, 0 where it is defined.
    pub fn poison_at(&self, element: usize) -> u32 {
        self.poison.as_ref().map_or(0, |codes| codes[element])
    }

    /// Marks the elements that are undefined in `other`, in the same shape, as undefined here too.
    pub fn inherit_poison(&mut self, other: &Tile) {
        if let Some(theirs) = &other.poison {
            self.add_poison(theirs.clone());
        }
    }

    /// Marks elements as undefined by codes for each element; elements already undefined keep their code.
    pub fn add_poison(&mut self, codes: Vec<u32>) {
        match &mut self.poison {
            None => self.poison = Some(codes),
            Some(ours) => {
                for (a, b) in ours.iter_mut().zip(codes) {
                    if *a == 0 {
                        *a = b;
                    }
                }
            }
        }
    }
}

/// Why an element is undefined, and by which operation; stored as a non-zero code per element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Poison {
    /// Index of the operation in the kernel.
    pub op: usize,
    pub why: Why,
}

/// The ways for an element to become undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// Not loaded because the mask did not hold, and no `other` given.
    MaskedOff,
    /// Integer division by zero.
    ByZero,
    /// Integer division of the smallest number by -1.
    Overflow,
    /// Gathered from outside of the tile.
    OutsideOfAxis,
}

impl Poison {
    pub fn code(op: OpId, why: Why) -> u32 {
        1 + 4 * op.index() as u32 + why as u32
    }

    /// The reason of a non-zero code.
    pub fn from_code(code: u32) -> Poison {
        let why = match (code - 1) % 4 {
            0 => Why::MaskedOff,
            1 => Why::ByZero,
            2 => Why::Overflow,
            _ => Why::OutsideOfAxis,
        };
        Poison {
            op: ((code - 1) / 4) as usize,
            why,
        }
    }
}

/// How an element of this type is kept: pointers are 64-bit integers.
pub(crate) fn storage(ty: Type) -> Scalar {
    match ty.elem {
        Elem::Scalar(s) => s,
        Elem::Ptr(_) => Scalar::I64,
    }
}

/// A Rust type that holds the elements of one scalar type.
pub(crate) trait Element: Copy + Default + PartialEq + Send + Sync + 'static {
    /// The unsigned integer of its width in memory.
    type Raw: Raw;

    fn slice(data: &Data) -> &[Self];
    /// The vector of elements of this type, put in place of one of another type.
    fn vec(data: &mut Data) -> &mut Vec<Self>;
    fn to_raw(self) -> Self::Raw;
    fn from_raw(raw: Self::Raw) -> Self;

    fn from_const(value: Const) -> Self {
        Self::from_raw(Self::Raw::from_u64(value.bits()))
    }
}

macro_rules! element {
    ($($ty:ty, $variant:ident, $raw:ty, |$v:ident| $to:expr, |$r:ident| $from:expr;)*) => {
        $(impl Element for $ty {
            type Raw = $raw;

            fn slice(data: &Data) -> &[Self] {
                match data {
                    Data::$variant(elements) => elements,
                    // Kernels are verified before they run.
                    other => unreachable!("a value of type {} holds {other:?}", stringify!($ty)),
                }
            }

            fn vec(data: &mut Data) -> &mut Vec<Self> {
                if !matches!(data, Data::$variant(_)) {
                    *data = Data::$variant(Vec::new());
                }
                match data {
                    Data::$variant(elements) => elements,
                    _ => unreachable!(),
                }
            }

            fn to_raw(self) -> $raw {
                let $v = self;
                $to
            }

            fn from_raw($r: $raw) -> Self {
                $from
            }
        })*
    };
}

element! {
    bool, I1, u8, |v| u8::from(v), |r| r != 0;
    i8, I8, u8, |v| v as u8, |r| r as i8;
    i16, I16, u16, |v| v as u16, |r| r as i16;
    i32, I32, u32, |v| v as u32, |r| r as i32;
    i64, I64, u64, |v| v as u64, |r| r as i64;
    f16, F16, u16, |v| v.to_bits(), |r| f16::from_bits(r);
    bf16, BF16, u16, |v| v.to_bits(), |r| bf16::from_bits(r);
    f32, F32, u32, |v| v.to_bits(), |r| f32::from_bits(r);
    f64, F64, u64, |v| v.to_bits(), |r| f64::from_bits(r);
}

/// Evaluates an expression with `$t` standing for the Rust type of a [`Scalar`].
macro_rules! each_scalar {
    ($scalar:expr, $t:ident => $body:expr) => {{
        use mytriton_ssa::Scalar as S;
        match $scalar {
            S::I1 => {
                type $t = bool;
                $body
            }
            S::I8 => {
                type $t = i8;
                $body
            }
            S::I16 => {
                type $t = i16;
                $body
            }
            S::I32 => {
                type $t = i32;
                $body
            }
            S::I64 => {
                type $t = i64;
                $body
            }
            S::F16 => {
                type $t = half::f16;
                $body
            }
            S::BF16 => {
                type $t = half::bf16;
                $body
            }
            S::F32 => {
                type $t = f32;
                $body
            }
            S::F64 => {
                type $t = f64;
                $body
            }
        }
    }};
}

/// The same for a scalar that is known to be an integer.
macro_rules! each_int {
    ($scalar:expr, $t:ident => $body:expr) => {{
        use mytriton_ssa::Scalar as S;
        match $scalar {
            S::I1 => {
                type $t = bool;
                $body
            }
            S::I8 => {
                type $t = i8;
                $body
            }
            S::I16 => {
                type $t = i16;
                $body
            }
            S::I32 => {
                type $t = i32;
                $body
            }
            S::I64 => {
                type $t = i64;
                $body
            }
            other => unreachable!("an integer operation on {other}"),
        }
    }};
}

/// The same for a scalar that is known to be a floating-point number.
macro_rules! each_float {
    ($scalar:expr, $t:ident => $body:expr) => {{
        use mytriton_ssa::Scalar as S;
        match $scalar {
            S::F16 => {
                type $t = half::f16;
                $body
            }
            S::BF16 => {
                type $t = half::bf16;
                $body
            }
            S::F32 => {
                type $t = f32;
                $body
            }
            S::F64 => {
                type $t = f64;
                $body
            }
            other => unreachable!("a floating-point operation on {other}"),
        }
    }};
}

pub(crate) use {each_float, each_int, each_scalar};

/// Appends `f` of each element to `out`.
pub(crate) fn map1<A: Copy, R>(a: &[A], out: &mut Vec<R>, f: impl Fn(A) -> R) {
    out.extend(a.iter().map(|&a| f(a)));
}

/// Appends `f` of each pair of elements to `out`.
pub(crate) fn map2<A: Copy, B: Copy, R>(a: &[A], b: &[B], out: &mut Vec<R>, f: impl Fn(A, B) -> R) {
    out.extend(a.iter().zip(b).map(|(&a, &b)| f(a, b)));
}
