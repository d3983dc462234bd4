//! Development tasks: setup, demo, tests, checks.
fn main() {}
