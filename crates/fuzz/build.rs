//! Cargo does not see that the embedded corpus has got a new file: the crate is built again where its directory changes.

fn main() {
    println!("cargo::rerun-if-changed=corpus");
}
