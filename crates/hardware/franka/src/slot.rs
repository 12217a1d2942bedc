//! Slot for one value between the arm's thread and one other.
//!
//! The arm's thread has the highest priority. If it waits for a thread that it has preempted on the
//! same core, neither goes on. Queues that are called lock-free do wait in this way (`crossbeam`'s
//! `force_push` during a `pop`) and lost up to 92 cycles in a row. Here the arm's thread only
//! tries, and goes on if the slot is locked.

use parking_lot::Mutex;

/// Slot for one value. The arm's thread calls `offer` and `try_take`, which never wait; the others
/// call `put` and `take`.
#[derive(Debug)]
pub(crate) struct Slot<T>(Mutex<Option<T>>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Slot<T> {
    /// Replaces the value, or gives the new one back if the slot is locked.
    pub(crate) fn offer(&self, value: T) -> Result<(), T> {
        match self.0.try_lock() {
            Some(mut place) => {
                *place = Some(value);
                Ok(())
            }
            None => Err(value),
        }
    }

    /// Takes the value, if there is one and the slot is not locked.
    pub(crate) fn try_take(&self) -> Option<T> {
        self.0.try_lock()?.take()
    }

    /// Stores a value, or gives it back if the last one has not been taken.
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

    /// A thread that is preempted while it reads would hold the lock until it runs again.
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
