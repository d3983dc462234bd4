//! Row-major index arithmetic.

use mytriton_ssa::Permutation;

/// Appends the tile stretched from extents `from` to extents `to` of the same rank: each is kept or was 1.
pub(crate) fn broadcast<T: Copy>(x: &[T], from: &[u32], to: &[u32], out: &mut Vec<T>) {
    if from == to {
        out.extend_from_slice(x);
        return;
    }
    let ([extent, from @ ..], [stretched, to @ ..]) = (from, to) else {
        unreachable!("different extents of rank 0")
    };
    if extent == stretched {
        for part in x.chunks_exact(x.len() / *extent as usize) {
            broadcast(part, from, to, out);
        }
        return;
    }
    let start = out.len();
    broadcast(x, from, to, out);
    let (end, copies) = (out.len(), *stretched as usize - 1);
    if let [one] = out[start..] {
        out.resize(end + copies, one);
    } else {
        for _ in 0..copies {
            out.extend_from_within(start..end);
        }
    }
}

/// Appends the tile of extents `dims` with its dimensions in another order.
pub(crate) fn transpose<T: Copy>(x: &[T], dims: &[u32], order: &Permutation, out: &mut Vec<T>) {
    // Of each dimension of the result: its extent, and how far apart its elements are in `x`.
    let mut strides = vec![1; dims.len()];
    for axis in (1..dims.len()).rev() {
        strides[axis - 1] = strides[axis] * dims[axis] as usize;
    }
    let steps: Vec<(usize, usize)> = order.axes().map(|a| (dims[a] as usize, strides[a])).collect();
    walk(x, &steps, 0, out);
}

fn walk<T: Copy>(x: &[T], steps: &[(usize, usize)], from: usize, out: &mut Vec<T>) {
    match *steps {
        [] => out.push(x[from]),
        [(extent, stride)] => out.extend((0..extent).map(|i| x[from + i * stride])),
        [(extent, stride), ref inner @ ..] => {
            for i in 0..extent {
                walk(x, inner, from + i * stride, out);
            }
        }
    }
}

/// The index along each dimension of the element with this number.
pub(crate) fn unravel(mut element: usize, dims: &[u32]) -> Vec<u32> {
    let mut index = vec![0; dims.len()];
    for (i, &extent) in index.iter_mut().zip(dims).rev() {
        *i = (element % extent as usize) as u32;
        element /= extent as usize;
    }
    index
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Extents, and which of them are 1 before stretching.
    fn extents() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
        prop::collection::vec((1u32..5, any::<bool>()), 1..=5).prop_map(|dims| {
            let from = dims.iter().map(|&(d, one)| if one { 1 } else { d }).collect();
            (from, dims.iter().map(|&(d, _)| d).collect())
        })
    }

    proptest! {
        #[test]
        fn dimensions_change_places(
            (dims, order) in prop::collection::vec(1u32..5, 1..=5)
                .prop_flat_map(|dims| (Just(dims.clone()), Just((0..dims.len()).collect::<Vec<_>>()).prop_shuffle()))
        ) {
            let x: Vec<usize> = (0..dims.iter().product::<u32>() as usize).collect();
            let permutation = Permutation::new(&order).unwrap();
            let mut out = vec![usize::MAX];
            transpose(&x, &dims, &permutation, &mut out);
            prop_assert_eq!(out.len(), 1 + x.len());
            let moved: Vec<u32> = order.iter().map(|&a| dims[a]).collect();
            for (number, &found) in out[1..].iter().enumerate() {
                let (index, source) = (unravel(number, &moved), unravel(found, &dims));
                for (i, &a) in index.iter().zip(&order) {
                    prop_assert_eq!(*i, source[a]);
                }
            }
        }

        #[test]
        fn stretched_elements_come_from_index_0((from, to) in extents()) {
            let count = |dims: &[u32]| dims.iter().product::<u32>() as usize;
            let x: Vec<usize> = (0..count(&from)).collect();
            let mut out = vec![usize::MAX];
            broadcast(&x, &from, &to, &mut out);
            prop_assert_eq!(out.len(), 1 + count(&to));
            for (number, &found) in out[1..].iter().enumerate() {
                let index = unravel(number, &to);
                let source = index.iter().zip(&from).fold(0, |at, (&i, &d)| at * d + i.min(d - 1));
                prop_assert_eq!(found, source as usize);
            }
        }
    }
}
