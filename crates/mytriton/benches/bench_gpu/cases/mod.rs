//! The benchmarks: operands, kernels in some configurations, and what is right.

mod elements;
mod matrices;
mod rows;

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use mytriton::frontend::{ConstexprValue, KernelDef, ParamKind, ScalarValue, Specialization};
use mytriton::prelude::*;
use mytriton::ssa::Kernel;
use mytriton::{Arg, bf16};
use serde::Serialize;

use crate::inputs::Number;
use crate::kernels;
use crate::report::Unit;

/// A benchmark at one size, not yet made.
pub struct Plan {
    /// What the record calls it, and what the peers are told.
    pub work: Work,
    /// Bytes that have to be moved: each operand once.
    pub bytes: u64,
    make: Make,
}

type Make = Box<dyn Fn(&Device, u64) -> Result<Box<dyn Case>>>;

/// What is computed, as it is told to the peers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Work {
    /// The operation.
    pub bench: &'static str,
    /// The element type.
    pub dtype: &'static str,
    /// Extents of the input: one for vectors, rows and columns for matrices.
    pub shape: Vec<usize>,
}

impl Work {
    /// Type and extents: `bf16 32768x1024`.
    pub fn size(&self) -> String {
        let extents: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        format!("{} {}", self.dtype, extents.join("x"))
    }
}

impl Plan {
    fn new<T: Number>(
        bench: &'static str,
        shape: &[usize],
        bytes: usize,
        make: impl Fn(&Device, u64) -> Result<Box<dyn Case>> + 'static,
    ) -> Plan {
        let work = Work {
            bench,
            dtype: T::NAME,
            shape: shape.to_vec(),
        };
        Plan {
            work,
            bytes: bytes as u64,
            make: Box::new(make),
        }
    }

    /// Name and size.
    pub fn title(&self) -> String {
        format!("{} {}", self.work.bench, self.work.size())
    }

    /// What is compared.
    pub fn unit(&self) -> Unit {
        Unit::GigabytesPerSecond
    }

    /// Makes the operands, with inputs of a seed.
    pub fn make(&self, device: &Device, seed: u64) -> Result<Box<dyn Case>> {
        (self.make)(device, seed)
    }
}

/// A benchmark whose operands are on the device.
pub trait Case {
    /// Ways to compute it, of which the fastest is reported.
    fn candidates(&self) -> Result<Vec<Candidate>>;

    /// The pointers that a step takes.
    fn pointers(&self, step: usize) -> Vec<Arg<'_>>;

    /// Overwrites the results with NaN, so that none passes for the next kernel's.
    fn poison(&self, device: &Device) -> Result<()>;

    /// Compares the results with a reference: some rows, or `all` that can be in seconds; in either case no element may be
    /// left unwritten where all are looked at.
    fn check(&self, all: bool) -> Result<()>;
}

/// One way to compute something: launches one after another.
pub struct Candidate {
    /// The configuration, in words.
    pub label: String,
    /// Warps of each program.
    pub num_warps: u32,
    /// The launches.
    pub steps: Vec<Step>,
}

/// One launch.
pub struct Step {
    /// What is launched, specialised for its arguments.
    pub kernel: Kernel,
    /// The arguments after the pointers.
    pub scalars: Vec<ScalarValue>,
    /// The programs.
    pub grid: Grid,
}

impl Step {
    /// Builds a kernel whose parameters are pointers, each to an address divisible by 16, and then these scalars.
    fn new(def: &KernelDef, constexprs: &[ConstexprValue], scalars: Vec<ScalarValue>, grid: Grid) -> Result<Step> {
        let mut facts = Specialization::NONE;
        let mut values = scalars.iter();
        for (index, param) in def.runtime_params().enumerate() {
            let divisible = match param.kind {
                ParamKind::Ptr(_) => true,
                _ => match values.next() {
                    Some(value) => value.dtype == DType::I32 && value.bits % 16 == 0,
                    None => bail!("{} has more parameters than are given", def.name),
                },
            };
            if divisible {
                facts = facts.with_divisible_by_16(index);
            }
        }
        let kernel = (def.build)(constexprs, &facts)?;
        Ok(Step { kernel, scalars, grid })
    }
}

/// A length or an extent as kernels take it. All sizes here are below 2^31.
fn int(value: usize) -> i32 {
    value as i32
}

/// The scalars of a kernel that are lengths.
fn ints(values: &[usize]) -> Vec<ScalarValue> {
    values.iter().map(|&value| ScalarValue::new(int(value))).collect()
}

/// Overwrites a buffer with NaN.
fn poison<T: Number>(device: &Device, out: &Buffer<T>) -> Result<()> {
    const BLOCK: i32 = 4096;
    let grid = Grid(out.len().div_ceil(BLOCK as usize));
    Ok(kernels::fill::launch(
        device,
        grid,
        out,
        T::round(f32::NAN),
        int(out.len()),
        BLOCK,
    )?)
}

/// The sizes of the benchmarks by rows: many short rows, and few long ones.
const ROWS: [(usize, usize); 3] = [(32768, 1024), (16384, 4096), (8192, 16384)];

/// All benchmarks, in the order in which they are measured.
pub fn plans() -> Vec<Plan> {
    let mut plans = vec![elements::copy::<f32>(1 << 28), elements::add::<f32>(1 << 28)];
    for kind in [rows::Kind::Softmax, rows::Kind::Layernorm, rows::Kind::Rmsnorm] {
        plans.extend(ROWS.map(|(m, n)| rows::normal::<f32>(kind, m, n)));
        plans.extend(ROWS.map(|(m, n)| rows::normal::<bf16>(kind, m, n)));
    }
    plans.push(rows::cross_entropy::<bf16>(8192, 128_256));
    plans.push(matrices::transpose::<bf16>(16384, 16384));
    plans.push(rows::row_sum::<f32>(16384, 4096));
    plans.push(matrices::column_sum::<f32>(16384, 4096));
    plans
}

/// Extents of tiles and warps for rows of `n` elements, of which so many by a thread.
fn row_shapes(n: usize, per_thread: &[usize]) -> Vec<(usize, u32)> {
    let width = n.next_power_of_two();
    let mut shapes = BTreeMap::new();
    for rows in [1, 2, 4] {
        // Several long rows at once only use up registers.
        if rows * width > 4096 && rows > 1 {
            continue;
        }
        for each in per_thread {
            let warps = rows * width / each / 32;
            if (1..=32).contains(&warps) {
                shapes.insert((rows, warps as u32), ());
            }
        }
    }
    shapes.into_keys().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benchmarks_have_different_names() {
        let mut names: Vec<_> = plans().iter().map(|plan| (plan.work.bench, plan.work.size())).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn rows_are_shared_by_a_block_of_threads() {
        assert_eq!(
            row_shapes(1024, &[8, 32]),
            [(1, 1), (1, 4), (2, 2), (2, 8), (4, 4), (4, 16)]
        );
        assert_eq!(row_shapes(16384, &[8, 16, 32]), [(1, 16), (1, 32)]);
    }

    /// Small sizes, which are not powers of two, of all operations.
    fn small() -> Vec<Plan> {
        vec![
            elements::copy::<f32>(5000),
            elements::add::<bf16>(5000),
            rows::normal::<f32>(rows::Kind::Softmax, 5, 250),
            rows::normal::<bf16>(rows::Kind::Softmax, 5, 250),
            rows::normal::<f32>(rows::Kind::Layernorm, 3, 300),
            rows::normal::<bf16>(rows::Kind::Rmsnorm, 3, 300),
            rows::cross_entropy::<bf16>(3, 5000),
            matrices::transpose::<bf16>(100, 150),
            rows::row_sum::<f32>(5, 250),
            matrices::column_sum::<f32>(300, 150),
        ]
    }

    fn run(case: &dyn Case, device: &Device, candidate: &Candidate) {
        for (index, step) in candidate.steps.iter().enumerate() {
            let program = device.load(&step.kernel, mytriton::LaunchOptions::DEFAULT).unwrap();
            let mut args = case.pointers(index);
            args.extend(step.scalars.iter().map(|&value| Arg::from(value)));
            program.launch(step.grid, &args).unwrap();
        }
    }

    #[test]
    fn kernels_agree_with_their_references() {
        let device = Device::cpu();
        for plan in small() {
            let case = plan.make(&device, 5).unwrap();
            let candidates = case.candidates().unwrap();
            assert!(candidates.len() > 1, "{}", plan.title());
            for candidate in [&candidates[0], &candidates[candidates.len() - 1]] {
                case.poison(&device).unwrap();
                let message = |all| format!("{} {}: {:?}", plan.title(), candidate.label, case.check(all));
                assert!(
                    case.check(false).is_err() && case.check(true).is_err(),
                    "nothing was computed yet"
                );
                run(&*case, &device, candidate);
                assert!(case.check(false).is_ok(), "{}", message(false));
                assert!(case.check(true).is_ok(), "{}", message(true));
            }
        }
    }

    #[test]
    fn kernels_compile_for_gpus() {
        let device = Device::cpu();
        for plan in small() {
            let candidates = plan.make(&device, 5).unwrap().candidates().unwrap();
            let candidate = candidates.last().unwrap();
            let options = mytriton::LaunchOptions {
                num_warps: candidate.num_warps,
                ..mytriton::LaunchOptions::DEFAULT
            };
            for step in &candidate.steps {
                mytriton::compile(&step.kernel, "sm_90a", options).unwrap();
            }
        }
    }
}
