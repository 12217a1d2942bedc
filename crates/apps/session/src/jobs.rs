//! Jobs of the session's thread.

use std::mem;

use parking_lot::Mutex;
use regrasp_api::CancelToken;
use tokio::sync::oneshot;

use crate::{Command, Outcome};

pub(crate) enum Job {
    /// Order that moves the robot or makes a new world.
    Order {
        command: Command,
        cancel: CancelToken,
        done: oneshot::Sender<Outcome>,
    },
    /// Lets time pass until the world is at rest, after a disturbance while nothing ran.
    Settle,
    Digest(oneshot::Sender<u64>),
    Close,
}

/// Current activity of the thread. Settling gives way to orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Busy {
    #[default]
    Idle,
    Settling,
    Ordered,
}

/// Lock that admits one job at a time.
#[derive(Default)]
pub(crate) struct Turn(Mutex<Busy>);

impl Turn {
    pub(crate) fn now(&self) -> Busy {
        *self.0.lock()
    }

    /// Claims the thread for an order; `false` if another order has it.
    pub(crate) fn take(&self) -> bool {
        mem::replace(&mut *self.0.lock(), Busy::Ordered) != Busy::Ordered
    }

    /// Claims the thread for settling, if it is idle.
    pub(crate) fn take_to_settle(&self) -> bool {
        self.change(Busy::Idle, Busy::Settling)
    }

    pub(crate) fn end_order(&self) {
        *self.0.lock() = Busy::Idle;
    }

    pub(crate) fn end_settling(&self) {
        self.change(Busy::Settling, Busy::Idle);
    }

    /// Changes the activity from `from` to `to`. Returns `false` if it was not `from`.
    fn change(&self, from: Busy, to: Busy) -> bool {
        let mut busy = self.0.lock();
        let is_from = *busy == from;
        if is_from {
            *busy = to;
        }
        is_from
    }
}
