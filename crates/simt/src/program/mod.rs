//! A kernel of the `gpu` stage, decoded: straight code over registers of one number each.
//!
//! A *register* here is one number of up to 64 bits per lane. A `vector<N x T>` is N registers, so that extracting,
//! broadcasting and shuffling elements is a matter of names and costs nothing when the kernel runs. Bits above a
//! number's width are zero.
//!
//! Control flow stays structured: a [`Instr::Branch`] names the place where the lanes that it parts come together again,
//! which is always an [`Instr::Join`] behind it in the code. A lane that reaches the end of the code has ended.

mod allocate;
mod coalesce;
mod pending;

use std::ops::Range;
use std::sync::Arc;

use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Scalar, UnaryOp};

use crate::asynchronous::AsyncInstr;
use crate::matrix::MatrixInstr;

/// A register of a thread.
pub type Reg = u32;
/// Position of an instruction in [`Program::code`].
pub type Pc = u32;
/// Some registers, in the order of the elements that they hold: a range of [`Program::lists`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Regs {
    /// The first entry.
    pub start: u32,
    /// How many.
    pub len: u32,
}

/// A kernel that [`run`](crate::run()) executes.
#[derive(Clone, Debug)]
pub struct Program {
    /// The kernel's name.
    pub name: String,
    /// Threads of a block that the kernel was compiled for (`known_block_size`), if it says so.
    pub block: Option<[u32; 3]>,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// The instructions.
    pub code: Vec<Instr>,
    /// Which of [`Program::places`] each instruction comes from.
    pub place_of: Vec<u32>,
    /// Operations of the kernel.
    pub places: Vec<Place>,
    /// What [`Regs`] are ranges of.
    pub lists: Vec<Reg>,
    /// Registers that a thread of the executor needs.
    pub registers: u32,
    /// Static variables in shared memory, at increasing offsets.
    pub shared: Vec<SharedVariable>,
    /// Bytes of static shared memory.
    pub shared_bytes: u32,
    /// 32-bit registers that are alive at once, at most: a lower bound of what machine code needs without spills.
    pub live_words: u32,
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its bits: 1 to 64.
    pub bits: u32,
    /// Where it is when the kernel begins.
    pub reg: Reg,
}

/// A variable in shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedVariable {
    /// Its name.
    pub name: String,
    /// Where it begins in the block's shared memory, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
}

/// An operation and where it comes from in the user's source.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The operation's name in the `gpu` stage, dialect included.
    pub op: String,
    /// File, line and column, if known.
    pub at: Option<(Arc<str>, u32, u32)>,
}

/// Numbers of a thread's position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// Its number in the block along an axis (0, 1, 2).
    ThreadId(u8),
    /// The block's number in the grid.
    BlockId(u8),
    /// Threads of a block.
    BlockDim(u8),
    /// Blocks of the grid.
    GridDim(u8),
    /// The lane of the warp.
    Lane,
    /// The warp's number in the block.
    Warp,
    /// A bit per lane of the warp that has not ended.
    ActiveMask,
}

/// Spaces of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Of the device; addresses are 64 bits.
    Global,
    /// Of the block; addresses are offsets in bytes.
    Shared,
}

/// What a read-modify-write does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicOp {
    /// Stores the operand.
    Exchange,
    /// Stores what an operation makes of memory and operand.
    Binary(BinaryOp),
}

/// How an atomic operation orders other accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// What others released before is seen after it.
    pub acquire: bool,
    /// What was done before it is seen by those that acquire.
    pub release: bool,
}

/// Modes of a shuffle (PTX ISA, "shfl.sync").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shuffle {
    /// Lane xor operand.
    Xor,
    /// Lane minus operand.
    Up,
    /// Lane plus operand.
    Down,
    /// The operand's lane.
    Index,
}

/// What lanes agree on in a vote (PTX ISA, "vote.sync", "redux.sync", "match.sync").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vote {
    /// True when all hold.
    All,
    /// True when one holds.
    Any,
    /// True when all hold or none does.
    Uniform,
    /// A bit per lane.
    Ballot,
    /// The operation over all lanes' 32-bit numbers.
    Reduce(BinaryOp),
    /// A bit per lane with the same number.
    Match,
    /// True in the lowest lane only.
    Elect,
}

/// Memory fences (PTX ISA, "membar", "fence").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fence {
    /// Orders a thread's own accesses; what is released through later atomics.
    Memory,
    /// Makes accesses by ordinary instructions visible to the async proxy ("fence.proxy.async").
    AsyncProxy,
}

/// One instruction of a thread.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)] // The variants' text names the fields.
pub enum Instr {
    /// A constant.
    Const { dst: Reg, bits: u64 },
    /// A copy.
    Move { dst: Reg, src: Reg },
    /// A number of the thread's position.
    Special { dst: Reg, which: Special },
    /// A function of one number.
    Unary { op: UnaryOp, ty: Scalar, dst: Reg, a: Reg },
    /// A function of two numbers. Integer division by zero, its overflow, and shifts by the width or more give bits that
    /// nothing may rely on.
    Binary {
        op: BinaryOp,
        ty: Scalar,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// The upper half of a product: of `ty` (an integer), signed or not.
    MulHigh {
        signed: bool,
        ty: Scalar,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// `a * b + c` of floats, rounded once.
    Fma {
        ty: Scalar,
        dst: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// A comparison.
    Cmp {
        pred: CmpPred,
        ty: Scalar,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// `a` where the condition holds, else `b`.
    Select { dst: Reg, cond: Reg, a: Reg, b: Reg },
    /// A conversion.
    Cast {
        kind: CastKind,
        from: Scalar,
        to: Scalar,
        dst: Reg,
        a: Reg,
    },
    /// Lanes whose condition does not hold go on at `otherwise`; all meet at `join`.
    Branch { cond: Reg, otherwise: Pc, join: Pc },
    /// Lanes go on elsewhere.
    Jump { to: Pc },
    /// Where the lanes parted by a [`Instr::Branch`] come together.
    Join,
    /// The kernel ends.
    End,
    /// Loads `dst.len` words of `bytes` each (1, 2, 4, 8) from consecutive addresses in one access. Lanes whose guard does
    /// not hold take the words of `other` instead (which is empty without a guard), and access nothing.
    Load {
        space: Space,
        bytes: u8,
        dst: Regs,
        address: Reg,
        guard: Option<Reg>,
        other: Regs,
    },
    /// Stores words likewise.
    Store {
        space: Space,
        bytes: u8,
        src: Regs,
        address: Reg,
        guard: Option<Reg>,
    },
    /// Reads, changes and writes one number; gives the old one.
    Atomic {
        space: Space,
        op: AtomicOp,
        ty: Scalar,
        dst: Reg,
        address: Reg,
        value: Reg,
        order: Order,
    },
    /// Stores `value` where memory has `expected`; gives the old bits.
    CompareExchange {
        space: Space,
        bytes: u8,
        dst: Reg,
        address: Reg,
        expected: Reg,
        value: Reg,
        order: Order,
    },
    /// All threads of the block wait for one another: `gpu.barrier`, "bar.sync 0" (aligned: warps come whole).
    Barrier,
    /// Threads wait at a numbered barrier until so many have come (all of the block without a number); those that only
    /// arrive do not wait. Aligned: warps come whole.
    NamedBarrier { id: Reg, threads: Option<Reg>, wait: bool },
    /// The lanes of the mask wait for one another and see each other's accesses ("bar.warp.sync").
    WarpBarrier { mask: Reg },
    /// A number of another lane ("shfl.sync"). `in_range` tells whether that lane was one of the segment of `width` lanes;
    /// if not, a lane gets its own number. Without a mask, of all lanes that have not ended.
    Shuffle {
        mode: Shuffle,
        dst: Reg,
        in_range: Reg,
        src: Reg,
        lane: Reg,
        width: Reg,
        mask: Option<Reg>,
    },
    /// Something that the lanes of the mask agree on; without a mask, all lanes that have not ended.
    Vote {
        vote: Vote,
        dst: Reg,
        src: Reg,
        mask: Option<Reg>,
    },
    /// A fence.
    Fence(Fence),
    /// An operation that completes later, or has to do with one.
    Async(Box<AsyncInstr>),
    /// An operation of a whole warp on matrices.
    Matrix(Box<MatrixInstr>),
    /// A condition that the source promises or demands; where it does not hold, that is a finding.
    Assert { cond: Reg, message: Arc<str> },
}

impl Program {
    /// The registers of a list.
    pub fn regs(&self, regs: Regs) -> &[Reg] {
        &self.lists[regs.range()]
    }

    /// The operation that an instruction comes from.
    pub fn place(&self, pc: Pc) -> &Place {
        &self.places[self.place_of[pc as usize] as usize]
    }
}

impl Regs {
    /// The entries of [`Program::lists`].
    pub fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}
