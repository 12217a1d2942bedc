//! Figures that several skills share. What one skill alone needs stands beside its code.

// The hand: distances that it keeps and covers, and its forces.

/// Length of the straight line on which the hand comes to what it works on, and leaves it, m: more
/// than the 45 mm by which a Panda's fingers reach beyond its hand.
pub(crate) const APPROACH_M: f64 = 0.08;
/// Distance that the hand without its fingers keeps from everything where it is looked at before
/// the arm is asked, m: a little more than the 5 mm that motion planning keeps.
pub(crate) const HAND_MARGIN_M: f64 = 0.0055;
/// Distance that the palm keeps from what is between or before the fingers, m: a little more than
/// motion planning keeps between the arm and anything.
pub(crate) const PALM_ROOM_M: f64 = 0.006;
/// Distance that open fingers keep from everything, m: more than motion planning asks for, less than
/// two cubes of a clutter are apart.
pub(crate) const FINGER_MARGIN_M: f64 = 0.002;
/// Space that fingers keep from what they reach past, such as a peg, m.
pub(crate) const FINGER_ROOM_M: f64 = 0.003;
/// Distance that opened fingers keep from what they hold, or have let go of, m.
pub(crate) const OPEN_ROOM_M: f64 = 0.001;
/// Space that a hand that pushes keeps from other things, m: what motion planning keeps, or a little
/// less.
pub(crate) const PUSH_ROOM_M: f64 = 0.004;
/// Distance between a hand and the surface that it will push where the push begins, m: more than
/// motion planning keeps.
pub(crate) const TOUCH_GAP_M: f64 = 0.006;
/// Height above its support at which an object is let go, m: less would press it into what perception
/// and tracking get wrong, more would drop it.
pub(crate) const RELEASE_GAP_M: f64 = 0.002;
/// Openings of the fingers beyond the object, m: the first that leaves room to what is beside them,
/// such as the wall of a bowl.
pub(crate) const RELEASE_OPENINGS_M: [f64; 3] = [0.02, 0.012, 0.006];
/// Most force with which the hand presses on anything, N: below what a Panda's fingers may press with
/// for long (70 N, data sheet).
pub(crate) const MOST_FORCE_N: f64 = 60.0;
/// Force limit of a push or a press if the call names none, N: slides 3 kg over wood, and is four
/// times what a stiff push-button takes.
pub(crate) const USUAL_FORCE_N: f64 = 20.0;

// Speeds, as parts of the limits, and times.

/// Part of the limits used for coming down to something, and for leaving it.
pub(crate) const DESCENT_SPEED: f64 = 0.7;
/// Part of the limits used for moving a thing over what it stands on: about 0.1 m/s, so that what is
/// heavy is not jolted and what is light does not run ahead when the hand stops.
pub(crate) const SLIDE_SPEED: f64 = 0.3;
/// Part of the usual speed for what can swing in the hand: held from the side, or on a way that
/// swings the hand over.
pub(crate) const SWINGING_SPEED: f64 = 0.5;
/// Part of the limits used until the hand is at what it pushes: it should not be hit.
pub(crate) const TOUCH_SPEED: f64 = 0.15;
/// Time between two looks at a thing, s: an arm that stopped is at rest by then.
pub(crate) const LOOK_EVERY_SECS: f64 = 0.1;
/// Longest wait for the world to come to rest before it is judged, s: what was let go a few
/// millimetres above its place rests within half of that.
pub(crate) const REST_SECS: f64 = 2.0;

// Things: what is seen of them, and what counts as done.

/// Depth by which things may seem to be in each other, and difference of heights that are one, m: shapes
/// and poses are seen no more exactly.
pub(crate) const SEEN_EXACT_M: f64 = 0.003;
/// Distance below which a thing touches another, or stands in its way, by what is seen, m.
pub(crate) const NEAR_M: f64 = 0.01;
/// Space that a thing that is carried, moved or put down keeps from others, m: twice what motion planning
/// keeps between what is held and anything else. Things that are nearer stand against each other.
pub(crate) const THING_ROOM_M: f64 = 0.002;
/// Distance from the place that a call names at which a thing may end, m; the goals of planners allow
/// as much.
pub(crate) const TOLERANCE_M: f64 = 0.01;
/// Largest distance from its place at which a placed object may rest, m.
pub(crate) const ON_TARGET_M: f64 = 0.015;
/// Largest tilt of a resting object, rad.
pub(crate) const TILT_TOL_RAD: f64 = 0.15;
/// Lean from which a thing counts as fallen over, and a container holds nothing, rad.
pub(crate) const FALLEN_RAD: f64 = 0.3;
/// Cosine from which a surface faces the way in which something is pushed or held by it.
pub(crate) const FACING: f64 = 0.7;
/// Angle below which two orientations in which a thing rests or is held are one, rad.
pub(crate) const SAME_TURN_RAD: f64 = 0.1;

// Searches: their steps and budgets.

/// Steps in which a hand or a thing is tried along a way, m, and those where little room matters.
pub(crate) const STEP_M: f64 = 0.01;
pub(crate) const FINE_STEP_M: f64 = 0.002;
/// Angle below which two turns of a hand or a thing are tried once, rad.
pub(crate) const ALIKE_RAD: f64 = 0.02;
/// Candidates for which motions are planned before a skill gives up.
pub(crate) const MAX_PLANNED: usize = 48;
/// Candidates that are looked at instead of one that takes a long way round: if these do, too, the way
/// round is the world's.
pub(crate) const N_INSTEAD: usize = 4;
/// Times that a motion is made again after what is held has shifted in the hand.
pub(crate) const N_SHIFTS: usize = 2;
/// Strokes in which a thing is moved to its place at most.
pub(crate) const N_STROKES: usize = 5;
