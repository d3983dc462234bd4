//! Matrix instructions: "ldmatrix", "stmatrix", "mma.sync", and the products of a warp group, "wgmma".
//!
//! All are instructions of whole warps. Which lane holds which element is that of the PTX ISA's figures (`fragment.rs`).
//!
//! A *wgmma* is asynchronous. From its issue to the "wgmma.wait_group" that covers it
//! - the shared memory that it reads is in flight: a write in between is a finding, and what was written before must be
//!   known to the async proxy;
//! - the registers of D, and of A where A is in registers, are *pending*: whatever else uses them is a finding, but for
//!   products of the same shape that add to the same D (`pending.rs`).
//!
//! A warp's products complete in the order of their issue, each when the scheduler likes, at the latest at that wait. Each
//! warp of a group computes its own 16 rows of D; that all four come to the same products is checked. The lowest lane of
//! a warp stands for all where it comes to what they know of others' accesses.
//!
//! Sums: products are exact, a product's sum over k is taken in `f64` in the order of k, C is added to it, and the result
//! rounded once. Tensor cores align and truncate instead, which is within a few units of the last place of the largest
//! summand (Fasi et al., "Numerical behavior of NVIDIA tensor cores", PeerJ CS 2021): comparisons need a tolerance.
//! Integers are exact.

mod descriptor;
mod element;
mod fragment;
mod group;
mod pending;
mod product;
mod shape;

pub(crate) use descriptor::{Descriptor, PIECE, Pieces, ranges};
pub use element::{Accumulator, Input};
pub(crate) use fragment::{coords_a, coords_b, coords_d, slot};
pub(crate) use group::{Agreement, Call, GroupCalls};
pub(crate) use pending::{Flight, Registers, Use, Uses};
pub(crate) use product::{Tile, multiply};
pub use shape::ShapeError;

use crate::program::{Reg, Regs};

/// Rows of D that a warp computes.
pub(crate) const ROWS: usize = 16;

/// A lane's share of a matrix: its elements from the lowest register on, and in a register from the lowest bit on. Those
/// of 16 and 8 bits may have a register each, or share one as they do in PTX.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// The registers.
    pub regs: Regs,
    /// Bits that each holds: 8, 16 or 32, and no fewer than an element has.
    pub bits: u8,
}

/// An instruction of a whole warp on matrices. Names are those of the PTX ISA.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)] // The variants' text names the fields.
pub enum MatrixInstr {
    /// "ldmatrix.m8n8.b16": loads one 8x8 matrix for each register (1, 2 or 4) of `dst`, whose rows begin at the addresses
    /// that lanes 0-7, 8-15 and so on give.
    Load { dst: Regs, address: Reg, transpose: bool },
    /// "stmatrix.m8n8.b16": stores likewise.
    Store { src: Regs, address: Reg, transpose: bool },
    /// "mma.sync".
    Mma(Mma),
    /// "wgmma.mma_async".
    Wgmma(Wgmma),
    /// "wgmma.fence".
    WgmmaFence,
    /// "wgmma.commit_group".
    WgmmaCommit,
    /// "wgmma.wait_group": until at most so many of the warp's groups are pending.
    WgmmaWait { pending: u32 },
}

/// `D = A B + C` of a warp: D and C are 16x8, A (row-major) is 16xk, B (column-major) kx8.
#[derive(Clone, PartialEq, Debug)]
pub struct Mma {
    /// Extent of the sum.
    pub k: u16,
    /// Types of A's and B's elements.
    pub inputs: [Input; 2],
    /// Type of the elements of C and D.
    pub accumulator: Accumulator,
    /// Integers: keep sums in the type's range rather than wrap.
    pub saturate: bool,
    /// The result.
    pub d: Fragment,
    /// A.
    pub a: Fragment,
    /// B.
    pub b: Fragment,
    /// C.
    pub c: Fragment,
}

/// Where a wgmma takes A from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // The variants' text names the fields.
pub enum Left {
    /// From shared memory, by a matrix descriptor.
    Shared { descriptor: Reg, transposed: bool },
    /// From registers.
    Registers(Fragment),
}

/// `D = A B + C` of a warp group, asynchronously: D is 64xn, A 64xk, B kxn, with k of 32 bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct Wgmma {
    /// Columns of D: a multiple of 8 up to 256.
    pub n: u16,
    /// Types of A's and B's elements.
    pub inputs: [Input; 2],
    /// Type of D's elements.
    pub accumulator: Accumulator,
    /// Integers: keep sums in the type's range rather than wrap.
    pub saturate: bool,
    /// The result.
    pub d: Fragment,
    /// What is added: the registers of D, or others, whose numbers D's take when the product is issued. [`Program::allocate`]
    /// makes them those of D where nobody wants their numbers afterwards.
    ///
    /// [`Program::allocate`]: crate::Program::allocate
    pub c: Fragment,
    /// A.
    pub a: Left,
    /// B's matrix descriptor.
    pub b: Reg,
    /// "imm-trans-b": B lies with its columns' index fastest (MN-major). 16-bit elements only, as for A.
    pub b_transposed: bool,
    /// "scale-d": adds C where not zero.
    pub scale_d: Reg,
    /// "imm-scale-a", "imm-scale-b": changes the sign of A, of B.
    pub negate: [bool; 2],
}

impl MatrixInstr {
    /// The lists of registers that it names, and whether it writes them.
    pub(crate) fn lists(&self) -> [(Regs, bool); 4] {
        let none = (Regs::default(), false);
        match self {
            MatrixInstr::Load { dst, .. } => [(*dst, true), none, none, none],
            MatrixInstr::Store { src, .. } => [(*src, false), none, none, none],
            MatrixInstr::Mma(mma) => [
                (mma.a.regs, false),
                (mma.b.regs, false),
                (mma.c.regs, false),
                (mma.d.regs, true),
            ],
            MatrixInstr::Wgmma(wgmma) => {
                let a = match wgmma.a {
                    Left::Registers(a) => a.regs,
                    Left::Shared { .. } => Regs::default(),
                };
                [(a, false), (wgmma.c.regs, false), (wgmma.d.regs, true), none]
            }
            MatrixInstr::WgmmaFence | MatrixInstr::WgmmaCommit | MatrixInstr::WgmmaWait { .. } => [none; 4],
        }
    }

    /// Calls with each register that it names by itself; it reads them all.
    pub(crate) fn for_each_reg(&mut self, mut f: impl FnMut(&mut Reg)) {
        match self {
            MatrixInstr::Load { address, .. } | MatrixInstr::Store { address, .. } => f(address),
            MatrixInstr::Wgmma(wgmma) => {
                if let Left::Shared { descriptor, .. } = &mut wgmma.a {
                    f(descriptor);
                }
                f(&mut wgmma.b);
                f(&mut wgmma.scale_d);
            }
            MatrixInstr::Mma(_)
            | MatrixInstr::WgmmaFence
            | MatrixInstr::WgmmaCommit
            | MatrixInstr::WgmmaWait { .. } => {}
        }
    }
}
