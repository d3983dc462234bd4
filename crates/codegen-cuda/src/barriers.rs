//! Where the threads of a block must wait for one another.
//!
//! A program sees its own memory accesses in order, but its threads run apart. Between two accesses one of which is a
//! store there is a barrier, unless another one stands between them already: which addresses meet is not known, since
//! any two pointers may. Operations that stage a tile in shared memory bring barriers of their own, and need one before
//! them if a tile may still be read there: all tiles share the memory. Control flow is uniform, so that every thread gets to every barrier.
//!
//! The analysis is a forward one over the structured regions: its state says what was accessed since the last barrier.

#![warn(clippy::wildcard_enum_match_arm)]

use mytriton_ssa::{Effects, Flow, Kernel, OpId, RegionId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::demand::Demands;
use crate::moves::Move;

/// What threads may have accessed since they last waited for one another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
struct Pending {
    loads: bool,
    stores: bool,
    /// Elements of tiles in shared memory.
    tiles: bool,
}

impl Pending {
    fn join(self, other: Pending) -> Pending {
        Pending {
            loads: self.loads || other.loads,
            stores: self.stores || other.stores,
            tiles: self.tiles || other.tiles,
        }
    }
}

/// The operations that a barrier comes before.
pub(crate) fn barriers(kernel: &Kernel, demands: &Demands) -> FxHashSet<OpId> {
    let mut analysis = Analysis {
        kernel,
        demands,
        known: FxHashMap::default(),
    };
    let mut before = FxHashSet::default();
    analysis.region(kernel.body(), Pending::default(), Some(&mut before));
    before
}

struct Analysis<'a> {
    kernel: &'a Kernel,
    demands: &'a Demands,
    /// What is pending after a region, by what was before it; keeps nested loops cheap.
    known: FxHashMap<(RegionId, Pending), Pending>,
}

impl Analysis<'_> {
    /// What is pending after the region; adds its barriers to `before` if that is given.
    fn region(&mut self, region: RegionId, start: Pending, mut before: Option<&mut FxHashSet<OpId>>) -> Pending {
        if before.is_none()
            && let Some(&end) = self.known.get(&(region, start))
        {
            return end;
        }
        let kernel = self.kernel;
        let mut state = start;
        for &id in &kernel.region(region).ops {
            let op = kernel.op(id);
            let access = match op.kind.effects() {
                // A load that nobody needs is not executed.
                Effects::Reads if op.results.iter().all(|&result| self.demands.get(result).is_empty()) => continue,
                Effects::Reads => Some(false),
                Effects::Writes => Some(true),
                Effects::None | Effects::OfRegions => None,
            };
            match op.kind.flow() {
                Flow::Straight if let Some(store) = access => {
                    if state.stores || (store && state.loads) {
                        state = Pending::default();
                        if let Some(before) = before.as_deref_mut() {
                            before.insert(id);
                        }
                    }
                    state = state.join(Pending {
                        loads: !store,
                        stores: store,
                        tiles: false,
                    });
                }
                Flow::CountedLoop | Flow::OpenLoop => {
                    let mut entry = state;
                    loop {
                        let iteration = op.regions.iter().fold(entry, |state, &r| self.region(r, state, None));
                        if entry.join(iteration) == entry {
                            break;
                        }
                        entry = entry.join(iteration);
                    }
                    let mut inner = entry;
                    for (index, &region) in op.regions.iter().enumerate() {
                        inner = self.region(region, inner, before.as_deref_mut());
                        // A `while` ends after its test, a `for` before or after its body.
                        if op.kind.flow() == Flow::OpenLoop && index == 0 {
                            state = inner;
                        }
                    }
                    if op.kind.flow() == Flow::CountedLoop {
                        state = entry;
                    }
                }
                Flow::Branch => {
                    let [then, otherwise] = [op.regions[0], op.regions[1]];
                    let after = self.region(then, state, before.as_deref_mut());
                    state = after.join(self.region(otherwise, state, before.as_deref_mut()));
                }
                Flow::Straight | Flow::Combiner => match self.demands.moved(id) {
                    Some(how @ (Move::Staged | Move::Windowed)) => {
                        if state.tiles
                            && let Some(before) = before.as_deref_mut()
                        {
                            before.insert(id);
                        }
                        // What came before its own barriers is over, but some still read; after windows nobody does.
                        state = Pending {
                            tiles: how == Move::Staged,
                            ..Pending::default()
                        };
                    }
                    Some(Move::Kept) | None => {}
                },
                Flow::Terminator => {}
            }
        }
        self.known.insert((region, start), state);
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No lines.
    const NONE: [u32; 0] = [];
    use crate::threads::Threads;
    use mytriton_ssa::parse_module;

    /// The lines of a kernel's body, counted from 1, that a barrier comes before.
    fn lines(body: &str) -> Vec<u32> {
        let text = format!("kernel @k(%p: ptr<i32>, %q: ptr<i32>, %n: i32, %c: i1) {{\n{body}\n}}");
        let module = parse_module(&text, "k.ssa").unwrap();
        let kernel = &module.kernels[0];
        let demands = Demands::of(kernel, &Threads::of(kernel));
        let found = barriers(kernel, &demands);
        let mut lines: Vec<u32> = found.iter().map(|&op| kernel.op(op).loc.line - 1).collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn accesses_that_may_meet() {
        assert_eq!(
            lines("%a = load %p : ptr<i32>\n%b = load %q : ptr<i32>\nstore %p, %a : ptr<i32>\nstore %q, %b : ptr<i32>"),
            [3, 4]
        );
        assert_eq!(
            lines("store %p, %n : ptr<i32>\n%a = load %q : ptr<i32>\nstore %q, %a : ptr<i32>"),
            [2, 3]
        );
        assert_eq!(
            lines("store %p, %n : ptr<i32>\n%a = load %q : ptr<i32>"),
            NONE,
            "nobody needs the load"
        );
    }

    #[test]
    fn around_a_loop() {
        // The store of one iteration and the load of the next; a load alone needs nothing.
        assert_eq!(
            lines("for %i = %n to %n step %n : i32 {\n%a = load %p : ptr<i32>\nstore %q, %a : ptr<i32>\n}"),
            [2, 3]
        );
        assert_eq!(
            lines("for %i = %n to %n step %n : i32 {\nstore %q, %i : ptr<i32>\n}\nstore %q, %n : ptr<i32>"),
            [2, 4]
        );
        assert_eq!(
            lines(
                "%z = for %i = %n to %n step %n : i32 carry(%s = %n : i32) {\n%a = load %p : ptr<i32>\n%t = add %a, %s : i32\nyield %t\n}\nstore %q, %z : ptr<i32>"
            ),
            [6]
        );
        assert_eq!(
            lines(
                "while () {\n%a = load %p : ptr<i32>\n%t = cmp lt %a, %n : i32\ncondition %t\n} do () {\nstore %p, %n : ptr<i32>\n}\nstore %q, %n : ptr<i32>"
            ),
            [2, 6, 8]
        );
    }

    #[test]
    fn in_a_branch() {
        let text = "if %c {\nstore %p, %n : ptr<i32>\n}\n%a = load %q : ptr<i32>\nstore %q, %a : ptr<i32>";
        assert_eq!(lines(text), [4, 5]);
    }

    #[test]
    fn tiles_in_shared_memory_take_turns() {
        let sum = |result: &str, of: &str| {
            format!(
                "%{result} = reduce %{of} axis 0 : tile<8xi32> (%a{result}, %b{result}) {{ %c{result} = add %a{result}, %b{result} : i32 yield %c{result} }}\n"
            )
        };
        let store = "store %p, %s : ptr<i32>";
        let range = "%r = range 0, 8\n";
        // The first needs none, the second waits for the readers of the first.
        assert_eq!(lines(&format!("{range}{}{store}", sum("s", "r"))), NONE);
        let two = format!(
            "{range}{}%t = splat %q0 : tile<8xi32>\n{}{store}",
            sum("q0", "r"),
            sum("s", "t")
        );
        assert_eq!(lines(&two), [4]);
        // What nobody needs is not there; in a loop a reduction comes after itself.
        assert_eq!(
            lines(&format!("{range}{}{}{store}", sum("q0", "r"), sum("s", "r"))),
            NONE
        );
        let looped = format!(
            "{range}for %i = %n to %n step %n : i32 {{\n%t = splat %i : tile<8xi32>\n{}{store}\n}}",
            sum("s", "t")
        );
        assert_eq!(
            lines(&looped),
            [4],
            "its own barriers part the stores of two iterations"
        );
        // A barrier for memory is one for shared memory, too, and the other way round.
        assert_eq!(
            lines(&format!("store %p, %n : ptr<i32>\n{range}{}{store}", sum("s", "r"))),
            NONE
        );
        let load = "store %p, %q0 : ptr<i32>\n%l = load %q : ptr<i32>\n%t = splat %l : tile<8xi32>\n";
        assert_eq!(
            lines(&format!("{range}{}{load}{}{store}", sum("q0", "r"), sum("s", "t"))),
            [4]
        );
    }

    #[test]
    fn deep_nests_stay_cheap() {
        let open = "for %i = %n to %n step %n : i32 {\n".repeat(60);
        let text = format!(
            "{open}%a = load %p : ptr<i32>\nstore %q, %a : ptr<i32>\n{}",
            "}\n".repeat(60)
        );
        // Shadowing is not allowed, so give each index its own name.
        let mut count = 0;
        let text: String = text
            .split_inclusive("%i ")
            .map(|part| {
                count += 1;
                part.replace("%i ", &format!("%i{count} "))
            })
            .collect();
        assert_eq!(lines(&text), [61, 62]);
    }
}
