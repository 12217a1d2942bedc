//! Figures that several skills share.

/// Length of the straight line on which the hand comes to what it works on, and leaves it, m: more
/// than the 45 mm by which a Panda's fingers reach beyond its hand.
pub(crate) const APPROACH_M: f64 = 0.08;
/// Distance that the hand without its fingers keeps from everything where it is looked at before
/// the arm is asked, m: a little more than the 5 mm that motion planning keeps.
pub(crate) const HAND_MARGIN_M: f64 = 0.0055;
/// Longest wait for the world to come to rest before it is judged, s: what was let go a few
/// millimetres above its place rests within half of that.
pub(crate) const REST_SECS: f64 = 2.0;
