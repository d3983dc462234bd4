//! The name of a constructor with its arguments is the layout that the function of that name gives.

use mytriton_layout::{DistributedLayout, HardwareSwizzle, LayoutError, Swizzle, hardware_swizzled, swizzled};

use super::super::AnyLayout;

#[track_caller]
fn is(text: &str, shape: &[u32], bits: u32, layout: AnyLayout) {
    assert_eq!(AnyLayout::parse(text, shape, bits), Ok(layout), "{text}");
}

#[track_caller]
fn distributed(text: &str, shape: &[u32], layout: Result<DistributedLayout, LayoutError>) {
    is(text, shape, 16, AnyLayout::Distributed(layout.unwrap()));
}

#[test]
fn blocked() {
    let l = DistributedLayout::blocked(&[32, 64], &[2, 4], &[8, 4], &[2, 1], &[1, 0]);
    distributed("blocked([2, 4], [8, 4], [2, 1])", &[32, 64], l);
    let l = DistributedLayout::blocked(&[32, 64], &[4, 1], &[4, 8], &[1, 1], &[0, 1]);
    distributed("blocked([4, 1], [4, 8], order=[0, 1])", &[32, 64], l);
}

#[test]
fn accumulators_and_operands() {
    let shape = [64, 64];
    let l = DistributedLayout::mma_accumulator(shape, [2, 2]);
    distributed("mma(warps=[2, 2])", &shape, l.clone());
    distributed("mma([16, 8], [2, 2])", &shape, l);
    let l = DistributedLayout::wgmma_accumulator(shape, [8, 1], 32);
    distributed("wgmma([64, 32], [8, 1])", &shape, l);
    for width in [1, 2, 4] {
        let parent = "mma(warps=[2, 2])";
        let a = DistributedLayout::mma_operand_a(shape, [2, 2], width);
        distributed(&format!("operand_a({parent}, {width})"), &shape, a);
        let b = DistributedLayout::mma_operand_b(shape, [2, 2], width);
        distributed(&format!("operand_b({parent}, {width})"), &shape, b);
        let a = DistributedLayout::wgmma_operand_a(shape, [4, 1], width);
        distributed(&format!("operand_a(wgmma([64, 8]), {width})"), &shape, a);
    }
    // 32 bits' worth unless given.
    let a = DistributedLayout::mma_operand_a(shape, [1, 1], 2);
    distributed("operand_a(mma())", &shape, a);
}

#[test]
fn slices() {
    let l = DistributedLayout::mma_accumulator([16, 8], [1, 1]).unwrap();
    distributed("slice(1, mma())", &[16], l.slice(1));
    distributed("slice(0, mma())", &[8], l.slice(0));
}

#[test]
fn swizzles() {
    let swizzle = Swizzle {
        vec: 2,
        per_phase: 4,
        max_phase: 8,
    };
    let l = swizzled(&[32, 64], &[0, 1], swizzle).unwrap();
    is("swizzled(2, 4, 8, [0, 1])", &[32, 64], 16, AnyLayout::Shared(l));
    let widths = [HardwareSwizzle::B32, HardwareSwizzle::B64, HardwareSwizzle::B128];
    for (bytes, width) in [32, 64, 128].into_iter().zip(widths) {
        for bits in [8, 16, 32, 64] {
            let l = hardware_swizzled([16, 256], bits / 8, width).unwrap();
            is(
                &format!("hw_swizzled({bytes}B)"),
                &[16, 256],
                bits,
                AnyLayout::Shared(l.clone()),
            );
            is(
                &format!("hw_swizzled({bytes}B, {bits})"),
                &[16, 256],
                bits,
                AnyLayout::Shared(l),
            );
        }
    }
}
