//! LLVM IR and PTX from the llvm dialect.
