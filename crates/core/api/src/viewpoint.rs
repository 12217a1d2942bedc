//! Viewpoint that left and right refer to.

use nalgebra::{Vector2, Vector3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Heading, Pose, Side};

/// Viewpoint of left, right, front and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Viewpoint {
    /// From the robot's base: the front is where the robot is. If it faces +x in World, left is +y.
    #[default]
    Robot,
    /// From a robot's base that faces a direction in World, seen from above.
    #[serde(skip)]
    Facing([f64; 2]),
    /// From a person or camera at a point in World, m, that looks at another.
    From {
        /// Position, seen from above.
        position: [f64; 2],
        /// Point that it looks at.
        look_at: [f64; 2],
    },
}

impl Viewpoint {
    /// Viewpoint of a robot whose base frame has this pose: it faces along its x axis, or +x in
    /// World if that is vertical.
    pub fn of_robot(world_from_base: &Pose) -> Self {
        let facing = (world_from_base * Vector3::x()).xy();
        match facing.try_normalize(1e-6) {
            Some(facing) if facing.x < 1.0 - 1e-9 => Self::Facing(facing.into()),
            _ => Self::Robot,
        }
    }

    /// Returns this viewpoint, or that of a robot whose base frame has this pose.
    pub fn or_of_robot(self, world_from_base: &Pose) -> Self {
        match self {
            Self::Robot => Self::of_robot(world_from_base),
            other => other,
        }
    }

    /// Returns the unit vector in World, seen from above, towards farther objects. If the position
    /// and the point looked at are the same, the direction is that of the robot.
    pub fn forward(&self) -> Vector2<f64> {
        match self {
            Self::Robot => Vector2::x(),
            Self::Facing(direction) => Vector2::from(*direction),
            Self::From { position, look_at } => {
                let direction = Vector2::from(*look_at) - Vector2::from(*position);
                direction.try_normalize(1e-6).unwrap_or_else(Vector2::x)
            }
        }
    }

    /// Returns the unit vector in World to the left.
    pub fn left(&self) -> Vector2<f64> {
        let forward = self.forward();
        Vector2::new(-forward.y, forward.x)
    }

    /// Returns the position of the viewpoint; `None` for the robot.
    pub fn position(&self) -> Option<Vector2<f64>> {
        match self {
            Self::Robot | Self::Facing(_) => None,
            Self::From { position, .. } => Some(Vector2::from(*position)),
        }
    }

    /// Returns the unit vector in World that a word means from here: `left`, `right`, `front`
    /// (nearer) or `back`.
    pub fn direction(&self, word: &str) -> Option<Vector2<f64>> {
        Some(match word {
            "left" => self.left(),
            "right" => -self.left(),
            "front" => -self.forward(),
            "back" => self.forward(),
            _ => return None,
        })
    }

    /// Returns the side in World that a word means from here; `None` if its direction is between two
    /// of World's axes.
    pub fn side(&self, word: &str) -> Option<Side> {
        let wanted = self.direction(word)?;
        let is_near = |side: &Side| side.direction().xy().dot(&wanted) > CLEARLY;
        Side::ALL.into_iter().find(is_near)
    }

    /// Returns the heading in World that a word means from here; `None` as for [`Self::side`].
    pub fn heading(&self, word: &str) -> Option<Heading> {
        Some(match self.side(word)? {
            Side::Left => Heading::Left,
            Side::Right => Heading::Right,
            Side::InFront => Heading::Back,
            Side::Behind => Heading::Forward,
        })
    }
}

impl std::fmt::Display for Viewpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Robot => f.write_str("the robot"),
            Self::Facing([x, y]) => {
                write!(
                    f,
                    "the robot, which faces ({x:.2}, {y:.2}); in goals, left is +y"
                )
            }
            Self::From {
                position: [x, y], ..
            } => write!(f, "somebody at ({x}, {y})"),
        }
    }
}

/// Cosine of 40 degrees, the largest angle at which a direction counts as one of the four along
/// World's axes.
const CLEARLY: f64 = 0.766;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_turn_with_the_base() {
        let seen = |degrees: f64| {
            let turn = Vector3::z() * degrees.to_radians();
            let viewpoint = Viewpoint::of_robot(&Pose::new(Vector3::zeros(), turn));
            [viewpoint.side("left"), viewpoint.side("back")]
        };
        assert_eq!(seen(0.0), [Some(Side::Left), Some(Side::Behind)]);
        assert_eq!(seen(20.0), [Some(Side::Left), Some(Side::Behind)]);
        assert_eq!(seen(45.0), [None, None]);
        assert_eq!(seen(90.0), [Some(Side::InFront), Some(Side::Left)]);
        assert_eq!(seen(180.0), [Some(Side::Right), Some(Side::InFront)]);
        let wall =
            nalgebra::UnitQuaternion::from_euler_angles(0.0, 0.5 * std::f64::consts::PI, 0.0);
        let wall = Pose::from_parts(Default::default(), wall);
        assert_eq!(Viewpoint::of_robot(&wall), Viewpoint::Robot);
    }
}
