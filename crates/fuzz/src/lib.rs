//! Differential fuzzing of kernels: random ones, run in several ways that have to agree.
//!
//! [`generate`] makes a [`Case`] from a seed: a kernel that runs, and its launch. The [`oracle`] is the reference
//! interpreter on the kernel as it is. Each [`Executor`] is another way to run it; [`examine`] compares.
//!
//! ```
//! use mytriton_fuzz::{Verdict, built_in, examine, generate, oracle};
//!
//! let case = generate(1);
//! let expected = oracle(&case)?;
//! for executor in built_in() {
//!     assert_eq!(examine(&*executor, &case, &expected), Verdict::Agrees, "{}", executor.name());
//! }
//! # Ok::<(), mytriton_fuzz::Failure>(())
//! ```

mod case;
mod combine;
mod corpus;
mod coverage;
mod driver;
mod duplicates;
mod executor;
mod generate;
mod random;
mod rule;
mod shrink;
mod taint;
mod tree;

pub use case::{Arg, BUFFER_ALIGNMENT, Buffer, Case, CaseError};
pub use corpus::{CorpusError, corpus, read_case, read_corpus, write_case};
pub use coverage::Coverage;
pub use driver::{Finding, Fuzzer, Limit, Runs, Statistics, seed_of};
pub use duplicates::has_conflicting_stores;
pub use executor::{
    EachPhase, Executor, Failure, MAX_STEPS, Mismatch, Optimised, Outputs, Problem, TextRoundTrip, Verdict, built_in,
    compare, examine, interpret, oracle,
};
pub use generate::{Combination, combinations, generate};
pub use random::Random;
pub use rule::{Rule, UnknownRule};
pub use shrink::{Shrunk, persists, shrink};
pub use taint::{Uncomparable, rules};
