//! Asynchronous products of warp groups: issue, completion at the scheduler's whim, waits.

use super::access::who;
use super::alu::lanes;
use super::block::{Block, thread};
use super::grid::Env;
use super::matrix::WHOLE;
use crate::finding::{Accessed, FindingKind};
use crate::matrix::{
    Agreement, Call, Descriptor, Flight, GroupCalls, Left, MatrixInstr, PIECE, Pieces, ROWS, Registers, Tile, Use,
    Wgmma, coords_a, multiply, ranges,
};
use crate::memory::{AccessKind, Bytes, OtherAccess, Own, Proxy, Reserve, Who};
use crate::program::{Instr, Pc, Reg, Space};

/// Warps of a group.
const GROUP: usize = 4;

/// What the warps of a block have to do with wgmmas.
pub(super) struct Products {
    /// By warp; of programs without wgmma it holds next to nothing.
    pub warps: Vec<Registers>,
    groups: Vec<GroupCalls>,
    in_flight: usize,
}

impl Products {
    /// Those of a block.
    pub fn new(env: &Env<'_>) -> Products {
        let warps = env.threads().div_ceil(32) as usize;
        let registers = if env.uses.is_empty() { 0 } else { env.program.registers };
        Products {
            warps: (0..warps).map(|_| Registers::new(registers)).collect(),
            groups: (0..warps.div_ceil(GROUP)).map(|_| GroupCalls::default()).collect(),
            in_flight: 0,
        }
    }
}

impl Block<'_> {
    /// An instruction of a program with wgmmas is about to use registers.
    pub(super) fn watch_registers(&mut self, w: usize, pc: Pc, mask: u32) {
        let regs = self.env.uses.of(pc);
        if let Some(issued) = self.products.warps[w].used(regs) {
            self.report_pending(w, pc, mask, issued);
        }
    }

    fn report_pending(&self, w: usize, pc: Pc, mask: u32, issued: Pc) {
        let thread = thread(w, mask.trailing_zeros() as usize);
        let site = Box::new(self.env.site(self.number, thread, issued));
        self.report(pc, thread, Some(issued), FindingKind::PendingRegister { issued: site });
    }

    fn report_wgmma(&self, w: usize, pc: Pc, message: impl Into<String>) {
        let kind = FindingKind::Asynchronous {
            message: message.into(),
        };
        self.report(pc, thread(w, 0), None, kind);
    }

    /// The number that all lanes have in a register.
    fn uniform(&self, w: usize, pc: Pc, reg: Reg, what: &str) -> u64 {
        let row = self.warps[w].row(reg);
        if row.iter().any(|&number| number != row[0]) {
            self.report_wgmma(w, pc, format!("the lanes of the warp have different {what}"));
        }
        row[0]
    }

    fn descriptor(&self, w: usize, pc: Pc, bits: u64, matrix: char) -> Option<Descriptor> {
        let decoded = Descriptor::decode(bits);
        if decoded.is_none() {
            let message = format!(
                "the descriptor {bits:#018x} of matrix {matrix} has bits set that mean nothing: address and strides go into it \
                 in units of 16 bytes, the address cut to 18 bits before"
            );
            self.report_wgmma(w, pc, message);
        }
        decoded
    }

    pub(super) fn wgmma(&mut self, w: usize, pc: Pc, instr: &Wgmma) {
        if w / GROUP * GROUP + GROUP > self.warps.len() {
            let message = "a wgmma in a warp that has no warp group: four whole warps from a multiple of four on";
            return self.report_wgmma(w, pc, message);
        }
        let a = match instr.a {
            Left::Shared { descriptor, .. } => Some(self.uniform(w, pc, descriptor, "descriptors of matrix A")),
            Left::Registers(_) => None,
        };
        let b = self.uniform(w, pc, instr.b, "descriptors of matrix B");
        let adds = self.uniform(w, pc, instr.scale_d, "values of scale-d") != 0;
        self.agree(w, Call { pc, a, b });
        let uses = self.check_registers(w, pc, instr);
        let Some(addresses) = self.operand_addresses(w, pc, instr, a, b) else {
            return;
        };
        let who = who(self.number, w, 0, pc);
        let own = Own {
            id: self.engine.fresh_id(),
            pc,
        };
        let ranges = ranges(addresses);
        if !self.reserve(who, own.id, &ranges) {
            return;
        }
        // D becomes the registers of C.
        self.move_fragment(w, instr);
        let flight = Flight {
            number: self.products.warps[w].next(),
            who,
            agent: self.clocks.issue(who.thread, Proxy::Async),
            own,
            ranges,
            descriptors: [a.unwrap_or(0), b],
            adds,
        };
        self.products.warps[w].issue(flight, uses.into_iter());
        self.products.in_flight += 1;
    }

    fn agree(&mut self, w: usize, call: Call) {
        let agreement = self.products.groups[w / GROUP].call(w % GROUP, call);
        let (message, other) = match agreement {
            Agreement::Same => return,
            Agreement::OtherDescriptor => (
                "the warps of a warp group give a wgmma different descriptors".to_owned(),
                None,
            ),
            Agreement::OtherProduct(other) => {
                let site = self.env.site(self.number, thread(w, 0), other);
                let message = format!(
                    "the warps of a warp group come to different wgmmas, another one to '{}'",
                    site.place.op
                );
                (message, Some(other))
            }
        };
        let kind = FindingKind::DivergentCollective { missing: 0, message };
        self.report(call.pc, thread(w, 0), other, kind);
    }

    /// Looks for pending registers and for those that a fence is missing for; gives what the product does with its own.
    fn check_registers(&mut self, w: usize, pc: Pc, instr: &Wgmma) -> Vec<(Reg, Use)> {
        let program = self.env.program;
        let shape = (instr.n, instr.k());
        let sums = (0..).zip(program.regs(instr.d.regs));
        let mut uses: Vec<(Reg, Use)> = sums.map(|(index, &reg)| (reg, Use::Sum { shape, index })).collect();
        if let Left::Registers(a) = instr.a {
            uses.extend(program.regs(a.regs).iter().map(|&reg| (reg, Use::Left)));
        }
        let pairs = program.regs(instr.c.regs).iter().zip(program.regs(instr.d.regs));
        let copied = || pairs.clone().filter(|(c, d)| c != d).map(|(&c, _)| c);
        let registers = &self.products.warps[w];
        let conflicts = uses.iter().map(|&(reg, what)| registers.conflict(reg, Some(what)));
        let copies = copied().map(|reg| registers.conflict(reg, None));
        if let Some(issued) = conflicts.chain(copies).flatten().next() {
            self.report_pending(w, pc, WHOLE, issued);
        }
        // Of what is copied into D, the copy is no instruction of the program's, so that reads do not count.
        let unfenced = uses.iter().any(|&(reg, _)| registers.is_unfenced(reg, false))
            || copied().any(|reg| registers.is_unfenced(reg, true));
        if unfenced {
            let message =
                "a wgmma on registers that were used since the last wgmma.fence: the fence has to stand in between";
            self.report_wgmma(w, pc, message);
        }
        uses
    }

    /// The addresses of all pieces that a warp's product reads: its rows of A, and B.
    fn operand_addresses(&self, w: usize, pc: Pc, instr: &Wgmma, a: Option<u64>, b: u64) -> Option<Vec<u64>> {
        let mut addresses = Vec::new();
        if let Some(a) = a {
            let pieces = self.descriptor(w, pc, a, 'A')?.pieces(pieces_a(w, instr));
            addresses.extend(pieces.map(|piece| piece.0));
        }
        let pieces = self.descriptor(w, pc, b, 'B')?.pieces(pieces_b(instr));
        addresses.extend(pieces.map(|piece| piece.0));
        Some(addresses)
    }

    /// Reserves what a product will read, or nothing, with a finding.
    fn reserve(&mut self, who: Who, id: u64, ranges: &[(u64, u64)]) -> bool {
        let by = OtherAccess {
            block: who.block,
            thread: who.thread,
            pc: who.pc,
            kind: AccessKind::Read,
            proxy: Proxy::Async,
        };
        for (index, &(address, bytes)) in ranges.iter().enumerate() {
            let range = Bytes {
                address,
                bytes,
                align: PIECE as u32,
            };
            if let Err(fault) = self.shared.reserve(id, Reserve::Source, by, range) {
                self.unreserve(id, &ranges[..index]);
                self.report_fault(who, Accessed::Read, Space::Shared, address, bytes as u32, fault);
                return false;
            }
        }
        true
    }

    fn unreserve(&mut self, id: u64, ranges: &[(u64, u64)]) {
        for &(address, bytes) in ranges {
            self.shared.unreserve(id, Reserve::Source, address, bytes);
        }
    }

    fn move_fragment(&mut self, w: usize, instr: &Wgmma) {
        let program = self.env.program;
        let warp = &mut self.warps[w];
        let (c, d) = (program.regs(instr.c.regs), program.regs(instr.d.regs));
        let moves = c.iter().zip(d).filter(|(c, d)| c != d);
        let rows: Vec<_> = moves.map(|(&c, &d)| (d, *warp.row(c))).collect();
        for (d, row) in rows {
            warp.set(d, row, WHOLE);
        }
    }

    /// Completes the oldest product of a warp.
    fn complete_product(&mut self, w: usize) {
        let Some(flight) = self.products.warps[w].flights.pop_front() else {
            return;
        };
        self.products.in_flight -= 1;
        let program = self.env.program;
        let Instr::Matrix(matrix) = &program.code[flight.own.pc as usize] else {
            return;
        };
        let MatrixInstr::Wgmma(instr) = &**matrix else {
            return;
        };
        let [left, right] = instr.inputs;
        let (k, n) = (usize::from(instr.k()), usize::from(instr.n));
        let a = match instr.a {
            Left::Registers(a) => self.warps[w].tile(program, a, left, (ROWS, k), coords_a),
            Left::Shared { .. } => {
                let mut tile = Tile::new(ROWS, k);
                let pieces = pieces_a(w, instr);
                self.read_operand(&flight, flight.descriptors[0], pieces, |mn, k, bits| {
                    tile.set(mn - pieces.mn.0, k, left.value(bits));
                });
                tile
            }
        };
        let mut b = Tile::new(k, n);
        self.read_operand(&flight, flight.descriptors[1], pieces_b(instr), |mn, k, bits| {
            b.set(k, mn, right.value(bits));
        });
        self.unreserve(flight.own.id, &flight.ranges);
        let [negate_a, negate_b] = instr.negate;
        let sums = multiply(&a, &b, negate_a != negate_b);
        let c = flight.adds.then_some(instr.d);
        self.warps[w].add(program, instr.accumulator, instr.saturate, &sums, n, c, instr.d);
        let done = self.clocks.completed(&flight.agent);
        self.products.warps[w].complete(&flight, done);
    }

    /// Reads an operand: calls with each element's (mn, k) and its bits.
    fn read_operand(&mut self, flight: &Flight, descriptor: u64, of: Pieces, mut f: impl FnMut(usize, usize, u32)) {
        let Some(descriptor) = Descriptor::decode(descriptor) else {
            return;
        };
        let mut first = None;
        for (address, mn, k) in descriptor.pieces(of) {
            let mut bytes = [0; PIECE];
            if let Err(fault) = self.shared.load_async(&flight.agent, flight.own, address, &mut bytes) {
                first.get_or_insert((address, fault));
            }
            for (index, element) in bytes.chunks_exact(of.bytes).enumerate() {
                let mut bits = [0; 4];
                bits[..of.bytes].copy_from_slice(element);
                let (mn, k) = if of.transposed {
                    (mn + index, k)
                } else {
                    (mn, k + index)
                };
                f(mn, k, u32::from_le_bytes(bits));
            }
        }
        if let Some((address, fault)) = first {
            self.report_fault(flight.who, Accessed::Read, Space::Shared, address, PIECE as u32, fault);
        }
    }

    /// Completes products now and then: the seed decides whose and when.
    pub(super) fn complete_some_products(&mut self) {
        while self.products.in_flight > 0 && self.random.below(4) == 0 {
            let first = self.random.below(self.warps.len());
            let warps = (first..self.warps.len()).chain(0..first);
            let busy = |w: &usize| !self.products.warps[*w].flights.is_empty();
            if let Some(w) = { warps }.find(busy) {
                self.complete_product(w);
            }
        }
    }

    /// "wgmma.wait_group".
    pub(super) fn wgmma_wait(&mut self, w: usize, pending: u32) {
        let Some(end) = self.products.warps[w].due(pending) else {
            return;
        };
        while self.products.warps[w]
            .flights
            .front()
            .is_some_and(|flight| flight.number < end)
        {
            self.complete_product(w);
        }
        let done = self.products.warps[w].waited(end);
        for lane in lanes(WHOLE) {
            self.clocks.acquire(thread(w, lane), &done);
        }
    }

    /// The block's threads have ended.
    pub(super) fn finish_products(&mut self) {
        for w in 0..self.warps.len() {
            if let Some(who) = self.products.warps[w].left() {
                let message =
                    "the block may end while the wgmma still reads its shared memory: wait for its group first";
                self.report_wgmma(w, who.pc, message);
            }
            while !self.products.warps[w].flights.is_empty() {
                self.complete_product(w);
            }
        }
        for (group, calls) in self.products.groups.iter().enumerate() {
            if let Some((came, pc, missing)) = calls.incomplete() {
                let warps: Vec<String> = lanes(missing).map(|warp| (group * GROUP + warp).to_string()).collect();
                let kind = FindingKind::DivergentCollective {
                    missing: 0,
                    message: format!(
                        "a wgmma that only some warps of the group come to, not warp(s) {}",
                        warps.join(", ")
                    ),
                };
                self.report(pc, thread(group * GROUP + came, 0), None, kind);
            }
        }
    }
}

/// What a warp's product reads of A: the rows of its own.
fn pieces_a(w: usize, instr: &Wgmma) -> Pieces {
    Pieces {
        transposed: matches!(instr.a, Left::Shared { transposed: true, .. }),
        mn: (w % GROUP * ROWS, ROWS),
        bytes: (instr.inputs[0].bits() / 8) as usize,
    }
}

/// What it reads of B.
fn pieces_b(instr: &Wgmma) -> Pieces {
    Pieces {
        transposed: instr.b_transposed,
        mn: (0, instr.n.into()),
        bytes: (instr.inputs[1].bits() / 8) as usize,
    }
}
