//! Static stability of a body that rests on contacts.
//!
//! The body rests if forces inside the friction cones of its contacts can balance its weight. For
//! horizontal contacts, this holds if the centre of mass is above their convex hull, the support
//! polygon. In general, the weight's wrench has to be a non-negative combination of the cones'
//! edges (Bretl and Lall, "Testing static equilibrium for legged robots", 2008), which non-negative
//! least squares decides (Lawson and Hanson, "Solving least squares problems", 1974, chapter 23).

use nalgebra::{DMatrix, DVector, Point3, Unit, Vector3, Vector6};

use crate::poses::{around, level};

/// Fraction of the foot that has to be supported: enough to carry the centre of mass with reserve.
pub(super) const FOOT_PART: f64 = 0.5;
/// Assumed coefficient of friction: waxed wood or smooth plastic, the lowest among dry objects.
const FRICTION: f64 = 0.2;
/// Largest displacement of the centre of mass that is tested, m.
pub(super) const MOST_RESERVE_M: f64 = 0.032;
const EXACT_M: f64 = 0.002;
const N_DIRECTIONS: usize = 16;
/// Cosine from which a contact normal counts as vertical: 3 degrees.
const LEVEL: f64 = 0.9986;
/// Vertical component below which a normal belongs to a wall. Friction at walls is ignored: two of
/// them might seem to clamp the object between them.
const WALL: f64 = 0.5;
/// Lever arm that makes moments comparable with forces, m.
const ARM_M: f64 = 0.05;
/// Residual below which a wrench counts as balanced, as a fraction of the weight.
const BALANCED: f64 = 1e-6;

#[derive(Clone, Copy, Debug)]
pub(super) struct SupportContact {
    /// Position in World, m.
    pub(super) point: Point3<f64>,
    /// Unit vector in World, into the body.
    pub(super) normal: Vector3<f64>,
}

/// Largest displacement of the centre of mass in any horizontal direction at which the body still
/// rests, m, capped at [`MOST_RESERVE_M`]. `None` if it does not rest at all.
pub(super) fn reserve_m(contacts: &[SupportContact], mass: &Point3<f64>) -> Option<f64> {
    let directions = || around(N_DIRECTIONS).map(level);
    if contacts.iter().all(|contact| contact.normal.z > LEVEL) {
        let reach_m = |out: Vector3<f64>| {
            let along = contacts.iter().map(|c| (c.point - mass).dot(&out));
            along.fold(f64::NEG_INFINITY, f64::max)
        };
        let reserve_m = directions().map(reach_m).fold(MOST_RESERVE_M, f64::min);
        return (reserve_m >= 0.0).then_some(reserve_m);
    }
    let rests = |off_m: f64| {
        let mut masses = directions().step_by(4).map(|out| mass + out * off_m);
        masses.all(|mass| is_balanced(contacts, &mass))
    };
    if !is_balanced(contacts, mass) {
        return None;
    }
    Some(last_true([0.0, MOST_RESERVE_M], EXACT_M, rests))
}

/// Returns the largest value in a range up to which a predicate holds, within `exact`, by
/// bisection. The predicate holds at the start of the range.
pub(super) fn last_true(
    [mut sure, mut most]: [f64; 2],
    exact: f64,
    holds: impl Fn(f64) -> bool,
) -> f64 {
    while most - sure > exact {
        let middle = 0.5 * (sure + most);
        if holds(middle) {
            sure = middle;
        } else {
            most = middle;
        }
    }
    sure
}

/// Returns true if forces inside the friction cones balance a unit weight at a centre of mass.
fn is_balanced(contacts: &[SupportContact], mass: &Point3<f64>) -> bool {
    let edges = contacts.iter().flat_map(|contact| {
        let [u, v] = across(&contact.normal);
        let friction = if contact.normal.z > WALL {
            FRICTION
        } else {
            0.0
        };
        [u, -u, v, -v].map(|side| {
            let force = contact.normal + side * friction;
            let moment = (contact.point - mass).cross(&force) / ARM_M;
            Vector6::new(force.x, force.y, force.z, moment.x, moment.y, moment.z)
        })
    });
    let edges: Vec<Vector6<f64>> = edges.collect();
    residual(&edges, &Vector6::new(0.0, 0.0, 1.0, 0.0, 0.0, 0.0)) < BALANCED
}

/// Two orthogonal unit vectors perpendicular to `normal`.
fn across(normal: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let axis = Vector3::ith(normal.iamin(), 1.0);
    let u = Unit::new_normalize(normal.cross(&axis)).into_inner();
    [u, normal.cross(&u)]
}

/// Least distance between `wanted` and a non-negative combination of `columns`.
fn residual(columns: &[Vector6<f64>], wanted: &Vector6<f64>) -> f64 {
    let mut factors = vec![0.0; columns.len()];
    let mut used: Vec<usize> = vec![];
    let left = |factors: &[f64]| {
        let terms = columns.iter().zip(factors).map(|(column, x)| column * *x);
        wanted - terms.sum::<Vector6<f64>>()
    };
    // Each iteration lowers the residual; three iterations per column are the usual limit.
    for _ in 0..3 * columns.len() {
        let rest = left(&factors);
        let unused = (0..columns.len()).filter(|i| !used.contains(i));
        let gain = unused.map(|i| (columns[i].dot(&rest), i));
        match gain.max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((gain, i)) if gain > 1e-9 && used.len() < 6 => used.push(i),
            _ => break,
        }
        loop {
            let fitted = fitted(columns, &used, wanted);
            if fitted.iter().all(|x| *x > 0.0) {
                used.iter().zip(&fitted).for_each(|(i, x)| factors[*i] = *x);
                break;
            }
            let pairs = used.iter().zip(&fitted).filter(|(_, x)| **x <= 0.0);
            let parts = pairs.map(|(i, x)| factors[*i] / (factors[*i] - x).max(1e-12));
            let part = parts.fold(1.0, f64::min);
            for (i, x) in used.iter().zip(&fitted) {
                factors[*i] += part * (x - factors[*i]);
            }
            used.retain(|i| factors[*i] > 1e-12);
            (0..columns.len())
                .filter(|i| !used.contains(i))
                .for_each(|i| factors[i] = 0.0);
        }
    }
    left(&factors).norm()
}

/// Factors of the used columns that best approximate `wanted`.
fn fitted(columns: &[Vector6<f64>], used: &[usize], wanted: &Vector6<f64>) -> Vec<f64> {
    let of_used: Vec<_> = used.iter().map(|i| columns[*i]).collect();
    let matrix = DMatrix::from_fn(6, used.len(), |row, i| of_used[i][row]);
    let wanted = DVector::from_column_slice(wanted.as_slice());
    // The regularisation makes linearly dependent columns share their load.
    let squares = matrix.tr_mul(&matrix) + DMatrix::identity(used.len(), used.len()) * 1e-12;
    let solved = squares.cholesky().map(|c| c.solve(&matrix.tr_mul(&wanted)));
    solved.map_or_else(|| vec![0.0; used.len()], |x| x.iter().copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(point: [f64; 3], normal: [f64; 3]) -> SupportContact {
        SupportContact {
            point: point.into(),
            normal: Vector3::from(normal).normalize(),
        }
    }

    /// The corners of a rectangle at z = 0.2 around (0.4, 0.1), on a plane that rises along x.
    fn foot([x, y]: [f64; 2], slope_rad: f64) -> Vec<SupportContact> {
        let corners = [[x, y], [x, -y], [-x, y], [-x, -y]];
        let normal = [-slope_rad.sin(), 0.0, slope_rad.cos()];
        let at = |[x, y]: [f64; 2]| [0.4 + x, 0.1 + y, 0.2 + x * slope_rad.tan()];
        corners.map(|corner| contact(at(corner), normal)).into()
    }

    fn reserve(contacts: &[SupportContact], mass: [f64; 3]) -> Option<f64> {
        reserve_m(contacts, &mass.into())
    }

    #[test]
    fn the_mass_may_be_off_as_far_as_the_nearest_edge_and_a_slope_as_steep_as_friction_holds() {
        // Half the foot along y, centre of mass along x, slope, and reserve. The coefficient of
        // friction, 0.2, is between tan 0.19 and tan 0.21.
        for (half_m, x, slope_rad, reserve_m) in [
            (0.01, 0.4, 0.0, Some(0.01..0.01 + 1e-9)),
            // 6 mm to the short edge.
            (0.01, 0.424, 0.0, Some(0.006 - 1e-9..0.006 + 1e-9)),
            // Beyond the edge.
            (0.01, 0.431, 0.0, None),
            (0.03, 0.4, 0.19, Some(0.0..0.04)),
            (0.03, 0.4, 0.21, None),
        ] {
            let z = if slope_rad > 0.0 { 0.21 } else { 0.25 };
            let found = reserve(&foot([0.03, half_m], slope_rad), [x, 0.1, z]);
            let agrees = match (&reserve_m, found) {
                (Some(range), Some(m)) => (range.start - 1e-9..range.end).contains(&m),
                (expected, found) => expected.is_none() && found.is_none(),
            };
            assert!(
                agrees,
                "{x} m, {slope_rad} rad: {found:?}, not {reserve_m:?}"
            );
        }
    }

    #[test]
    fn the_wrench_cone_agrees_with_the_support_polygon() {
        let foot = foot([0.03, 0.01], 0.0);
        for (x, y, rests) in [(0.0, 0.0, true), (0.029, 0.009, true), (0.031, 0.0, false)] {
            let mass = Point3::new(0.4 + x, 0.1 + y, 0.25);
            assert_eq!(is_balanced(&foot, &mass), rests, "{x} {y}");
        }
    }

    #[test]
    fn a_stop_holds_on_a_slope_that_friction_does_not() {
        let slope_rad: f64 = 0.5;
        let mut contacts = foot([0.03, 0.01], slope_rad);
        let mass = [0.4, 0.1, 0.21];
        assert_eq!(reserve(&contacts, mass), None, "the object slides");
        let up = [slope_rad.cos(), 0.0, slope_rad.sin()];
        let end = [0.37, 0.1, 0.2 - 0.03 * slope_rad.tan() + 0.004];
        contacts.push(contact(end, up));
        assert!(reserve(&contacts, mass).is_some(), "the stop holds it");
    }

    #[test]
    fn what_leans_may_not_fall_back_nor_over() {
        // The foot is at x = 0 at a wall, and a second wall touches it higher up at x = 0.05.
        let leans = |touch_z: f64, mass_x: f64| {
            let mut contacts = vec![];
            for y in [-0.03, 0.03] {
                contacts.push(contact([0.0, y, 0.0], [0.0, 0.0, 1.0]));
                contacts.push(contact([0.0, y, 0.006], [1.0, 0.0, 0.0]));
                contacts.push(contact([0.05, y, touch_z], [-1.0, 0.0, 0.3]));
            }
            reserve(&contacts, [mass_x, 0.0, 0.07])
        };
        let m = leans(0.1, 0.012).expect("it leans");
        assert!((0.01..0.014).contains(&m), "12 mm from falling back: {m}");
        assert_eq!(leans(0.1, -0.004), None, "it falls back");
        assert_eq!(leans(0.01, 0.09), None, "it falls over the second wall");
    }
}
