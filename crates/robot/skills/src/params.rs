//! Parameters that several skills share. Those of a single skill are next to its code.

// Hand: lengths, clearances and forces.

/// Length of the straight approach and retreat, m: more than the 45 mm by which a Panda's fingers
/// extend beyond its hand.
pub(crate) const APPROACH_M: f64 = 0.08;
/// Clearance of the hand without its fingers in checks that precede motion planning, m: slightly
/// more than the 5 mm of motion planning.
pub(crate) const HAND_MARGIN_M: f64 = 0.0055;
/// Clearance of the palm from objects between or in front of the fingers, m: slightly more than
/// motion planning keeps between the arm and any obstacle.
pub(crate) const PALM_ROOM_M: f64 = 0.006;
/// Clearance of open fingers, m: more than motion planning asks for, less than the gap between two
/// cubes in clutter.
pub(crate) const FINGER_MARGIN_M: f64 = 0.002;
/// Clearance of fingers from an object that they pass, such as a peg, m.
pub(crate) const FINGER_ROOM_M: f64 = 0.003;
/// Clearance of opened fingers from the object between them, m.
pub(crate) const OPEN_ROOM_M: f64 = 0.001;
/// Clearance of a pushing hand from other objects, m: at most that of motion planning.
pub(crate) const PUSH_ROOM_M: f64 = 0.004;
/// Gap between the hand and the pushed surface at the start of a push, m: more than the clearance
/// of motion planning.
pub(crate) const TOUCH_GAP_M: f64 = 0.006;
/// Shortest retreat of the hand from an object that it has touched, m.
pub(crate) const BACK_M: f64 = 0.02;
/// Height above the support at which an object is released, m. A smaller one would press the object
/// into errors of perception and tracking, a larger one would drop it.
pub(crate) const RELEASE_GAP_M: f64 = 0.002;
/// Finger distances beyond the object's width at release, m. The first that leaves room for
/// neighbours, such as the wall of a bowl, is used.
pub(crate) const RELEASE_OPENINGS_M: [f64; 3] = [0.02, 0.012, 0.006];
/// Largest force with which the hand presses on anything, N: below the continuous force of a
/// Panda's fingers (70 N, data sheet).
pub(crate) const MOST_FORCE_N: f64 = 60.0;
/// Default force limit of a push or press, N: it slides 3 kg over wood, and is four times the force
/// of a stiff push-button.
pub(crate) const USUAL_FORCE_N: f64 = 20.0;

// Speeds, as fractions of the limits, and times.

/// Speed fraction for the descent to an object and the retreat from it.
pub(crate) const DESCENT_SPEED: f64 = 0.7;
/// Speed fraction for sliding an object over its support: about 0.1 m/s, so that heavy objects are
/// not jolted and light ones do not run ahead when the hand stops.
pub(crate) const SLIDE_SPEED: f64 = 0.3;
/// Fraction of the usual speed for objects that can swing: held from the side, or turned over by
/// the motion.
pub(crate) const SWINGING_SPEED: f64 = 0.5;
/// Speed fraction until the hand touches the object that it pushes: a low one avoids an impact.
pub(crate) const TOUCH_SPEED: f64 = 0.15;
/// Time between two observations of an object, s: a stopped arm is at rest by then.
pub(crate) const LOOK_EVERY_SECS: f64 = 0.1;
/// Longest wait for the world to come to rest before a result is verified, s. An object released a
/// few millimetres above its place rests within half of that.
pub(crate) const REST_SECS: f64 = 2.0;

// Objects: accuracy of perception and tolerances.

/// Largest apparent penetration or height difference of objects that is ignored, m: perceived
/// shapes and poses are no more accurate.
pub(crate) const SEEN_EXACT_M: f64 = 0.003;
/// Perceived distance below which objects count as touching or as in the way, m.
pub(crate) const NEAR_M: f64 = 0.01;
/// Clearance of a carried, moved or placed object from others, m: twice that of motion planning for
/// held objects. Objects that are nearer lean on each other.
pub(crate) const OBJECT_ROOM_M: f64 = 0.002;
/// Tolerance of an object's position around the point that a call names, m. The goals that planners
/// set for pushes and pulls have the same tolerance.
pub(crate) const TOLERANCE_M: f64 = 0.01;
/// Largest distance of a placed object from its place, m.
pub(crate) const ON_TARGET_M: f64 = 0.015;
/// Largest tilt of a resting object, rad.
pub(crate) const TILT_TOL_RAD: f64 = 0.15;
/// Tilt from which an object counts as fallen over, and a container as unable to hold anything,
/// rad.
pub(crate) const FALLEN_RAD: f64 = 0.3;
/// Smallest cosine between a surface normal and the direction in which it is pushed or held.
pub(crate) const FACING: f64 = 0.7;
/// Angle below which two resting or held orientations count as equal, rad.
pub(crate) const SAME_TURN_RAD: f64 = 0.1;

// Searches: steps and budgets.

/// Step along a path at which a hand or object is checked, m.
pub(crate) const STEP_M: f64 = 0.01;
/// Step along a path at which a hand or object is checked in tight spaces, m.
pub(crate) const FINE_STEP_M: f64 = 0.002;
/// Angle below which two orientations count as the same, rad; only one of them is tried.
pub(crate) const ALIKE_RAD: f64 = 0.02;
/// Number of candidates whose motions are planned before a skill gives up.
pub(crate) const MAX_PLANNED: usize = 48;
/// Number of candidates that are checked in place of one with a long detour. If all of them need a
/// detour, it cannot be avoided.
pub(crate) const N_INSTEAD: usize = 4;
/// Largest number of times that a motion is repeated after a shift of the held object in the hand.
pub(crate) const N_SHIFTS: usize = 2;
/// Largest number of strokes that move an object to its place.
pub(crate) const N_STROKES: usize = 5;
