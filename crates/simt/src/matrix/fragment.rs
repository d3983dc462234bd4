//! Which lane holds which element (PTX ISA, "Matrix fragments for mma.m16n8k16" and others, "wgmma ... Register fragments").
//!
//! Elements of 32 bits together are a *word*. Four lanes walk a row in words, eight quadruples the rows; further words are
//! eight rows below, then a step to the right.

/// (row, k) of element `index` of a lane's share of A, of which `per_word` are in a word.
pub(crate) const fn coords_a(lane: usize, index: usize, per_word: usize) -> (usize, usize) {
    let (word, part) = (index / per_word, index % per_word);
    let row = lane / 4 + 8 * (word & 1);
    (row, (lane % 4) * per_word + part + 4 * per_word * (word >> 1))
}

/// (k, column) of element `index` of a lane's share of B.
pub(crate) const fn coords_b(lane: usize, index: usize, per_word: usize) -> (usize, usize) {
    let (word, part) = (index / per_word, index % per_word);
    ((lane % 4) * per_word + part + 4 * per_word * word, lane / 4)
}

/// (row, column) of element `index` of a lane's share of C or D, however wide its elements are.
pub(crate) const fn coords_d(lane: usize, index: usize) -> (usize, usize) {
    let row = lane / 4 + 8 * (index >> 1 & 1);
    (row, 8 * (index >> 2) + 2 * (lane % 4) + (index & 1))
}

/// In which register of a fragment, each of which holds `register_bits`, an element is, and at which bit.
pub(crate) const fn slot(index: usize, element_bits: u32, register_bits: u8) -> (usize, u32) {
    let at = index * element_bits as usize;
    let bits = register_bits as usize;
    (at / bits, (at % bits) as u32)
}

#[cfg(test)]
mod tests {
    use mytriton_layout::DistributedLayout;

    use super::*;

    /// All elements of a fragment are where the layout has them.
    fn agree(
        layout: &DistributedLayout,
        warps: u32,
        count: usize,
        coords: impl Fn(usize, usize, usize) -> (usize, usize),
    ) {
        for warp in 0..warps {
            for lane in 0..32 {
                for index in 0..count {
                    let expected = layout.coords(index as u32, lane as u32, warp);
                    let (row, column) = coords(warp as usize, lane, index);
                    assert_eq!(
                        [row as u32, column as u32],
                        expected[..],
                        "warp {warp} lane {lane} element {index}"
                    );
                }
            }
        }
    }

    #[test]
    fn operands_are_where_the_layouts_have_them() {
        for (width, k) in [(2, 8), (2, 16), (1, 4), (1, 8), (4, 16), (4, 32)] {
            let count = ROWS_OF_A * k as usize / 32;
            let a = DistributedLayout::mma_operand_a([16, k], [1, 1], width).unwrap();
            agree(&a, 1, count, |_, lane, index| coords_a(lane, index, width as usize));
            let b = DistributedLayout::mma_operand_b([k, 8], [1, 1], width).unwrap();
            agree(&b, 1, count / 2, |_, lane, index| coords_b(lane, index, width as usize));
        }
    }

    const ROWS_OF_A: usize = 16;

    #[test]
    fn accumulators_are_where_the_layouts_have_them() {
        let mma = DistributedLayout::mma_accumulator([16, 8], [1, 1]).unwrap();
        agree(&mma, 1, 4, |_, lane, index| coords_d(lane, index));
        for n in [8, 64, 256] {
            let wgmma = DistributedLayout::wgmma_accumulator([64, n], [4, 1], n).unwrap();
            agree(&wgmma, 4, n as usize / 2, |warp, lane, index| {
                let (row, column) = coords_d(lane, index);
                (row + 16 * warp, column)
            });
        }
        let a = DistributedLayout::wgmma_operand_a([64, 16], [4, 1], 2).unwrap();
        agree(&a, 4, 8, |warp, lane, index| {
            let (row, k) = coords_a(lane, index, 2);
            (row + 16 * warp, k)
        });
    }

    #[test]
    fn elements_share_registers_or_have_their_own() {
        assert_eq!(slot(5, 16, 32), (2, 16));
        assert_eq!(slot(5, 16, 16), (5, 0));
        assert_eq!(slot(7, 8, 32), (1, 24));
        assert_eq!(slot(7, 8, 16), (3, 8));
        assert_eq!(slot(3, 32, 32), (3, 0));
    }
}
