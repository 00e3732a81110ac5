//! A FIFO for small elements, used by the event loop at every hop. Its capacity is a power of two, so that an index is
//! computed with a mask.

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Fifo<T> {
    /// A power of two of places, or none yet.
    room: Vec<T>,
    /// A running count; the place of the head is what the mask leaves of it.
    head: usize,
    count: usize,
}

impl<T: Copy + Default> Fifo<T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True where it is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn place(&self, n: usize) -> usize {
        self.head.wrapping_add(n) & self.room.len().wrapping_sub(1)
    }

    /// The element at position `n` from the front.
    pub fn get(&self, n: usize) -> Option<&T> {
        if n < self.count { self.room.get(self.place(n)) } else { None }
    }

    /// The oldest element.
    pub fn front(&self) -> Option<&T> {
        self.get(0)
    }

    /// The newest element.
    pub fn back(&self) -> Option<&T> {
        self.get(self.count.wrapping_sub(1))
    }

    /// Appends an element.
    pub fn push_back(&mut self, thing: T) {
        if self.count == self.room.len() {
            self.grow();
        }
        let place = self.place(self.count);
        self.room[place] = thing;
        self.count += 1;
    }

    /// Inserts `thing` at position `n` from the front.
    pub fn insert(&mut self, n: usize, thing: T) {
        self.push_back(thing);
        for at in (n + 1..self.count).rev() {
            let (from, to) = (self.place(at - 1), self.place(at));
            self.room.swap(from, to);
        }
    }

    /// Removes the oldest element.
    pub fn pop_front(&mut self) -> Option<T> {
        self.pop_front_if(|_| true)
    }

    /// Removes the oldest element if `test` holds for it.
    pub fn pop_front_if(&mut self, test: impl FnOnce(&T) -> bool) -> Option<T> {
        let front = *self.front()?;
        if !test(&front) {
            return None;
        }
        self.head = self.head.wrapping_add(1);
        self.count -= 1;
        Some(front)
    }

    /// From the oldest to the newest.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        (0..self.count).filter_map(|n| self.get(n))
    }

    /// The number of places.
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
