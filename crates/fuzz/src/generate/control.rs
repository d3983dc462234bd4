//! Loops and branches.

use mytriton_ssa::{BinaryOp, CmpPred, Const, OpKind, Scalar, Type};

use super::address::Place;
use super::launch::Content;
use super::{Generator, Known, Term};
use crate::tree::{Body, Val};

/// The bounds of a loop.
struct Bounds {
    lower: Val,
    upper: Val,
    step: Val,
    /// The index is this at least, and below this.
    index: std::ops::Range<i64>,
    /// Turns at most.
    trips: usize,
}

/// Pointers that move on with every turn of a loop.
struct Running {
    pointers: Val,
    extent: usize,
}

const WIDE_INTS: [Scalar; 6] = [
    Scalar::I32,
    Scalar::I32,
    Scalar::I32,
    Scalar::I64,
    Scalar::I16,
    Scalar::I8,
];

impl Generator {
    /// Opens a region; everything that comes into scope until it is closed goes out of scope then.
    fn begin(&mut self, args: Vec<Val>) -> usize {
        self.open.push(Body {
            args,
            nodes: Vec::new(),
        });
        self.depth += 1;
        self.pool.len()
    }

    /// Ends the region that was opened last.
    fn end(&mut self, mark: usize, terminator: OpKind, passed: &[Val]) -> Body {
        self.append(terminator, passed, Vec::new(), Vec::new());
        self.pool.truncate(mark);
        self.depth -= 1;
        let body = self.open.pop().expect("the region is open");
        self.forget_pointers();
        body
    }

    /// The content of a region.
    fn content(&mut self, mark: usize, most: usize) {
        for _ in 0..self.random.between(0, most) {
            self.step();
        }
        self.store_rest(mark, 1, 5);
    }

    /// What a region passes on: plain values of the types, preferably new ones.
    fn passed(&mut self, types: &[Type], mark: usize) -> Vec<Val> {
        let mut values = Vec::with_capacity(types.len());
        for &ty in types {
            let new: Vec<Val> = (self.pool[mark..].iter().copied())
                .filter(|&v| self.ty(v) == ty && self.is_plain(v))
                .collect();
            values.push(match new.last() {
                Some(&last) if self.random.one_in(2) => last,
                Some(_) => self.random.pick(&new),
                None => self.plain(ty),
            });
        }
        values
    }

    /// Types to carry: of values in scope, or any.
    fn types_to_carry(&mut self) -> Vec<Type> {
        let count = self.random.weighted(&[1, 3, 2, 1]);
        (0..count)
            .map(|_| {
                if self.pool.is_empty() || self.random.one_in(3) || self.is_full() {
                    self.any_type()
                } else {
                    let pool = self.pool.clone();
                    let value = self.random.pick(&pool);
                    self.ty(value)
                }
            })
            .collect()
    }

    /// New values of types, as arguments or results. Of a float, any turn may have made it a NaN.
    fn carried(&mut self, types: &[Type]) -> Vec<Val> {
        types.iter().map(|&ty| self.tree.value(ty)).collect()
    }

    fn keep_all(&mut self, values: &[Val]) {
        for &value in values {
            self.keep_computed(value);
        }
    }

    fn bounds(&mut self) -> Bounds {
        let scalar = self.random.pick(&WIDE_INTS);
        let ty = Type::scalar(scalar);
        match self.random.below(6) {
            // All known.
            0 | 1 => {
                let lower = self.random.between(0, 6) as i64 - 3;
                let (trips, step) = (self.random.between(0, 4) as i64, self.random.between(1, 3) as i64);
                let short = if trips > 0 {
                    self.random.below(step as usize) as i64
                } else {
                    0
                };
                let upper = lower + trips * step - short;
                Bounds {
                    lower: self.int(lower, ty),
                    upper: self.int(upper, ty),
                    step: self.int(step, ty),
                    index: lower..upper.max(lower + 1),
                    trips: trips as usize,
                }
            }
            // From the least or up to the largest number, with nothing in between that wraps.
            2 => {
                let (least, most) = (-1i64 << (scalar.bits() - 1), !(-1i64 << (scalar.bits() - 1)));
                let (lower, upper) = if self.random.one_in(2) {
                    (least, least + 2)
                } else {
                    (most - 2, most)
                };
                let lower_value = self.int(lower, ty);
                let upper_value = if self.random.one_in(2) {
                    self.int(upper, ty)
                } else {
                    self.number_param(Const::from_int(scalar, i128::from(upper)))
                };
                Bounds {
                    lower: lower_value,
                    upper: upper_value,
                    step: self.int(1, ty),
                    index: lower..upper,
                    trips: 2,
                }
            }
            // A step that is not known, but positive.
            3 => {
                let step = self.random.between(1, 3);
                let upper = self.random.between(0, 5) as i64;
                Bounds {
                    lower: self.int(0, ty),
                    upper: self.int(upper, ty),
                    step: self.number_param(Const::from_int(scalar, step as i128)),
                    index: 0..upper.max(1),
                    trips: 5,
                }
            }
            // Bounds that may not be known.
            choice => {
                let lower = if choice == 4 {
                    self.int(0, ty)
                } else {
                    self.small(scalar, 2)
                };
                let upper = self.small(scalar, 3);
                Bounds {
                    lower,
                    upper,
                    step: self.int(1, ty),
                    index: 0..3,
                    trips: 3,
                }
            }
        }
    }

    pub fn for_loop(&mut self) {
        let bounds = self.bounds();
        let running = self.running(bounds.trips);
        let mut types = self.types_to_carry();
        let mut initial: Vec<Val> = types.iter().map(|&ty| self.plain(ty)).collect();
        let plain = initial.len();
        if let Some(running) = &running {
            types.push(self.ty(running.pointers));
            initial.push(running.pointers);
        }
        let index = self.tree.value(self.ty(bounds.lower));
        let args = self.carried(&types);
        let trips = self.trips;
        let terms = self.terms.len();
        let mark = self.begin([&[index], &args[..]].concat());
        self.trips *= bounds.trips.max(1);
        self.keep(index, Known::default());
        self.keep_all(&args[..plain]);
        self.add_term(index, bounds.index.clone());
        if let Some(running) = &running {
            let value = self.load(args[plain], None, None);
            self.keep(value, Known::default());
            debug_assert!(running.extent > 0);
        }
        self.content(mark, 5);
        let mut passed = self.passed(&types[..plain], mark);
        if let Some(running) = &running {
            passed.push(self.advance(args[plain], running.extent));
        }
        let body = self.end(mark, OpKind::Yield, &passed);
        self.trips = trips;
        self.terms.truncate(terms);
        let results = self.carried(&types);
        let operands = [&[bounds.lower, bounds.upper, bounds.step], &initial[..]].concat();
        self.append(OpKind::For, &operands, results.clone(), vec![body]);
        self.keep_all(&results[..plain]);
    }

    /// Pointers to read from in every turn of a loop.
    fn running(&mut self, trips: usize) -> Option<Running> {
        if !self.random.one_in(4) || self.is_full() {
            return None;
        }
        let scalar = self.random.pick(&Scalar::ALL);
        let shape = self.shape();
        let (pointers, input, place) = self.input_pointers(scalar, shape);
        let extent = self.random.between(1, place.extent);
        self.demand(input.buffer, place.end(self.programs()) + extent * trips);
        Some(Running { pointers, extent })
    }

    fn advance(&mut self, pointers: Val, extent: usize) -> Val {
        let int = self.random.pick(&[Scalar::I32, Scalar::I64]);
        let ty = Type::scalar(int).with_shape(self.ty(pointers).shape);
        let extent = self.int(extent as i64, ty);
        self.addptr(pointers, extent)
    }

    /// The index from 0 on, for addresses to follow.
    fn add_term(&mut self, index: Val, range: std::ops::Range<i64>) {
        let count = (range.end - range.start) as usize;
        if self.random.one_in(3) || count > 16 {
            return;
        }
        let mut value = index;
        if range.start != 0 {
            value = self.with_int(BinaryOp::Sub, value, range.start);
        }
        let value = self.resize(value, Scalar::I32);
        self.terms.push(Term { value, count });
    }

    pub fn if_else(&mut self) {
        let condition = self.condition();
        let types = self.types_to_carry();
        let arms: Vec<Body> = (0..2)
            .map(|arm| {
                let mark = self.begin(Vec::new());
                // An `else` without anything in it, too.
                let most = if arm == 1 && types.is_empty() && self.random.one_in(2) {
                    0
                } else {
                    4
                };
                self.content(mark, most);
                let passed = self.passed(&types, mark);
                self.end(mark, OpKind::Yield, &passed)
            })
            .collect();
        let results = self.carried(&types);
        self.append(OpKind::If, &[condition], results.clone(), arms);
        self.keep_all(&results);
    }

    /// A boolean: of the program's number, an argument, or data.
    fn condition(&mut self) -> Val {
        match (self.random.below(4), self.program) {
            (0, Some(program)) => {
                let limit = self.random.below(self.programs() + 1);
                let pred = self.random.pick(&[CmpPred::Lt, CmpPred::Eq, CmpPred::GeU, CmpPred::Ne]);
                let limit = self.int(limit as i64, Type::I32);
                self.cmp(pred, program, limit)
            }
            (1, _) => {
                let scalar = self.random.pick(&Scalar::ALL[1..]);
                let (a, b) = (self.plain(Type::scalar(scalar)), self.plain(Type::scalar(scalar)));
                let pred = self.random.pick(&[CmpPred::Eq, CmpPred::Ne, CmpPred::Lt, CmpPred::Ge]);
                self.cmp(pred, a, b)
            }
            _ => self.plain(Type::I1),
        }
    }

    /// Counts to a small limit, with anything in test and body, and perhaps an end before.
    pub fn while_loop(&mut self) {
        let scalar = self.random.pick(&WIDE_INTS);
        let limit = self.small(scalar, 3);
        let zero = self.int(0, Type::scalar(scalar));
        let carried_types = self.types_to_carry();
        // The counter is carried, in front of everything else, or kept in memory.
        let memory = self.random.one_in(4).then(|| self.counter_in_memory(zero));
        let counters = usize::from(memory.is_none());
        let types = [&[Type::scalar(scalar)][..counters], &carried_types[..]].concat();
        let mut initial = vec![zero; counters];
        initial.extend(carried_types.iter().map(|&ty| self.plain(ty)));
        let trips = self.trips;
        self.trips *= 4;

        let args = self.carried(&types);
        let mark = self.begin(args.clone());
        let count = self.count(&args, memory);
        self.keep_all(&args[counters..]);
        self.content(mark, 2);
        let pred = self.random.pick(&[CmpPred::Lt, CmpPred::LtU, CmpPred::Ne]);
        let mut condition = self.cmp(pred, count, limit);
        if self.random.one_in(3) {
            let data = self.plain(Type::I1);
            condition = self.binary(BinaryOp::And, condition, data);
        }
        let mut passed = [&[condition], &args[..counters]].concat();
        // The test may pass on something else than it got.
        if self.random.one_in(3) {
            passed.extend(self.passed(&carried_types, mark));
        } else {
            passed.extend(&args[counters..]);
        }
        let test = self.end(mark, OpKind::Condition, &passed);

        let args = self.carried(&types);
        let mark = self.begin(args.clone());
        let count = self.count(&args, memory);
        self.keep_all(&args[counters..]);
        let terms = self.terms.len();
        self.add_term(count, 0..3);
        self.content(mark, 4);
        let next = self.with_int(BinaryOp::Add, count, 1);
        let mut passed = Vec::new();
        match memory {
            Some(pointer) => self.store(pointer, next, None),
            None => passed.push(next),
        }
        passed.extend(self.passed(&carried_types, mark));
        let body = self.end(mark, OpKind::Yield, &passed);
        self.terms.truncate(terms);

        self.trips = trips;
        let results = self.carried(&types);
        self.append(OpKind::While, &initial, results.clone(), vec![test, body]);
        self.keep_all(&results);
    }

    /// The turns of a `while` so far.
    fn count(&mut self, args: &[Val], memory: Option<Val>) -> Val {
        let count = match memory {
            Some(pointer) => self.load(pointer, None, None),
            None => args[0],
        };
        self.keep(count, Known::default())
    }

    /// A pointer to memory of this program's own, which is zero now and which nothing else uses.
    fn counter_in_memory(&mut self, zero: Val) -> Val {
        let (buffer, pointer) = self.buffer(self.scalar_of(zero), Content::Any);
        let place = Place {
            slot: 0,
            extent: 1,
            per_program: true,
            term: None,
        };
        self.demand(buffer, place.end(self.programs()));
        let pointer = match self.start(place) {
            None => pointer,
            Some(start) => self.addptr(pointer, start),
        };
        self.store(pointer, zero, None);
        pointer
    }
}
