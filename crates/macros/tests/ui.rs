//! Mistakes that are found when a kernel is compiled by the Rust compiler, told at their place.

#[test]
fn mistakes_at_compile_time() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
