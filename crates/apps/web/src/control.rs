//! The right to give orders.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

const MAX_CONNECTIONS: usize = 32;

/// The connections, one of which may be in control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Connections {
    pub(crate) controller: Option<u64>,
    pub(crate) n_connections: usize,
}

#[derive(Default)]
pub(crate) struct Control {
    connections: watch::Sender<Connections>,
    last_id: AtomicU64,
}

impl Control {
    pub(crate) fn watch(&self) -> watch::Receiver<Connections> {
        self.connections.subscribe()
    }

    /// Adds a connection and puts it in control if no other is; `None` if there are too many.
    pub(crate) fn enter(&self) -> Option<u64> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        self.connections
            .send_if_modified(|connections| {
                let has_room = connections.n_connections < MAX_CONNECTIONS;
                if has_room {
                    connections.n_connections += 1;
                    connections.controller.get_or_insert(id);
                }
                has_room
            })
            .then_some(id)
    }

    /// Removes a connection; returns true if it was in control.
    pub(crate) fn leave(&self, id: u64) -> bool {
        let mut was_controller = false;
        self.connections.send_modify(|connections| {
            connections.n_connections = connections.n_connections.saturating_sub(1);
            was_controller = connections.controller == Some(id);
            if was_controller {
                connections.controller = None;
            }
        });
        was_controller
    }

    pub(crate) fn has(&self, id: u64) -> bool {
        self.connections.borrow().controller == Some(id)
    }

    /// Takes control if no other connection has it; returns true if `id` is in control now.
    pub(crate) fn take(&self, id: u64) -> bool {
        self.connections.send_if_modified(|connections| {
            let is_free = connections.controller.is_none();
            connections.controller.get_or_insert(id);
            is_free
        });
        self.has(id)
    }

    /// Gives up control; returns true if `id` had it.
    pub(crate) fn release(&self, id: u64) -> bool {
        self.connections.send_if_modified(|connections| {
            let had = connections.controller == Some(id);
            if had {
                connections.controller = None;
            }
            had
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_in_control_until_it_leaves_or_gives_it_up() {
        let control = Control::default();
        let first = control.enter().expect("there is room");
        let second = control.enter().expect("there is room");
        assert!(control.has(first) && !control.take(second));
        assert!(!control.release(second) && control.has(first));
        assert!(control.leave(first), "it was in control");
        assert!(!control.has(second), "a connection must ask for control");
        assert!(control.take(second) && control.release(second));
        let third = control.enter().expect("there is room");
        assert!(control.has(third), "a new connection gets free control");
        assert!(!control.leave(second));
    }

    #[test]
    fn there_is_room_for_so_many() {
        let control = Control::default();
        let all: Vec<_> = (0..MAX_CONNECTIONS + 1).map(|_| control.enter()).collect();
        assert!(all[..MAX_CONNECTIONS].iter().all(Option::is_some));
        assert_eq!(all[MAX_CONNECTIONS], None);
        control.leave(1);
        assert!(control.enter().is_some());
    }
}
