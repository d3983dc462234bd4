//! Kernels with one product of a warp group.

use mytriton_layout::{DistributedLayout, HardwareSwizzle, LinearLayout, hardware_swizzled};
use mytriton_simt::matrix::{Accumulator, Fragment, Input, Left, MatrixInstr, Wgmma};
use mytriton_simt::program::{Fence, Instr, Reg, Regs, Space};
use mytriton_ssa::BinaryOp;

use super::{Matrix, a, b, bits, bits_of_sum, c, pack};
use crate::asm::Asm;

/// How an operand lies in shared memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lie {
    pub swizzle: Option<HardwareSwizzle>,
    /// Is k the slower index?
    pub transposed: bool,
}

pub const PLAIN: Lie = Lie {
    swizzle: None,
    transposed: false,
};

/// A product. With `a` `None`, A is in registers.
#[derive(Clone, Debug)]
pub struct Case {
    pub n: usize,
    pub inputs: [Input; 2],
    pub accumulator: Accumulator,
    /// Bits of a register of D.
    pub width: u8,
    pub a: Option<Lie>,
    pub b: Lie,
    pub adds: bool,
    pub negate: [bool; 2],
}

impl Case {
    pub fn new(n: usize, input: Input, accumulator: Accumulator) -> Case {
        Case {
            n,
            inputs: [input; 2],
            accumulator,
            width: 32,
            a: Some(PLAIN),
            b: PLAIN,
            adds: true,
            negate: [false; 2],
        }
    }

    pub fn k(&self) -> usize {
        256 / self.inputs[0].bits() as usize
    }

    pub fn matrices(&self) -> (Matrix, Matrix, Matrix) {
        let [left, right] = self.inputs;
        (a(64, self.k(), left), b(self.k(), self.n, right), c(64, self.n))
    }

    /// Registers of D in a lane.
    pub fn registers(&self) -> usize {
        self.n / 2 * self.accumulator.bits() as usize / usize::from(self.width)
    }
}

/// An operand in shared memory: its bytes, and the descriptor of its part for the product.
struct Placed {
    image: Vec<u8>,
    descriptor: u64,
}

fn invert(shape: [u32; 2], bytes: u32, swizzle: HardwareSwizzle) -> LinearLayout {
    hardware_swizzled(shape, bytes, swizzle)
        .unwrap()
        .pseudo_invert()
        .unwrap()
}

/// Where an element is, from (mn, k).
type Offsets = Box<dyn Fn(usize, usize) -> usize>;

/// Places an operand of `mn` rows (or columns) of 32 bytes at a multiple of 1024 bytes.
fn place(lie: Lie, mn: usize, element_bytes: usize, start: usize, of: impl Fn(usize, usize) -> u32) -> Placed {
    let k = 32 / element_bytes;
    let mode = match lie.swizzle {
        None => 0,
        Some(HardwareSwizzle::B128) => 1,
        Some(HardwareSwizzle::B64) => 2,
        Some(HardwareSwizzle::B32) => 3,
    };
    let width = lie.swizzle.map_or(16, |swizzle| swizzle.bytes() as usize);
    // Of the columns that a swizzled tile has along k, the last 32 bytes.
    let step = if lie.swizzle.is_some() && !lie.transposed {
        width - 32
    } else {
        0
    };
    let rows = mn.next_power_of_two();
    let (leading, stride, at): (usize, usize, Offsets) = match (lie.swizzle, lie.transposed) {
        (None, false) => (
            128,
            256,
            Box::new(move |mn, k| mn / 8 * 256 + k * element_bytes / 16 * 128 + mn % 8 * 16 + k * element_bytes % 16),
        ),
        (None, true) => (
            mn * 16,
            128,
            Box::new(move |at, k| at / 8 * 128 + k / 8 * mn * 16 + k % 8 * 16 + at % 8 * 2),
        ),
        (Some(swizzle), false) => {
            let shape = [rows as u32, (width / element_bytes) as u32];
            let tile = invert(shape, element_bytes as u32, swizzle);
            let at = move |mn: usize, k: usize| {
                let column = k + step / element_bytes;
                let at = tile.apply(&[("dim0", mn as u32), ("dim1", column as u32)]).unwrap();
                at[0] as usize * element_bytes
            };
            (16, 8 * width, Box::new(at))
        }
        (Some(swizzle), true) => {
            let columns = width / 2;
            let tile = invert([16, columns as u32], 2, swizzle);
            let at = move |mn: usize, k: usize| {
                let at = tile
                    .apply(&[("dim0", k as u32), ("dim1", (mn % columns) as u32)])
                    .unwrap();
                mn / columns * width * 16 + at[0] as usize * 2
            };
            (width * 16, width * 8, Box::new(at))
        }
    };
    let bytes = match lie.swizzle {
        Some(_) if !lie.transposed => rows * width,
        Some(_) => mn.div_ceil(width / 2) * width * 16,
        None => mn * 32,
    };
    // Bytes that belong to nothing are no number that the product could do without.
    let mut image = vec![0x4B; bytes.next_multiple_of(2048)];
    for row in 0..mn {
        for k in 0..k {
            let bytes = of(row, k).to_le_bytes();
            image[at(row, k)..][..element_bytes].copy_from_slice(&bytes[..element_bytes]);
        }
    }
    let field = |bytes: usize| (bytes as u64) >> 4;
    let descriptor = field(start + step) | field(leading) << 16 | field(stride) << 32 | mode << 62;
    Placed { image, descriptor }
}

/// A kernel being built: what it has in its buffer and its registers.
pub struct Kernel {
    pub asm: Asm,
    pub base: Reg,
    /// The buffer at the start.
    pub words: Vec<u32>,
    pub a: Left,
    /// Registers of A, if it is in registers.
    pub a_regs: Vec<Reg>,
    pub descriptors: [Reg; 2],
    pub d_regs: Vec<Reg>,
    pub scale_d: Reg,
    /// Bytes of shared memory.
    pub shared: usize,
}

/// Each thread's words of a matrix with 64 rows.
fn shares(layout: &DistributedLayout, count: usize, width: u32, of: impl Fn(usize, usize) -> u32) -> Vec<u32> {
    let at = |thread: u32, index: u32| layout.coords(index, thread % 32, thread / 32);
    let elements = |thread: u32| {
        let coords = (0..count as u32).map(move |index| at(thread, index));
        coords.map(|at| of(at[0] as usize, at[1] as usize)).collect::<Vec<_>>()
    };
    (0..128).flat_map(|thread| pack(&elements(thread), width)).collect()
}

/// The words that the threads should have of a D. Of the layouts of wgmma those of n of a power of two are known: others
/// are the beginning of one.
pub fn shares_of_d(case: &Case, d: &Matrix) -> Vec<u32> {
    let n = case.n.next_power_of_two() as u32;
    let layout = DistributedLayout::wgmma_accumulator([64, n], [4, 1], n).unwrap();
    let packed = if case.width == 16 { 32 } else { case.accumulator.bits() };
    shares(&layout, case.n / 2, packed, |i, j| {
        bits_of_sum(case.accumulator, d[i][j])
    })
}

impl Kernel {
    /// Operands in shared memory (visible to the async proxy if `proxy_fence`) and C in registers.
    pub fn new(case: &Case, proxy_fence: bool) -> Kernel {
        let (ma, mb, mc) = case.matrices();
        let [left, right] = case.inputs;
        let mut asm = Asm::new();
        let base = asm.param();
        let mut image = Vec::new();
        let mut descriptor_a = None;
        if let Some(lie) = case.a {
            let placed = place(lie, 64, left.bits() as usize / 8, 0, |i, k| bits(left, ma[i][k]));
            image.extend(placed.image);
            descriptor_a = Some(asm.constant(placed.descriptor));
        }
        let placed = place(case.b, case.n, right.bits() as usize / 8, image.len(), |j, k| {
            bits(right, mb[k][j])
        });
        image.extend(placed.image);
        let descriptor_b = asm.constant(placed.descriptor);
        asm.shared(image.len() as u32);
        let shared = image.len();
        let mut words: Vec<u32> = image
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();

        // Each thread copies 16 bytes of every 2048.
        let zero = asm.constant(0);
        for part in (0..shared).step_by(2048) {
            let regs = asm.load_own(base, part as u64, 4);
            let address = asm.own(zero, part as u64, 16);
            let src = asm.list(&regs);
            asm.push(Instr::Store {
                space: Space::Shared,
                bytes: 4,
                src,
                address,
                guard: None,
            });
        }
        if proxy_fence {
            asm.push(Instr::Fence(Fence::AsyncProxy));
        }
        asm.push(Instr::Barrier);

        let (a, a_regs) = match descriptor_a {
            Some(descriptor) => {
                let transposed = case.a.is_some_and(|lie| lie.transposed);
                (Left::Shared { descriptor, transposed }, Vec::new())
            }
            None => {
                let per_word = 32 / left.bits();
                let layout = DistributedLayout::wgmma_operand_a([64, case.k() as u32], [4, 1], per_word).unwrap();
                let offset = 4 * words.len() as u64;
                words.extend(shares(&layout, case.k() / 2, left.bits(), |i, k| bits(left, ma[i][k])));
                let regs = asm.load_own(base, offset, 4);
                let list = asm.list(&regs);
                (Left::Registers(Fragment { regs: list, bits: 32 }), regs)
            }
        };
        let offset = 4 * words.len() as u64;
        words.extend(shares_of_d(case, &mc));
        let d_regs = asm.load_own(base, offset, case.registers());
        let scale_d = asm.constant(case.adds.into());
        Kernel {
            asm,
            base,
            words,
            a,
            a_regs,
            descriptors: [descriptor_a.unwrap_or(zero), descriptor_b],
            d_regs,
            scale_d,
            shared,
        }
    }

    pub fn fragment(&mut self, regs: &[Reg], bits: u8) -> Fragment {
        let regs: Regs = self.asm.list(regs);
        Fragment { regs, bits }
    }

    /// The case's product, of the given registers.
    pub fn product(&mut self, case: &Case, c: &[Reg], d: &[Reg]) -> Wgmma {
        let d_fragment = self.fragment(d, case.width);
        let c = if c == d {
            d_fragment
        } else {
            self.fragment(c, case.width)
        };
        let wgmma = Wgmma {
            n: case.n as u16,
            inputs: case.inputs,
            accumulator: case.accumulator,
            saturate: false,
            d: d_fragment,
            c,
            a: self.a,
            b: self.descriptors[1],
            b_transposed: case.b.transposed,
            scale_d: self.scale_d,
            negate: case.negate,
        };
        assert_eq!(wgmma.check(), Ok(()));
        wgmma
    }

    pub fn issue(&mut self, case: &Case) {
        let d = self.d_regs.clone();
        let wgmma = self.product(case, &d, &d);
        self.asm.matrix(MatrixInstr::Wgmma(wgmma));
    }

    /// Stores D behind all else in the buffer; gives where.
    pub fn store_d(&mut self) -> usize {
        let (offset, regs) = (self.words.len(), self.d_regs.clone());
        self.asm.store_own(self.base, 4 * offset as u64, &regs);
        self.words.extend(vec![0; 128 * regs.len()]);
        offset
    }

    /// A use of a register: adds it to itself.
    pub fn use_reg(&mut self, reg: Reg) {
        self.asm.binary(BinaryOp::Add, reg, reg);
    }
}
