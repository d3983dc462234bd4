//! Which products there are (PTX ISA, "mma.sync", "wgmma.mma_async": tables of shapes and types).

use super::{Accumulator, Fragment, Input, Left, Mma, ROWS, Wgmma};

/// A product that the executor does not know.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)] // The messages name the fields.
pub enum ShapeError {
    #[error("the executor does not know products of {a:?} and {b:?} with sums of {accumulator:?}")]
    Types {
        a: Input,
        b: Input,
        accumulator: Accumulator,
    },
    #[error("a product of k = {k}: of {input:?} it must be {expected:?}")]
    K { k: u16, input: Input, expected: [u16; 2] },
    #[error("a product of n = {n}: it must be a multiple of 8 from 8 to 256; of integers, from 32 on a multiple of 16")]
    N { n: u16 },
    #[error("{given} registers of {bits} bits for a lane's share of {matrix}: it must be {expected}")]
    Registers {
        matrix: char,
        given: u32,
        bits: u8,
        expected: usize,
    },
    #[error("a transposed {input:?} matrix: only those of 16-bit elements may lie so")]
    Transposed { input: Input },
    #[error("only sums of integers can saturate")]
    Saturate,
}

/// Which types go together.
fn check_types([a, b]: [Input; 2], accumulator: Accumulator, saturate: bool) -> Result<(), ShapeError> {
    use Accumulator::{F16, F32, S32};
    let same_kind = match a {
        Input::S8 | Input::U8 => matches!(b, Input::S8 | Input::U8),
        Input::E4M3 | Input::E5M2 => matches!(b, Input::E4M3 | Input::E5M2),
        _ => a == b,
    };
    let fits = match a {
        Input::S8 | Input::U8 => accumulator == S32,
        Input::F16 | Input::E4M3 | Input::E5M2 => matches!(accumulator, F16 | F32),
        Input::BF16 | Input::TF32 => accumulator == F32,
    };
    if !(same_kind && fits) {
        return Err(ShapeError::Types { a, b, accumulator });
    }
    if saturate && accumulator != S32 {
        return Err(ShapeError::Saturate);
    }
    Ok(())
}

/// Has a fragment registers for so many elements of so many bits?
fn check_fragment(matrix: char, of: Fragment, elements: usize, bits: u32) -> Result<(), ShapeError> {
    let known = matches!(of.bits, 8 | 16 | 32) && u32::from(of.bits) >= bits;
    let expected = elements * bits as usize / usize::from(of.bits.max(1));
    if known && of.regs.len as usize == expected {
        return Ok(());
    }
    Err(ShapeError::Registers {
        matrix,
        given: of.regs.len,
        bits: of.bits,
        expected,
    })
}

impl Mma {
    /// Whether there is such a product, and its fragments have the registers that it needs.
    ///
    /// # Errors
    /// What does not fit.
    pub fn check(&self) -> Result<(), ShapeError> {
        check_types(self.inputs, self.accumulator, self.saturate)?;
        let [input, _] = self.inputs;
        let expected = match input {
            Input::TF32 => [4, 8],
            Input::F16 | Input::BF16 => [8, 16],
            Input::S8 | Input::U8 => [16, 32],
            Input::E4M3 | Input::E5M2 => [32, 32],
        };
        if !expected.contains(&self.k) {
            let k = self.k;
            return Err(ShapeError::K { k, input, expected });
        }
        let (k, bits) = (usize::from(self.k), input.bits());
        check_fragment('A', self.a, ROWS * k / 32, bits)?;
        check_fragment('B', self.b, 8 * k / 32, bits)?;
        check_fragment('C', self.c, 4, self.accumulator.bits())?;
        check_fragment('D', self.d, 4, self.accumulator.bits())
    }
}

impl Wgmma {
    /// Extent of the sum: 32 bytes of A's elements.
    pub fn k(&self) -> u16 {
        256 / self.inputs[0].bits() as u16
    }

    /// Whether there is such a product, and its fragments have the registers that it needs.
    ///
    /// # Errors
    /// What does not fit.
    pub fn check(&self) -> Result<(), ShapeError> {
        check_types(self.inputs, self.accumulator, self.saturate)?;
        let [input, right] = self.inputs;
        let n = self.n;
        let step = if input.bits() == 8 && self.accumulator == Accumulator::S32 && n > 24 {
            16
        } else {
            8
        };
        if !(8..=256).contains(&n) || !n.is_multiple_of(step) {
            return Err(ShapeError::N { n });
        }
        match self.a {
            Left::Registers(a) => {
                check_fragment('A', a, ROWS * usize::from(self.k()) / 32, input.bits())?;
            }
            Left::Shared { transposed, .. } if transposed && input.bits() != 16 => {
                return Err(ShapeError::Transposed { input });
            }
            Left::Shared { .. } => {}
        }
        if self.b_transposed && right.bits() != 16 {
            return Err(ShapeError::Transposed { input: right });
        }
        let elements = ROWS * usize::from(n) / 32;
        check_fragment('C', self.c, elements, self.accumulator.bits())?;
        check_fragment('D', self.d, elements, self.accumulator.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Regs;

    fn fragment(len: u32, bits: u8) -> Fragment {
        let regs = Regs { start: 0, len };
        Fragment { regs, bits }
    }

    fn wgmma(n: u16, input: Input, accumulator: Accumulator, d: Fragment) -> Wgmma {
        Wgmma {
            n,
            inputs: [input; 2],
            accumulator,
            saturate: false,
            d,
            c: d,
            a: Left::Shared {
                descriptor: 0,
                transposed: false,
            },
            b: 0,
            b_transposed: false,
            scale_d: 0,
            negate: [false; 2],
        }
    }

    #[test]
    fn shapes_of_warp_groups() {
        use Accumulator::{F16, F32, S32};
        let check = |n, input, accumulator, registers, bits| {
            let made = wgmma(n, input, accumulator, fragment(registers, bits)).check();
            made.map_err(|error| error.to_string())
        };
        assert_eq!(check(24, Input::BF16, F32, 12, 32), Ok(()));
        assert_eq!(check(256, Input::F16, F16, 64, 32), Ok(()));
        assert_eq!(check(256, Input::F16, F16, 128, 16), Ok(()));
        assert_eq!(check(24, Input::S8, S32, 12, 32), Ok(()));
        for error in [
            check(40, Input::S8, S32, 20, 32),
            check(12, Input::F16, F32, 6, 32),
            check(264, Input::F16, F32, 132, 32),
            check(8, Input::F16, F32, 3, 32),
            check(8, Input::F16, F32, 8, 16),
            check(8, Input::BF16, F16, 2, 32),
            check(8, Input::S8, F32, 4, 32),
        ] {
            assert!(error.is_err());
        }
        let mut transposed = wgmma(8, Input::TF32, F32, fragment(4, 32));
        transposed.b_transposed = true;
        assert_eq!(transposed.check(), Err(ShapeError::Transposed { input: Input::TF32 }));
        transposed.b_transposed = false;
        transposed.a = Left::Shared {
            descriptor: 0,
            transposed: true,
        };
        assert_eq!(transposed.check(), Err(ShapeError::Transposed { input: Input::TF32 }));
        transposed.inputs = [Input::BF16; 2];
        assert_eq!(transposed.check(), Ok(()), "elements of 16 bits");
        // Steps of 16 from 24 on are those of integers alone.
        for (input, accumulator, n, fits) in [
            (Input::S8, S32, 8, true),
            (Input::S8, S32, 32, true),
            (Input::S8, S32, 48, true),
            (Input::S8, S32, 56, false),
            (Input::E4M3, F32, 40, true),
            (Input::TF32, F32, 40, true),
            (Input::F16, F16, 40, true),
        ] {
            let registers = u32::from(n) / if accumulator == F16 { 4 } else { 2 };
            assert_eq!(
                check(n, input, accumulator, registers, 32).is_ok(),
                fits,
                "{input:?}, n = {n}"
            );
        }
        let mut mixed = wgmma(8, Input::E4M3, F32, fragment(4, 32));
        mixed.inputs[1] = Input::E5M2;
        assert_eq!(mixed.check(), Ok(()));
        mixed.inputs[1] = Input::S8;
        assert!(mixed.check().is_err());
        mixed.inputs[1] = Input::E4M3;
        mixed.saturate = true;
        assert_eq!(mixed.check(), Err(ShapeError::Saturate));
    }

    #[test]
    fn shapes_of_warps() {
        let mut mma = Mma {
            k: 16,
            inputs: [Input::F16; 2],
            accumulator: Accumulator::F32,
            saturate: false,
            d: fragment(4, 32),
            a: fragment(4, 32),
            b: fragment(4, 16),
            c: fragment(4, 32),
        };
        assert_eq!(mma.check(), Ok(()));
        mma.k = 32;
        let text = mma.check().unwrap_err().to_string();
        assert_eq!(text, "a product of k = 32: of F16 it must be [8, 16]");
        mma.k = 8;
        let text = mma.check().unwrap_err().to_string();
        assert_eq!(text, "4 registers of 32 bits for a lane's share of A: it must be 2");
    }
}
