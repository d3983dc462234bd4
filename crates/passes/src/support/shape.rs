//! Shapes of tiles as layouts see them.

/// The extents rounded up to powers of two, as a layout has them.
pub fn padded(shape: &[u64]) -> Vec<u32> {
    shape
        .iter()
        .map(|&extent| (extent as u32).next_power_of_two())
        .collect()
}

/// Does a reshape between tiles padded to powers of two keep every element's row-major place? So that it is one of the
/// layout alone.
///
/// Padding moves no element where only the leading extent is padded. Trailing extents that both shapes share are as they
/// may be.
pub fn keeps_places(from: &[u64], to: &[u64]) -> bool {
    let long = |shape: &[u64]| -> Vec<u64> { shape.iter().copied().filter(|&extent| extent != 1).collect() };
    let (mut from, mut to) = (long(from), long(to));
    while from.last().is_some() && from.last() == to.last() {
        from.pop();
        to.pop();
    }
    let plain = |shape: &[u64]| shape.iter().skip(1).all(|extent| extent.is_power_of_two());
    plain(&from) && plain(&to)
}

#[cfg(test)]
mod tests {
    use super::{keeps_places, padded};

    /// The place of each element, in order, in the padded tile.
    fn places(shape: &[u64]) -> Vec<u64> {
        let wide = padded(shape);
        let place = |mut index: u64| {
            let (mut place, mut stride) = (0, 1);
            for (&extent, &wide) in shape.iter().zip(&wide).rev() {
                place += index % extent * stride;
                stride *= u64::from(wide);
                index /= extent;
            }
            place
        };
        (0..shape.iter().product()).map(place).collect()
    }

    #[test]
    fn elements_stay_where_it_says_so() {
        let shapes: &[&[u64]] = &[
            &[24],
            &[3, 8],
            &[8, 3],
            &[2, 4, 3],
            &[4, 6],
            &[6, 4],
            &[1, 24],
            &[24, 1],
            &[3, 2, 4],
            &[2, 3, 4],
            &[1, 3, 1, 8],
            &[12, 2],
        ];
        let mut kept = 0;
        for (from, to) in shapes.iter().flat_map(|from| shapes.iter().map(move |to| (*from, *to))) {
            if keeps_places(from, to) {
                assert_eq!(places(from), places(to), "{from:?} to {to:?}");
                kept += 1;
            }
        }
        assert!(kept > shapes.len(), "more than every shape to itself: {kept}");
        assert!(keeps_places(&[3, 8], &[24]) && keeps_places(&[8, 3], &[2, 4, 3]));
        assert!(!keeps_places(&[8, 3], &[24]));
    }
}
