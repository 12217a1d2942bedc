//! A trajectory as the arm will receive it: one position per cycle, from where the arm stands.

use regrasp_api::Trajectory;

use crate::brake::Commanded;
use crate::{ArmLimits, Brakes, CYCLE_SECS, Joints, N_JOINTS, Safety};

/// Largest use of a limit, and the moment at which it occurs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub(crate) what: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) joint: usize,
    pub(crate) value: f64,
    pub(crate) limit: f64,
    pub(crate) at_secs: f64,
}

impl Use {
    fn speed(joint: usize, value: f64, limit: f64, at_secs: f64) -> Self {
        Self {
            what: "speed",
            unit: "rad/s",
            joint,
            value,
            limit,
            at_secs,
        }
    }
}

/// Commanded positions, cycle by cycle. The first is the arm's current one.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    pub(crate) commands: Vec<Joints>,
    /// Speed relative to the planned motion, in (0, 1].
    pub(crate) rate: f64,
    pub(crate) peak_speed: f64,
}

/// Part of the arm's limits that a course may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance<'a> {
    limits: &'a ArmLimits,
    part: f64,
    /// Greatest speed of each joint from which it stops in time, rad/s.
    stoppable: Joints,
}

impl<'a> Allowance<'a> {
    pub(crate) fn new(limits: &'a ArmLimits, safety: &Safety) -> Self {
        Self {
            limits,
            part: safety.speed,
            stoppable: Brakes::of(limits).speed_for(safety.stop_within_secs),
        }
    }

    fn speed(&self, position: &Joints, velocity: &Joints) -> Joints {
        let speed = self.limits.speed(position, velocity);
        std::array::from_fn(|i| (self.part * speed[i]).min(self.stoppable[i]))
    }
}

/// Factor on the allowance for rounding and for states in float32.
const ROUNDING: f64 = 1.02;
/// Smallest mismatch that is corrected, rad.
const NOTHING_RAD: f64 = 1e-9;
/// Durations tried for blending out a mismatch at the start, s.
const BLEND_SECS: [f64; 5] = [0.1, 0.2, 0.4, 0.8, 1.6];
/// Smallest factor on the motion's speed: below it, the motion counts as impossible.
const LEAST_RATE: f64 = 0.01;

/// Greatest rate, at most 1, at which the motion stays in its allowance. Stretching time by 1/r
/// changes speeds by r, accelerations by r^2, jerks by r^3.
///
/// # Errors
///
/// The [`Use`] of a limit that allows no motion at all.
fn rate(trajectory: &Trajectory, allowance: &Allowance<'_>) -> Result<f64, Use> {
    let n = (trajectory.duration_secs() / CYCLE_SECS).ceil() as usize;
    let (mut q, mut v) = ([0.0; N_JOINTS], [0.0; N_JOINTS]);
    let (mut last_v, mut last_a) = (None::<Joints>, None::<Joints>);
    let mut rate = 1.0_f64;
    for k in 0..=n {
        let at_secs = (k as f64 * CYCLE_SECS).min(trajectory.duration_secs());
        trajectory.sample(at_secs, &mut q, &mut v);
        let speed = allowance.speed(&q, &v);
        for i in 0..N_JOINTS {
            if v[i].abs() * LEAST_RATE > speed[i] {
                return Err(Use::speed(i, v[i].abs(), speed[i], at_secs));
            }
            if v[i].abs() > speed[i] {
                rate = rate.min(speed[i] / v[i].abs());
            }
        }
        if let Some(last_v) = last_v {
            let a: Joints = std::array::from_fn(|i| (v[i] - last_v[i]) / CYCLE_SECS);
            for i in 0..N_JOINTS {
                let most = allowance.part * allowance.limits.acceleration[i];
                if a[i].abs() > most {
                    rate = rate.min((most / a[i].abs()).sqrt());
                }
                if let Some(last) = last_a {
                    let jerk = (a[i] - last[i]).abs() / CYCLE_SECS;
                    let most = allowance.part * allowance.limits.jerk[i];
                    if jerk > most {
                        rate = rate.min((most / jerk).cbrt());
                    }
                }
            }
            last_a = Some(a);
        }
        last_v = Some(v);
    }
    Ok(rate)
}

/// Value of a quintic polynomial that fades a mismatch in position, velocity and acceleration to
/// zero within `secs`, at the fraction `u` (0 to 1) of this time.
pub(crate) fn fading([p, v, a]: [f64; 3], secs: f64, u: f64) -> f64 {
    let (v, a) = (v * secs, a * secs * secs);
    let c3 = -10.0 * p - 6.0 * v - 1.5 * a;
    let c4 = 15.0 * p + 8.0 * v + 1.5 * a;
    let c5 = -6.0 * p - 3.0 * v - 0.5 * a;
    p + u * (v + u * (0.5 * a + u * (c3 + u * (c4 + u * c5))))
}

impl Course {
    /// Course of a trajectory within the allowance. Its first part fades out the mismatch between
    /// the arm's position and the trajectory's start.
    ///
    /// # Errors
    ///
    /// The [`Use`] of a limit by which a course was rejected, if all were.
    pub(crate) fn of(
        trajectory: &Trajectory,
        from: &Joints,
        allowance: &Allowance<'_>,
    ) -> Result<Self, Use> {
        let planned = rate(trajectory, allowance)?;
        let mut worst = None;
        // Correcting the mismatch may need more time or a slower motion.
        for slower in [1.0, 0.9, 0.7, 0.5] {
            for blend_secs in BLEND_SECS {
                let course = Self::sampled(trajectory, from, planned * slower, blend_secs);
                match course.beyond(allowance, ROUNDING) {
                    None => return Ok(course),
                    Some(use_) => worst = Some(use_),
                }
            }
        }
        Err(worst.unwrap_or(Use::speed(0, 0.0, 0.0, 0.0)))
    }

    fn sampled(trajectory: &Trajectory, from: &Joints, rate: f64, blend_secs: f64) -> Self {
        let (mut q, mut v) = ([0.0; N_JOINTS], [0.0; N_JOINTS]);
        trajectory.sample(0.0, &mut q, &mut v);
        let first = &trajectory.knots()[0];
        let off: [[f64; 3]; N_JOINTS] = std::array::from_fn(|i| {
            let a = first.acceleration[i] * rate * rate;
            [from[i] - q[i], -v[i] * rate, -a]
        });
        let is_off = off.iter().flatten().any(|x| x.abs() > NOTHING_RAD);
        let secs = trajectory.duration_secs() / rate;
        let secs = if is_off { secs.max(blend_secs) } else { secs };
        let n = (secs / CYCLE_SECS).ceil() as usize;
        let mut commands = Vec::with_capacity(n + 1);
        for k in 0..=n {
            let at_secs = k as f64 * CYCLE_SECS;
            trajectory.sample(at_secs * rate, &mut q, &mut v);
            if is_off && at_secs < blend_secs {
                for i in 0..N_JOINTS {
                    q[i] += fading(off[i], blend_secs, at_secs / blend_secs);
                }
            }
            commands.push(q);
        }
        commands[0] = *from;
        let mut course = Self {
            commands,
            rate,
            peak_speed: 0.0,
        };
        course.peak_speed = course.speeds().fold(0.0, f64::max);
        course
    }

    fn speeds(&self) -> impl Iterator<Item = f64> + '_ {
        let steps = self.commands.windows(2);
        steps.flat_map(|w| (0..N_JOINTS).map(move |i| (w[1][i] - w[0][i]).abs() / CYCLE_SECS))
    }

    pub(crate) fn duration_secs(&self) -> f64 {
        (self.commands.len() - 1) as f64 * CYCLE_SECS
    }

    pub(crate) fn last(&self) -> &Joints {
        &self.commands[self.commands.len() - 1]
    }

    /// First use beyond the allowance times `factor`, computed as the arm does: from differences of
    /// its commands, beginning at rest.
    fn beyond(&self, allowance: &Allowance<'_>, factor: f64) -> Option<Use> {
        let mut last = Commanded::at_rest(self.commands[0]);
        for (k, position) in self.commands.iter().enumerate() {
            let next = last.then(*position);
            let speeds = allowance.speed(position, &next.velocity);
            for (i, most_speed) in speeds.into_iter().enumerate() {
                let jerk = (next.acceleration[i] - last.acceleration[i]) / CYCLE_SECS;
                let acceleration = next.acceleration[i];
                let most_acceleration = allowance.part * allowance.limits.acceleration[i];
                let most_jerk = allowance.part * allowance.limits.jerk[i];
                let uses = [
                    ("speed", "rad/s", next.velocity[i], most_speed),
                    ("acceleration", "rad/s^2", acceleration, most_acceleration),
                    ("jerk", "rad/s^3", jerk, most_jerk),
                ];
                for (what, unit, value, limit) in uses {
                    if value.abs() > factor * limit + f64::EPSILON {
                        return Some(Use {
                            what,
                            unit,
                            joint: i,
                            value: value.abs(),
                            limit,
                            at_secs: k as f64 * CYCLE_SECS,
                        });
                    }
                }
            }
            last = next;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::tests::fr3;
    use regrasp_api::Knot;

    pub(crate) fn swing(from: f64, to: f64, secs: f64) -> Trajectory {
        let knot = |time_secs, position| Knot::at_rest(time_secs, start(position));
        Trajectory::new(vec![knot(0.0, from), knot(secs, to)])
    }

    fn start(position: f64) -> Joints {
        [position, -0.7, 0.0, -2.2, 0.0, 1.6, 0.8]
    }

    #[test]
    fn a_fast_motion_is_stretched_until_it_is_in_its_allowance_and_ends_where_it_should() {
        for limits in [ArmLimits::panda(), fr3()] {
            let safety = Safety::default();
            let allowance = Allowance::new(&limits, &safety);
            let fast = swing(-0.5, 0.7, 0.9);
            let course = Course::of(&fast, &start(-0.5), &allowance)
                .expect("the course is within the limits");
            assert!(course.rate < 0.5, "{}", course.rate);
            assert!((course.last()[0] - 0.7).abs() < 1e-12);
            assert!(course.peak_speed <= 0.3 * 2.63 * ROUNDING);
            let slow = swing(-0.5, -0.45, 2.0);
            let course = Course::of(&slow, &start(-0.5), &allowance)
                .expect("the course is within the limits");
            let is_kept = (course.rate - 1.0).abs() < 1e-12;
            assert!(is_kept, "a slow motion keeps its duration");
        }
    }

    #[test]
    fn a_mismatch_at_the_start_fades_without_a_jump() {
        let limits = fr3();
        let safety = Safety::default();
        let allowance = Allowance::new(&limits, &safety);
        let from = start(-0.5 + 0.015);
        let course = Course::of(&swing(-0.5, 0.2, 2.0), &from, &allowance)
            .expect("the course is within the limits");
        assert!((course.commands[0][0] - from[0]).abs() < 1e-15);
        assert!((course.last()[0] - 0.2).abs() < 1e-12);
        assert!(course.beyond(&allowance, ROUNDING).is_none());
        // A jump has to be noticed.
        let mut jumping = course;
        jumping.commands[100][0] += 1e-4;
        let use_ = jumping
            .beyond(&allowance, ROUNDING)
            .expect("the jump is noticed");
        assert_eq!(use_.joint, 0);
    }

    #[test]
    fn a_joint_at_its_end_leaves_an_fr3_no_course_and_the_figures_say_so() {
        let limits = fr3();
        let safety = Safety::default();
        let allowance = Allowance::new(&limits, &safety);
        let end = limits.upper[0] - 0.005;
        let use_ = Course::of(&swing(end - 0.3, end, 0.6), &start(end - 0.3), &allowance);
        let use_ = use_.expect_err("the joint is too near its limit");
        assert_eq!((use_.what, use_.joint), ("speed", 0));
    }
}
