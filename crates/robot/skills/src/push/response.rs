//! Quasi-static response of an object on a plane to a straight push.
//!
//! The limit surface of its friction is modelled as an ellipsoid with the characteristic length
//! `c`, the ratio of the largest moment to the largest force: S. Goyal, A. Ruina, J. Papadopoulos,
//! "Planar sliding with dry friction", Wear 143, 1991; K. Lynch, H. Maekawa, K. Tanie,
//! "Manipulation and active sensing by pushing using tactile feedback", IROS 1992. Points and
//! velocities are horizontal: x along the push, y to its left, relative to the centre of friction.

use nalgebra::{Rotation2, Vector2};

const N_STEPS: usize = 60;
/// Largest difference in depth of points that touch the pusher's face at the same time, m.
const TOUCH_M: f64 = 1e-4;
/// Distance from the end of the pusher's face within which a point touches its corner, m.
const CORNER_M: f64 = 1e-3;

/// Assumed coefficient of friction of a support: above that of dry wood on wood, 0.25 to 0.5, to be
/// safe, since friction makes tipping more likely.
const SUPPORT_FRICTION: f64 = 0.75;

/// Displacement of an object while its contact moves by a given displacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Twist {
    /// Displacement of the centre of friction, m.
    pub(super) shift: Vector2<f64>,
    pub(super) turn: f64,
}

/// Outline of an object seen from above: ordered points relative to the centre of friction.
pub(super) struct Outline {
    pub(super) points: Vec<Vector2<f64>>,
}

#[derive(Clone, Copy)]
pub(super) struct Friction {
    pub(super) c_m: f64,
    pub(super) contact: f64,
}

impl Outline {
    /// Characteristic length for uniform pressure within the outline: the mean distance from the
    /// centre, m. Two thirds of the radius for a disc.
    pub(super) fn c_m(&self) -> f64 {
        let sector = |i: usize| {
            let [a, b] = [self.points[i], self.points[(i + 1) % self.points.len()]];
            let radius_m = 0.5 * (a.norm() + b.norm());
            (a.angle(&b), radius_m)
        };
        let sectors = (0..self.points.len()).map(sector);
        let (area, moment) = sectors.fold((0.0, 0.0), |(area, moment), (angle, r)| {
            (
                area + angle * r.powi(2) / 2.0,
                moment + angle * r.powi(3) / 3.0,
            )
        });
        if area > 0.0 { moment / area } else { 0.0 }
    }

    /// Inward normal at a point of the rotated object.
    fn normal(&self, idx: usize, turned: &Rotation2<f64>) -> Vector2<f64> {
        let n = self.points.len();
        let along = self.points[(idx + 1) % n] - self.points[(idx + n - 1) % n];
        let inward = Vector2::new(-along.y, along.x);
        turned * inward.try_normalize(0.0).unwrap_or_else(Vector2::x)
    }
}

/// Displacement of an object whose point `at` is pushed by `push`; `normal` points into the object.
/// The point sticks to the pusher as long as the force lies within the friction cone.
pub(super) fn pushed(
    at: Vector2<f64>,
    normal: Vector2<f64>,
    push: Vector2<f64>,
    friction: Friction,
) -> Twist {
    let cc = friction.c_m.powi(2);
    let (x, y) = (at.x, at.y);
    let twist = |force: Vector2<f64>| Twist {
        shift: force,
        turn: (x * force.y - y * force.x) / cc,
    };
    let force = Vector2::new(
        (cc + x * x) * push.x + x * y * push.y,
        x * y * push.x + (cc + y * y) * push.y,
    ) / (cc + x * x + y * y);
    let force_angle = normal.perp(&force).atan2(normal.dot(&force));
    let cone = friction.contact.atan();
    if force_angle.abs() <= cone {
        return twist(force);
    }
    // The point slips along the pusher, which determines only the motion along the normal.
    let edge = twist(Rotation2::new(cone.copysign(force_angle)) * normal);
    let at_point = edge.shift + edge.turn * Vector2::new(-y, x);
    let part = push.dot(&normal) / at_point.dot(&normal);
    Twist {
        shift: edge.shift * part,
        turn: edge.turn * part,
    }
}

/// Height above the support up to which an object slides when it is pushed, instead of tipping over
/// the front edge of its base, m. The edge is `front_m` ahead of the centre of mass, the contact
/// `behind_m` behind it.
///
/// While the object slides, the pushing force is `F = mu (W + V)`: `W` is its weight, `V` the
/// friction at the contact, at most `contact F`, which holds the rising rear down. Moments about
/// the edge balance at `F h = W front + V (front + behind)`.
pub(super) fn steady_m(front_m: f64, behind_m: f64, contact: f64) -> f64 {
    let wedged = 1.0 / SUPPORT_FRICTION;
    let held_m = contact.min(wedged) * behind_m.max(0.0);
    front_m / SUPPORT_FRICTION + held_m
}

/// Predicts the displacement under a straight push along x by `length_m` from the first contact.
/// Each face is perpendicular to x and spans a range of y.
pub(super) fn predict(
    outline: &Outline,
    faces: &[[f64; 2]],
    length_m: f64,
    friction: Friction,
) -> Twist {
    let mut now = Twist {
        shift: Vector2::zeros(),
        turn: 0.0,
    };
    let face_at = |y: f64| faces.iter().find(|f| (f[0]..=f[1]).contains(&y));
    let behind = |now: &Twist, face_x: f64| {
        let turned = Rotation2::new(now.turn);
        let placed = outline.points.iter().map(|p| now.shift + turned * p);
        let met = placed.enumerate().filter(|(_, p)| face_at(p.y).is_some());
        met.map(|(i, p)| (i, p, face_x - p.x)).collect::<Vec<_>>()
    };
    let deepest = |met: &[(usize, Vector2<f64>, f64)]| met.iter().map(|m| m.2).reduce(f64::max);
    let Some(first_x) = deepest(&behind(&now, 0.0)).map(|depth| -depth) else {
        return now;
    };
    for step in 1..=N_STEPS {
        let face_x = first_x + length_m * step as f64 / N_STEPS as f64;
        let mut met = behind(&now, face_x);
        let Some(depth_m) = deepest(&met).filter(|depth| *depth > 0.0) else {
            continue;
        };
        met.retain(|m| m.2 >= depth_m - TOUCH_M);
        let off = |m: &(usize, Vector2<f64>, f64)| m.1.y - now.shift.y;
        let (lowest, highest) = met
            .iter()
            .map(off)
            .fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(y), h.max(y)));
        let push = Vector2::x() * depth_m;
        if lowest <= 0.0 && highest >= 0.0 {
            // An object that is pushed on both sides of its centre cannot rotate.
            now.shift += push;
            continue;
        }
        let nearest = met
            .iter()
            .min_by(|a, b| off(a).abs().total_cmp(&off(b).abs()));
        let Some((idx, point, _)) = nearest else {
            continue;
        };
        let at_corner = face_at(point.y)
            .is_some_and(|face| (point.y - face[0]).min(face[1] - point.y) < CORNER_M);
        let turned = Rotation2::new(now.turn);
        let normal = match at_corner {
            true => outline.normal(*idx, &turned),
            false => Vector2::x(),
        };
        if normal.x <= 0.0 {
            continue;
        }
        let twist = pushed(point - now.shift, normal, push, friction);
        now.shift += twist.shift;
        now.turn += twist.turn;
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(point: impl Fn(Vector2<f64>) -> Vector2<f64>) -> Outline {
        let around = |i: i32| point(Rotation2::new(f64::from(i).to_radians()) * Vector2::x());
        let points = (0..360).map(around).collect();
        Outline { points }
    }

    fn disc(radius_m: f64) -> Outline {
        outline(|at| at * radius_m)
    }

    /// A square about the centre, with its edges along the axes before it is rotated.
    fn square(half_m: f64, turned_rad: f64) -> Outline {
        outline(|at| Rotation2::new(turned_rad) * at * (half_m / at.amax()))
    }

    fn near(is: f64, should_be: f64, within: f64) {
        assert!((is - should_be).abs() <= within, "{is}, not {should_be}");
    }

    #[test]
    fn the_limit_surface_of_a_disc_and_of_a_square_are_those_of_the_books() {
        near(disc(0.03).c_m(), 0.02, 1e-5);
        // Mean distance of a square's points from its centre: (sqrt 2 + asinh 1) / 3 of its half
        // side.
        near(square(0.03, 0.0).c_m(), 0.03 * 0.765_196, 3e-5);
    }

    const AT: Vector2<f64> = Vector2::new(-0.02, 0.01);
    const STICKY: Friction = Friction {
        c_m: 0.015,
        contact: 2.0,
    };

    #[test]
    fn a_point_that_sticks_moves_with_the_pusher() {
        let push = Vector2::x();
        let twist = pushed(AT, Vector2::x(), push, STICKY);
        // Computed by hand, in cm: 6.25 / 7.25, -2 / 7.25, and 100 (-2 * -0.2759 - 1 * 0.8621) /
        // 2.25.
        near(twist.shift.x, 0.862_07, 1e-4);
        near(twist.shift.y, -0.275_86, 1e-4);
        near(twist.turn, -13.793, 1e-2);
        let at_point = twist.shift + twist.turn * Vector2::new(-AT.y, AT.x);
        near((at_point - push).norm(), 0.0, 1e-9);
    }

    #[test]
    fn a_point_without_friction_is_pushed_along_the_normal() {
        let smooth = Friction {
            contact: 0.0,
            ..STICKY
        };
        let twist = pushed(AT, Vector2::x(), Vector2::x(), smooth);
        // Computed by hand: 1 / (1 + 0.01^2 / 0.015^2), and 0.01 / 0.015^2 of that.
        near(twist.shift.x, 0.692_31, 1e-4);
        near(twist.shift.y, 0.0, 1e-9);
        near(twist.turn, -30.769, 1e-2);
    }

    fn end(outline: &Outline, faces: &[[f64; 2]]) -> Twist {
        let friction = Friction {
            contact: 0.5,
            ..STICKY
        };
        predict(outline, faces, 0.1, friction)
    }

    #[test]
    fn what_is_pushed_through_its_centre_goes_straight() {
        for outline in [disc(0.02), square(0.02, 0.0)] {
            let end = end(&outline, &[[-0.01, 0.01]]);
            near(end.shift.x, 0.1, 2e-4);
            near(end.shift.y, 0.0, 2e-4);
            near(end.turn, 0.0, 1e-2);
        }
    }

    #[test]
    fn what_is_pushed_beside_its_centre_turns_away_and_is_lost_in_the_end() {
        let beside = end(&square(0.02, 0.0), &[[0.008, 0.018]]);
        assert!(beside.turn < -0.3, "to the right: {}", beside.turn);
        assert!(beside.shift.x < 0.09, "not all the way: {}", beside.shift.x);
        // Two faces, one on either side of the centre, prevent rotation.
        let held = end(&square(0.02, 0.0), &[[-0.018, -0.01], [0.01, 0.018]]);
        near(held.shift.x, 0.1, 2e-4);
        near(held.turn, 0.0, 1e-6);
    }

    #[test]
    fn the_height_of_a_steady_push_balances_the_moments_about_the_front_edge() {
        // Without friction at the contact, 2 cm / 0.75.
        near(steady_m(0.02, 0.02, 0.0), 0.026_667, 1e-6);
        // F = 0.75 (W + 0.5 F) = 1.2 W, and 0.5 F = 0.6 W holds the rear down at a lever of 4 cm:
        // 1.2 W h is W 2 cm + 0.6 W 4 cm at h = 3.667 cm.
        near(steady_m(0.02, 0.02, 0.5), 0.036_667, 1e-6);
        // Friction beyond that which wedges the object between hand and support has no effect.
        near(
            steady_m(0.02, 0.02, 1.5),
            steady_m(0.02, 0.02, 4.0 / 3.0),
            1e-12,
        );
        // A contact in front of the centre pulls; its friction need not hold anything down.
        near(steady_m(0.02, -0.01, 0.5), 0.026_667, 1e-6);
    }

    #[test]
    fn a_turned_square_turns_until_its_face_is_flush() {
        near(end(&square(0.02, 0.3), &[[-0.02, 0.02]]).turn, -0.3, 0.05);
    }
}
