//! A previously played episode as a policy, which localizes the arm in the episode and commands the
//! continuation.
//!
//! The policy finds the moment of the episode that is closest to an observation and continues from
//! there; it waits for an arm that lags behind. If observations do not contain the step, it assumes
//! that the mapping's horizon of the last chunk was executed.

use std::sync::Arc;

use regrasp_api::{GripperAction, Pose};

use crate::chunk::{self, Step};
use crate::sense::{self, SensedState};
use crate::{Body, Mapping, Sensed, Value};

/// Distance up to which the arm counts as being at the expected moment, rad of a joint; see
/// [`Track::distance`].
const ON_TRACK: f64 = 0.06;
/// Distance from the start above which the arm is not at the start of this episode, rad of a joint.
const AT_START: f64 = 0.4;
/// Weight of the tool's position, rad of a joint per m.
const PER_TOOL_M: f64 = 2.0;
/// Weight of the tool's rotation, rad of a joint per rad.
const PER_TOOL_RAD: f64 = 0.5;
/// Weight of the gripper's width, rad of a joint per m.
const PER_WIDTH_M: f64 = 5.0;

/// A moment of an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// State of the robot.
    pub sensed: Sensed,
    /// Commanded joint positions, rad.
    pub to_joints: Vec<f64>,
    /// Commanded tool pose.
    pub world_to_tool: Pose,
    /// Gripper command.
    pub gripper: GripperAction,
}

/// An episode, sampled at the rate of a mapping.
#[derive(Clone, Debug)]
pub struct Track {
    mapping: Mapping,
    body: Body,
    /// Moments, at least one.
    ticks: Vec<(Tick, SensedState)>,
}

impl Track {
    /// Creates a track from the moments of a played episode.
    ///
    /// # Errors
    ///
    /// If there are no moments, or the mapping sends too little of the arm's state to localize it.
    pub fn new(mapping: Mapping, body: Body, ticks: Vec<Tick>) -> Result<Self, String> {
        let state = |tick: Tick| {
            let observed = Value::map(sense::state(&mapping, &tick.sensed, &body));
            SensedState::read(&mapping, &body, &observed).map(|state| (tick, state))
        };
        let ticks: Vec<_> = ticks.into_iter().map(state).collect::<Result<_, _>>()?;
        let first = ticks.first().ok_or("the episode has no frames")?;
        if first.1.joints.is_none() && first.1.position.is_none() {
            return Err(format!(
                "the mapping `{}` reports neither joints nor the tool's position, so the progress \
                 of the arm is unknown",
                mapping.name
            ));
        }
        Ok(Self {
            mapping,
            body,
            ticks,
        })
    }

    /// Number of moments.
    pub fn len(&self) -> usize {
        self.ticks.len()
    }

    /// Returns false always, because [`Track::new`] requires moments.
    pub fn is_empty(&self) -> bool {
        self.ticks.is_empty()
    }

    fn last(&self) -> usize {
        self.ticks.len() - 1
    }

    /// Weighted distance between a moment and an observed state, in rad of a joint.
    fn distance(&self, at: usize, state: &SensedState) -> f64 {
        let there = &self.ticks[at].1;
        let joints = there.joints.iter().zip(&state.joints).map(|(a, b)| {
            let off = a.iter().zip(b).map(|(a, b)| (a - b).abs());
            off.fold(0.0, f64::max)
        });
        let position = there.position.iter().zip(&state.position);
        let position = position.map(|(a, b)| PER_TOOL_M * (a - b).norm());
        let turn = there.turn.iter().zip(&state.turn);
        let turn = turn.map(|(a, b)| PER_TOOL_RAD * a.angle_to(b));
        let width = there.width_m.iter().zip(&state.width_m);
        let width = width.map(|(a, b)| PER_WIDTH_M * (a - b).abs());
        joints.chain(position).chain(turn).chain(width).sum()
    }
}

/// Progress of an arm through an episode.
#[derive(Clone, Debug)]
pub struct Follower {
    track: Arc<Track>,
    at: usize,
    /// Step of the last request, if the client sends steps.
    step: Option<u64>,
    has_begun: bool,
}

impl Follower {
    /// Creates a follower at the start of the episode.
    pub fn new(track: Arc<Track>) -> Self {
        Self {
            track,
            at: 0,
            step: None,
            has_begun: false,
        }
    }

    /// Returns the next chunk for an observation: twice as many actions as the mapping's horizon.
    ///
    /// # Errors
    ///
    /// If the observation lacks a value, or the arm does not begin where this episode begins.
    pub fn answer(&mut self, observation: &Value) -> Result<Value, String> {
        let track = Arc::clone(&self.track);
        let mapping = &track.mapping;
        let state = SensedState::read(mapping, &track.body, observation)?;
        let step = mapping.step.as_deref().and_then(|key| observation.get(key));
        let step = step.and_then(Value::count);
        self.find(&state, step)?;
        self.step = step;
        let rows = (0..2 * mapping.horizon).map(|ahead| self.row(ahead, &state));
        let rows: Vec<Vec<f64>> = rows.collect::<Result<_, _>>()?;
        let mut reply = vec![(mapping.actions.key.clone(), chunk::array(&rows))];
        if let Some(done) = &mapping.done {
            let is_done = self.at == track.last();
            reply.push((done.clone(), Value::Bool(is_done)));
        }
        Ok(Value::map(reply))
    }

    fn find(&mut self, state: &SensedState, step: Option<u64>) -> Result<(), String> {
        let track = &self.track;
        let from_start = track.distance(0, state);
        if !self.has_begun || step == Some(0) {
            if from_start > AT_START {
                return Err(self.elsewhere(state));
            }
            (self.at, self.has_begun) = (0, true);
            return Ok(());
        }
        let n_done = match (step, self.step) {
            (Some(now), Some(before)) => now.saturating_sub(before),
            _ => track.mapping.horizon as u64,
        };
        let n_done = usize::try_from(n_done).unwrap_or(usize::MAX);
        let expected = self.at.saturating_add(n_done).min(track.last());
        if track.distance(expected, state) <= ON_TRACK {
            self.at = expected;
            return Ok(());
        }
        // Of equally near moments, the latest one, so that an arm does not wait at rest for ever.
        let mut nearest = (self.at, f64::INFINITY);
        for at in self.at..=expected {
            let distance = track.distance(at, state);
            if distance <= nearest.1 {
                nearest = (at, distance);
            }
        }
        self.at = match nearest.1 > AT_START && from_start <= ON_TRACK {
            // The arm was moved back: another episode starts on the same connection.
            true => 0,
            false => nearest.0,
        };
        Ok(())
    }

    fn elsewhere(&self, state: &SensedState) -> String {
        let first = &self.track.ticks[0].1;
        let numbers = |state: &SensedState| match (&state.joints, &state.position) {
            (Some(joints), _) => format!("joints {joints:.3?}"),
            (None, Some(p)) => format!("the tool at [{:.3}, {:.3}, {:.3}]", p.x, p.y, p.z),
            (None, None) => "nothing".into(),
        };
        format!(
            "the arm is not where the scripted episode begins: it reports {}, but the episode \
             begins with {}; is it the same robot, task and seed?",
            numbers(state),
            numbers(first)
        )
    }

    /// Returns the action that moves the arm from the moment `ahead` steps ahead to the next one.
    fn row(&self, ahead: usize, state: &SensedState) -> Result<Vec<f64>, String> {
        let track = &self.track;
        let at = (self.at + ahead).min(track.last());
        let from = if ahead == 0 {
            state
        } else {
            &track.ticks[at].1
        };
        let to = &track.ticks[(at + 1).min(track.last())].0;
        let tool = from.position.zip(from.turn);
        let step = Step {
            joints: from.joints.as_deref(),
            tool: tool.map(|(position, turn)| Pose::from_parts(position.into(), turn)),
            to_joints: &to.to_joints,
            world_to_tool: &to.world_to_tool,
            gripper: to.gripper,
        };
        chunk::row_for(&track.mapping, &step, &track.body)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::sense::tests::body;

    fn sensed(q: f64, width_m: f64) -> Sensed {
        Sensed {
            joints: vec![q, 0.2, 0.0],
            velocities: vec![0.0; 3],
            world_from_tool: Pose::new(Vector3::new(q, 0.0, 0.0), Vector3::zeros()),
            width_m,
            finger_contact: [false; 2],
        }
    }

    /// The first joint moves from 0 to 1 rad and back, and waits at 1 for 30 moments in which the
    /// gripper closes on something.
    fn track() -> Arc<Track> {
        let there = (0..=20).map(|i| (0.05 * f64::from(i), 0.08));
        let wait = (0..30).map(|i| (1.0, (0.08 - 0.01 * f64::from(i)).max(0.03)));
        let back = (0..=20).map(|i| (1.0 - 0.05 * f64::from(i), 0.03));
        let ticks = there.chain(wait).chain(back).map(|(q, width_m)| Tick {
            sensed: sensed(q, width_m),
            to_joints: sensed(q, width_m).joints,
            world_to_tool: sensed(q, width_m).world_from_tool,
            gripper: match q >= 1.0 || width_m < 0.08 {
                true => GripperAction::ForceN(10.0),
                false => GripperAction::WidthM(0.08),
            },
        });
        let mapping = Mapping::load("joints").expect("a built-in mapping");
        Arc::new(Track::new(mapping, body(), ticks.collect()).expect("a valid track"))
    }

    /// Simulates an arm that executes the fraction `of_wanted` of every change. Returns the number
    /// of actions until the end, and the largest position reached.
    fn followed(of_wanted: f64, horizon: usize, tells_step: bool) -> (u64, f64) {
        let mut follower = Follower::new(track());
        let (mut q, mut width, mut step, mut furthest) = (0.0, 0.08, 0_u64, 0.0_f64);
        while step < 2000 {
            let state = sensed(q, width);
            let mut observation = sense::state(&follower.track.mapping, &state, &body());
            if tells_step {
                observation.push(("observation/step".into(), Value::Int(step.into())));
            }
            let reply = follower
                .answer(&Value::map(observation))
                .expect("a valid observation");
            if reply.get("done") == Some(&Value::Bool(true)) {
                return (step, furthest);
            }
            let rows = chunk::read(&follower.track.mapping, &reply, 3).expect("a valid chunk");
            for row in rows.iter().take(horizon) {
                q += of_wanted * row[0];
                let wanted = if row[3] > 0.98 { 0.03 } else { 0.08 };
                width += f64::clamp(wanted - width, -0.01, 0.01);
                step += 1;
                furthest = furthest.max(q);
            }
        }
        panic!("the episode does not end");
    }

    #[test]
    fn an_arm_that_follows_arrives_in_time() {
        let (steps, furthest) = followed(1.0, 8, true);
        assert!((70..=80).contains(&steps), "{steps} steps");
        assert!((furthest - 1.0).abs() < 0.06, "{furthest}");
    }

    #[test]
    fn an_arm_that_lags_is_waited_for() {
        let (steps, furthest) = followed(0.5, 8, true);
        assert!(steps > 90, "{steps} steps");
        assert!(furthest > 0.9, "the arm turned back at {furthest} rad");
    }

    #[test]
    fn an_arm_that_does_not_send_the_step_arrives_too() {
        for horizon in [8, 3] {
            let (_, furthest) = followed(0.8, horizon, false);
            assert!(furthest > 0.9, "the arm turned back at {furthest} rad");
        }
    }

    #[test]
    fn an_arm_elsewhere_is_rejected_and_one_that_was_put_back_restarts() {
        let mapping = Mapping::load("joints").expect("a built-in mapping");
        let at = |q, width_m| Value::map(sense::state(&mapping, &sensed(q, width_m), &body()));
        let mut follower = Follower::new(track());
        let error = follower.answer(&at(0.9, 0.08)).expect_err("elsewhere");
        assert!(error.contains("same robot, task and seed"), "{error}");
        follower
            .answer(&at(0.0, 0.08))
            .expect("the arm is at the start");
        for _ in 0..8 {
            follower
                .answer(&at(1.0, 0.03))
                .expect("the episode continues");
        }
        assert!(follower.at > 20);
        follower
            .answer(&at(0.0, 0.08))
            .expect("the episode restarts");
        assert_eq!(follower.at, 0);
    }
}
