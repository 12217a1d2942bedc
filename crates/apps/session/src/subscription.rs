//! News for an observer.

use std::sync::Arc;

use tokio::sync::watch;

use crate::session_state::SessionState;
use crate::{LogEntry, Shot, Status};

/// Maximum number of log entries in one update.
const MAX_ENTRIES: usize = 200;

/// News since an observer last asked.
#[derive(Clone, Debug, Default)]
pub struct News {
    /// The status, if it changed.
    pub status: Option<Status>,
    /// New entries, in order and without gaps.
    pub entries: Vec<Arc<LogEntry>>,
    /// Number of earlier entries that the observer was too slow for.
    pub missed: u64,
    /// The newest positions, if they changed.
    pub shot: Option<Arc<Shot>>,
}

impl News {
    /// Returns true if there is nothing new.
    pub fn is_empty(&self) -> bool {
        self.status.is_none() && self.entries.is_empty() && self.shot.is_none()
    }
}

/// An observer's position in the stream. Its memory does not grow, however slow the observer.
pub struct Subscription {
    state: Arc<SessionState>,
    changed: watch::Receiver<u64>,
    next_entry: u64,
    n_status: u64,
    n_shots: u64,
}

impl Subscription {
    pub(crate) fn new(state: Arc<SessionState>) -> Self {
        Self {
            changed: state.watch(),
            state,
            next_entry: 0,
            n_status: 0,
            n_shots: 0,
        }
    }

    /// Waits for news; `None` when the session has ended.
    pub async fn next(&mut self) -> Option<News> {
        loop {
            let (news, closed) = self.collect();
            if !news.is_empty() {
                return Some(news);
            }
            if closed || self.changed.changed().await.is_err() {
                return None;
            }
        }
    }

    /// Returns the news so far; empty if there are none.
    pub fn now(&mut self) -> News {
        self.collect().0
    }

    fn collect(&mut self) -> (News, bool) {
        self.changed.mark_unchanged();
        let state = self.state.lock();
        let (entries, missed) = state.entries_from(self.next_entry, MAX_ENTRIES);
        let mut news = News {
            entries,
            missed,
            ..News::default()
        };
        if let Some(last) = news.entries.last() {
            self.next_entry = last.n + 1;
        }
        if state.n_status != self.n_status {
            self.n_status = state.n_status;
            news.status = Some(state.status.clone());
        }
        if state.n_shots != self.n_shots {
            self.n_shots = state.n_shots;
            news.shot.clone_from(&state.shot);
        }
        (news, state.closed)
    }
}
