//! The example programs, on the GPU: each compares its result with the host's by itself.

use mytriton::Device;

use crate::check::{Check, failed, function, result};

#[allow(unused_imports, missing_docs)]
#[path = "../../../../examples/all.rs"]
pub mod all;

/// One check for each example and size.
pub fn checks(seed: u64) -> Vec<Check> {
    let sizes = all::ALL
        .iter()
        .flat_map(|example| example.sizes.iter().map(move |&size| (example, size)));
    sizes
        .map(|(example, size)| {
            function(&format!("{}_{size}", example.name), move || match Device::cuda(0) {
                Ok(device) => result(
                    (example.run)(&device, size, seed)
                        .map(|_| ())
                        .map_err(|e| format!("{e:#}")),
                ),
                Err(error) => failed(error),
            })
        })
        .collect()
}
