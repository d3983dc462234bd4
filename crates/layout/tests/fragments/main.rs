//! Plans of fragments, carried out on values and derived a second time from tables.

#[path = "../executed/mod.rs"]
mod executed;

mod enumerated;
mod reductions;
mod scans;
mod softmax;
mod sources;
mod values;
mod words;

use mytriton_layout::DistributedLayout;

fn layout(text: &str) -> DistributedLayout {
    text.parse().unwrap()
}

/// The ways in which rows may be spread: in one thread, in turns over a warp, over the lanes and registers of tensor
/// cores, over warps.
fn forms() -> Vec<DistributedLayout> {
    vec![
        DistributedLayout::blocked(&[32, 4], &[1, 4], &[32, 1], &[1, 1], &[1, 0]).unwrap(),
        DistributedLayout::blocked(&[1, 128], &[1, 1], &[1, 32], &[1, 1], &[1, 0]).unwrap(),
        DistributedLayout::mma_accumulator([16, 8], [1, 1]).unwrap(),
        DistributedLayout::blocked(&[4, 64], &[1, 2], &[2, 16], &[1, 2], &[1, 0]).unwrap(),
    ]
}
