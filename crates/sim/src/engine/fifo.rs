//! A queue of small things, first in first out, for what the event loop touches at every hop: its room is a power of two, so
//! that a place is found with a mask.

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Fifo<T> {
    /// Room for a power of two of them, or none yet.
    room: Vec<T>,
    /// Counted on and on; its place in the room is what the mask leaves.
    head: usize,
    count: usize,
}

impl<T: Copy + Default> Fifo<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn place(&self, n: usize) -> usize {
        self.head.wrapping_add(n) & self.room.len().wrapping_sub(1)
    }

    /// The one with `n` before it.
    pub fn get(&self, n: usize) -> Option<&T> {
        if n < self.count { self.room.get(self.place(n)) } else { None }
    }

    /// The oldest.
    pub fn front(&self) -> Option<&T> {
        self.get(0)
    }

    /// The last that came.
    pub fn back(&self) -> Option<&T> {
        self.get(self.count.wrapping_sub(1))
    }

    /// Puts one behind the others.
    pub fn push_back(&mut self, thing: T) {
        if self.count == self.room.len() {
            self.grow();
        }
        let place = self.place(self.count);
        self.room[place] = thing;
        self.count += 1;
    }

    /// Puts `thing` in with `n` before it.
    pub fn insert(&mut self, n: usize, thing: T) {
        self.push_back(thing);
        for at in (n + 1..self.count).rev() {
            let (from, to) = (self.place(at - 1), self.place(at));
            self.room.swap(from, to);
        }
    }

    /// Takes the oldest.
    pub fn pop_front(&mut self) -> Option<T> {
        self.pop_front_if(|_| true)
    }

    /// The front where `test` holds.
    pub fn pop_front_if(&mut self, test: impl FnOnce(&T) -> bool) -> Option<T> {
        let front = *self.front()?;
        if !test(&front) {
            return None;
        }
        self.head = self.head.wrapping_add(1);
        self.count -= 1;
        Some(front)
    }

    /// In the order they came.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        (0..self.count).filter_map(|n| self.get(n))
    }

    /// Things that there is room for.
    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.room.len()
    }

    #[cold]
    fn grow(&mut self) {
        let mut room: Vec<T> = self.iter().copied().collect();
        room.resize((2 * self.count).max(4), T::default());
        (self.room, self.head) = (room, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn does_it_do_what_any_queue_does(steps in prop::collection::vec((0u8..6, 0usize..20), 0..200)) {
            let (mut fifo, mut plain) = (Fifo::default(), VecDeque::new());
            for (thing, (what, n)) in (1u32..).zip(steps) {
                match what {
                    0..=2 => {
                        fifo.push_back(thing);
                        plain.push_back(thing);
                    }
                    3 if n <= plain.len() => {
                        fifo.insert(n, thing);
                        plain.insert(n, thing);
                    }
                    4 => prop_assert_eq!(fifo.pop_front(), plain.pop_front()),
                    _ => prop_assert_eq!(fifo.pop_front_if(|_| false), None),
                }
                prop_assert!(fifo.iter().eq(plain.iter()) && fifo.len() == plain.len());
                prop_assert_eq!((fifo.front(), fifo.back()), (plain.front(), plain.back()));
                prop_assert_eq!(fifo.get(n), plain.get(n));
            }
        }
    }
}
