//! Where operands of `tile.join` and `tile.split` lie so that nothing moves between threads, and where results come to lie.
//!
//! A join's operands are wanted where its result is, the last dimension dropped: whichever half a thread needs, it has
//! both. A split wants both halves in one thread, as neighbouring registers.

use mytriton_layout::{Coords, DistributedLayout, LayoutError, LinearLayout};
use mytriton_tile_sys as sys;

type Result<T, E = LayoutError> = std::result::Result<T, E>;

/// The layout in which a join's operands are wanted for a result in `pair`; none for scalars, which all threads have.
///
/// # Errors
/// None for a layout of a tile.
pub fn halves_of_joined(pair: &DistributedLayout) -> Result<Option<DistributedLayout>> {
    match pair.rank() {
        0 | 1 => Ok(None),
        rank => pair.slice(rank - 1).map(Some),
    }
}

/// The layout that a join of operands in `half` has where nothing moves, and that a split into such wants of its source: one
/// more dimension of extent 2, in the lowest bit of the register.
///
/// # Errors
/// None for a layout of a tile.
pub fn pair_of(half: &DistributedLayout) -> Result<DistributedLayout> {
    let ins = sys::LayoutIndex::ALL.map(|index| {
        let mut bases: Vec<Coords> = half.linear().bases(index.name()).collect();
        bases.iter_mut().for_each(|basis| basis.push(0));
        if index == sys::LayoutIndex::Register {
            let mut second = Coords::from_elem(0, half.rank());
            second.push(1);
            bases.insert(0, second);
        }
        (index.name(), bases)
    });
    let extents = half.shape().into_iter().chain([2]).enumerate();
    let outs: Vec<(String, u32)> = extents.map(|(dim, extent)| (format!("dim{dim}"), extent)).collect();
    let outs: Vec<(&str, u32)> = outs.iter().map(|(name, extent)| (name.as_str(), *extent)).collect();
    DistributedLayout::new(LinearLayout::from_bases(ins, &outs)?)
}

/// The layout that the halves of a split of a source in `pair` have where nothing moves; none if threads do not have both of
/// what they would need, or the halves are scalars.
pub fn halves_of_split(pair: &DistributedLayout) -> Option<DistributedLayout> {
    let half = halves_of_joined(pair).ok()??;
    let last = pair.rank() - 1;
    let apart = ["lane", "warp", "block"]
        .iter()
        .any(|index| pair.linear().bases(index).any(|basis| basis[last] != 0));
    let wanted = pair_of(&half).ok()?;
    let mut held = (0..pair.num_registers())
        .map(|register| pair.coords(register, 0, 0))
        .collect::<Vec<_>>();
    held.sort();
    let all = (0..wanted.num_registers()).all(|register| held.binary_search(&wanted.coords(register, 0, 0)).is_ok());
    (all && !apart).then_some(half)
}

#[cfg(test)]
mod tests {
    use mytriton_layout::DistributedLayout;

    use super::{halves_of_joined, halves_of_split, pair_of};

    fn layout(text: &str, shape: &[u32]) -> DistributedLayout {
        DistributedLayout::parse_with_shape(text, shape).unwrap()
    }

    #[test]
    fn a_pair_is_the_lowest_bit_of_the_register() {
        let half = layout(
            "{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0]]}",
            &[64],
        );
        let pair = pair_of(&half).unwrap();
        let expected =
            "{register = [[0, 1], [1, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = [[0, 0]]}";
        assert_eq!(pair, layout(expected, &[64, 2]));
        assert_eq!(halves_of_joined(&pair).unwrap().as_ref(), Some(&half));
        assert_eq!(halves_of_split(&pair), Some(half));
    }

    #[test]
    fn scalars_have_no_layout() {
        let pair = layout(
            "{register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]]}",
            &[2],
        );
        assert_eq!(halves_of_joined(&pair), Ok(None));
        assert_eq!(halves_of_split(&pair), None);
    }

    #[test]
    fn halves_stay_in_a_thread_that_has_both() {
        let lanes = "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]]";
        let apart = layout(&format!("{{register = [[16, 0]], {lanes}, warp = []}}"), &[32, 2]);
        assert_eq!(halves_of_split(&apart), None);
        let lanes = "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]";
        let crossed = layout(&format!("{{register = [[32, 1]], {lanes}, warp = [[0, 1]]}}"), &[64, 2]);
        assert_eq!(halves_of_split(&crossed), None, "a thread has one half of each place");
        let both = layout(
            &format!("{{register = [[32, 1], [32, 0]], {lanes}, warp = []}}"),
            &[64, 2],
        );
        let half = "{register = [[32], [32]], lane = [[1], [2], [4], [8], [16]], warp = []}";
        assert_eq!(halves_of_split(&both), Some(layout(half, &[64])));
    }
}
