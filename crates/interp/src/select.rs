//! Elements that come from elsewhere: joined, split, gathered and counted.

use mytriton_ssa::Scalar;

use crate::int::Int;
use crate::tile::{Tile, each_scalar};

/// Two tiles of one shape side by side along a new last dimension.
pub(crate) fn join(a: &Tile, b: &Tile, scalar: Scalar, out: &mut Tile) {
    each_scalar!(scalar, T => {
        let elements = out.begin::<T>();
        elements.extend(a.get::<T>().iter().zip(b.get::<T>()).flat_map(|(&a, &b)| [a, b]));
    });
    out.poison = (a.poison.is_some() || b.poison.is_some())
        .then(|| (0..a.len()).flat_map(|i| [a.poison_at(i), b.poison_at(i)]).collect());
}

/// The halves of a tile along its last dimension, which has extent 2.
pub(crate) fn split(x: &Tile, scalar: Scalar) -> [Tile; 2] {
    [0, 1].map(|half| {
        let mut out = Tile::empty();
        let every_other = |codes: &Vec<u32>| codes.iter().skip(half).step_by(2).copied().collect();
        each_scalar!(scalar, T => out.begin::<T>().extend(x.get::<T>().iter().skip(half).step_by(2)));
        out.poison = x.poison.as_ref().map(every_other);
        out
    })
}

/// How a gather finds its elements: in lines of `extent` along the axis, those of the result of `indices`, with `inner`
/// elements between neighbours.
pub(crate) struct Choice {
    extent: usize,
    indices: usize,
    inner: usize,
}

impl Choice {
    /// From a tile of extents `from` by an index of extents `by`, which are equal but along the axis.
    pub fn of(from: &[u32], by: &[u32], axis: usize) -> Choice {
        Choice {
            extent: from[axis] as usize,
            indices: by[axis] as usize,
            inner: from[axis + 1..].iter().map(|&d| d as usize).product(),
        }
    }

    /// Of each element of the result, the number of the element that it comes from; none where the index is no coordinate
    /// of the axis.
    pub fn sources<I: Int>(&self, indices: &[I]) -> Vec<Option<usize>> {
        let source = |(element, index): (usize, &I)| {
            let outer = element / (self.indices * self.inner);
            let index = usize::try_from(index.unsigned()).ok().filter(|&i| i < self.extent)?;
            Some((outer * self.extent + index) * self.inner + element % self.inner)
        };
        indices.iter().enumerate().map(source).collect()
    }
}

/// The elements of `x` with these numbers; where there is none the result is undefined, by the code `outside`.
pub(crate) fn gather(x: &Tile, index: &Tile, scalar: Scalar, sources: &[Option<usize>], outside: u32, out: &mut Tile) {
    each_scalar!(scalar, T => {
        let from = x.get::<T>();
        out.begin::<T>().extend(sources.iter().map(|s| s.map_or(T::default(), |s| from[s])));
    });
    let undefined = sources.iter().any(Option::is_none) || x.poison.is_some() || index.poison.is_some();
    out.poison = undefined.then(|| {
        let code = |(element, source): (usize, &Option<usize>)| match (index.poison_at(element), source) {
            (0, Some(source)) => x.poison_at(*source),
            (0, None) => outside,
            (code, _) => code,
        };
        sources.iter().enumerate().map(code).collect()
    });
}

/// How many elements are 0, 1, ... below `bins`. One undefined element that may count makes every bin undefined.
pub(crate) fn histogram<T: Int>(x: &Tile, mask: Option<&Tile>, bins: usize, out: &mut Tile) {
    let mut counts = vec![0u32; bins];
    let mut code = 0;
    for (i, value) in x.get::<T>().iter().enumerate() {
        if let Some(mask) = mask {
            match mask.poison_at(i) {
                0 if !mask.get::<bool>()[i] => continue,
                0 => {}
                undefined => code = if code == 0 { undefined } else { code },
            }
        }
        if code == 0 {
            code = x.poison_at(i);
        }
        if let Some(count) = usize::try_from(value.unsigned()).ok().and_then(|v| counts.get_mut(v)) {
            *count += 1;
        }
    }
    // A tile has at most 2^20 elements.
    out.begin::<i32>().extend(counts.into_iter().map(|count| count as i32));
    out.poison = (code != 0).then(|| vec![code; bins]);
}
