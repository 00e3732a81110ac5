//! What an error says of a channel that cannot be opened.

#![allow(clippy::expect_used, reason = "a test that cannot go on has failed")]

use card::Channel;
use std::error::Error;

#[test]
fn does_a_channel_that_cannot_be_opened_say_why() {
    let error = Channel::open("/dev/lanescope99/c2h0").expect_err("no card has that number");
    let why = error.source().expect("a reason").to_string();
    assert!(why.contains("No such file"), "{why}");
}
