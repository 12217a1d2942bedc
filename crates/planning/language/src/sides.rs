//! The words for the sides of a thing.

use regrasp_api::Side;

/// The name of the place of a thing on a side, as the robot sees it.
pub(crate) fn side_word(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
        Side::InFront => "front",
        Side::Behind => "back",
    }
}

/// The side on which a place with that name is.
pub(crate) fn side_called(word: &str) -> Option<Side> {
    Side::ALL.into_iter().find(|side| side_word(*side) == word)
}

/// The side that a predicate tells of: `left_of`.
pub(crate) fn side_of(predicate: &str) -> Option<Side> {
    let is_it = |side: &Side| side.predicate() == predicate;
    Side::ALL.into_iter().find(is_it)
}
