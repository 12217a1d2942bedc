//! Detects rounds without progress.

use regrasp_api::{FinalReason, Trigger};

use crate::active_episode::ActiveEpisode;
use crate::state::{Ask, End};
use crate::view::{RoundStart, View};

impl ActiveEpisode<'_> {
    /// Compares the world with the starts of earlier rounds. If a round returned to one of them,
    /// the next request says so. After too many such rounds in a row, another planner takes over,
    /// or the episode ends.
    pub(crate) fn with_progress(&mut self, mut ask: Ask) -> Result<Ask, End> {
        let met = self.judged().into_iter().filter(|(_, s)| s.is_met());
        let now = RoundStart {
            met: met.map(|(goal, _)| goal).collect(),
            view: View::of_all(&self.agent.robot, &self.sight.percept),
        };
        let state = &mut self.state;
        if !state.round_starts.iter().any(|start| start.is_same(&now)) {
            state.round_starts.push(now);
            state.idle_rounds = 0;
            return Ok(ask);
        }
        if ask.trigger != Trigger::NextRound {
            return Ok(ask);
        }
        state.idle_rounds += 1;
        let rounds = state.idle_rounds;
        let left = "ended in the same state as an earlier round";
        ask.why = match rounds {
            1 => format!("the last round {left}"),
            _ => format!("each of the last {rounds} rounds {left}"),
        };
        if rounds > self.agent.options.budgets.max_idle_rounds && !self.agent.planner.hand_over() {
            return Err(End::new(FinalReason::NoProgress, ask.why));
        }
        ask.trigger = Trigger::NoProgress { rounds };
        Ok(ask)
    }
}
