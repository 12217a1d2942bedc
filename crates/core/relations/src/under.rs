//! The relation `under`: standing below an overhanging part of another object.

use nalgebra::{Point3, Vector3};
use regrasp_api::{Aabb, PerceivedObject, Percept};

use crate::is_supported_by;

/// Number of points along each side of a footprint at which the overhang is checked.
const N_POINTS: usize = 9;
/// Least fraction of an object's footprint that has to be below the overhang.
const COVERED: f64 = 0.5;
/// Least space between an object and the overhang above it, m: with less, the overhang may rest on
/// the object.
const SPACE_M: f64 = 0.002;

pub(crate) fn not_under(
    percept: &Percept,
    object: &PerceivedObject,
    target: &PerceivedObject,
) -> Option<String> {
    let (id, over) = (&object.id, &target.id);
    let carries = |o: &PerceivedObject| !is_part(percept, o, target) && is_supported_by(object, o);
    if !percept.objects.iter().any(carries) {
        return Some(format!("nothing other than {over} is seen to support {id}"));
    }
    let above_m = above(&object.aabb_in_world(), target);
    let met: Vec<f64> = above_m.iter().flatten().copied().collect();
    if let Some(least_m) = met
        .iter()
        .copied()
        .reduce(f64::min)
        .filter(|m| *m < SPACE_M)
    {
        return Some(format!(
            "{over} is {least_m:.4} m above {id} (needed: {SPACE_M} m)"
        ));
    }
    let covered = met.len() as f64 / above_m.len() as f64;
    (covered < COVERED).then(|| {
        format!(
            "{over} is above {:.0} % of {id} (needed: {:.0} %)",
            100.0 * covered,
            100.0 * COVERED
        )
    })
}

/// Explains why no object of this size fits under the target at its present pose; `None` if one
/// does.
pub(crate) fn no_space_under(
    percept: &Percept,
    object: &PerceivedObject,
    target: &PerceivedObject,
) -> Option<String> {
    let size = object.aabb_in_world().size();
    let bounds = target.aabb_in_world();
    let others = percept.objects.iter();
    let floors = others.filter(|o| o.id != object.id && !is_part(percept, o, target));
    let floors: Vec<Aabb> = floors.map(PerceivedObject::aabb_in_world).collect();
    // Free height from the highest surface below a point up to the target.
    let space_m = |point: &[f64; 2]| {
        let [x, y] = *point;
        let covers = |b: &&Aabb| b.covers(x, y) && b.max[2] < bounds.max[2];
        let floor_z = floors.iter().filter(covers).map(|b| b.max[2]);
        let floor_z = floor_z.reduce(f64::max)?;
        let up_m = ray_up(target, &Point3::new(x, y, floor_z))?;
        (up_m > size.min() + SPACE_M).then_some(up_m)
    };
    let found = points(&bounds).iter().any(|point| space_m(point).is_some());
    (!found).then(|| {
        let (id, over) = (&object.id, &target.id);
        format!("there is no space under {over} for {id}")
    })
}

fn is_part(percept: &Percept, part: &PerceivedObject, whole: &PerceivedObject) -> bool {
    part.id == whole.id || percept.whole_of(&part.id) == Some(&whole.id)
}

/// Free height above each of many points of a footprint, m; `None` where the target is not above.
fn above(footprint: &Aabb, target: &PerceivedObject) -> Vec<Option<f64>> {
    let points = points(footprint).into_iter();
    let up = |[x, y]: [f64; 2]| ray_up(target, &Point3::new(x, y, footprint.max[2]));
    points.map(up).collect()
}

fn points(aabb: &Aabb) -> Vec<[f64; 2]> {
    let size = aabb.size();
    let at = move |axis: usize, i: usize| {
        aabb.min[axis] + size[axis] * (i as f64 + 0.5) / N_POINTS as f64
    };
    let all = (0..N_POINTS).flat_map(|i| (0..N_POINTS).map(move |j| [at(0, i), at(1, j)]));
    all.collect()
}

/// Distance from a point straight up to the first part of an object, m; negative inside it.
fn ray_up(target: &PerceivedObject, from: &Point3<f64>) -> Option<f64> {
    let of_target = target.world_from_object.inverse();
    let met = target
        .shape
        .ahead(&(of_target * from), &(of_target * Vector3::z()));
    met.map(|[enters, _]| enters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_api::solids::boxed;
    use regrasp_api::{Pose, Shape};
    use regrasp_testkit::{cube, cuboid, fixed, thing};

    /// Board of 40 x 20 cm at a height of 20 cm on two legs at its ends, on a table with its top at
    /// z = 0.
    fn scene(yaw: f64, more: Vec<PerceivedObject>) -> Percept {
        let parts = vec![
            boxed([0.0, 0.0, 0.21], [0.2, 0.1, 0.01], 0.0),
            boxed([0.19, 0.0, 0.1], [0.01, 0.1, 0.1], 0.0),
            boxed([-0.19, 0.0, 0.1], [0.01, 0.1, 0.1], 0.0),
        ];
        let shelf = PerceivedObject {
            world_from_object: Pose::new(Vector3::new(0.5, 0.0, 0.0), Vector3::z() * yaw),
            ..fixed("shelf", "shelf", Shape::Compound { parts }, [0.0; 3])
        };
        let surface = cuboid([0.5, 0.5, 0.05]);
        let table = fixed("table", "table", surface, [0.5, 0.0, -0.05]);
        Percept {
            objects: [vec![table, shelf], more].concat(),
            ..Percept::default()
        }
    }

    fn why(yaw: f64, at: [f64; 3], more: Vec<PerceivedObject>) -> Option<String> {
        let percept = scene(yaw, more);
        not_under(&percept, &cube("a", 0.02, at), &percept.objects[1])
    }

    #[test]
    fn under_means_mostly_covered_free_and_on_something_else() {
        let says = |at, wanted: &str| {
            let why = why(0.0, at, vec![]).unwrap_or_default();
            assert!(why.contains(wanted), "{at:?}: {why}");
        };
        assert_eq!(why(0.0, [0.5, 0.0, 0.02], vec![]), None, "in the middle");
        assert_eq!(
            why(0.0, [0.4, -0.095, 0.02], vec![]),
            None,
            "5 of 9 rows of the footprint are covered"
        );
        says([0.4, -0.11, 0.02], "above 22 %");
        says([0.4, -0.2, 0.02], "above 0 %");
        says([0.5, 0.0, 0.24], "nothing other than shelf");
        says([0.5, 0.0, 0.05], "is seen to support");
    }

    #[test]
    fn the_overhang_is_turned_as_the_thing_is() {
        // Turned by a quarter, the board reaches from y = -0.2 to 0.2 and ends at x = 0.6.
        let quarter = std::f64::consts::FRAC_PI_2;
        assert_eq!(why(quarter, [0.5, 0.15, 0.02], vec![]), None);
        assert!(why(quarter, [0.65, 0.0, 0.02], vec![]).is_some());
        // At 45 degrees its box is 42 cm wide, but the board has no corner there.
        let eighth = 0.5 * quarter;
        assert!(why(eighth, [0.35, 0.15, 0.02], vec![]).is_some());
        assert_eq!(why(eighth, [0.5, 0.0, 0.02], vec![]), None);
    }

    #[test]
    fn what_carries_a_thing_is_not_over_it_nor_is_what_it_stands_in() {
        let lid = thing("lid", "lid", cuboid([0.1, 0.1, 0.005]), [0.8, 0.0, 0.045]);
        let percept = scene(0.0, vec![lid]);
        let below = cube("a", 0.02, [0.8, 0.0, 0.02]);
        let why = not_under(&percept, &below, &percept.objects[2]).unwrap_or_default();
        assert!(why.contains("0.0000 m above a"), "{why}");
        // An object on the lower board of a shelf stands in the shelf, not under it.
        let parts = vec![
            boxed([0.0, 0.0, 0.21], [0.2, 0.1, 0.01], 0.0),
            boxed([0.0, 0.0, 0.01], [0.2, 0.1, 0.01], 0.0),
        ];
        let shelf = thing("shelf", "shelf", Shape::Compound { parts }, [0.5, 0.0, 0.0]);
        let on_board = cube("a", 0.02, [0.5, 0.0, 0.04]);
        let percept = scene(0.0, vec![]);
        let why = not_under(&percept, &on_board, &shelf).unwrap_or_default();
        assert!(why.contains("other than shelf"), "{why}");
    }

    #[test]
    fn there_is_space_under_what_hangs_over_and_none_under_what_stands_flat() {
        let block = cube("block", 0.03, [0.8, 0.2, 0.03]);
        let percept = scene(0.0, vec![block]);
        let [table, shelf, block] = [0, 1, 2].map(|i| &percept.objects[i]);
        let small = cube("a", 0.02, [0.8, 0.0, 0.02]);
        assert_eq!(no_space_under(&percept, &small, shelf), None);
        let large = cube("a", 0.11, [0.8, 0.0, 0.11]);
        for (object, target) in [(&large, shelf), (&small, table), (&small, block)] {
            let why = no_space_under(&percept, object, target);
            assert!(why.is_some(), "{} under {}", object.id, target.id);
        }
    }
}
