//! The machine on programs built by hand: control flow, exchange between threads, and every fault planted and found.

mod asm;
mod asynchronous;
mod control;
mod exchange;
mod faults;
mod matrix;
