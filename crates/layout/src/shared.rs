//! Layouts of tiles in shared memory: from `offset`, in elements, to the coordinate stored there.

use crate::linear::log2_size;
use crate::{Dim, LayoutError, LinearLayout};

type Result<T, E = LayoutError> = std::result::Result<T, E>;

/// The parameters of a row-into-column swizzle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Swizzle {
    /// Consecutive elements that stay together.
    pub vec: u32,
    /// Consecutive rows that share a phase.
    pub per_phase: u32,
    /// Number of distinct phases.
    pub max_phase: u32,
}

impl Swizzle {
    /// No swizzle.
    pub const NONE: Swizzle = Swizzle {
        vec: 1,
        per_phase: 1,
        max_phase: 1,
    };

    /// The column bits that a row xors in, before they are cut to the row's length.
    fn phase(self, row: u32) -> u32 {
        (row / self.per_phase % self.max_phase).wrapping_mul(self.vec)
    }
}

/// The swizzles that TMA and wgmma apply in hardware, by the number of bytes in a row of the pattern.
///
/// The unit is 16 bytes. On byte addresses, with W the width: `a ^ (((a >> 7) & (W / 16 - 1)) << 4)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HardwareSwizzle {
    /// 32-byte rows; 2 phases, each of 4 rows.
    B32,
    /// 64-byte rows; 4 phases, each of 2 rows.
    B64,
    /// 128-byte rows; 8 phases.
    B128,
}

impl HardwareSwizzle {
    /// Bytes in a row of the pattern.
    pub fn bytes(self) -> u32 {
        match self {
            HardwareSwizzle::B32 => 32,
            HardwareSwizzle::B64 => 64,
            HardwareSwizzle::B128 => 128,
        }
    }

    /// The pattern in elements of `element_bytes`.
    fn swizzle(self, element_bytes: u32) -> Swizzle {
        Swizzle {
            vec: 16 / element_bytes,
            per_phase: 128 / self.bytes(),
            max_phase: self.bytes() / 16,
        }
    }
}

/// A row-major tile (`order` lists its axes from the fastest) whose two fastest axes are swizzled.
///
/// A swizzle xors bits of the row into the column, so that the elements of one column lie in different banks while
/// each row stays a permutation of itself. A 4x8 tile under `vec` 2, `per_phase` 1, `max_phase` 4:
///
/// | | offsets 0,1 | 2,3 | 4,5 | 6,7 |
/// |---|---|---|---|---|
/// | row 0 | columns 0,1 | 2,3 | 4,5 | 6,7 |
/// | row 1 | 2,3 | 0,1 | 6,7 | 4,5 |
/// | row 2 | 4,5 | 6,7 | 0,1 | 2,3 |
/// | row 3 | 6,7 | 4,5 | 2,3 | 0,1 |
///
/// # Errors
/// Extents and parameters must be powers of two, `order` a permutation.
///
/// ```
/// use mytriton_layout::{Swizzle, swizzled};
/// let l = swizzled(&[4, 8], &[1, 0], Swizzle { vec: 2, per_phase: 1, max_phase: 4 })?;
/// assert_eq!(l.to_string(), "{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4]]}");
/// let table = [[0, 2, 4, 6], [2, 0, 6, 4], [4, 6, 0, 2], [6, 4, 2, 0]];
/// for (row, columns) in (0..).zip(table) {
///     for (pair, column) in (0..).zip(columns) {
///         for i in 0..2 {
///             assert_eq!(l.apply(&[("offset", 8 * row + 2 * pair + i)])?[..], [row, column + i]);
///         }
///     }
/// }
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
pub fn swizzled(shape: &[u32], order: &[usize], swizzle: Swizzle) -> Result<LinearLayout> {
    let Swizzle {
        vec,
        per_phase,
        max_phase,
    } = swizzle;
    if ![vec, per_phase, max_phase].iter().all(|n| n.is_power_of_two()) {
        return parameters(format!(
            "vec {vec}, per_phase {per_phase}, max_phase {max_phase} must be powers of two"
        ));
    }
    let rank = shape.len();
    if order.len() != rank || (0..rank).any(|axis| !order.contains(&axis)) {
        return parameters(format!("order {order:?} is not a permutation of the axes 0..{rank}"));
    }
    let dims: Vec<Dim> = (0..rank).map(Dim::out).collect();
    let mut bases: Vec<Vec<u32>> = Vec::new();
    for (depth, &axis) in order.iter().enumerate() {
        for bit in 0..log2_size(&dims[axis], shape[axis])? {
            let mut basis = vec![0; rank];
            basis[axis] = 1 << bit;
            if depth == 1 {
                let row_length = shape[order[0]];
                basis[order[0]] = swizzle.phase(1 << bit) & (row_length - 1);
            }
            bases.push(basis);
        }
    }
    let outs: Vec<(&str, u32)> = dims.iter().map(Dim::as_str).zip(shape.iter().copied()).collect();
    LinearLayout::from_bases([(Dim::OFFSET, bases)], &outs)
}

/// A two-dimensional tile as TMA writes it and wgmma reads it, rows contiguous: the 8-row pattern repeats over all
/// rows, and where rows are longer than the pattern, such columns of patterns follow one another.
///
/// The unit is 16 bytes. Which unit of its row an element's unit is stored in:
///
/// | bytes | units of a row | unit u of row r lies at | rows of a phase |
/// |---|---|---|---|
/// | 32 | 2 | u xor (r / 4 mod 2) | 4 |
/// | 64 | 4 | u xor (r / 2 mod 4) | 2 |
/// | 128 | 8 | u xor (r mod 8) | 1 |
///
/// # Errors
/// Extents must be powers of two, at least 8 rows and the pattern's width; elements have 1, 2, 4 or 8 bytes.
///
/// ```
/// use mytriton_layout::{HardwareSwizzle, hardware_swizzled};
/// let bf16 = hardware_swizzled([8, 64], 2, HardwareSwizzle::B128)?;
/// // Element (1, 0) lies in the second 16-byte unit of the second row.
/// let place = bf16.pseudo_invert()?;
/// assert_eq!(place.apply(&[("dim0", 1), ("dim1", 0)])?[..], [72]);
///
/// for (width, units, rows) in [(HardwareSwizzle::B32, 2, 4), (HardwareSwizzle::B64, 4, 2), (HardwareSwizzle::B128, 8, 1)] {
///     let place = hardware_swizzled([8, 8 * units], 2, width)?.pseudo_invert()?;
///     for (r, u) in (0..8).flat_map(|r| (0..units).map(move |u| (r, u))) {
///         let unit = place.apply(&[("dim0", r), ("dim1", 8 * u)])?[0] / 8;
///         assert_eq!(unit, r * units + (u ^ (r / rows % units)));
///     }
/// }
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
pub fn hardware_swizzled(shape: [u32; 2], element_bytes: u32, width: HardwareSwizzle) -> Result<LinearLayout> {
    if !matches!(element_bytes, 1 | 2 | 4 | 8) {
        return parameters(format!("elements of {element_bytes} bytes: 1, 2, 4 or 8 are possible"));
    }
    let columns = width.bytes() / element_bytes;
    if shape[0] < 8 || shape[1] < columns {
        return parameters(format!(
            "a tile of shape {shape:?} is smaller than the pattern of 8 x {columns}"
        ));
    }
    let pattern = swizzled(&[8, columns], &[1, 0], width.swizzle(element_bytes))?;
    pattern.resize_outs(&[("dim0", shape[0]), ("dim1", shape[1])], "offset")
}

fn parameters<T>(message: String) -> Result<T> {
    Err(LayoutError::Parameters {
        constructor: "shared",
        message,
    })
}
