//! The text form and the verifier: printing, reading back, errors, and kernels that break each rule.

mod broken;
mod errors;
mod fuzz;
mod generate;
mod language_page;
mod print;
mod roundtrip;
mod same;
mod verify;
