//! Removes the front element of a queue when its condition holds.

use std::collections::VecDeque;

/// Removes and returns the front element of `queue` if `test` holds for it.
pub fn pop_front_if<T>(queue: &mut VecDeque<T>, test: impl FnOnce(&T) -> bool) -> Option<T> {
    if test(queue.front()?) { queue.pop_front() } else { None }
}
