//! Layouts of a tile in shared memory in which one of two sides can access matrices.

use crate::gf2::{extend, intersection};

use super::choose::{Apart, Columns, apart};
use super::matrices::Roles;
use super::{ACCESS_BITS, BANK_BITS, WORD_BITS};

/// So many directions of one kind are tried.
const MAX_CHOICES: usize = 2;

/// What a side asks of a layout.
struct Wish {
    /// Directions that have no part along rows: registers but those within a word, threads but those along rows.
    elsewhere: Vec<u64>,
    /// What is accessed at once, and what lies in one word: no two of it may share a bank.
    at_once: Vec<u64>,
    /// So many directions of a row the threads of the other side leave alone.
    undisturbed: usize,
}

/// Bases of the offset of layouts in which side `wide` (0 for the source, 1 for the destination) can access matrices. The
/// other side accesses what it can: matrices if it `have`s them, or vectors.
///
/// A row of 16 bytes are directions D, as the side's registers and lanes have them. The rest of the tile is a space C
/// in which all else lies that the sides have. Of C the banks take what the two access at once, and what stands above the
/// banks meets neither, as in [`Staging::choose`](super::Staging::choose).
pub(super) fn matrix_layouts(sides: &[Columns; 2], wide: usize, have: [bool; 2], element: u32) -> Vec<Vec<u64>> {
    let mut layouts = Vec::new();
    let [own, other] = [&sides[wide], &sides[1 - wide]];
    for transposed in [false, true].into_iter().filter(|_| have[wide]) {
        let Some(roles) = Roles::new(&own.threads[..own.num_lane_bits], element, transposed) else {
            continue;
        };
        for inner in inner_directions(own, other, roles.inner) {
            let row = [&inner[..], roles.along].concat();
            let Some(wish) = by_matrices(own, &row, element, transposed) else {
                continue;
            };
            let matching = [false, true].into_iter().filter(|_| have[1 - wide]);
            let matching = matching.filter_map(|transposed| by_matrices(other, &row, element, transposed));
            let vectors = by_vectors(other, &row, &wish, element);
            layouts.extend(
                matching
                    .chain([vectors])
                    .filter_map(|others| bases(&row, [&wish, &others])),
            );
        }
    }
    layouts
}

/// Choices of the directions that follow one another in a register of this side: those that the other could have in a
/// vector too come first, then those along which its lanes lie.
fn inner_directions(own: &Columns, other: &Columns, count: usize) -> Vec<Vec<u64>> {
    let Some(before) = count.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let lanes = &other.threads[..other.num_lane_bits];
    let common = intersection(&own.registers, &other.registers);
    let along = intersection(&own.registers, lanes);
    let fill = [&common[..], &along, &own.registers].concat();
    let some = |directions: &[u64]| directions.iter().copied().take(MAX_CHOICES).collect::<Vec<_>>();
    let mut choices: Vec<Vec<u64>> = Vec::new();
    // The last of them is in question; those before it are the best of the others.
    for last in [&some(&common)[..], lanes, &some(&along), &some(&own.registers)].concat() {
        let before = extend(&[last], &fill).into_iter().take(before);
        let choice: Vec<u64> = before.chain([last]).collect();
        if choice.len() == count && !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    choices
}

/// A side that is to access matrices with these rows; none if its lanes and registers do not go along them.
fn by_matrices(side: &Columns, row: &[u64], element: u32, transposed: bool) -> Option<Wish> {
    let (lanes, warps) = side.threads.split_at(side.num_lane_bits);
    let roles = Roles::new(lanes, element, transposed)?;
    let (inner, along) = row.split_at(roles.inner);
    if along != roles.along || !extend(&side.registers, inner).is_empty() {
        return None;
    }
    let registers = extend(inner, &side.registers);
    // The register that is a bit of the row, if matrices are transposed.
    let first = registers.first().filter(|_| transposed);
    if transposed && first.is_none() {
        return None;
    }
    let first = first.map(std::slice::from_ref).unwrap_or_default();
    let at_once = [roles.across, first, row].concat();
    let elsewhere = [&registers[..], roles.across, warps].concat();
    (extend(&elsewhere, row).len() == row.len()).then_some(Wish {
        elsewhere,
        at_once,
        undisturbed: row.len(),
    })
}

/// A side that accesses vectors of a tile with these rows, as wide as may be beside what the other one asks for.
fn by_vectors(side: &Columns, row: &[u64], other: &Wish, element: u32) -> Wish {
    let undisturbed = (0..=row.len()).rev().find(|&count| {
        let (vector, rest) = row.split_at(count);
        let rest = [rest, &other.elsewhere, &side.threads].concat();
        extend(&side.registers, vector).is_empty() && extend(&rest, vector).len() == count
    });
    let undisturbed = undisturbed.unwrap_or(0);
    let access = element + undisturbed as u32;
    let within_words = (WORD_BITS.saturating_sub(element) as usize).max(undisturbed);
    Wish {
        elsewhere: side.threads.clone(),
        at_once: [&side.lanes(access)[..], &row[..within_words.min(row.len())]].concat(),
        undisturbed,
    }
}

/// The coordinates of the offset's bits; none if the two do not go together.
fn bases(row: &[u64], [own, other]: [&Wish; 2]) -> Option<Vec<u64>> {
    let (vector, rest) = row.split_at(other.undisturbed);
    let elsewhere = [&own.elsewhere[..], &other.elsewhere].concat();
    let spans = [rest, &elsewhere].concat();
    if extend(&spans, vector).len() != vector.len() {
        return None;
    }
    // What the side that is to access matrices has elsewhere is all of the tile but its rows.
    let complement = extend(row, &elsewhere);
    let [a, b] = [&own.at_once, &other.at_once].map(|at_once| intersection(at_once, &complement));
    let Apart {
        common,
        longer,
        mut rows,
    } = apart(&a, &b);
    rows.extend(extend(&[row, &a, &b].concat(), &complement));
    let banks = (BANK_BITS + WORD_BITS - ACCESS_BITS) as usize;
    let num_rows = complement.len().saturating_sub(banks).min(rows.len());
    let order = row.iter().chain(&rows[num_rows..]).chain(&common).chain(&longer);
    Some(order.chain(&rows[..num_rows]).copied().collect())
}
