//! Positions since the world began, in bounded memory.

use std::sync::Arc;

use crate::Shot;

/// Maximum number of kept positions: two minutes at 60 per second, four at 30, and so on.
const MAX_SHOTS: usize = 7200;

/// Positions of everything since the world began. When the history is full, every other entry is
/// dropped: the whole time stays, at half the rate.
#[derive(Clone, Debug, Default)]
pub struct History {
    shots: Vec<Arc<Shot>>,
    /// Number of times that the history was thinned: one in 2^thinned positions is kept.
    thinned: u32,
    n_seen: u64,
}

impl History {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn push(&mut self, shot: Arc<Shot>) {
        let is_kept = self.n_seen.is_multiple_of(1 << self.thinned);
        self.n_seen += 1;
        if !is_kept {
            return;
        }
        if self.shots.len() >= MAX_SHOTS {
            let mut n = 0;
            self.shots.retain(|_| {
                n += 1;
                n % 2 == 1
            });
            self.thinned += 1;
        }
        self.shots.push(shot);
    }

    /// Kept positions, oldest first.
    pub fn shots(&self) -> &[Arc<Shot>] {
        &self.shots
    }

    /// Last position at or before this time, or the first if there is none.
    pub fn at(&self, sim_secs: f64) -> Option<&Arc<Shot>> {
        let after = self.shots.partition_point(|s| s.sim_secs <= sim_secs);
        self.shots.get(after.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shot(sim_secs: f64) -> Arc<Shot> {
        Arc::new(Shot {
            world: 1,
            sim_secs,
            joint_positions: vec![],
            gripper_width_m: 0.0,
            poses: Arc::from([]),
        })
    }

    #[test]
    fn a_long_run_stays_whole_in_bounded_memory() {
        let mut history = History::default();
        for i in 0..100_000 {
            history.push(shot(f64::from(i) * 0.02));
        }
        assert!(history.shots().len() <= MAX_SHOTS);
        assert!(history.shots().len() > MAX_SHOTS / 2);
        let first = history.at(0.0).expect("something is kept");
        assert!(first.sim_secs < 1e-9, "the beginning is kept");
        let middle = history.at(1000.0).expect("something is kept");
        assert!((middle.sim_secs - 1000.0).abs() < 1.0, "the middle is kept");
        assert!(history.at(1e9).is_some_and(|s| s.sim_secs > 1990.0));
        assert!(history.shots().is_sorted_by(|a, b| a.sim_secs < b.sim_secs));
    }
}
