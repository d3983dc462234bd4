//! Findings of the SIMT executor, each told once.

use std::collections::HashSet;

use mytriton::simt::Finding;
use mytriton::simt::program::Place;

/// What was told already. One operation of a kernel is often several of a thread's, and there are several runs: what they
/// find at one place of the source is one fault.
#[derive(Default)]
pub struct Told(HashSet<(&'static str, Place)>);

impl Told {
    /// Is it no fault that was told before? It is from now on.
    pub fn is_new(&mut self, finding: &Finding) -> bool {
        self.0.insert((finding.kind.name(), finding.site.place.clone()))
    }

    /// How many were told.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}
