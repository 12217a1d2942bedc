//! Waiting until all perceived objects are at rest.

use std::collections::VecDeque;

use nalgebra::{UnitQuaternion, Vector3};

use regrasp_relations::Moving;

use crate::{Result, Robot};
use regrasp_api::{Failure, ObjectId, PerceivedObject, Percept, Phase, Pose, Reason};

/// Perceived scene at rest, or at the end of the waiting time.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// The last percept.
    pub percept: Percept,
    /// Objects that still move.
    pub moving: Vec<Moving>,
}

const LOOK_EVERY_SECS: f64 = 0.1;
/// Largest speed of any part of an object at rest, m/s: ten times the apparent speed of a settled
/// object, with perception without noise.
const STILL_M_PER_S: f64 = 0.005;
/// Speed below which a single pair of percepts shows rest, m/s: twice the apparent speed of a
/// settled object. An object that rocks is slow at its turning points, but not that slow.
const SURELY_STILL_M_PER_S: f64 = 0.001;
/// Number of latest intervals between percepts in which an object must not have travelled.
const N_CALM: usize = 3;
/// Number of percepts for a speed estimate if perception is noisy.
const N_LOOKS: usize = 11;
/// Rotation between two percepts above which perception is taken to have mistaken one side of a
/// symmetric object for another, rad. A square has four such sides.
const OTHER_SIDE_RAD: f64 = 0.5;
/// Number of standard deviations from which a speed is significant.
const N_SIGMA: f64 = 3.0;

impl Settled {
    /// Checks that these objects are at rest.
    ///
    /// # Errors
    ///
    /// `placement_unstable`, with the first object that moves and its speeds.
    pub fn at_rest(&self, ids: &[&ObjectId]) -> Result<()> {
        let Some(moving) = self.moving.iter().find(|it| ids.contains(&&it.id)) else {
            return Ok(());
        };
        let text = format!("{moving} (limit for an object at rest: {STILL_M_PER_S} m/s)");
        Err(Failure::new(Reason::PlacementUnstable, text)
            .in_phase(Phase::Verify)
            .about([moving.id.clone()])
            .measured("speed", moving.m_per_s, Some(STILL_M_PER_S), "m/s")
            .measured("turning", moving.rad_per_s, None, "rad/s"))
    }
}

impl Robot {
    /// Perceives until all movable and all counted objects are at rest, for at most `max_secs`, and
    /// returns the movable ones that still move. A later verification may assume a static world
    /// only as far as [`Settled::at_rest`] confirms it.
    ///
    /// An object is at rest if no part of it moves faster than 5 mm/s between the last two
    /// percepts, 0.1 s apart, and its origin was no faster in the last 0.3 s. If it has been
    /// watched for less, no part of it may move faster than 1 mm/s. With noisy perception, the
    /// trend over one second counts.
    ///
    /// # Errors
    ///
    /// As [`Robot::perceive`].
    pub fn settle(&mut self, max_secs: f64) -> Result<Settled> {
        let mut looks = VecDeque::from([self.perceive()?]);
        let begin_secs = self.time_secs();
        loop {
            self.wait(LOOK_EVERY_SECS)?;
            looks.push_back(self.perceive()?);
            if looks.len() > N_LOOKS {
                looks.pop_front();
            }
            let moving = moving(&looks);
            let waited_secs = self.time_secs() - begin_secs;
            let is_over = waited_secs + 0.5 * LOOK_EVERY_SECS >= max_secs;
            if is_over || (moving.is_empty() && small_things_rest(&looks)) {
                let percept = looks.pop_back().unwrap_or_default();
                return Ok(Settled { percept, moving });
            }
        }
    }
}

/// Objects that move according to the percepts so far, the last of which is current. As long as
/// noise could hide the motion of an object, it counts as moving.
fn moving(looks: &VecDeque<Percept>) -> Vec<Moving> {
    let objects = looks.back().map_or(&[][..], |now| &now.objects);
    let movable = objects.iter().filter(|o| o.movable);
    movable
        .filter_map(|object| motion_of(object, looks))
        .collect()
}

fn motion_of(object: &PerceivedObject, looks: &VecDeque<Percept>) -> Option<Moving> {
    let seen = looks.iter().filter_map(|look| {
        let then = look.object(&object.id)?;
        Some((look.time_secs, then.world_from_object))
    });
    let track: Vec<(f64, Pose)> = seen.collect();
    let radius_m = radius(object);
    let moving = |[m_per_s, rad_per_s]: [f64; 2]| Moving {
        id: object.id.clone(),
        m_per_s,
        rad_per_s,
    };
    let is_still = |[m_per_s, rad_per_s]: [f64; 2], limit: f64| {
        m_per_s < limit && rad_per_s * radius_m < limit
    };
    // An object that is seen for the first time has no speed yet and counts as at rest.
    let now = speeds(track.last_chunk::<2>()?);
    // An object that wobbles on the spot counts as at rest; one that travels does not.
    let recent = track.windows(2).rev().take(N_CALM);
    let fastest = recent.map(|pair| speeds(pair)[0]).fold(0.0, f64::max);
    let is_sure = track.len() > N_CALM || is_still(now, SURELY_STILL_M_PER_S);
    if is_sure && is_still(now, STILL_M_PER_S) && fastest < STILL_M_PER_S {
        return None;
    }
    let noise_m_per_s = N_SIGMA * object.position_std_m * slope_noise(&track);
    let trend = speeds(&track);
    let is_noise = object.position_std_m > 0.0
        && track.len() == N_LOOKS
        && is_still(trend, STILL_M_PER_S + noise_m_per_s);
    (!is_noise).then(|| {
        moving(if object.position_std_m > 0.0 {
            trend
        } else {
            [fastest, now[1]]
        })
    })
}

/// Distance of the furthest part of an object from its origin, m.
fn radius(object: &PerceivedObject) -> f64 {
    let bounds = object.shape.aabb(&Pose::identity());
    let far = |i: usize| bounds.min[i].abs().max(bounds.max[i].abs());
    Vector3::new(far(0), far(1), far(2)).norm()
}

/// Mean of a track's times, and the root of the sum of squared deviations from it, s.
fn times(track: &[(f64, Pose)]) -> [f64; 2] {
    let mean_secs = track.iter().map(|(secs, _)| secs).sum::<f64>() / track.len() as f64;
    let squares = track.iter().map(|(secs, _)| (secs - mean_secs).powi(2));
    [mean_secs, squares.sum::<f64>().sqrt()]
}

/// Linear speed of a track by linear regression, m/s, and its mean angular speed, rad/s, without
/// steps above [`OTHER_SIDE_RAD`].
fn speeds(track: &[(f64, Pose)]) -> [f64; 2] {
    let [mean_secs, spread_secs] = times(track);
    let slope = track.iter().fold(Vector3::zeros(), |sum, (secs, pose)| {
        sum + pose.translation.vector * (secs - mean_secs)
    });
    let turned = track.windows(2).fold(Vector3::zeros(), |sum, pair| {
        let step: UnitQuaternion<f64> = pair[1].1.rotation * pair[0].1.rotation.inverse();
        let step = step.scaled_axis();
        match step.norm() <= OTHER_SIDE_RAD {
            true => sum + step,
            false => sum,
        }
    });
    let took_secs = match track {
        [(first, _), .., (last, _)] => last - first,
        _ => 0.0,
    };
    // Simultaneous percepts give no speed.
    if spread_secs <= 0.0 || took_secs <= 0.0 {
        return [0.0; 2];
    }
    [
        slope.norm() / spread_secs.powi(2),
        turned.norm() / took_secs,
    ]
}

/// Standard deviation of a track's speed per standard deviation of its positions, 1/s.
fn slope_noise(track: &[(f64, Pose)]) -> f64 {
    let [_, spread_secs] = times(track);
    if spread_secs > 0.0 {
        spread_secs.recip()
    } else {
        0.0
    }
}

/// Returns true if objects that are only counted do not move. They may roll inside a container for
/// long, so they prolong the waiting but are never reported as moving.
fn small_things_rest(looks: &VecDeque<Percept>) -> bool {
    let (Some(now), Some(before)) = (looks.back(), looks.iter().rev().nth(1)) else {
        return false;
    };
    now.groups.iter().all(|group| {
        let earlier = before.groups.iter().find(|g| g.id == group.id);
        let earlier = earlier.map_or(&[][..], |g| &g.positions);
        let mut pairs = earlier.iter().zip(&group.positions);
        pairs.all(|(a, b)| {
            let moved = Vector3::from(*b) - Vector3::from(*a);
            moved.norm() < STILL_M_PER_S * LOOK_EVERY_SECS
        })
    })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;
    use regrasp_api::Shape;

    /// A bottle at `x`, rotated about y, with positions of this standard deviation.
    fn bottle(x: f64, turn_rad: f64, position_std_m: f64) -> PerceivedObject {
        PerceivedObject {
            id: ObjectId::new("bottle"),
            category: "bottle".into(),
            color: None,
            shape: Shape::cylinder(0.03, 0.08),
            world_from_object: Pose::new(Vector3::new(x, 0.1, 0.07), Vector3::y() * turn_rad),
            position_std_m,
            movable: true,
        }
    }

    /// Percepts at intervals of 0.1 s of the object that `seen` returns for each time.
    fn looks(n: usize, seen: impl Fn(f64) -> PerceivedObject) -> VecDeque<Percept> {
        let at = |i: usize| {
            let time_secs = 0.1 * i as f64;
            Percept {
                time_secs,
                objects: vec![seen(time_secs)],
                ..Percept::default()
            }
        };
        (0..n).map(at).collect()
    }

    /// Reproducible noise of about this standard deviation.
    fn noise(time_secs: f64, std_m: f64) -> f64 {
        std_m * 1.4 * (1.0 + 97.0 * time_secs).sin()
    }

    #[test]
    fn what_rolls_or_spins_moves_and_what_lies_does_not() {
        assert_eq!(moving(&looks(2, |_| bottle(0.4, 0.0, 0.0))), []);
        let rolls = moving(&looks(2, |t| bottle(0.4 + 0.039 * t, 1.3 * t, 0.0)));
        assert_eq!(rolls.len(), 1);
        assert!((rolls[0].m_per_s - 0.039).abs() < 1e-9, "{rolls:?}");
        assert!((rolls[0].rad_per_s - 1.3).abs() < 1e-9, "{rolls:?}");
        let spins = moving(&looks(2, |t| bottle(0.4, 1.3 * t, 0.0)));
        assert_eq!(spins.len(), 1, "the bottle spins on the spot");
        let told = Settled {
            percept: Percept::default(),
            moving: rolls,
        };
        let failure = told
            .at_rest(&[&ObjectId::new("bottle")])
            .expect_err("it rolls");
        assert_eq!(failure.reason, Reason::PlacementUnstable);
        assert!(failure.detail.contains("0.039 m/s and 1.30 rad/s"));
        assert!(told.at_rest(&[&ObjectId::new("mug")]).is_ok());
    }

    #[test]
    fn what_rocks_moves_also_where_it_turns_round() {
        for phase in 0..40 {
            let rocks = |t: f64| {
                let x = 0.0018 * (6.0 * t + 0.157 * f64::from(phase)).sin();
                bottle(0.4 + x, x / 0.03, 0.0)
            };
            assert_eq!(moving(&looks(N_CALM + 1, rocks)).len(), 1, "phase {phase}");
        }
    }

    #[test]
    fn noise_is_no_motion_and_hides_none() {
        let std_m = 0.002;
        let lies = |t: f64| bottle(0.4 + noise(t, std_m), 0.0, std_m);
        assert_eq!(moving(&looks(2, lies)).len(), 1, "too early to tell");
        assert_eq!(moving(&looks(N_LOOKS, lies)), []);
        let rolls = |t: f64| bottle(0.4 + 0.039 * t + noise(t, std_m), 1.3 * t, std_m);
        assert_eq!(moving(&looks(N_LOOKS, rolls)).len(), 1);
    }

    #[test]
    fn the_other_side_of_a_square_is_no_turn() {
        let turns = |t: f64| if t > 0.45 { FRAC_PI_2 } else { 0.0 };
        let trend = speeds_of(&looks(N_LOOKS, |t| bottle(0.4, turns(t), 0.001)));
        assert_eq!(trend, [0.0, 0.0]);
    }

    fn speeds_of(looks: &VecDeque<Percept>) -> [f64; 2] {
        let track = looks
            .iter()
            .map(|l| (l.time_secs, l.objects[0].world_from_object));
        let [m_per_s, rad_per_s] = speeds(&track.collect::<Vec<_>>());
        [m_per_s, rad_per_s].map(|v| (v * 1e9).round() / 1e9)
    }
}
