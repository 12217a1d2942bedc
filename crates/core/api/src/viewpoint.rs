//! Viewpoint that left and right refer to.

use nalgebra::Vector2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Heading, Side};

/// Viewpoint of left, right, front and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Viewpoint {
    /// From the robot's base: left is +y in World, the front is where the robot is.
    #[default]
    Robot,
    /// From a person or camera at a point in World, m, that looks at another.
    From {
        /// Position, seen from above.
        position: [f64; 2],
        /// Point that it looks at.
        look_at: [f64; 2],
    },
}

impl Viewpoint {
    /// Returns the unit vector in World, seen from above, towards farther objects. If the position
    /// and the point looked at are the same, the direction is that of the robot.
    pub fn forward(&self) -> Vector2<f64> {
        match self {
            Self::Robot => Vector2::x(),
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
            Self::Robot => None,
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

    /// Returns the side, as the robot sees it, that a word means from here; `None` if its direction
    /// is between two of the robot's sides.
    pub fn side(&self, word: &str) -> Option<Side> {
        let wanted = self.direction(word)?;
        let is_near = |side: &Side| side.direction().xy().dot(&wanted) > CLEARLY;
        Side::ALL.into_iter().find(is_near)
    }

    /// Returns the heading, as the robot sees it, that a word means from here; `None` as for
    /// [`Self::side`].
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
            Self::From {
                position: [x, y], ..
            } => write!(f, "somebody at ({x}, {y})"),
        }
    }
}

/// Cosine of 40 degrees, the largest angle at which a direction counts as one of the robot's four
/// sides.
const CLEARLY: f64 = 0.766;
