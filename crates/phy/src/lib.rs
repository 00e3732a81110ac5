//! phy
pub mod coding;
