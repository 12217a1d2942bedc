//! Jobs of the session's thread.

use parking_lot::Mutex;
use regrasp_api::CancelToken;
use tokio::sync::oneshot;

use crate::command::Command;
use crate::outcome::Outcome;

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

/// Occupation of the thread. Settling gives way to orders.
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
    fn change<T>(&self, change: impl FnOnce(&mut Busy) -> T) -> T {
        change(&mut self.0.lock())
    }

    pub(crate) fn now(&self) -> Busy {
        self.change(|busy| *busy)
    }

    /// Claims the thread for an order; `false` if another order has it.
    pub(crate) fn take(&self) -> bool {
        self.change(|busy| {
            let is_free = *busy != Busy::Ordered;
            *busy = Busy::Ordered;
            is_free
        })
    }

    /// Claims the thread for settling, if it is idle.
    pub(crate) fn take_to_settle(&self) -> bool {
        self.change(|busy| {
            let is_free = *busy == Busy::Idle;
            if is_free {
                *busy = Busy::Settling;
            }
            is_free
        })
    }

    pub(crate) fn end_order(&self) {
        self.change(|busy| *busy = Busy::Idle);
    }

    pub(crate) fn end_settling(&self) {
        self.change(|busy| {
            if *busy == Busy::Settling {
                *busy = Busy::Idle;
            }
        });
    }
}
