//! Memory and arguments to run kernels on, and whether one memory may stand for another.

use mytriton_ssa::{Const, Elem, Kernel, Scalar};

use crate::machine::{Cell, Meaningless, Memory, Options};

/// Runs the third of 7 programs, changing memory.
pub fn run(kernel: &Kernel, args: &[Cell], memory: &mut Memory) -> Result<(), Meaningless> {
    let options = Options {
        program: 2,
        leave_loops_after: None,
        observer: &mut |_, _| {},
    };
    crate::machine::run(kernel, args, memory, options)
}

/// Is what the optimised kernel left in memory allowed by what the original left?
pub fn refines(original: &Memory, optimised: &Memory) -> bool {
    let allowed = |a: &Cell, b: &Cell| match (a, b) {
        (Cell::Open, _) => true,
        (Cell::Number(x), Cell::Number(y)) if x.is_nan() => y.is_nan() && x.scalar() == y.scalar(),
        _ => a == b,
    };
    original
        .iter()
        .all(|(buffer, cells)| cells.iter().zip(&optimised[buffer]).all(|(a, b)| allowed(a, b)))
}

/// Numbers of a type at which functions do something special, and some more.
pub fn special(scalar: Scalar) -> Vec<Const> {
    let ints = [0, 1, -1, 2, 7, -8, i128::MAX, 31];
    let floats = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        3.5,
        1e30,
    ];
    if scalar.is_int() {
        let edges = [1 << (scalar.bits() - 1), (1 << (scalar.bits() - 1)) - 1];
        ints.into_iter()
            .chain(edges)
            .map(|v| Const::from_int(scalar, v))
            .collect()
    } else {
        floats.into_iter().map(|v| Const::from_f64(scalar, v)).collect()
    }
}

/// Values for parameters of these types; pointers get a buffer of their own with special numbers.
pub fn arguments(kernel: &Kernel, seed: u32, size: usize) -> (Vec<Cell>, Memory) {
    let mut memory = Memory::new();
    let mut state = seed;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize
    };
    let mut args = Vec::new();
    for (i, param) in kernel.params().iter().enumerate() {
        args.push(match kernel.ty(param.value).elem {
            Elem::Scalar(scalar) => {
                let values = special(scalar);
                Cell::Number(values[random() % values.len()])
            }
            Elem::Ptr(scalar) => {
                let values = special(scalar);
                let cells = (0..size)
                    .map(|_| Cell::Number(values[random() % values.len()]))
                    .collect();
                memory.insert(i, cells);
                Cell::Pointer(i, 0)
            }
        });
    }
    (args, memory)
}
