//! The #[kernel] attribute.
