//! Machines of our own making: registers and sysfs files as hardware and kernel would hold them, healthy or with one
//! planted fault. Encoded here from the register layouts of the standard, decoded elsewhere: nothing is shared.
//!
//! | word | meaning |
//! |---|---|
//! | function | one PCI function with its registers and what the kernel says of it |
//! | healthy | nothing on it is wrong, however odd it looks |
//! | fault | one thing that is wrong, with the function that it shows at |

pub mod fault;
pub mod function;
mod generated;
mod healthy;
mod hex;
pub mod rng;
pub mod single;
pub mod space;
pub mod sysfs;

pub use fault::{Fault, Planted};
pub use function::Function;
pub use generated::GeneratedMachine;
pub use healthy::healthy;
