//! Pictures: what they say, where texts are wrong, and what the documentation shows.

mod errors;
mod names;
mod page;
mod pictures;
