//! What the session's thread is told to do.

use parking_lot::Mutex;
use regrasp_api::CancelToken;
use tokio::sync::oneshot;

use crate::command::Command;
use crate::outcome::Outcome;

/// A piece of work for the session's thread.
pub(crate) enum Job {
    /// An order that moves the robot or makes a new world.
    Order {
        command: Command,
        cancel: CancelToken,
        done: oneshot::Sender<Outcome>,
    },
    /// Something was disturbed while nothing ran: let time pass until it rests.
    Settle,
    /// A hash over the world's state.
    Digest(oneshot::Sender<u64>),
    /// The end.
    Close,
}

/// Whether the thread has something to do. A world that comes to rest gives way to orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Busy {
    #[default]
    Idle,
    Settling,
    Ordered,
}

/// Who may give the thread work.
#[derive(Default)]
pub(crate) struct Turn(Mutex<Busy>);

impl Turn {
    fn change<T>(&self, change: impl FnOnce(&mut Busy) -> T) -> T {
        change(&mut self.0.lock())
    }

    pub(crate) fn now(&self) -> Busy {
        self.change(|busy| *busy)
    }

    /// Takes the turn for an order; `false` if somebody else has it.
    pub(crate) fn take(&self) -> bool {
        self.change(|busy| {
            let is_free = *busy != Busy::Ordered;
            *busy = Busy::Ordered;
            is_free
        })
    }

    /// Takes the turn to let the world come to rest, if nobody has it.
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
