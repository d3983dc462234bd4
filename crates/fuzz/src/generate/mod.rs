//! Random kernels that run: well-typed, with loops that end, addresses in bounds, no races between programs, no
//! undefined value observed, and results that are stored.
//!
//! A kernel is decided by a seed alone. It draws on a few shapes that fit together (a main one and what broadcasts to
//! it), reads buffers made for it, computes, branches and loops, works on buffers in place, and stores what nothing else
//! used. Every program has its own part of each buffer that is written; other buffers are shared.
//!
//! What makes results comparable ([`crate::taint`]) is kept while building: values are known to be exact or not
//! ([`Known`]), and only exact ones are computed with.

mod address;
mod build;
mod choices;
mod combos;
mod control;
mod elementwise;
mod launch;
mod memory;
mod rearrange;
mod scratch;
mod stores;
mod values;

pub use combos::{Combination, combinations};
use rearrange::reductions;

use mytriton_ssa::{Axis, BinaryOp, OpKind, Scalar, Shape};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::case::Case;
use crate::random::Random;
use crate::rule::Rule;
use crate::tree::{Body, Tree, Val};

/// The kernel that belongs to a seed, with its launch. The same on every machine.
pub fn generate(seed: u64) -> Case {
    let mut generator = Generator::new(seed);
    generator.kernel();
    generator.finish()
}

/// What is known of a value beyond its type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Known {
    /// How it is compared: anything but exact is the result of an approximate function, moved.
    pub rule: Rule,
    /// May it be a NaN whose bits are unspecified?
    pub loose_nan: bool,
    /// The mask under which its elements are defined; none: everywhere.
    pub when: Option<Val>,
}

impl Default for Known {
    fn default() -> Known {
        Known {
            rule: Rule::Exact,
            loose_nan: false,
            when: None,
        }
    }
}

/// A loop's index, for addresses: an `i32` from 0 on, below `count`.
#[derive(Clone, Copy, Debug)]
struct Term {
    value: Val,
    count: usize,
}

/// A kernel in the making.
pub(crate) struct Generator {
    random: Random,
    tree: Tree,
    /// The regions being built, the innermost last.
    open: Vec<Body>,
    /// The numbers in scope.
    pool: Vec<Val>,
    known: FxHashMap<Val, Known>,
    /// Values that something takes.
    used: FxHashSet<Val>,
    /// The parameters that are numbers.
    numbers: Vec<Val>,
    grid: [u32; 3],
    /// The shapes of this kernel, the main one first.
    shapes: Vec<Shape>,
    /// May elements be combined and moved? One seed of four says so, that executors without these operations, which
    /// answer [`Failure::Unsupported`](crate::Failure::Unsupported), have the others to run.
    rearranges: bool,
    /// May approximate functions be used?
    approximate: bool,
    /// Combinations that are to come first: seeds that follow one another go through all of them.
    owed: Vec<usize>,
    /// The same of reductions and scans.
    owed_reductions: Vec<usize>,
    buffers: Vec<launch::Memory>,
    args: Vec<launch::Planned>,
    inputs: Vec<memory::Input>,
    outputs: Vec<stores::Output>,
    scratch: Vec<scratch::Scratch>,
    pointers: Vec<memory::Pointers>,
    terms: Vec<Term>,
    /// This program's number in the grid.
    program: Option<Val>,
    /// Loops and branches that are open.
    depth: usize,
    /// How often the current region may run.
    trips: usize,
    /// Elements computed by a program so far, at most.
    work: usize,
}

/// Elements that all programs together may compute, so that a case runs in a fraction of a millisecond.
const WORK: usize = 40_000;

/// Extents of dimensions: powers of two more often than others.
const EXTENTS: [u32; 18] = [1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 16, 17, 31, 32, 32, 64, 100, 128];

impl Generator {
    fn new(seed: u64) -> Generator {
        Generator {
            random: Random::new(seed),
            tree: Tree {
                name: format!("fuzz_{seed:x}"),
                ..Tree::default()
            },
            open: vec![Body::default()],
            pool: Vec::new(),
            known: FxHashMap::default(),
            used: FxHashSet::default(),
            numbers: Vec::new(),
            grid: [1; 3],
            shapes: Vec::new(),
            rearranges: seed % 4 == 3,
            approximate: false,
            owed: (0..4)
                .map(|i| (seed.wrapping_mul(4).wrapping_add(i) % combinations().len() as u64) as usize)
                .collect(),
            owed_reductions: match seed % 4 {
                3 => (0..4)
                    .map(|i| ((seed / 4).wrapping_mul(4).wrapping_add(i) % reductions().len() as u64) as usize)
                    .collect(),
                _ => Vec::new(),
            },
            buffers: Vec::new(),
            args: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            scratch: Vec::new(),
            pointers: Vec::new(),
            terms: Vec::new(),
            program: None,
            depth: 0,
            trips: 1,
            work: 0,
        }
    }

    fn kernel(&mut self) {
        self.choose_grid();
        self.choose_shapes();
        self.approximate = self.random.one_in(4);
        self.number_the_program();
        for _ in 0..self.random.below(4) {
            let scalar = self.random.pick(&Scalar::ALL);
            let value = self.random.element(scalar);
            let value = self.number_param(value);
            self.keep(value, Known::default());
        }
        for _ in 0..1 + self.random.below(3) {
            let ty = self.any_type();
            self.fresh(ty);
        }
        while !self.owed_reductions.is_empty() && !self.is_full() {
            self.combine();
            self.rearrange();
        }
        let (least, most) = self.random.pick(&[(1, 4), (1, 4), (1, 6), (4, 16)]);
        for _ in 0..self.random.between(least, most) {
            self.step();
        }
        while !self.owed.is_empty() && !self.is_full() {
            self.elementwise();
        }
        self.store_rest(0, 7, 8);
        if self.outputs.is_empty() {
            let ty = self.any_type();
            let value = self.plain(ty);
            self.store_value(value);
        }
    }

    fn choose_grid(&mut self) {
        let axes = self.random.weighted(&[2, 4, 2, 2]);
        for axis in 0..axes {
            self.grid[axis] = self.random.between(1, [5, 3, 3][axis]) as u32;
        }
    }

    fn programs(&self) -> usize {
        self.grid.iter().map(|&extent| extent as usize).product()
    }

    /// A main shape, and others that broadcast to it.
    fn choose_shapes(&mut self) {
        let rank = self.random.weighted(&[2, 12, 12, 5, 3, 1]);
        let most = self.random.pick(&[16, 64, 64, 128, 256, 512]);
        let mut dims: Vec<u32> = Vec::new();
        for _ in 0..rank {
            let room = most / dims.iter().product::<u32>().max(1);
            let fitting: Vec<u32> = EXTENTS.into_iter().filter(|&extent| extent <= room.max(1)).collect();
            dims.push(self.random.pick(&fitting));
        }
        let order = self.random.permutation(rank);
        let dims: Vec<u32> = order.into_iter().map(|i| dims[i]).collect();
        let mut shapes = vec![dims.clone()];
        for _ in 0..self.random.below(4) {
            let keeps = |generator: &mut Generator| generator.random.one_in(2);
            let narrower: Vec<u32> = match self.random.below(3) {
                0 => dims
                    .iter()
                    .map(|&extent| if keeps(self) { extent } else { 1 })
                    .collect(),
                1 => dims.iter().copied().filter(|_| keeps(self)).collect(),
                _ => dims[self.random.below(rank + 1)..].to_vec(),
            };
            if !shapes.contains(&narrower) {
                shapes.push(narrower);
            }
        }
        // What is chosen above is small.
        self.shapes = shapes.iter().filter_map(|dims| Shape::new(dims).ok()).collect();
    }

    /// One of the kernel's shapes, or a scalar; only a scalar when tiles have become too much work.
    fn shape(&mut self) -> Shape {
        let choice = self.random.weighted(&[5, 3, 3]);
        let shape = match choice {
            0 => self.shapes[0],
            1 => Shape::SCALAR,
            _ => {
                let all = self.shapes.clone();
                self.random.pick(&all)
            }
        };
        let room = WORK / self.programs();
        if self.work + self.trips * shape.elements() * 8 > room {
            Shape::SCALAR
        } else {
            shape
        }
    }

    /// Is there room for no more than a few scalars?
    fn is_full(&self) -> bool {
        self.work > WORK / self.programs() * 2
    }

    /// This program's number: x + extent of x * (y + extent of y * z), of the axes that the grid has.
    fn number_the_program(&mut self) {
        let mut number = None;
        let axes: Vec<Axis> = Axis::ALL.to_vec();
        for &axis in axes.iter().rev() {
            if self.grid[axis.index()] == 1 && !self.random.one_in(4) {
                continue;
            }
            let id = self.op(OpKind::ProgramId(axis), &[], None);
            self.keep(id, Known::default());
            number = Some(match number {
                None => id,
                Some(number) => {
                    let extent = if self.random.one_in(2) {
                        self.op(OpKind::NumPrograms(axis), &[], None)
                    } else {
                        self.int(i64::from(self.grid[axis.index()]), mytriton_ssa::Type::I32)
                    };
                    let before = self.binary(BinaryOp::Mul, number, extent);
                    self.binary(BinaryOp::Add, before, id)
                }
            });
        }
        self.program = number;
    }

    /// One more thing.
    fn step(&mut self) {
        if self.is_full() {
            return;
        }
        let deep = if self.depth < 3 { 1 } else { 0 };
        let moves = usize::from(self.rearranges);
        match self.random.weighted(&[
            44,
            10,
            8,
            5,
            4,
            3,
            2,
            5 * deep,
            5 * deep,
            3 * deep,
            2,
            40 * moves,
            20 * moves,
            40 * usize::from(self.rearranges),
        ]) {
            0 => {
                for _ in 0..self.random.between(2, 8) {
                    self.elementwise();
                }
            }
            1 => {
                let ty = self.any_type();
                self.fresh(ty);
            }
            2 => self.in_place(),
            3 => self.reshape(),
            4 => self.touch_inexact(),
            5 => self.store_something(),
            6 => self.compare_pointers(),
            7 => self.for_loop(),
            8 => self.if_else(),
            9 => self.while_loop(),
            10 => self.about_the_program(),
            11 => self.combine(),
            12 => self.rearrange(),
            _ => self.choose(),
        }
    }

    /// A program's index or an extent of the grid.
    fn about_the_program(&mut self) {
        let axis = self.random.pick(Axis::ALL);
        let kind = if self.random.one_in(2) {
            OpKind::ProgramId(axis)
        } else {
            OpKind::NumPrograms(axis)
        };
        let value = self.op(kind, &[], None);
        self.keep(value, Known::default());
    }
}
