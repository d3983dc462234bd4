//! A case: one kernel with everything that is needed to launch it.

use mytriton_ssa::{Const, Elem, Kernel, Scalar};

use crate::rule::Rule;

/// Buffers begin at addresses that are multiples of this many bytes, on every executor.
pub const BUFFER_ALIGNMENT: u32 = 16;

/// A kernel, its launch, and how the results are compared.
///
/// Its results are the contents of all buffers after the launch. They are the same on every executor, by each buffer's
/// [`Rule`], provided that `x * y + z` is not contracted (`fp_fusion` off) and buffers begin at multiples of
/// [`BUFFER_ALIGNMENT`] bytes: loops end, accesses are in bounds, no two programs race, no undefined value is observed,
/// and where several elements of a store have one address they have one value.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kernel as a front end would hand it over: verified, not optimised.
    pub kernel: Kernel,
    /// Programs along x, y and z.
    pub grid: [u32; 3],
    /// Warps of a program: a power of two.
    pub num_warps: u32,
    /// The memory of the launch.
    pub buffers: Vec<Buffer>,
    /// The arguments, one for each parameter of the kernel.
    pub args: Vec<Arg>,
}

/// Memory of a launch: elements of one type.
#[derive(Clone, PartialEq, Debug)]
pub struct Buffer {
    /// The type of its elements.
    pub elem: Scalar,
    /// Its content before the launch, little-endian; a whole number of elements.
    pub bytes: Vec<u8>,
    /// How its content after the launch is compared.
    pub rule: Rule,
}

/// An argument of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A pointer into a buffer. Several arguments that name one buffer have the same offset.
    Pointer {
        /// The buffer's number.
        buffer: usize,
        /// Elements from its first one.
        offset: usize,
    },
    /// A number of exactly the parameter's type.
    Scalar(Const),
}

/// Why a case is not one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CaseError {
    /// The kernel is not valid.
    #[error("the kernel is not valid: {0}")]
    Kernel(#[from] mytriton_ssa::VerifyErrors),
    /// The number of arguments.
    #[error("the kernel has {params} parameters, the case {args} arguments")]
    ArgumentCount {
        /// Parameters of the kernel.
        params: usize,
        /// Arguments of the case.
        args: usize,
    },
    /// An argument that does not fit its parameter.
    #[error("argument {index} ('{name}'): {problem}")]
    Argument {
        /// The argument's number, from 0.
        index: usize,
        /// The parameter's name.
        name: String,
        /// What does not fit.
        problem: String,
    },
    /// A buffer that does not hold whole elements.
    #[error("buffer {index} has {bytes} bytes, no whole number of {elem} elements")]
    Buffer {
        /// The buffer's number, from 0.
        index: usize,
        /// Its size.
        bytes: usize,
        /// The type of its elements.
        elem: Scalar,
    },
    /// The grid or the number of warps.
    #[error("{0}")]
    Launch(String),
}

impl Buffer {
    /// A buffer of elements given by their bits in memory, compared exactly.
    pub fn of_bits(elem: Scalar, bits: impl IntoIterator<Item = u64>) -> Buffer {
        let width = elem.bytes() as usize;
        let mut bytes = Vec::new();
        for element in bits {
            bytes.extend_from_slice(&element.to_le_bytes()[..width]);
        }
        Buffer {
            elem,
            bytes,
            rule: Rule::Exact,
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.elem.bytes() as usize
    }

    /// Has it no elements?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The bits of an element in memory.
pub(crate) fn bits_at(elem: Scalar, bytes: &[u8], index: usize) -> u64 {
    let width = elem.bytes() as usize;
    let mut bits = [0; 8];
    bits[..width].copy_from_slice(&bytes[index * width..][..width]);
    u64::from_le_bytes(bits)
}

impl Case {
    /// Checks that kernel, arguments, facts and launch fit together. What only a run can show (bounds, races, loops) is
    /// the oracle's to find.
    pub fn check(&self) -> Result<(), CaseError> {
        mytriton_ssa::verify(&self.kernel)?;
        let params = self.kernel.params();
        if params.len() != self.args.len() {
            return Err(CaseError::ArgumentCount {
                params: params.len(),
                args: self.args.len(),
            });
        }
        for (index, buffer) in self.buffers.iter().enumerate() {
            if !buffer.bytes.len().is_multiple_of(buffer.elem.bytes() as usize) {
                return Err(CaseError::Buffer {
                    index,
                    bytes: buffer.bytes.len(),
                    elem: buffer.elem,
                });
            }
        }
        for (index, (param, arg)) in params.iter().zip(&self.args).enumerate() {
            let problem = self.argument_problem(self.kernel.ty(param.value).elem, param.divisibility, arg);
            if let Some(problem) = problem {
                return Err(CaseError::Argument {
                    index,
                    name: param.name.clone(),
                    problem,
                });
            }
        }
        if !self.num_warps.is_power_of_two() || self.num_warps > 32 {
            let message = format!("{} warps: a power of two up to 32 is possible", self.num_warps);
            return Err(CaseError::Launch(message));
        }
        Ok(())
    }

    fn argument_problem(&self, expected: Elem, divisibility: u32, arg: &Arg) -> Option<String> {
        let multiple = match (*arg, expected) {
            (Arg::Scalar(value), Elem::Scalar(scalar)) if value.scalar() == scalar => {
                value.as_signed().is_none_or(|v| v % i64::from(divisibility) == 0)
            }
            (Arg::Pointer { buffer, offset }, Elem::Ptr(pointee)) => {
                let Some(data) = self.buffers.get(buffer) else {
                    return Some(format!("there is no buffer {buffer}"));
                };
                if data.elem != pointee {
                    return Some(format!("buffer {buffer} holds {}, not {pointee}", data.elem));
                }
                let same = |other: &Arg| match *other {
                    Arg::Pointer { buffer: b, offset: o } => b != buffer || o == offset,
                    Arg::Scalar(_) => true,
                };
                if !self.args.iter().all(same) {
                    return Some(format!("arguments lead to different elements of buffer {buffer}"));
                }
                let bytes = offset as u64 * u64::from(pointee.bytes());
                divisibility <= BUFFER_ALIGNMENT && bytes.is_multiple_of(u64::from(divisibility))
            }
            _ => return Some(format!("{arg:?} for a parameter of type {expected}")),
        };
        (!multiple).then(|| format!("{arg:?} is not a multiple of {divisibility}"))
    }

    /// The number of operations that can be reached, constants and terminators included.
    pub fn op_count(&self) -> usize {
        self.kernel.ops_in_order().len()
    }
}
