//! Lengths, directions and points in a text.

use regrasp_api::Heading;

use crate::ast::{Far, Length, Word};
use crate::reader::{Reader, number};
use crate::referent::Resolved;
use crate::tokens::Token;

/// Longest distance of a motion by words such as "10 cm", m.
const MAX_DISTANCE_M: f64 = 1.0;

impl Reader<'_> {
    pub(crate) fn length_m(&self, length: &Far) -> Resolved<f64> {
        let Length::Figure {
            number: figure,
            unit,
            half,
        } = &length.is;
        let (Some(n), Some(unit)) = (number(figure), number(unit)) else {
            return Err(self.nonsense(&length.tree, "not a length"));
        };
        let half = if half.is_some() { 0.5 } else { 0.0 };
        let metres = (n + half) * unit;
        let why = match metres {
            ..=0.0 => "a distance must be more than 0; name the direction in words",
            _ if metres > MAX_DISTANCE_M => "longer than this arm moves objects (at most 1 m)",
            _ => return Ok(metres),
        };
        Err(self.nonsense(&length.tree, why))
    }

    pub(crate) fn metres(&self, length: Option<&Far>) -> Resolved<Option<f64>> {
        length.map(|length| self.length_m(length)).transpose()
    }

    pub(crate) fn heading(&self, direction: &Word) -> Resolved<Heading> {
        let tree = &direction.tree;
        self.check_mine(tree)?;
        let own = match direction.means.as_str() {
            "forward" => Some(Heading::Forward),
            "back" => Some(Heading::Back),
            "to_me" => match self.scene.viewpoint.position() {
                Some(_) => self.scene.viewpoint.heading("front"),
                None => Some(Heading::Back),
            },
            "from_me" => self.scene.viewpoint.heading("back"),
            // "your left" is the robot's left, whoever says it.
            "robot_left" => Some(Heading::Left),
            "robot_right" => Some(Heading::Right),
            word => self.scene.viewpoint.heading(word),
        };
        own.ok_or_else(|| self.unclear(tree, "_: in which direction, as the robot sees it?"))
    }

    pub(crate) fn point(&self, point: &Word) -> Resolved<Vec<f64>> {
        match self.tokens.get(point.tree.from) {
            Some(Token::Point(point)) => Ok(point.clone()),
            _ => Err(self.nonsense(&point.tree, "not a point")),
        }
    }
}
