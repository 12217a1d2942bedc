//! LIBERO's knowledge of a class beyond its model: its orientation when it is placed, and the
//! limits at which its joints count as open or on.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rand::{Rng, RngExt};

/// Orientation of an object when it is placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Turn {
    /// Rotation about the vertical, uniform between two angles, rad.
    Yaw(f64, f64),
    /// Fixed orientation that stands the object upright, as a quaternion w x y z.
    Upright([f64; 4]),
}

const HALF: Turn = Turn::Upright([0.5; 4]);
const ABOUT_YZ: Turn = Turn::Upright([0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2]);

/// Orientations of the classes that differ from the default of their folder.
const TURNS: [(&str, Turn); 18] = [
    ("alphabet_soup", ABOUT_YZ),
    ("tomato_sauce", ABOUT_YZ),
    ("ketchup", HALF),
    ("salad_dressing", HALF),
    ("new_salad_dressing", HALF),
    ("milk", HALF),
    ("orange_juice", HALF),
    ("macaroni_and_cheese", HALF),
    ("mayo", HALF),
    ("butter", Turn::Yaw(PI, PI)),
    ("cream_cheese", Turn::Yaw(PI, PI)),
    ("chocolate_pudding", Turn::Yaw(PI, PI)),
    ("popcorn", Turn::Yaw(PI, PI)),
    ("porcelain_mug", Turn::Yaw(-FRAC_PI_2, -FRAC_PI_2)),
    ("red_coffee_mug", Turn::Yaw(-FRAC_PI_2, -FRAC_PI_2)),
    ("white_yellow_mug", Turn::Yaw(-FRAC_PI_2, -FRAC_PI_2)),
    ("black_book", Turn::Yaw(-0.75 * PI, -FRAC_PI_2)),
    ("yellow_book", Turn::Yaw(-0.75 * PI, -FRAC_PI_2)),
];

impl Turn {
    /// Returns the orientation of a class, given the assets' folder of its model.
    pub(crate) fn of(class: &str, folder: &str) -> Self {
        let known = TURNS.iter().find(|(name, _)| *name == class);
        match (known, folder) {
            (Some((_, turn)), _) => *turn,
            (None, "turbosquid_objects") => Self::Yaw(PI, PI),
            (None, _) if class == "rack" => Self::Yaw(PI, PI),
            (None, _) => Self::Yaw(FRAC_PI_2, FRAC_PI_2),
        }
    }

    pub(crate) fn draw(self, rng: &mut impl Rng) -> UnitQuaternion<f64> {
        match self {
            Self::Yaw(from, to) => {
                let yaw = from + (to - from) * rng.random::<f64>();
                UnitQuaternion::new(Vector3::z() * yaw)
            }
            Self::Upright([w, x, y, z]) => {
                UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))
            }
        }
    }
}

/// Start range of a joint for a predicate, and the limit from which the predicate holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointRule {
    /// Range of the start position, m or rad.
    pub(crate) init: [f64; 2],
    pub(crate) side: Side,
    pub(crate) limit: f64,
    /// Set if the predicate also holds at the limit.
    pub(crate) or_at: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Above,
    Below,
}

const fn rule(init: [f64; 2], side: Side, limit: f64) -> JointRule {
    JointRule {
        init,
        side,
        limit,
        or_at: false,
    }
}

pub(crate) const OF_JOINTS: [&str; 4] = ["open", "close", "turnon", "turnoff"];

impl JointRule {
    /// Returns the rule of a class for a predicate. If LIBERO has none for the class, the rule
    /// follows from the joint's range. Between 0 and the end that is farther from 0, open is the
    /// last eighth and on the last three quarters; closed and off are on the other side of 0.
    pub(crate) fn of(class: &str, predicate: &str, range: [f64; 2]) -> Self {
        use Side::{Above, Below};
        let known = match (class, predicate) {
            ("wooden_cabinet" | "white_cabinet", "open") => rule([-0.16, -0.14], Below, -0.14),
            ("wooden_cabinet" | "white_cabinet", "close") => rule([0.0, 0.005], Above, 0.0),
            ("short_cabinet", "open") => rule([0.10, 0.16], Above, 0.10),
            ("short_cabinet", "close") => rule([-0.005, 0.0], Below, 0.0),
            ("short_fridge", "open") => rule([2.0, 2.7], Above, 2.0),
            ("short_fridge", "close") => rule([-0.005, 0.0], Below, 0.0),
            ("microwave", "open") => rule([-2.094, -1.3], Below, -1.3),
            ("microwave", "close") => rule([-0.005, 0.0], Above, -0.005),
            ("flat_stove", "turnon") => JointRule {
                or_at: true,
                ..rule([0.5, 2.1], Above, 0.5)
            },
            ("flat_stove", "turnoff") => rule([-0.005, 0.0], Below, 0.0),
            _ => Self::assumed(predicate, range),
        };
        let [lower, upper] = range;
        JointRule {
            init: known.init.map(|q| q.clamp(lower.min(upper), upper)),
            ..known
        }
    }

    fn assumed(predicate: &str, [lower, upper]: [f64; 2]) -> Self {
        let opens_up = upper.abs() >= lower.abs();
        let far = if opens_up { upper } else { lower };
        let part = if predicate == "turnon" { 0.25 } else { 0.875 };
        let (away, back) = match opens_up {
            true => (Side::Above, Side::Below),
            false => (Side::Below, Side::Above),
        };
        let limit = part * far;
        match predicate {
            "open" | "turnon" => rule([limit.min(far), limit.max(far)], away, limit),
            _ => rule([0.0, 0.0], back, 0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_unknown_classes_follow_the_range() {
        let open = JointRule::of("chest", "open", [-0.4, 0.0]);
        assert_eq!(open.side, Side::Below);
        assert!((open.limit + 0.35).abs() < 1e-12, "{}", open.limit);
        assert_eq!(open.init, [-0.4, open.limit]);
        let on = JointRule::of("lamp", "turnon", [0.0, 2.0]);
        assert_eq!((on.side, on.limit), (Side::Above, 0.5));
    }

    #[test]
    fn a_drawer_that_stands_at_zero_is_not_closed() {
        let close = JointRule::of("white_cabinet", "close", [-0.16, 0.01]);
        let close = (close.side, close.limit, close.or_at);
        assert_eq!(close, (Side::Above, 0.0, false));
    }
}
