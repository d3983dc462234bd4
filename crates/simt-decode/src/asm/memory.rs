//! `ld` and `st`.

use mytriton_simt::program::{AtomicOp, Instr, Order, Reg, Space, Special};
use mytriton_ssa::{BinaryOp, Scalar};

use super::parse::{Name, Operand, Statement};
use super::{Asm, scalar_of};
use crate::access::At;
use crate::math::integer_of;

/// What the parts of an access's name say.
struct Access {
    space: Space,
    /// Atomic accesses order others; weak ones have none.
    order: Option<Order>,
    count: usize,
    ty: Scalar,
    signed: bool,
}

/// Reads the name of an access; none when a part is not known, or it names no space.
fn access(opcode: &[String]) -> Option<Access> {
    let (ty, qualifiers) = opcode.get(1..)?.split_last()?;
    let mut access = Access {
        space: Space::Global,
        order: None,
        count: 1,
        ty: scalar_of(ty).filter(|ty| *ty != Scalar::I1)?,
        signed: ty.starts_with('s'),
    };
    let mut space = None;
    let order = |acquire, release| Some(Order { acquire, release });
    for qualifier in qualifiers {
        match qualifier.as_str() {
            "global" => space = Some(Space::Global),
            "shared" | "shared::cta" => space = Some(Space::Shared),
            "v2" => access.count = 2,
            "v4" => access.count = 4,
            "volatile" | "relaxed" => access.order = order(false, false),
            "acquire" => access.order = order(true, false),
            "release" => access.order = order(false, true),
            "weak" | "cta" | "cluster" | "gpu" | "sys" => {}
            "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt" | "nc" => {}
            hint if hint.starts_with("L1::") || hint.starts_with("L2::") => {}
            _ => return None,
        }
    }
    access.space = space?;
    let one_atomic = access.order.is_none() || access.count == 1;
    (one_atomic && u64::from(access.ty.bytes()) * access.count as u64 <= 16).then_some(access)
}

/// The registers of a vector operand, or the only one.
fn items(operand: &Operand, count: usize) -> Option<&[Operand]> {
    match operand {
        Operand::List(items) if items.len() == count => Some(items),
        Operand::List(_) => None,
        _ if count == 1 => Some(std::slice::from_ref(operand)),
        _ => None,
    }
}

impl Asm<'_, '_> {
    /// The register of an access: of the word's width or wider.
    fn width_of(&mut self, operand: &Operand, ty: Scalar) -> Option<Scalar> {
        let width = match operand {
            Operand::Name(name) => self.slot(name)?.ty,
            Operand::Literal(_) | Operand::Sink => ty,
            _ => return None,
        };
        (width.bits() >= ty.bits()).then_some(width)
    }

    pub(super) fn load(&mut self, statement: &Statement, guard: Option<Reg>) -> Option<()> {
        let access = access(&statement.opcode)?;
        let [into, address] = &statement.operands[..] else {
            return None;
        };
        let address = self.address(address)?;
        let into = items(into, access.count)?;
        let at = At {
            space: access.space,
            address,
            alignment: u64::from(access.ty.bytes()),
        };
        if let Some(order) = access.order {
            let width = self.width_of(&into[0], access.ty)?;
            let loaded = self.atomic_load(at, access.ty, order, guard)?;
            let loaded = self.widened(access.signed, access.ty, width, loaded);
            return self.write(&into[0], width, loaded, guard);
        }
        // What lanes without the access take: what the register holds, which a sign extension is kept away from.
        let mut others = Vec::new();
        let mut extended = false;
        for item in into {
            let width = self.width_of(item, access.ty)?;
            extended |= access.signed && width.bits() > access.ty.bits();
            others.push(match item {
                Operand::Name(name) => self.read(name, width)?,
                _ => self.decoder.constant(0),
            });
        }
        if extended {
            others.fill(self.decoder.constant(0));
        }
        let other = if guard.is_some() {
            self.decoder.list(&others)
        } else {
            Default::default()
        };
        let loaded: Vec<Reg> = into.iter().map(|_| self.decoder.fresh()).collect();
        let dst = self.decoder.list(&loaded);
        self.decoder.emit(Instr::Load {
            space: access.space,
            bytes: access.ty.bytes() as u8,
            dst,
            address,
            guard,
            other,
        });
        for (item, loaded) in into.iter().zip(loaded) {
            let width = self.width_of(item, access.ty)?;
            let loaded = self.widened(access.signed, access.ty, width, loaded);
            self.write(item, width, loaded, guard.filter(|_| extended))?;
        }
        Some(())
    }

    /// An atomic load, where the guard holds; zero elsewhere.
    fn atomic_load(&mut self, at: At, ty: Scalar, order: Order, guard: Option<Reg>) -> Option<Reg> {
        let or = AtomicOp::Binary(BinaryOp::Or);
        let zero = self.decoder.constant(0);
        let Some(cond) = guard else {
            return Some(self.decoder.atomic(at, or, integer_of(ty), zero, order));
        };
        let result = self.decoder.copy(zero);
        let emitted = self.decoder.only_if(cond, |decoder| {
            let loaded = decoder.atomic(at, or, integer_of(ty), zero, order);
            decoder.move_to(result, loaded);
            Ok(())
        });
        emitted.ok()?;
        Some(result)
    }

    pub(super) fn store(&mut self, statement: &Statement, guard: Option<Reg>) -> Option<()> {
        let access = access(&statement.opcode)?;
        let [address, from] = &statement.operands[..] else {
            return None;
        };
        let address = self.address(address)?;
        let mut words = Vec::new();
        for item in items(from, access.count)? {
            let width = self.width_of(item, access.ty)?;
            let value = self.value(item, width)?;
            words.push(
                self.decoder
                    .resize(false, integer_of(width), integer_of(access.ty), value),
            );
        }
        if let Some(order) = access.order {
            let dst = self.decoder.fresh();
            let exchange = Instr::Atomic {
                space: access.space,
                op: AtomicOp::Exchange,
                ty: integer_of(access.ty),
                dst,
                address,
                value: words[0],
                order,
            };
            return self.guarded(guard, exchange);
        }
        let src = self.decoder.list(&words);
        self.decoder.emit(Instr::Store {
            space: access.space,
            bytes: access.ty.bytes() as u8,
            src,
            address,
            guard,
        });
        Some(())
    }

    /// Special registers are read by `mov`.
    pub(super) fn special(&mut self, name: &Name) -> Option<Reg> {
        let Name::Local(name) = name else { return None };
        let axis = match name.rsplit_once('.') {
            Some((_, "x")) => 0,
            Some((_, "y")) => 1,
            Some((_, "z")) => 2,
            _ => 3,
        };
        let which = match (name.strip_prefix('%')?.split('.').next()?, axis) {
            ("tid", 0..=2) => Special::ThreadId(axis),
            ("ntid", 0..=2) => Special::BlockDim(axis),
            ("ctaid", 0..=2) => Special::BlockId(axis),
            ("nctaid", 0..=2) => Special::GridDim(axis),
            ("laneid", 3) => Special::Lane,
            ("warpid", 3) => Special::Warp,
            _ => return None,
        };
        Some(self.decoder.special(which))
    }
}
