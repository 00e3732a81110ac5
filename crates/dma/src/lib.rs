//! DMA cards as parts of the simulation: endpoints with an engine whose behaviour the fields of
//! [`CardParams`](system::kinds::CardParams) define.
//!
//! A card (`card`) has a channel for each flow that begins at it: one that writes (`writer`) or one that reads
//! (`reader`), command after command (`command`), with descriptors of its own ring where it fetches them (`ring`), and
//! with a FIFO from the flow that feeds it, where one does (`feed`). What software on the host does with such a card is in
//! `software`.
//!
//! What it is not: links, switches and hosts, which are `sim`'s; gateware, which is compiled (`cosim`); the kind's fields and
//! their part of the limit, whose words `system` and `limit` use of every kind that moves data.
//!
//! | word | meaning |
//! |---|---|
//! | channel | what carries out one flow at its card |
//! | command | what software starts at once; an engine that overlaps begins the next before the last has ended |
//! | core | what payload streams through at the card's own clock |
//! | feed | the FIFO between a flow that arrives and one that leaves |

mod card;
mod command;
mod feed;
mod memory;
mod pop;
mod provider;
mod reader;
mod ring;
mod software;
mod writer;

pub use provider::{Cards, KINDS, options};
