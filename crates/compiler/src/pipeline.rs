//! The pass pipelines between the MLIR stages, as text: what `mytriton-opt --pass-pipeline` takes.

use crate::stage::Stage;

/// From the `tile` stage to the `layout` stage.
pub const LAYOUT: &str = "builtin.module(tile-assign-layouts,tile-coalesce-memory,\
    tile-optimize-thread-locality,tile-propagate-layouts,tile-allocate-shared,\
    tile-insert-barriers)";

/// The rest of it for a module whose tiles have layouts: places in shared memory, and barriers.
pub const GIVEN_LAYOUTS: &str = "builtin.module(tile-allocate-shared,tile-insert-barriers)";

/// The passes to the `layout` stage that a kernel lowers without, if to slower code.
pub const OPTIONAL: &[&str] = &[
    "tile-coalesce-memory",
    "tile-optimize-thread-locality",
    "tile-propagate-layouts",
];

/// From the `layout` stage to the `gpu` stage. Two patterns of `arith` are left out that round an integer which becomes a
/// float and then a narrower one once, where the kernel says twice.
pub const GPU: &str = "builtin.module(convert-tile-to-gpu,gpu.module(canonicalize{disable-patterns={\
    '(anonymous namespace)::TruncFSIToFPToSIToFP','(anonymous namespace)::TruncFUIToFPToUIToFP'}},cse))";

/// From the `gpu` stage to the `llvm` stage. `convert-gpu-to-nvvm` takes the patterns of arith, cf, index, ub and vector
/// along; operations of `math` the `gpu` stage has none.
pub const LLVM: &str = "builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm,reconcile-unrealized-casts))";

/// The pipeline that leads to an MLIR stage from the one before it; none for stages that no pipeline leads to.
pub fn leading_to(stage: Stage) -> Option<&'static str> {
    match stage {
        Stage::Layout => Some(LAYOUT),
        Stage::Gpu => Some(GPU),
        Stage::Llvm => Some(LLVM),
        Stage::Ssa | Stage::Tile | Stage::Ptx | Stage::Cuda => None,
    }
}

/// One pass of a pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pass {
    /// Its name.
    pub name: String,
    /// The pipeline of this pass alone, at the same level of the module and with its options.
    pub pipeline: String,
}

/// The passes of a pipeline one by one, in order: running them one after another does the same.
pub fn passes(pipeline: &str) -> Vec<Pass> {
    let (mut passes, mut open) = (Vec::new(), Vec::new());
    // Options stand in braces, nested pipelines in parentheses.
    let (mut start, mut braces) = (0, 0usize);
    for (at, c) in pipeline.char_indices() {
        match c {
            '{' => braces += 1,
            '}' => braces = braces.saturating_sub(1),
            _ if braces > 0 => {}
            '(' => {
                open.push(pipeline[start..at].trim());
                start = at + 1;
            }
            ')' | ',' => {
                let text = pipeline[start..at].trim();
                // Empty after a nested pipeline.
                if !text.is_empty() {
                    let around = open.iter().map(|anchor| format!("{anchor}("));
                    passes.push(Pass {
                        name: text.split('{').next().unwrap_or(text).to_owned(),
                        pipeline: around.collect::<String>() + text + &")".repeat(open.len()),
                    });
                }
                if c == ')' {
                    open.pop();
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    passes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_fall_into_passes() {
        let list = |text: &str| {
            let pass = |pass: Pass| format!("{}: {}", pass.name, pass.pipeline);
            passes(text).into_iter().map(pass).collect::<Vec<_>>()
        };
        let names = |pass: Pass| pass.name;
        assert_eq!(
            passes(GPU).into_iter().map(names).collect::<Vec<_>>(),
            ["convert-tile-to-gpu", "canonicalize", "cse"]
        );
        assert_eq!(
            list("builtin.module(a{x=1,2 y={z=(3)}}, func.func(b, gpu.module(c)), d)"),
            [
                "a: builtin.module(a{x=1,2 y={z=(3)}})",
                "b: builtin.module(func.func(b))",
                "c: builtin.module(func.func(gpu.module(c)))",
                "d: builtin.module(d)",
            ]
        );
        assert_eq!(list("builtin.module()"), [""; 0]);
    }
}
