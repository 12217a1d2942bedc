//! Words for the sides of an object.

use regrasp_api::Side;

/// Name of the zone on a side, as the robot sees it.
pub(crate) fn side_word(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
        Side::InFront => "front",
        Side::Behind => "back",
    }
}

pub(crate) fn side_called(word: &str) -> Option<Side> {
    Side::ALL.into_iter().find(|side| side_word(*side) == word)
}

/// Returns the side of a predicate such as `left_of`.
pub(crate) fn side_of(predicate: &str) -> Option<Side> {
    let is_it = |side: &Side| side.predicate() == predicate;
    Side::ALL.into_iter().find(is_it)
}
