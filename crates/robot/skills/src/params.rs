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
/// Most force with which the hand presses on anything, N: below what a Panda's fingers may press with
/// for long (70 N, data sheet).
pub(crate) const MOST_FORCE_N: f64 = 60.0;
/// Force limit of a push or a press if the call names none, N: slides 3 kg over wood, and is four
/// times what a stiff push-button takes.
pub(crate) const USUAL_FORCE_N: f64 = 20.0;
/// Part of the limits used until the hand is at what it pushes: it should not be hit.
pub(crate) const TOUCH_SPEED: f64 = 0.15;
/// Distance that open fingers keep from everything, m: more than motion planning asks for, less than
/// two cubes of a clutter are apart.
pub(crate) const FINGER_MARGIN_M: f64 = 0.002;
/// Space that fingers keep from what they reach past, such as a peg, m.
pub(crate) const FINGER_ROOM_M: f64 = 0.003;
/// Space that a hand that pushes keeps from other things, m: what motion planning keeps, or a little
/// less.
pub(crate) const PUSH_ROOM_M: f64 = 0.004;
