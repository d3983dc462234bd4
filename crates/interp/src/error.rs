//! What can go wrong, told in the user's terms.

use std::fmt;

use mytriton_ssa::{Loc, Scalar, Type, VerifyErrors};

/// Why a launch failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InterpError {
    /// The kernel is not valid: it was never verified, or was changed since.
    #[error("the kernel is not valid: {0}")]
    InvalidKernel(#[from] VerifyErrors),
    /// The grid has more programs along a dimension than devices can launch.
    #[error("kernel '{kernel}': grid of {extent} programs along {axis}: at most {limit} are possible")]
    Grid {
        /// The kernel's name.
        kernel: String,
        /// The dimension: x, y or z.
        axis: char,
        /// The extent asked for.
        extent: u32,
        /// The largest possible one.
        limit: u32,
    },
    /// The grid has more programs than the check for races can tell apart.
    #[error(
        "kernel '{kernel}': grid of {programs} programs, too many to check for races: at most {limit} are possible"
    )]
    RaceCheckGrid {
        /// The kernel's name.
        kernel: String,
        /// The number of programs.
        programs: u64,
        /// The largest possible one.
        limit: u64,
    },
    /// The wrong number of arguments.
    #[error("kernel '{kernel}' takes {expected} argument(s), not {found}")]
    ArgumentCount {
        /// The kernel's name.
        kernel: String,
        /// How many parameters it has.
        expected: usize,
        /// How many arguments there are.
        found: usize,
    },
    /// An argument that does not fit its parameter.
    #[error("kernel '{kernel}', argument {index} ('{name}'): {problem}")]
    Argument {
        /// The kernel's name.
        kernel: String,
        /// The argument's number, from 0.
        index: usize,
        /// The parameter's name.
        name: String,
        /// Why it does not fit.
        problem: ArgumentProblem,
    },
    /// A program of the grid did what has no meaning. Of all programs that did, this is the one with the lowest number
    /// (x fastest), and its first fault. What the grid wrote until then stays written.
    #[error(transparent)]
    Program(#[from] Box<ProgramError>),
}

/// Why an argument does not fit its parameter.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArgumentProblem {
    /// A number of another type, or a number for a pointer, or a pointer for a number.
    #[error("the parameter is of type {expected}, the argument {found}")]
    Type {
        /// The parameter's type.
        expected: Type,
        /// What the argument is.
        found: String,
    },
    /// A buffer that was removed or belongs to another memory.
    #[error("the buffer does not exist (any more)")]
    NoSuchBuffer,
    /// A fact that the kernel was specialised for does not hold.
    #[error("{value} is not a multiple of {divisibility}, which this kernel was specialised for")]
    Divisibility {
        /// The number or address.
        value: String,
        /// What it should be a multiple of.
        divisibility: u32,
    },
}

/// A fault of one program of the grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramError {
    /// The kernel's name.
    pub kernel: String,
    /// The operation's place in the user's source.
    pub loc: Loc,
    /// The same as `file:line:column`, if known.
    pub place: Option<String>,
    /// The operation's name, or where the place is unknown its whole text form.
    pub op: String,
    /// The program's index in the grid.
    pub program: [u32; 3],
    /// The element's index within the tile that the operation works on; none where that is a scalar.
    pub element: Option<Vec<u32>>,
    /// What happened.
    pub fault: Fault,
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        let [x, y, z] = self.program;
        write!(f, "'{}' of kernel '{}', program ({x}, {y}, {z})", self.op, self.kernel)?;
        if let Some(element) = &self.element {
            write!(f, ", element (")?;
            for (i, index) in element.iter().enumerate() {
                write!(f, "{}{index}", if i > 0 { ", " } else { "" })?;
            }
            write!(f, ")")?;
        }
        write!(f, ": {}", self.fault)
    }
}

impl std::error::Error for ProgramError {}

/// The direction of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "reads",
            Access::Write => "writes",
        })
    }
}

/// What a program did that has no meaning.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// An access outside of the buffer that the address was made from.
    #[error(
        "{access} {elem} element {index} (byte {offset}) of buffer '{buffer}', which has {} ({len} bytes); {}",
        whole(*len, *elem),
        if *masked {
            "its mask holds for this element: does it compare with the right length?"
        } else {
            "is a mask missing?"
        }
    )]
    OutOfBounds {
        /// Load or store.
        access: Access,
        /// The type accessed.
        elem: Scalar,
        /// Which element of this type that is, counted from the buffer's first; below zero before it.
        index: i64,
        /// The same in bytes.
        offset: i64,
        /// The buffer's name, or that of the parameter it was passed as.
        buffer: String,
        /// The buffer's size in bytes.
        len: u64,
        /// Does the access have a mask (which then holds for this element)?
        masked: bool,
    },
    /// An access far from any buffer.
    #[error(
        "{access} {elem} at address {address:#x}, which is in no buffer; was the buffer removed, or the address not \
         made from a pointer argument?"
    )]
    NoBuffer {
        /// Load or store.
        access: Access,
        /// The type accessed.
        elem: Scalar,
        /// The address.
        address: u64,
    },
    /// An access at an address that is not a multiple of the element's size.
    #[error(
        "{access} {elem} at byte {offset} of buffer '{buffer}': an address of {elem} is a multiple of {} bytes",
        elem.bytes()
    )]
    Misaligned {
        /// Load or store.
        access: Access,
        /// The type accessed.
        elem: Scalar,
        /// The offset from the buffer's first byte.
        offset: i64,
        /// The buffer's name, or that of the parameter it was passed as.
        buffer: String,
    },
    /// An undefined value where it matters: as an address, mask, condition or bound, or to be stored.
    #[error("the {role} is undefined: the mask of {load} does not hold for it, and there is no 'other'")]
    Undefined {
        /// What the value is for.
        role: &'static str,
        /// The load that it comes from, with its place.
        load: String,
    },
    /// An integer division without a result, whose result is then used.
    #[error("{}; the result is used as the {role} of {used_by}", match overflow {
        false => "integer division by zero",
        true => "integer division of the smallest number by -1, which overflows",
    })]
    Division {
        /// Was it the smallest number divided by -1?
        overflow: bool,
        /// What the result is used for.
        role: &'static str,
        /// The operation that uses it, with its place.
        used_by: String,
    },
    /// An index of `gather` that is no coordinate of the axis, whose element is then used.
    #[error("the index is outside of axis {axis} of {tile}; the result is used as the {role} of {used_by}")]
    GatherIndex {
        /// The axis along which elements are chosen.
        axis: usize,
        /// The tile that they are chosen from.
        tile: Type,
        /// What the result is used for.
        role: &'static str,
        /// The operation that uses it, with its place.
        used_by: String,
    },
    /// A loop whose step is not positive.
    #[error("the step of the loop is {0}: it must be at least 1")]
    Step(i64),
    /// More loop iterations than [`Options::max_steps`](crate::Options::max_steps).
    #[error("the program runs more than {0} loop iterations, the limit set: does the loop end?")]
    StepLimit(u64),
    /// Two programs of the grid access one byte, and the result depends on which is first.
    #[error(
        "{access} byte {offset} of buffer '{buffer}', which program ({}, {}, {}) {}: the order of programs is unspecified",
        other[0], other[1], other[2],
        match other_access {
            Access::Read => "read",
            Access::Write if *access == Access::Write => "wrote with another value",
            Access::Write => "wrote",
        }
    )]
    Race {
        /// Load or store.
        access: Access,
        /// The offset from the buffer's first byte.
        offset: u64,
        /// The buffer's name, or that of the parameter it was passed as.
        buffer: String,
        /// What the other program did.
        other_access: Access,
        /// The other program's index in the grid (one of several, it may be).
        other: [u32; 3],
    },
}

/// A size in whole elements.
fn whole(len: u64, elem: Scalar) -> String {
    match len / u64::from(elem.bytes()) {
        1 => "1 element".to_owned(),
        n => format!("{n} elements"),
    }
}
