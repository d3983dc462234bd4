//! Lanes that go different ways.

use mytriton_simt::program::{Instr, Program, Space, Special};
use mytriton_simt::{Launch, LaunchError, MAX_SHARED_BYTES, MAX_THREADS, Memory, Options, run};
use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Scalar, UnaryOp};

use crate::asm::{Asm, right, run_words, seed};

/// Threads of the tests: two warps and a part of one.
const THREADS: u32 = 77;

fn store_at_tid(asm: &mut Asm, base: u32, tid: u32, value: u32) {
    let at = asm.at(base, tid, 4);
    asm.store(Space::Global, at, value);
}

#[test]
fn arms_of_a_branch_within_arms() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let result = asm.reg();
    let (one, two) = (asm.constant(1), asm.constant(2));
    let odd = asm.binary(BinaryOp::And, tid, one);
    let ten = asm.constant(10);
    let small = asm.cmp(CmpPred::Lt, tid, ten);
    asm.branch(
        odd,
        |asm| {
            asm.branch(
                small,
                |asm| {
                    let src = asm.binary(BinaryOp::Mul, tid, ten);
                    asm.push(Instr::Move { dst: result, src });
                },
                |asm| {
                    asm.push(Instr::Move { dst: result, src: one });
                },
            );
        },
        |asm| {
            let src = asm.binary(BinaryOp::Add, tid, two);
            asm.push(Instr::Move { dst: result, src });
        },
    );
    store_at_tid(&mut asm, base, tid, result);
    let out = right(&asm.finish(), 1, THREADS, &[0; THREADS as usize]);
    let expected = (0..THREADS).map(|t| match (t % 2 == 1, t < 10) {
        (true, true) => 10 * t,
        (true, false) => 1,
        (false, _) => t + 2,
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// Lane t runs t iterations, within which every iteration runs as many again of an inner loop.
#[test]
fn lanes_leave_loops_one_after_another() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let (zero, one) = (asm.constant(0), asm.constant(1));
    let (i, j, sum) = (asm.reg(), asm.reg(), asm.reg());
    asm.push(Instr::Move { dst: i, src: zero });
    asm.push(Instr::Move { dst: sum, src: zero });
    asm.repeat(
        |asm| asm.cmp(CmpPred::Lt, i, tid),
        |asm| {
            asm.push(Instr::Move { dst: j, src: zero });
            asm.repeat(
                |asm| asm.cmp(CmpPred::Lt, j, i),
                |asm| {
                    let src = asm.binary(BinaryOp::Add, sum, j);
                    asm.push(Instr::Move { dst: sum, src });
                    let src = asm.binary(BinaryOp::Add, j, one);
                    asm.push(Instr::Move { dst: j, src });
                },
            );
            let src = asm.binary(BinaryOp::Add, i, one);
            asm.push(Instr::Move { dst: i, src });
        },
    );
    store_at_tid(&mut asm, base, tid, sum);
    let out = right(&asm.finish(), 1, THREADS, &[0; THREADS as usize]);
    let expected = (0..THREADS).map(|t| (0..t).map(|i| (0..i).sum::<u32>()).sum());
    assert_eq!(out, expected.collect::<Vec<u32>>());
}

/// Registers are few however long the code is, and what is alive across a loop survives it.
#[test]
fn registers_are_shared_by_what_is_not_alive_together() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let (zero, one, five) = (asm.constant(0), asm.constant(1), asm.constant(5));
    let kept = asm.binary(BinaryOp::Add, tid, five);
    let (i, x) = (asm.reg(), asm.reg());
    asm.push(Instr::Move { dst: i, src: zero });
    asm.push(Instr::Move { dst: x, src: tid });
    asm.repeat(
        |asm| asm.cmp(CmpPred::Lt, i, five),
        |asm| {
            for _ in 0..200 {
                let src = asm.binary(BinaryOp::Xor, x, kept);
                let src = asm.binary(BinaryOp::Add, src, one);
                asm.push(Instr::Move { dst: x, src });
            }
            let src = asm.binary(BinaryOp::Add, i, one);
            asm.push(Instr::Move { dst: i, src });
        },
    );
    store_at_tid(&mut asm, base, tid, x);
    let program = asm.finish();
    assert!(program.registers < 20, "{}", program.registers);
    let out = right(&program, 1, THREADS, &[0; THREADS as usize]);
    let expected = (0..THREADS).map(|t| (0..1000).fold(t, |x, _| (x ^ (t + 5)) + 1));
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[test]
fn positions_in_grid_and_block() {
    let mut asm = Asm::new();
    let base = asm.param();
    let (tid, block, dim) = (
        asm.tid(),
        asm.special(Special::BlockId(0)),
        asm.special(Special::BlockDim(0)),
    );
    let (lane, warp) = (asm.special(Special::Lane), asm.special(Special::Warp));
    let first = asm.binary(BinaryOp::Mul, block, dim);
    let number = asm.binary(BinaryOp::Add, first, tid);
    let hundred = asm.constant(100);
    let value = asm.binary(BinaryOp::Mul, warp, hundred);
    let value = asm.binary(BinaryOp::Add, value, lane);
    store_at_tid(&mut asm, base, number, value);
    let out = right(&asm.finish(), 3, 40, &[0; 120]);
    let expected = (0..120).map(|n| (n % 40) / 32 * 100 + (n % 40) % 32);
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// The first dimension varies fastest, of blocks in the grid and of threads in a block.
#[test]
fn positions_in_three_dimensions() {
    let (grid, block) = ([3, 4, 2], [2, 3, 5]);
    let mut asm = Asm::new();
    let base = asm.param();
    let dims = [
        Special::ThreadId as fn(u8) -> Special,
        Special::BlockDim,
        Special::BlockId,
        Special::GridDim,
    ];
    let read = dims.map(|special| [0, 1, 2].map(|dim| asm.special(special(dim))));
    let hundred = asm.constant(100);
    // (z * size of y + y) * size of x + x, and the six positions as digits.
    let number = |asm: &mut Asm, at: [u32; 3], size: [u32; 3]| {
        let row = asm.binary(BinaryOp::Mul, at[2], size[1]);
        let row = asm.binary(BinaryOp::Add, row, at[1]);
        let cell = asm.binary(BinaryOp::Mul, row, size[0]);
        asm.binary(BinaryOp::Add, cell, at[0])
    };
    let threads = asm.constant(block.iter().product::<u32>().into());
    let (in_grid, in_block) = (number(&mut asm, read[2], read[3]), number(&mut asm, read[0], read[1]));
    let first = asm.binary(BinaryOp::Mul, in_grid, threads);
    let place = asm.binary(BinaryOp::Add, first, in_block);
    let digits = read[2].into_iter().chain(read[0]).reduce(|sum, digit| {
        let sum = asm.binary(BinaryOp::Mul, sum, hundred);
        let sum = asm.binary(BinaryOp::Add, sum, digit);
        let eight = asm.constant(8);
        asm.binary(BinaryOp::RemU, sum, eight)
    });
    store_at_tid(&mut asm, base, place, digits.expect("six of them"));
    let program = asm.finish();
    let count: u32 = grid.iter().chain(&block).product();
    let mut memory = Memory::new();
    let buffer = memory.add_zeros("x", 4 * u64::from(count)).unwrap();
    let launch = Launch {
        grid,
        block,
        dynamic_shared_bytes: 0,
    };
    let report = run(
        &program,
        launch,
        &[memory.address(buffer).unwrap()],
        &memory,
        &Options::default(),
    )
    .unwrap();
    assert_eq!(report.findings, []);
    let bytes = memory.read_back(buffer).unwrap();
    let split =
        |number: u32, size: [u32; 3]| [number % size[0], number / size[0] % size[1], number / size[0] / size[1]];
    for (at, word) in (0..count).zip(bytes.chunks_exact(4)) {
        let per_block = block.iter().product::<u32>();
        let digits = [split(at / per_block, grid), split(at % per_block, block)].concat();
        let expected = digits
            .into_iter()
            .reduce(|sum, digit| (sum * 100 + digit) % 8)
            .expect("six of them");
        assert_eq!(word, expected.to_le_bytes());
    }
}

/// Lanes that go one way together pass the join of a branch within an arm of another.
#[test]
fn an_arm_in_which_all_lanes_agree() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let result = asm.reg();
    let (one, two) = (asm.constant(1), asm.constant(2));
    let odd = asm.binary(BinaryOp::And, tid, one);
    asm.branch(
        odd,
        |asm| {
            asm.push(Instr::Move { dst: result, src: tid });
            for cond in [odd, tid, one] {
                let otherwise = asm.here();
                asm.branch(
                    cond,
                    |asm| {
                        let src = asm.binary(BinaryOp::Add, result, two);
                        asm.push(Instr::Move { dst: result, src });
                    },
                    |_| {},
                );
                assert!(otherwise < asm.here());
            }
        },
        |asm| {
            asm.push(Instr::Move { dst: result, src: one });
        },
    );
    store_at_tid(&mut asm, base, tid, result);
    let out = right(&asm.finish(), 1, THREADS, &[0; THREADS as usize]);
    let expected = (0..THREADS).map(|t| if t % 2 == 1 { t + 6 } else { 1 });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// Every instruction on registers alone, in lanes of which some are not there.
#[test]
fn registers_go_through_every_instruction() {
    let f32_of = |x: f32| u64::from(x.to_bits());
    let (ty, wide) = (Scalar::F32, Scalar::I64);
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    let [five, big] = [5, 1 << 40].map(|c| asm.constant(c));
    let [half, two] = [0.5, 2.0].map(|x| asm.constant(f32_of(x)));
    let r: [_; 8] = std::array::from_fn(|_| asm.reg());
    asm.push(Instr::Cmp {
        pred: CmpPred::Lt,
        ty: wide,
        dst: r[0],
        a: tid,
        b: five,
    });
    asm.push(Instr::Select {
        dst: r[1],
        cond: r[0],
        a: five,
        b: tid,
    });
    asm.push(Instr::Cast {
        kind: CastKind::UToF,
        from: wide,
        to: ty,
        dst: r[2],
        a: r[1],
    });
    asm.push(Instr::Fma {
        ty,
        dst: r[3],
        a: r[2],
        b: two,
        c: half,
    });
    asm.push(Instr::Unary {
        op: UnaryOp::Neg,
        ty,
        dst: r[4],
        a: r[3],
    });
    asm.push(Instr::MulHigh {
        signed: false,
        ty: wide,
        dst: r[5],
        a: big,
        b: big,
    });
    asm.push(Instr::Special {
        dst: r[6],
        which: Special::ActiveMask,
    });
    let mask = asm.binary(BinaryOp::Add, r[5], r[6]);
    for (i, value) in (0..).zip([r[0], r[1], r[4], mask]) {
        let (four, place) = (asm.constant(4), asm.constant(i));
        let at = asm.binary(BinaryOp::Mul, tid, four);
        let at = asm.binary(BinaryOp::Add, at, place);
        store_at_tid(&mut asm, base, at, value);
    }
    let out = right(&asm.finish(), 1, 40, &[0; 160]);
    for (t, words) in (0..40u32).zip(out.chunks_exact(4)) {
        let chosen = t.max(5);
        let lanes = if t < 32 { u32::MAX } else { 0xFF };
        let number = -(2.0 * chosen as f32 + 0.5);
        let expected = [u32::from(t < 5), chosen, number.to_bits(), lanes.wrapping_add(1 << 16)];
        assert_eq!(words, expected, "thread {t}");
    }
}

/// The most words that are alive at once: a value of 64 bits is two, and a result takes an operand's place.
#[test]
fn live_words_are_counted() {
    let mut asm = Asm::new();
    let base = asm.param();
    let values: Vec<_> = (0..5).map(|i| asm.constant(i)).collect();
    let sum = values
        .into_iter()
        .reduce(|sum, value| asm.binary(BinaryOp::Add, sum, value))
        .expect("five of them");
    asm.store(Space::Global, base, sum);
    // The address, and five constants.
    let program = asm.finish();
    assert_eq!(program.live_words, 2 * 6);
    // Two that touch do not share a name, so that the last sum has one more.
    assert_eq!(program.registers, 7);
}

/// A launch beyond the limits is an error before anything runs.
#[test]
fn limits_of_a_launch() {
    let mut asm = Asm::new();
    let base = asm.param();
    asm.store(Space::Global, base, base);
    let program = asm.finish();
    let memory = Memory::new();
    let launch = |grid, block, dynamic_shared_bytes, args: &[u64]| {
        let launch = Launch {
            grid,
            block,
            dynamic_shared_bytes,
        };
        run(&program, launch, args, &memory, &Options::default()).err()
    };
    let one = [1, 1, 1];
    // Nothing runs where an extent is 0, which leaves the others to be checked.
    for (grid, fits) in [
        ([i32::MAX as u32, 0, 1], true),
        ([i32::MAX as u32 + 1, 0, 1], false),
        ([u32::MAX, 0, 1], false),
        ([0, 65535, 65535], true),
        ([0, 65536, 1], false),
        ([0, 70000, 1], false),
        ([0, 1, 65536], false),
        ([0, 1, 70000], false),
    ] {
        let error = launch(grid, one, 0, &[0]);
        assert_eq!(error, (!fits).then_some(LaunchError::Grid { grid }), "{grid:?}");
    }
    for (block, fits) in [
        ([MAX_THREADS, 1, 1], true),
        ([MAX_THREADS + 1, 1, 1], false),
        ([MAX_THREADS, 2, 1], false),
        ([1, 0, 1], false),
    ] {
        let error = launch([0, 1, 1], block, 0, &[0]);
        assert_eq!(error, (!fits).then_some(LaunchError::Block { block }), "{block:?}");
    }
    for (grid, block) in [
        ([1 << 26, 1 << 10, 1], [1, 1, 1]),
        ([1 << 23, 1, 1], [1024, 1, 1]),
        ([1 << 30, 65535, 65535], [1024, 1, 1]),
    ] {
        let error = launch(grid, block, 0, &[0]);
        let threads = block[0];
        assert_eq!(error, Some(LaunchError::TooManyThreads { grid, threads }));
    }
    assert_eq!(launch([0, 1, 1], one, MAX_SHARED_BYTES, &[0]), None);
    let bytes = u64::from(MAX_SHARED_BYTES) + 1;
    assert_eq!(
        launch([0, 1, 1], one, MAX_SHARED_BYTES + 1, &[0]),
        Some(LaunchError::Shared { bytes })
    );
    for args in [&[][..], &[0, 0]] {
        let error = launch(one, one, 0, args);
        assert!(
            matches!(error, Some(LaunchError::Arguments { expected: 1, .. })),
            "{error:?}"
        );
    }
}

#[test]
fn a_grid_without_blocks_does_nothing() {
    let mut asm = Asm::new();
    let base = asm.param();
    let tid = asm.tid();
    store_at_tid(&mut asm, base, tid, tid);
    assert_eq!(right(&asm.finish(), 0, THREADS, &[9; 77]), [9; 77]);
}

#[test]
fn arguments_and_blocks_are_those_of_the_kernel() {
    let memory = Memory::new();
    let launch = |program: &Program, block, args: &[u64]| {
        let launch = Launch {
            grid: [0, 1, 1],
            block,
            dynamic_shared_bytes: 0,
        };
        run(program, launch, args, &memory, &Options::default()).err()
    };
    let mut asm = Asm::new();
    asm.param();
    let mut program = asm.finish();
    for (bits, arg, fits) in [
        (64, u64::MAX, true),
        (32, u32::MAX.into(), true),
        (32, 1 << 32, false),
        (1, 1, true),
        (1, 2, false),
    ] {
        program.params[0].bits = bits;
        let kernel = || "k".to_owned();
        let wrong = LaunchError::ArgumentBits {
            kernel: kernel(),
            index: 0,
            bits,
        };
        assert_eq!(
            launch(&program, [1, 1, 1], &[arg]),
            (!fits).then_some(wrong),
            "{bits} {arg}"
        );
    }
    program.params[0].bits = 64;
    program.block = Some([64, 2, 1]);
    assert_eq!(launch(&program, [64, 2, 1], &[0]), None);
    for given in [[128, 1, 1], [2, 64, 1], [1, 1, 1]] {
        let expected = [64, 2, 1];
        let wrong = LaunchError::KnownBlock {
            kernel: "k".to_owned(),
            expected,
            given,
        };
        assert_eq!(launch(&program, given, &[0]), Some(wrong));
    }
}

/// As many instructions of a warp as are allowed, under every schedule.
#[test]
fn programs_may_run_as_long_as_they_are_allowed_to() {
    let mut asm = Asm::new();
    asm.param();
    for _ in 0..40 {
        asm.constant(1);
    }
    let program = asm.finish();
    let steps = program.code.len() as u64;
    for s in 0..8 {
        let options = Options {
            max_steps: steps,
            ..seed(s)
        };
        let (_, report) = run_words(&program, 1, 32, &[0], options);
        assert_eq!(report.findings, []);
    }
}

/// Lanes whose guard does not hold load nothing, and have what is to be there instead.
#[test]
fn guarded_loads_and_stores() {
    let mut asm = Asm::new();
    let x = asm.param();
    let tid = asm.tid();
    let (limit, word) = (asm.constant(5), asm.constant(0xABCD));
    let guard = asm.cmp(CmpPred::LtU, tid, limit);
    // Far outside where the guard does not hold.
    let (far, four) = (asm.constant(1 << 30), asm.constant(4));
    let offset = asm.binary(BinaryOp::Mul, tid, four);
    let stray = asm.binary(BinaryOp::Mul, tid, far);
    let chosen = asm.reg();
    asm.push(Instr::Select {
        dst: chosen,
        cond: guard,
        a: offset,
        b: stray,
    });
    let address = asm.binary(BinaryOp::Add, x, chosen);
    let to = asm.reg();
    let (dst, other) = (asm.list(&[to]), asm.list(&[word]));
    asm.push(Instr::Load {
        space: Space::Global,
        bytes: 4,
        dst,
        address,
        guard: Some(guard),
        other,
    });
    let out = asm.at(x, tid, 4);
    let shift = asm.constant(128);
    let out = asm.binary(BinaryOp::Add, out, shift);
    asm.store(Space::Global, out, to);
    let words: Vec<u32> = (0..64).map(|i| if i < 32 { 100 + i } else { 0 }).collect();
    let (found, report) = run_words(&asm.finish(), 1, 32, &words, seed(0));
    assert_eq!(report.findings, []);
    let expected: Vec<u32> = (0..32).map(|i| if i < 5 { 100 + i } else { 0xABCD }).collect();
    assert_eq!(found[32..], expected);
}
