//! Programs as text: an instruction a line, constants in place of their registers.

use std::collections::HashMap;
use std::fmt::Write as _;

use mytriton_simt::Program;
use mytriton_simt::asynchronous::AsyncInstr;
use mytriton_simt::matrix::{Fragment, Left, MatrixInstr};
use mytriton_simt::program::{AtomicOp, Instr, Order, Reg, Regs};

struct Listing<'p> {
    program: &'p Program,
    constants: HashMap<Reg, u64>,
}

/// The text of a program.
pub fn listing(program: &Program) -> String {
    let constants = program.code.iter().filter_map(|instr| match *instr {
        Instr::Const { dst, bits } => Some((dst, bits)),
        _ => None,
    });
    let this = Listing {
        program,
        constants: constants.collect(),
    };
    let params: Vec<_> = program
        .params
        .iter()
        .map(|p| format!("r{}: {}", p.reg, p.bits))
        .collect();
    let mut text = format!("{}({})", program.name, params.join(", "));
    if let Some(block) = program.block {
        write!(text, " block {block:?}").unwrap();
    }
    for variable in &program.shared {
        write!(text, " {}[{}]@{}", variable.name, variable.bytes, variable.offset).unwrap();
    }
    if program.shared_bytes > 0 {
        write!(text, " shared {}", program.shared_bytes).unwrap();
    }
    text.push('\n');
    let first = program
        .code
        .iter()
        .take_while(|i| matches!(i, Instr::Const { .. }))
        .count();
    for (pc, instr) in program.code.iter().enumerate().skip(first) {
        writeln!(text, "{:3} {}", pc - first, this.instr(instr, first as u32)).unwrap();
    }
    text
}

impl Listing<'_> {
    fn r(&self, reg: Reg) -> String {
        match self.constants.get(&reg) {
            Some(&bits) if bits < 1 << 16 => format!("{bits}"),
            Some(&bits) => format!("{bits:#x}"),
            None => format!("r{reg}"),
        }
    }

    fn opt(&self, name: &str, reg: Option<Reg>) -> String {
        reg.map(|reg| format!(" {name} {}", self.r(reg))).unwrap_or_default()
    }

    fn list(&self, regs: Regs) -> String {
        let all: Vec<_> = self.program.regs(regs).iter().map(|&reg| self.r(reg)).collect();
        format!("{{{}}}", all.join(", "))
    }

    fn instr(&self, instr: &Instr, first: u32) -> String {
        let r = |reg: &Reg| self.r(*reg);
        match instr {
            Instr::Const { dst, bits } => format!("r{dst} = const {bits:#x}"),
            Instr::Move { dst, src } => format!("r{dst} = {}", r(src)),
            Instr::Special { dst, which } => format!("r{dst} = {which:?}"),
            Instr::Unary { op, ty, dst, a } => format!("r{dst} = {op}.{ty} {}", r(a)),
            Instr::Binary { op, ty, dst, a, b } => format!("r{dst} = {op}.{ty} {}, {}", r(a), r(b)),
            Instr::MulHigh { signed, ty, dst, a, b } => {
                let sign = if *signed { "s" } else { "u" };
                format!("r{dst} = mulhi_{sign}.{ty} {}, {}", r(a), r(b))
            }
            Instr::Fma { ty, dst, a, b, c } => format!("r{dst} = fma.{ty} {}, {}, {}", r(a), r(b), r(c)),
            Instr::Cmp { pred, ty, dst, a, b } => format!("r{dst} = {pred}.{ty} {}, {}", r(a), r(b)),
            Instr::Select { dst, cond, a, b } => format!("r{dst} = {} ? {} : {}", r(cond), r(a), r(b)),
            Instr::Cast { kind, from, to, dst, a } => format!("r{dst} = {kind}.{from}.{to} {}", r(a)),
            Instr::Branch { cond, otherwise, join } => {
                format!("branch {} else {} join {}", r(cond), otherwise - first, join - first)
            }
            Instr::Jump { to } => format!("jump {}", to - first),
            Instr::Join => "join".into(),
            Instr::End => "end".into(),
            Instr::Load {
                space,
                bytes,
                dst,
                address,
                guard,
                other,
            } => {
                let guard = match guard {
                    Some(guard) => format!(" if {} else {}", r(guard), self.list(*other)),
                    None => String::new(),
                };
                format!("{} = load.{space:?}.{bytes} [{}]{guard}", self.list(*dst), r(address))
            }
            Instr::Store {
                space,
                bytes,
                src,
                address,
                guard,
            } => {
                format!(
                    "store.{space:?}.{bytes} [{}], {}{}",
                    r(address),
                    self.list(*src),
                    self.opt("if", *guard)
                )
            }
            Instr::Atomic {
                space,
                op,
                ty,
                dst,
                address,
                value,
                order,
            } => {
                let op = match op {
                    AtomicOp::Exchange => "exchange".to_owned(),
                    AtomicOp::Binary(op) => op.to_string(),
                };
                format!(
                    "r{dst} = atomic_{op}.{space:?}.{ty}{} [{}], {}",
                    ordering(*order),
                    r(address),
                    r(value)
                )
            }
            Instr::CompareExchange {
                space,
                bytes,
                dst,
                address,
                expected,
                value,
                order,
            } => format!(
                "r{dst} = cas.{space:?}.{bytes}{} [{}], {}, {}",
                ordering(*order),
                r(address),
                r(expected),
                r(value)
            ),
            Instr::Barrier => "barrier".into(),
            Instr::NamedBarrier { id, threads, wait } => {
                let kind = if *wait { "barrier" } else { "arrive" };
                format!("{kind} {}{}", r(id), self.opt("of", *threads))
            }
            Instr::WarpBarrier { mask } => format!("warp_barrier {}", r(mask)),
            Instr::Shuffle {
                mode,
                dst,
                in_range,
                src,
                lane,
                width,
                mask,
            } => format!(
                "r{dst}, r{in_range} = shuffle_{mode:?} {}, {}, {}{}",
                r(src),
                r(lane),
                r(width),
                self.opt("mask", *mask)
            ),
            Instr::Vote { vote, dst, src, mask } => {
                format!("r{dst} = vote_{vote:?} {}{}", r(src), self.opt("mask", *mask))
            }
            Instr::Fence(fence) => format!("fence {fence:?}"),
            Instr::Async(instr) => self.asynchronous(instr),
            Instr::Matrix(instr) => self.matrix(instr),
            Instr::Assert { cond, message } => format!("assert {} {message:?}", r(cond)),
            #[allow(unreachable_patterns)] // Another crate's instructions may become more.
            other => format!("{other:?}"),
        }
    }

    fn asynchronous(&self, instr: &AsyncInstr) -> String {
        let r = |reg: &Reg| self.r(*reg);
        match instr {
            AsyncInstr::Copy { dst, src, bytes, valid } => {
                format!("copy.{bytes} [{}], [{}]{}", r(dst), r(src), self.opt("valid", *valid))
            }
            AsyncInstr::BarrierInit { barrier, count } => format!("mbarrier_init [{}], {}", r(barrier), r(count)),
            AsyncInstr::BarrierInvalidate { barrier } => format!("mbarrier_inval [{}]", r(barrier)),
            AsyncInstr::BarrierArrive {
                barrier,
                count,
                expect,
                state,
            } => format!(
                "{}mbarrier_arrive [{}]{}{}",
                state.map(|state| format!("r{state} = ")).unwrap_or_default(),
                r(barrier),
                self.opt("count", *count),
                self.opt("expect", *expect)
            ),
            AsyncInstr::BarrierExpect { barrier, bytes } => format!("mbarrier_expect [{}], {}", r(barrier), r(bytes)),
            AsyncInstr::BarrierTest {
                barrier,
                phase,
                parity,
                done,
            } => {
                let kind = if *parity { "parity" } else { "state" };
                format!("r{done} = mbarrier_test [{}] {kind} {}", r(barrier), r(phase))
            }
            AsyncInstr::BulkLoad {
                dst,
                src,
                bytes,
                barrier,
            } => format!("bulk_load [{}], [{}], {}, [{}]", r(dst), r(src), r(bytes), r(barrier)),
            AsyncInstr::BulkStore { dst, src, bytes } => {
                format!("bulk_store [{}], [{}], {}", r(dst), r(src), r(bytes))
            }
            other => format!("{other:?}"),
        }
    }
}

impl Listing<'_> {
    fn fragment(&self, of: Fragment) -> String {
        format!("{}b{}", self.list(of.regs), of.bits)
    }

    fn matrix(&self, instr: &MatrixInstr) -> String {
        let name = |kind: &str, transposed: bool| format!("{kind}{}", if transposed { ".trans" } else { "" });
        match instr {
            MatrixInstr::Load {
                dst,
                address,
                transpose,
            } => format!(
                "{} = {} [{}]",
                self.list(*dst),
                name("ldmatrix", *transpose),
                self.r(*address)
            ),
            MatrixInstr::Store {
                src,
                address,
                transpose,
            } => format!(
                "{} [{}], {}",
                name("stmatrix", *transpose),
                self.r(*address),
                self.list(*src)
            ),
            MatrixInstr::Mma(mma) => {
                let saturate = if mma.saturate { ".satfinite" } else { "" };
                format!(
                    "{} = mma.k{}.{:?}.{:?}.{:?}{saturate} {}, {}, {}",
                    self.fragment(mma.d),
                    mma.k,
                    mma.inputs[0],
                    mma.inputs[1],
                    mma.accumulator,
                    self.fragment(mma.a),
                    self.fragment(mma.b),
                    self.fragment(mma.c)
                )
            }
            MatrixInstr::Wgmma(wgmma) => {
                let sign = |negate: bool| if negate { "-" } else { "" };
                let a = match wgmma.a {
                    Left::Shared { descriptor, transposed } => name(&format!("[{}]", self.r(descriptor)), transposed),
                    Left::Registers(a) => self.fragment(a),
                };
                format!(
                    "{} = wgmma.n{}.{:?}.{:?}.{:?} {}{a}, {}{}, {} if {}",
                    self.fragment(wgmma.d),
                    wgmma.n,
                    wgmma.inputs[0],
                    wgmma.inputs[1],
                    wgmma.accumulator,
                    sign(wgmma.negate[0]),
                    sign(wgmma.negate[1]),
                    name(&format!("[{}]", self.r(wgmma.b)), wgmma.b_transposed),
                    self.fragment(wgmma.c),
                    self.r(wgmma.scale_d)
                )
            }
            other => format!("{other:?}"),
        }
    }
}

fn ordering(order: Order) -> &'static str {
    match (order.acquire, order.release) {
        (true, true) => ".acq_rel",
        (true, false) => ".acquire",
        (false, true) => ".release",
        (false, false) => "",
    }
}
