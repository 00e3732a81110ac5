//! Taking from the front of a queue what has its time.

use std::collections::VecDeque;

/// The front of `queue` where `test` holds.
pub fn pop_front_if<T>(queue: &mut VecDeque<T>, test: impl FnOnce(&T) -> bool) -> Option<T> {
    if test(queue.front()?) { queue.pop_front() } else { None }
}
