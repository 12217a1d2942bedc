//! A place for one value, between the arm's thread and one other.
//!
//! The arm's thread has the highest priority. Where it waits for a thread that it has interrupted,
//! on the same core, that one does not go on, and neither does the arm: queues of which "lock-free"
//! is said wait so (`crossbeam`'s `force_push` while somebody is in `pop`), and lost up to 92 cycles
//! in a row. Here the arm's thread tries, and goes on if the place is busy.

use parking_lot::Mutex;

/// A place for one value. The arm's thread calls `offer` and `try_take`, which never wait; the
/// others call `put` and `take`.
#[derive(Debug)]
pub(crate) struct Slot<T>(Mutex<Option<T>>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Slot<T> {
    /// Leaves a value in the place of an older one, or gives it back if somebody is at it.
    pub(crate) fn offer(&self, value: T) -> Result<(), T> {
        match self.0.try_lock() {
            Some(mut place) => {
                *place = Some(value);
                Ok(())
            }
            None => Err(value),
        }
    }

    /// What is there, unless somebody is at it.
    pub(crate) fn try_take(&self) -> Option<T> {
        self.0.try_lock()?.take()
    }

    /// Leaves a value, or gives it back if the last one was not taken yet.
    pub(crate) fn put(&self, value: T) -> Result<(), T> {
        let mut place = self.0.lock();
        if place.is_some() {
            return Err(value);
        }
        *place = Some(value);
        Ok(())
    }

    pub(crate) fn take(&self) -> Option<T> {
        self.0.lock().take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that is interrupted while it reads would hold the place for as long as that lasts.
    #[test]
    fn the_arms_thread_waits_for_nobody() {
        let slot = Slot::default();
        assert_eq!(slot.offer(1), Ok(()));
        let reading = slot.0.lock();
        assert_eq!(slot.offer(2), Err(2));
        assert_eq!(slot.try_take(), None);
        drop(reading);
        assert_eq!(slot.offer(3), Ok(()));
        assert_eq!(slot.take(), Some(3), "the newest alone");
        assert_eq!(slot.take(), None);
    }

    #[test]
    fn an_order_waits_until_the_last_one_is_taken() {
        let slot = Slot::default();
        assert_eq!(slot.put("first"), Ok(()));
        assert_eq!(slot.put("second"), Err("second"));
        assert_eq!(slot.try_take(), Some("first"));
        assert_eq!(slot.put("second"), Ok(()));
    }
}
