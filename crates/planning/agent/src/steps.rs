//! Takes steps from the plan, single or in groups, and executes them.
//!
//! A world executes one motion at a time in simulated time. In a group, all steps that only
//! perceive do so when the group begins, and their time passes while the other steps move. The
//! results are the same as in sequence, in less time.

use std::collections::BTreeSet;

use regrasp_api::{Event, Failure, PlanStep, Resource, SkillResult};

use crate::active_episode::ActiveEpisode;

impl ActiveEpisode<'_> {
    /// Takes the next step, and those directly after it that may run at the same time: all are
    /// marked as parallel and have different claims. Any number of steps may share the cameras.
    pub(crate) fn take_group(&mut self) -> Vec<PlanStep> {
        let queue = &self.state.queue;
        let mut claimed = BTreeSet::new();
        let mut n = 0;
        for step in queue {
            let claims = self.claims(step);
            let is_free = claims
                .iter()
                .all(|c| *c == Resource::Camera || !claimed.contains(c));
            if n > 0 && !(step.parallel && queue[0].parallel && is_free) {
                break;
            }
            claimed.extend(claims);
            n += 1;
        }
        self.state.queue.drain(..n).collect()
    }

    fn claims(&self, step: &PlanStep) -> Vec<Resource> {
        let spec = self.specs.iter().find(|spec| spec.name == step.call.skill);
        // An unknown skill may need everything.
        let all = || vec![Resource::Arm, Resource::Gripper, Resource::Camera];
        spec.map_or_else(all, |spec| spec.claims.clone())
    }

    /// Executes the steps of a group, and returns their results in the plan's order. Steps without
    /// approval are not executed.
    pub(crate) fn perform(
        &mut self,
        group: &[PlanStep],
        consent: &[Result<Option<String>, Failure>],
    ) -> Vec<SkillResult> {
        let only_looks: Vec<_> = group
            .iter()
            .map(|step| self.claims(step).iter().all(|c| *c == Resource::Camera))
            .collect();
        let mut results: Vec<Option<SkillResult>> = group.iter().map(|_| None).collect();
        let first_idx = self.state.spent.steps;
        self.state.spent.steps += group.len();
        let begun_secs = self.agent.robot.time_secs();
        let overlaps = group.len() > 1;
        if overlaps {
            self.agent.robot.begin_overlap();
        }
        for i in (0..group.len()).filter(|i| only_looks[*i]) {
            results[i] = Some(self.make(first_idx + i, &group[i], &consent[i]));
        }
        let looks_secs = self.agent.robot.end_overlap();
        for i in (0..group.len()).filter(|i| !only_looks[*i]) {
            results[i] = Some(self.make(first_idx + i, &group[i], &consent[i]));
        }
        let left_secs = begun_secs + looks_secs - self.agent.robot.time_secs();
        if overlaps && left_secs > 0.0 {
            // An error of the world during the wait is reported by the next access to the world.
            let _ = self.agent.robot.wait(left_secs);
        }
        results.into_iter().flatten().collect()
    }

    fn make(
        &mut self,
        step_idx: usize,
        step: &PlanStep,
        consent: &Result<Option<String>, Failure>,
    ) -> SkillResult {
        let robot = &mut self.agent.robot;
        robot.emit(Event::step_started(step_idx, &step.call));
        let result = match consent {
            Ok(_) => self.agent.skills.call(robot, &step.call),
            Err(refused) => self.agent.skills.refuse(robot, refused.clone()),
        };
        let finished = Event::step_finished(step_idx, result.clone());
        self.agent.robot.emit(finished);
        result
    }
}
