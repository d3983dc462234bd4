//! The kernels compiled: those of the GPU measurements, each in one configuration.

use anyhow::Result;
use mytriton::frontend::{ConstexprValue, KernelDef, Specialization};
use mytriton::prelude::*;
use mytriton::ssa::Kernel;

use crate::kernels;

/// A kernel with its constants.
pub struct Plan {
    /// For the reader.
    pub name: &'static str,
    definition: &'static KernelDef,
    constexprs: Vec<ConstexprValue>,
    /// Warps of a program.
    pub num_warps: u32,
}

impl Plan {
    /// The kernel for pointers and lengths that are divisible by 16, as in most launches.
    pub fn build(&self) -> Result<Kernel> {
        let parameters = 0..self.definition.runtime_params().count();
        let facts = parameters.fold(Specialization::NONE, Specialization::with_divisible_by_16);
        Ok((self.definition.build)(&self.constexprs, &facts)?)
    }
}

/// All of them.
pub fn plans() -> Vec<Plan> {
    let plan = |name, kernel: &'static KernelDef, dtype: DType, sizes: &[i32], num_warps| Plan {
        name,
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
    vec![
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
    ]
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
