//! The optimiser of the typed SSA: rewrites a kernel into a smaller one that means the same.
//!
//! Notation of the files here: `x`, `y` are any values, `c` a constant, `=` reads "becomes". Each rewrite stands below
//! its equation and is right by itself.
//!
//! A round has three phases; rounds repeat until one changes nothing.
//! 1. [`simplify`]: one walk in program order that folds constants, applies the equations, merges equal operations
//!    ([`table`]) and flattens control flow whose course is known.
//! 2. [`licm`]: moves operations that do not change in a loop out of it.
//! 3. [`dce`]: removes what nothing uses, carried values and results of regions included.
//!
//! What is preserved: every value stored to memory, bit for bit but for the payload of NaNs; so `-0.0`, NaN and the
//! order of float operations stay. What may change: an unspecified value (a division by zero, an element that a mask
//! kept from being loaded) may become any value, and a load whose value is unused goes, as does a check that the CPU
//! device would have made on what goes. No check fails that did not fail before: what could is never run earlier or more
//! often than it was. Loops whose end is not certain (`while`) stay.
//!
//! The kernel must have passed the verifier; the result passes it again.

mod arithmetic;
mod cast;
mod compare;
mod control;
mod dce;
mod fold;
mod licm;
mod memory;
mod reduction;
mod shape;
mod simplify;
mod table;

use crate::kernel::Kernel;

/// How much the optimiser does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum OptLevel {
    /// Nothing: the kernel stays as it was built.
    None,
    /// Folding, identities, known control flow, dead code: each operation looked at by itself.
    Basic,
    /// Also merges equal operations and moves invariant ones out of loops.
    #[default]
    Full,
}

/// A round can make work for the next (a folded bound opens a loop), so the number of rounds follows the nesting and
/// the chains of the kernel; in practice two or three. The bound keeps compile time linear if a kernel has more.
const MAX_ROUNDS: usize = 64;

/// A phase of the optimiser.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Folds, applies equations, flattens known control flow.
    Simplify {
        /// Merge equal operations too?
        merge: bool,
    },
    /// Moves what does not change in a loop out of it.
    HoistInvariants,
    /// Removes what nothing uses.
    RemoveDead,
}

impl Phase {
    /// The phases of a round of a level, in order.
    pub const fn of(level: OptLevel) -> &'static [Phase] {
        match level {
            OptLevel::None => &[],
            OptLevel::Basic => &[Phase::Simplify { merge: false }, Phase::RemoveDead],
            OptLevel::Full => &[
                Phase::Simplify { merge: true },
                Phase::HoistInvariants,
                Phase::RemoveDead,
            ],
        }
    }

    /// Runs it once. Did it change the kernel?
    pub fn run(self, kernel: &mut Kernel) -> bool {
        match self {
            Phase::Simplify { merge } => simplify::simplify(kernel, merge),
            Phase::HoistInvariants => licm::hoist_invariants(kernel),
            Phase::RemoveDead => dce::remove_dead(kernel),
        }
    }
}

/// Optimises a kernel in place. Optimising the result again changes nothing.
pub fn optimise(kernel: &mut Kernel, level: OptLevel) {
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for phase in Phase::of(level) {
            changed |= phase.run(kernel);
        }
        if !changed {
            break;
        }
    }
}
