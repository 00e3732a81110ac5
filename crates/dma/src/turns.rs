//! Channels whose commands start in turn: see `in_turn`.

use crate::channel::Channel;
use crate::feed::Feed;
use sim::parts::{ByFlow, PartContext};
use system::kinds::CardParams;

/// The first flow that reads and the first that writes what no other flow feeds it.
pub fn of(channels: &ByFlow<Channel>, feeds: &ByFlow<Feed>) -> Option<(u32, u32)> {
    let flow = |reads: bool| {
        let is = |flow: &&u32| {
            let is_reader = channels.get(**flow).map(|one| matches!(one, Channel::Reader(_)));
            is_reader == Some(reads) && feeds.get(**flow).is_none()
        };
        channels.flows().iter().find(is).copied()
    };
    Some((flow(true)?, flow(false)?))
}

/// Lets the channels of the two flows decide as far as it is their turn. A writer decides ahead of time: what it has
/// decided at a later time ends its turn then. `feed` is what the reader fills.
#[cold]
pub fn decide(
    channels: &mut ByFlow<Channel>,
    (reads, writes): (u32, u32),
    mut feed: Option<&mut Feed>,
    context: &mut PartContext<'_>,
    params: &CardParams,
) {
    loop {
        let Some(Channel::Reader(reader)) = channels.get_mut(reads) else { return };
        let (command, asked) = (reader.progress.orders.command, reader.progress.offset);
        let Some(Channel::Writer(writer)) = channels.get_mut(writes) else { return };
        let written = writer.progress.offset / writer.progress.orders.command;
        let turn = asked / command * writer.progress.orders.command;
        let is_new = writer.progress.take_turn(turn);
        if is_new {
            writer.wait_until(context.now());
            writer.pump(context, params, None);
        }
        let ends = writer.last_decided;
        let Some(Channel::Reader(reader)) = channels.get_mut(reads) else { return };
        let is_readers = reader.progress.take_turn((written + 1) * command);
        if !is_readers && !is_new {
            return;
        }
        if is_readers {
            reader.wait_until(ends);
        }
        reader.pump(context, params, feed.as_deref_mut());
    }
}
