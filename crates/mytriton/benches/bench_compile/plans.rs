//! The kernels compiled: those of the GPU measurements, each in one configuration, and wide tiles in several sizes.

use anyhow::Result;
use mytriton::frontend::{ConstexprValue, KernelDef, Specialization};
use mytriton::prelude::*;
use mytriton::ssa::Kernel;

use crate::{kernels, wide};

/// A kernel with its constants.
pub struct Plan {
    /// For the reader.
    pub name: String,
    /// The kernels of one series differ in size alone, which this is.
    pub size: Option<i32>,
    /// What is known of the arguments.
    facts: Facts,
    definition: &'static KernelDef,
    constexprs: Vec<ConstexprValue>,
    /// Warps of a program.
    pub num_warps: u32,
}

/// What is known of a kernel's arguments.
enum Facts {
    /// Pointers and lengths are divisible by 16, as in most launches.
    Divisible,
    /// Nothing.
    None,
}

impl Plan {
    /// The kernel.
    pub fn build(&self) -> Result<Kernel> {
        let parameters = match self.facts {
            Facts::Divisible => 0..self.definition.runtime_params().count(),
            Facts::None => 0..0,
        };
        let facts = parameters.fold(Specialization::NONE, Specialization::with_divisible_by_16);
        Ok((self.definition.build)(&self.constexprs, &facts)?)
    }

    /// The name of its series.
    pub fn series(&self) -> &str {
        self.name.rsplit_once(' ').map_or(&self.name, |(series, _)| series)
    }
}

/// All of them.
pub fn plans() -> Vec<Plan> {
    let plan = |name: &str, kernel: &'static KernelDef, dtype: DType, sizes: &[i32], num_warps| Plan {
        name: name.to_owned(),
        size: None,
        facts: Facts::Divisible,
        definition: kernel,
        constexprs: [dtype.into()]
            .into_iter()
            .chain(sizes.iter().map(|&size| size.into()))
            .collect(),
        num_warps,
    };
    // Weights are loaded early or late.
    let weighted = |name, kernel, dtype, n: i32, early: bool, num_warps| {
        let mut plan = plan(name, kernel, dtype, &[1, n], num_warps);
        plan.constexprs.push(early.into());
        plan
    };
    let (f32, bf16) = (DType::F32, DType::BF16);
    let (layernorm, rmsnorm) = (kernels::layernorm::definition(), kernels::rmsnorm::definition());
    let (transpose, losses) = (kernels::transpose::definition(), kernels::cross_entropy::definition());
    let (row_sum, column_sum) = (kernels::row_sum::definition(), kernels::column_sum::definition());
    let mut plans = vec![
        plan("add f32", kernels::add::definition(), f32, &[1024], 4),
        plan("softmax bf16 4096", kernels::softmax::definition(), bf16, &[1, 4096], 8),
        weighted("layernorm f32 16384", layernorm, f32, 16384, false, 16),
        weighted("layernorm early bf16 4096", layernorm, bf16, 4096, true, 8),
        weighted("rmsnorm bf16 4096", rmsnorm, bf16, 4096, false, 8),
        weighted("rmsnorm early bf16 4096", rmsnorm, bf16, 4096, true, 8),
        plan("cross-entropy bf16 256x8", losses, bf16, &[256, 8], 4),
        plan("transpose bf16 128x128", transpose, bf16, &[128, 128], 8),
        plan("row sum f32 4096", row_sum, f32, &[1, 4096], 8),
        plan("column sum f32 32x128", column_sum, f32, &[32, 128], 8),
        plan("copy f32", kernels::copy::definition(), f32, &[512], 4),
        plan("fill f32", kernels::fill::definition(), f32, &[512], 4),
    ];
    plans.extend(wide_plans());
    plans
}

/// Tiles of which a thread has many elements.
fn wide_plans() -> Vec<Plan> {
    let mut plans = Vec::new();
    let mut add = |series: &str, definition, facts: fn() -> Facts, rows: Option<i32>, sizes: &[i32], num_warps| {
        plans.extend(sizes.iter().map(|&size| Plan {
            name: format!("{series} {size}"),
            size: Some(size),
            facts: facts(),
            definition,
            constexprs: rows.into_iter().chain([size]).map(Into::into).collect(),
            num_warps,
        }));
    };
    let sizes = |from: i32, to: i32| -> Vec<i32> {
        std::iter::successors(Some(from), |size| Some(size * 2))
            .take_while(|size| *size <= to)
            .collect()
    };
    let (square, copy) = (wide::square::definition(), wide::copy::definition());
    let (sum, sorted) = (wide::sum_of_three::definition(), wide::sorted::definition());
    add(
        "masked square, 1 warp",
        square,
        || Facts::None,
        None,
        &sizes(16384, 131_072),
        1,
    );
    add(
        "copy, 1 warp",
        copy,
        || Facts::Divisible,
        None,
        &sizes(65536, 262_144),
        1,
    );
    // With more elements a thread's registers do not hold the tiles, and the kernel is refused.
    add(
        "sum of three 4xN, 1 warp",
        sum,
        || Facts::None,
        Some(4),
        &sizes(512, 2048),
        1,
    );
    add(
        "sum of three 4xN, 8 warps",
        sum,
        || Facts::None,
        Some(4),
        &sizes(4096, 16384),
        8,
    );
    add(
        "sort, 4 warps",
        sorted,
        || Facts::Divisible,
        None,
        &sizes(2048, 8192),
        4,
    );
    plans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kernels_take_their_constants() {
        for plan in plans() {
            plan.build().unwrap_or_else(|error| panic!("{}: {error}", plan.name));
        }
    }
}
