//! Upright direction of an object.

use std::fmt;
use std::str::FromStr;

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::{Pose, Shape};

/// Axis of an object that points up when the object stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Upright {
    /// Index of the axis (x, y, z) in the object's frame.
    axis_idx: usize,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Positive,
    Negative,
    Either,
}

/// Least ratio of the longest extent to the next one. A smaller difference may be noise.
const LONGEST: f64 = 1.1;

impl Upright {
    /// Own z axis of the object.
    pub const Z: Self = Self {
        axis_idx: 2,
        end: End::Positive,
    };
    /// All values that files may use.
    pub const WORDS: [&'static str; 9] = [
        "x", "y", "z", "-x", "-y", "-z", "either x", "either y", "either z",
    ];

    /// Derives the upright direction from a shape: a hollow shape opens along its z axis; any other
    /// stands on either end of its longest axis. `None` if no axis is the longest, as with a cube,
    /// a ball or a disc.
    pub fn of_shape(shape: &Shape) -> Option<Self> {
        if shape.cavity().is_some() {
            return Some(Self::Z);
        }
        let size = shape.aabb(&Pose::identity()).size();
        let axis_idx = size.imax();
        let others = (0..3).filter(|i| *i != axis_idx).map(|i| size[i]);
        let next_m = others.fold(0.0, f64::max);
        (size[axis_idx] > LONGEST * next_m).then_some(Self {
            axis_idx,
            end: End::Either,
        })
    }

    /// Returns the upward direction as a unit vector in the object frame; for an object that stands
    /// on either end, one of the two.
    pub fn axis(&self) -> Vector3<f64> {
        let mut axis = Vector3::zeros();
        axis[self.axis_idx] = if self.end == End::Negative { -1.0 } else { 1.0 };
        axis
    }

    /// Returns the tilt of an object from upright, rad; if either end may be up, the smaller tilt.
    pub fn tilt_rad(&self, world_from_object: &UnitQuaternion<f64>) -> f64 {
        let tilt_rad = (world_from_object * self.axis()).angle(&Vector3::z());
        match self.end {
            End::Either => tilt_rad.min(std::f64::consts::PI - tilt_rad),
            End::Positive | End::Negative => tilt_rad,
        }
    }

    /// Returns the upright orientations nearest to the given one, the nearest first: one for each
    /// end that may be up.
    pub fn rotations(&self, world_from_object: &UnitQuaternion<f64>) -> Vec<UnitQuaternion<f64>> {
        let axis = self.axis();
        let mut ups = match self.end {
            End::Either => vec![axis, -axis],
            End::Positive | End::Negative => vec![axis],
        };
        ups.sort_by(|a, b| {
            let tilt_rad = |up: &Vector3<f64>| (world_from_object * up).angle(&Vector3::z());
            tilt_rad(a).total_cmp(&tilt_rad(b))
        });
        let turned = |up: Vector3<f64>| {
            let now = world_from_object * up;
            // An object that is upside down may be turned about any level axis.
            let turn = UnitQuaternion::rotation_between(&now, &Vector3::z()).unwrap_or_else(|| {
                UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
            });
            turn * world_from_object
        };
        ups.into_iter().map(turned).collect()
    }
}

impl fmt::Display for Upright {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = match self.end {
            End::Positive => "",
            End::Negative => "-",
            End::Either => "either ",
        };
        write!(f, "{end}{}", ["x", "y", "z"][self.axis_idx])
    }
}

/// Error for a word that does not name an axis.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an axis; use x, y, z, -x, -y, -z, `either x`, `either y`, `either z`")]
pub struct NoAxis(String);

impl FromStr for Upright {
    type Err = NoAxis;

    fn from_str(word: &str) -> Result<Self, NoAxis> {
        let all = (0..3).flat_map(|axis_idx| {
            [End::Positive, End::Negative, End::Either].map(|end| Self { axis_idx, end })
        });
        let mut named = all.filter(|upright| upright.to_string() == word);
        named.next().ok_or_else(|| NoAxis(word.into()))
    }
}

impl TryFrom<String> for Upright {
    type Error = NoAxis;

    fn try_from(word: String) -> Result<Self, NoAxis> {
        word.parse()
    }
}

impl From<Upright> for String {
    fn from(upright: Upright) -> Self {
        upright.to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;

    fn about_y(rad: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), rad)
    }

    #[test]
    fn every_word_is_read_and_written() {
        for word in Upright::WORDS {
            let upright: Upright = word.parse().unwrap();
            assert_eq!(upright.to_string(), word);
        }
        assert!("up".parse::<Upright>().is_err());
    }

    #[test]
    fn a_shape_stands_along_its_longest_axis_and_a_cube_tells_nothing() {
        let of_box = |half_extents| Upright::of_shape(&Shape::Box { half_extents });
        let along_x = of_box([0.1, 0.03, 0.03]).unwrap();
        assert_eq!(along_x.to_string(), "either x");
        assert_eq!(of_box([0.03, 0.03, 0.03]), None);
        assert_eq!(of_box([0.03, 0.031, 0.032]), None, "a nearly cubic box");
        assert_eq!(of_box([0.1, 0.1, 0.01]), None, "a tile");
        assert_eq!(Upright::of_shape(&Shape::Sphere { radius: 0.02 }), None);
        // The box lies along x: it is tilted by a right angle, and a turn about y sets it upright.
        let lies = along_x.tilt_rad(&UnitQuaternion::identity());
        assert!((lies - FRAC_PI_2).abs() < 1e-9, "{lies} rad");
        for end in [-FRAC_PI_2, FRAC_PI_2] {
            assert!(along_x.tilt_rad(&about_y(end)) < 1e-9);
        }
    }

    #[test]
    fn the_nearest_way_to_stand_comes_first() {
        let z: Upright = "z".parse().unwrap();
        let either: Upright = "either z".parse().unwrap();
        let upside_down = about_y(PI - 0.3);
        assert!(z.tilt_rad(&upside_down) > 2.8 && either.tilt_rad(&upside_down) < 0.31);
        let [only] = z.rotations(&upside_down)[..] else {
            panic!("an object that stands on one end only has several upright orientations")
        };
        assert!(z.tilt_rad(&only) < 1e-9);
        let both = either.rotations(&upside_down);
        assert_eq!(both.len(), 2);
        let turn = |i: usize| both[i].angle_to(&upside_down);
        assert!(turn(0) < 0.31 && turn(1) > 2.8);
        for rotation in &both {
            assert!(either.tilt_rad(rotation) < 1e-9);
        }
    }
}
