//! How long the registers of a wgmma stay its own.
//!
//! They are pending until a wait covers the product, which no operand of that wait says: here, up to the next
//! "wgmma.wait_group 0" in the order of the code that every lane that comes by the product comes to, else to the end of
//! the code. A wait that is inside a branch or loop which the product is not in may be passed by. Where the wait is behind
//! a loop that the product is in, the registers are the product's from the top of that loop on, for the next iteration begins
//! with the product pending.

use super::{Instr, Pc};
use crate::matrix::MatrixInstr;

/// The parts of a branch: up to `otherwise` lanes whose condition holds, then the others up to `join`.
#[derive(Clone, Copy)]
struct Branch {
    at: Pc,
    otherwise: Pc,
    join: Pc,
}

/// The code as far as products and waits go.
pub(super) struct Products {
    branches: Vec<Branch>,
    waits: Vec<Pc>,
    end: Pc,
}

impl Products {
    pub fn new(code: &[Instr]) -> Products {
        let mut products = Products {
            branches: Vec::new(),
            waits: Vec::new(),
            end: code.len().saturating_sub(1) as Pc,
        };
        for (at, instr) in (0..).zip(code) {
            match *instr {
                Instr::Branch { otherwise, join, .. } => products.branches.push(Branch { at, otherwise, join }),
                Instr::Matrix(ref matrix) if **matrix == (MatrixInstr::WgmmaWait { pending: 0 }) => {
                    products.waits.push(at);
                }
                _ => {}
            }
        }
        products
    }

    /// The last position at which the product issued at one may be pending, the way back to the top of a loop left out.
    pub fn pending_until(&self, product: Pc) -> Pc {
        let mut waits = self.waits.iter().copied().filter(|&wait| wait > product);
        waits
            .find(|&wait| !self.branches.iter().any(|branch| branch.passes_by(product, wait)))
            .unwrap_or(self.end)
    }
}

impl Branch {
    /// May lanes that come by the product not come to the wait, as far as this branch goes?
    fn passes_by(self, product: Pc, wait: Pc) -> bool {
        let part = |pc: Pc| match pc {
            _ if pc <= self.at || pc >= self.join => None,
            _ => Some(pc >= self.otherwise),
        };
        part(wait).is_some() && part(wait) != part(product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(pending: u32) -> Instr {
        Instr::Matrix(Box::new(MatrixInstr::WgmmaWait { pending }))
    }

    fn branch(otherwise: Pc, join: Pc) -> Instr {
        Instr::Branch {
            cond: 0,
            otherwise,
            join,
        }
    }

    fn until(product: Pc, code: &[Instr]) -> Pc {
        Products::new(code).pending_until(product)
    }

    #[test]
    fn waits_cover_what_comes_to_them() {
        let (here, join) = (Instr::Barrier, Instr::Join);
        assert_eq!(until(0, &[here.clone(), wait(1), wait(0), Instr::End]), 2);
        assert_eq!(until(0, &[here.clone(), wait(1), Instr::End]), 2);
        // In a part of a branch, the other part, or none.
        let code = [
            branch(4, 6),
            here.clone(),
            wait(0),
            Instr::Jump { to: 6 },
            here.clone(),
            wait(0),
            join,
            here,
            Instr::End,
        ];
        assert_eq!([1, 4, 7].map(|product| until(product, &code)), [2, 5, 8]);
        let mut one_sided = code.clone();
        one_sided[2] = Instr::Barrier;
        assert_eq!(until(1, &one_sided), 8);
        let mut before = code;
        (before[0], before[1]) = (Instr::Barrier, branch(4, 6));
        assert_eq!(until(0, &before), 8);
    }
}
