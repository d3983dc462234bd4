//! How many bits each register holds, from what writes it.

use mytriton_simt::Program;
use mytriton_simt::asynchronous::AsyncInstr;
use mytriton_simt::program::{Instr, Reg, Vote};

/// The bits of each register of a program whose registers are not allocated yet. What nothing writes has one word.
pub(crate) fn widths(program: &Program) -> Vec<u8> {
    let mut widths = vec![WORD; program.registers as usize];
    for param in &program.params {
        widths[param.reg as usize] = param.bits as u8;
    }
    for instr in &program.code {
        let width = |reg: Reg| widths[reg as usize];
        let written = match instr {
            Instr::Const { dst, bits } => Some((*dst, if *bits > u64::from(u32::MAX) { 64 } else { WORD })),
            Instr::Special { dst, .. } => Some((*dst, WORD)),
            Instr::Move { dst, src } => Some((*dst, width(*src))),
            Instr::Select { dst, a, b, .. } => Some((*dst, width(*a).max(width(*b)))),
            Instr::Unary { ty, dst, .. }
            | Instr::Binary { ty, dst, .. }
            | Instr::MulHigh { ty, dst, .. }
            | Instr::Fma { ty, dst, .. }
            | Instr::Cast { to: ty, dst, .. }
            | Instr::Atomic { ty, dst, .. } => Some((*dst, ty.bits() as u8)),
            Instr::Cmp { dst, .. } => Some((*dst, 1)),
            Instr::CompareExchange { dst, bytes, .. } => Some((*dst, 8 * bytes)),
            Instr::Load { dst, bytes, .. } => {
                for &reg in program.regs(*dst) {
                    widths[reg as usize] = 8 * bytes;
                }
                None
            }
            Instr::Shuffle { dst, in_range, src, .. } => {
                widths[*in_range as usize] = 1;
                Some((*dst, widths[*src as usize]))
            }
            Instr::Vote { vote, dst, .. } => {
                let truth = matches!(vote, Vote::All | Vote::Any | Vote::Uniform | Vote::Elect);
                Some((*dst, if truth { 1 } else { WORD }))
            }
            Instr::Async(instr) => match **instr {
                AsyncInstr::BarrierArrive { state: Some(state), .. } => Some((state, 64)),
                AsyncInstr::BarrierTest { done, .. } => Some((done, 1)),
                _ => None,
            },
            _ => None,
        };
        if let Some((reg, width)) = written {
            // A loop's register may be written in several places.
            widths[reg as usize] = width;
        }
    }
    widths
}

/// The bits of a register of the hardware.
const WORD: u8 = 32;
