//! Makes a failing case smaller: takes away whatever is not needed for it to fail.
//!
//! Greedy delta debugging (Zeller and Hildebrandt, *Simplifying and isolating failure-inducing input*, 2002) on the
//! kernel as a tree. Each attempt changes one thing, removes what became dead, and is kept if the result is still a
//! case and still fails. Passes repeat until none of them helps. Nothing is left to chance: the same case and the same
//! test give the same result.

mod draft;
mod launch;
mod nodes;
mod shapes;

use crate::case::Case;
use crate::duplicates::has_conflicting_stores;
use crate::executor::{Executor, Problem, Verdict, examine, oracle};
use crate::taint::rules;
use draft::Draft;

/// What shrinking came to.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The smallest case that was found to fail.
    pub case: Case,
    /// Cases that were tried.
    pub attempts: usize,
    /// Those that failed too, and so became the next to make smaller.
    pub accepted: usize,
}

/// Makes a case smaller as long as it fails, with at most so many attempts. `fails` is asked about cases that
/// [`Case::check`] accepts; it says itself whether they are worth anything otherwise ([`persists`] does).
pub fn shrink(case: &Case, attempts: usize, fails: &mut dyn FnMut(&Case) -> bool) -> Shrunk {
    let mut shrinker = Shrinker {
        draft: Draft::of(case),
        best: case.clone(),
        left: attempts,
        attempts: 0,
        accepted: 0,
        fails,
    };
    shrinker.run();
    Shrunk {
        case: shrinker.best,
        attempts: shrinker.attempts,
        accepted: shrinker.accepted,
    }
}

/// A test for [`shrink`]: is it a case with one comparable outcome, on which the executor has the same kind of problem?
/// The problem of the last such case is left in `last`.
pub fn persists<'a>(
    executor: &'a dyn Executor,
    problem: &'a Problem,
    last: &'a mut Problem,
) -> impl FnMut(&Case) -> bool + 'a {
    move |case| {
        let Ok(expected) = oracle(case) else {
            return false;
        };
        if rules(case).is_err() || has_conflicting_stores(case) != Ok(false) {
            return false;
        }
        match examine(executor, case, &expected) {
            Verdict::Problem(found) if found.is_like(problem) => {
                *last = found;
                true
            }
            _ => false,
        }
    }
}

struct Shrinker<'a> {
    draft: Draft,
    /// The case of the draft.
    best: Case,
    left: usize,
    attempts: usize,
    accepted: usize,
    fails: &'a mut dyn FnMut(&Case) -> bool,
}

impl Shrinker<'_> {
    fn run(&mut self) {
        loop {
            let before = self.accepted;
            self.effects();
            self.shapes();
            self.every_node(nodes::unwrap);
            self.every_node(nodes::simplify);
            self.every_node(nodes::drop_carried);
            self.launch();
            if self.accepted == before || self.left == 0 {
                return;
            }
        }
    }

    /// Tries a draft; keeps it if it still fails.
    fn attempt(&mut self, mut draft: Draft) -> bool {
        if self.left == 0 {
            return false;
        }
        draft.tidy();
        let Some(mut case) = draft.case() else {
            return false;
        };
        if case.check().is_err() {
            return false;
        }
        // An approximate result may have gone, or come to another buffer.
        let Ok(rules) = rules(&case) else {
            return false;
        };
        for (buffer, rule) in case.buffers.iter_mut().zip(rules) {
            buffer.rule = rule;
        }
        self.left -= 1;
        self.attempts += 1;
        if !(self.fails)(&case) {
            return false;
        }
        self.accepted += 1;
        self.draft = draft;
        self.best = case;
        true
    }

    /// Removes stores and idle loads: half of them at once, then fewer and fewer.
    fn effects(&mut self) {
        let mut size = self.draft.count_effects().div_ceil(2);
        while size > 0 && self.left > 0 {
            let mut start = 0;
            while start < self.draft.count_effects() && self.left > 0 {
                let mut draft = self.draft.clone();
                draft.remove_effects(start..start + size);
                if !self.attempt(draft) {
                    start += size;
                }
            }
            size /= 2;
        }
    }

    /// Tries every variant of an edit on every operation, the last operation first.
    fn every_node(&mut self, edit: nodes::Edit) {
        let mut position = self.draft.tree.nodes().len();
        while position > 0 && self.left > 0 {
            position = (position - 1).min(self.draft.tree.nodes().len());
            let mut variant = 0;
            while position < self.draft.tree.nodes().len() && self.left > 0 {
                let mut draft = self.draft.clone();
                match draft.edit(position, variant, edit) {
                    nodes::Edited::Yes => {
                        // What stands at the position now may be simplified as well.
                        variant = if self.attempt(draft) { 0 } else { variant + 1 };
                    }
                    nodes::Edited::Skip => variant += 1,
                    nodes::Edited::End => break,
                }
            }
        }
    }
}
