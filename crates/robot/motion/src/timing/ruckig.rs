//! Motions computed by Ruckig: one degree of freedom along a path, or all joints at once.

use regrasp_api::Knot;
use rsruckig::prelude::*;

use super::profile::Profile;
use crate::JointLimits;
use crate::path::distance;

/// Ruckig's control cycle, s. It has no effect: motions are computed as a whole.
const CYCLE_SECS: f64 = 0.01;

/// A jerk-limited motion of the path parameter from 0 to its length, at rest at both ends.
pub(super) struct OneDof(rsruckig::prelude::Trajectory<1>);

impl OneDof {
    /// The fastest motion within the limits on the first three derivatives.
    pub(super) fn rest_to_rest(length: f64, velocity: f64, acceleration: f64, jerk: f64) -> Self {
        let mut input = InputParameter::<1>::new(None);
        input.target_position[0] = length;
        input.max_velocity[0] = velocity;
        input.max_acceleration[0] = acceleration;
        input.max_jerk[0] = jerk;
        match calculated(&input, None) {
            Ok(motion) => Self(motion),
            Err(why) => panic!("Ruckig found no rest-to-rest motion within positive limits: {why}"),
        }
    }
}

impl Profile for OneDof {
    fn duration_secs(&self) -> f64 {
        self.0.get_duration()
    }

    fn state(&self, time_secs: f64) -> [f64; 3] {
        state(&self.0, None, time_secs).map(|of| of[0])
    }

    fn jerk_changes(&self) -> Vec<f64> {
        let sections = self.0.profiles.iter();
        sections.flat_map(|section| section[0].t_sum).collect()
    }
}

/// The fastest motion of all joints to rest, all arriving at the same time.
///
/// Joints that could arrive earlier are slowed down one by one, so the path bends a little where
/// different joints set the pace at different times.
#[derive(Clone, Debug)]
pub(crate) struct Synchronised {
    motion: rsruckig::prelude::Trajectory<0>,
    n_joints: usize,
}

impl Synchronised {
    /// The motion between two configurations at rest, if there is one, within the full limits.
    pub(crate) fn between(start: &[f64], goal: &[f64], limits: &[JointLimits]) -> Option<Self> {
        let rest = vec![0.0; start.len()];
        Self::moving([start, &rest, &rest], goal, limits)
    }

    /// The motion to rest from a state in motion, if there is one.
    pub(super) fn from_state(from: &Knot, goal: &[f64], limits: &[JointLimits]) -> Option<Self> {
        let state = [&from.position, &from.velocity, &from.acceleration];
        Self::moving(state.map(Vec::as_slice), goal, limits)
    }

    fn moving(
        [position, velocity, acceleration]: [&[f64]; 3],
        goal: &[f64],
        limits: &[JointLimits],
    ) -> Option<Self> {
        let n = position.len();
        let mut input = InputParameter::<0>::new(Some(n));
        input.synchronization = Synchronization::Time;
        for (i, limit) in limits.iter().enumerate() {
            input.current_position[i] = position[i];
            input.current_velocity[i] = velocity[i];
            input.current_acceleration[i] = acceleration[i];
            input.target_position[i] = goal[i];
            input.max_velocity[i] = limit.velocity;
            input.max_acceleration[i] = limit.acceleration;
            input.max_jerk[i] = limit.jerk;
        }
        let motion = calculated(&input, Some(n)).ok()?;
        Some(Self {
            motion,
            n_joints: n,
        })
    }

    pub(crate) fn duration_secs(&self) -> f64 {
        self.motion.get_duration()
    }

    pub(super) fn knot(&self, time_secs: f64) -> Knot {
        let values = |of: DataArrayOrVec<f64, 0>| (0..self.n_joints).map(|i| of[i]).collect();
        let [position, velocity, acceleration] =
            state(&self.motion, Some(self.n_joints), time_secs).map(values);
        Knot {
            time_secs,
            position,
            velocity,
            acceleration,
        }
    }

    pub(super) fn jerk_changes(&self) -> Vec<f64> {
        let sections = self.motion.profiles.iter();
        let joints = sections.flat_map(|section| section.iter());
        joints.flat_map(|joint| joint.t_sum).collect()
    }

    /// Points along the path, at most `step_rad` apart, both ends included.
    pub(crate) fn points(&self, step_rad: f64) -> Vec<Vec<f64>> {
        let at = |f: f64| self.knot(f * self.duration_secs()).position;
        // Speeds differ along the path, so steps in time are halved where the joints move far.
        let mut points = vec![at(0.0)];
        let mut todo = vec![(0.0, 1.0, at(1.0))];
        while let Some((from, to, end)) = todo.pop() {
            let is_near = distance(&points[points.len() - 1], &end) <= step_rad;
            if is_near && to - from <= 0.5 {
                points.push(end);
            } else {
                let middle = 0.5 * (from + to);
                todo.push((middle, to, end));
                todo.push((from, middle, at(middle)));
            }
        }
        points
    }
}

/// The motion that Ruckig finds for `N` degrees of freedom, or for `n` if `N` is 0.
fn calculated<const N: usize>(
    input: &InputParameter<N>,
    n: Option<usize>,
) -> Result<rsruckig::prelude::Trajectory<N>, RuckigError> {
    let mut motion = rsruckig::prelude::Trajectory::<N>::new(n);
    let mut ruckig = Ruckig::<N, ThrowErrorHandler>::new(n, CYCLE_SECS);
    ruckig.calculate(input, &mut motion).map(|_| motion)
}

fn state<const N: usize>(
    motion: &rsruckig::prelude::Trajectory<N>,
    n: Option<usize>,
    time_secs: f64,
) -> [DataArrayOrVec<f64, N>; 3] {
    let zero = || DataArrayOrVec::<f64, N>::new(n, 0.0);
    let (mut p, mut v, mut a) = (zero(), zero(), zero());
    motion.at_time(
        time_secs,
        &mut Some(&mut p),
        &mut Some(&mut v),
        &mut Some(&mut a),
        &mut None,
        &mut None,
    );
    [p, v, a]
}
