//! Lengths, directions, angles and points that are said.

use regrasp_api::Heading;

use crate::reader::Reader;
use crate::thing::Trouble;
use crate::tokens::Token;
use crate::tree::Tree;

/// Furthest that anything is moved by words such as "10 cm", m.
const MAX_DISTANCE_M: f64 = 1.0;

impl Reader<'_> {
    /// The length that an action names, m.
    pub(crate) fn length(&self, tree: &Tree) -> Result<Option<f64>, Trouble> {
        let is_length = |t: &Tree| t.is(&["number", "amount", "amount_and_half"]);
        let mut named = tree.parts.iter().filter(|t| is_length(t));
        let Some(length) = named.find(|t| !t.parts.is_empty()) else {
            return Ok(None);
        };
        let mut figures = length.unlisted().map(|p| self.number(p));
        let (Some(Some(n)), Some(Some(unit))) = (figures.next(), figures.next()) else {
            return Err(self.nonsense(length, "no length"));
        };
        let half = if length.label == "amount_and_half" {
            0.5
        } else {
            0.0
        };
        let metres = (n + half) * unit;
        if !(metres > 0.0 && metres <= MAX_DISTANCE_M) {
            return Err(self.nonsense(length, "further than this arm moves things (at most 1 m)"));
        }
        Ok(Some(metres))
    }

    /// The robot's heading for what was said.
    pub(crate) fn heading(&self, tree: &Tree) -> Result<Heading, Trouble> {
        self.check_mine(tree)?;
        let said = self.phrase(tree);
        let mine = said.contains(" my ");
        let own = match self.word(tree).as_str() {
            "forward" if !mine => Some(Heading::Forward),
            "back" if !mine => Some(Heading::Back),
            "to_me" => match self.viewpoint.position() {
                Some(_) => self.viewpoint.heading("front"),
                None => Some(Heading::Back),
            },
            "from_me" => self.viewpoint.heading("back"),
            "robot_left" => Some(Heading::Left),
            "robot_right" => Some(Heading::Right),
            // "your left" is the robot's, whoever says it.
            "left" if said.contains("your") => Some(Heading::Left),
            _ if said.contains("your") => Some(Heading::Right),
            word => self.viewpoint.heading(word),
        };
        own.ok_or_else(|| self.unclear(tree, "_: which way, as the robot sees it?"))
    }

    /// The angle of a turn, degrees; negative the other way round.
    pub(crate) fn degrees(&self, tree: &Tree) -> Result<f64, Trouble> {
        let angles = tree.parts.iter().filter(|p| p.label == "angle");
        let angle = angles.flat_map(|p| &p.parts).find_map(|p| self.number(p));
        let Some(degrees) = angle.filter(|d| *d > 0.0 && *d <= 360.0) else {
            return Err(self.nonsense(tree, "no angle up to 360 degrees"));
        };
        let sign = if tree.has("backwards") { -1.0 } else { 1.0 };
        Ok(sign * degrees)
    }

    pub(crate) fn point(&self, tree: &Tree) -> Result<Vec<f64>, Trouble> {
        match self.tokens.get(tree.from) {
            Some(Token::Point(point)) => Ok(point.clone()),
            _ => Err(self.nonsense(tree, "no point")),
        }
    }
}
