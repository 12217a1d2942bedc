//! Extent of a table, from the points at its height. Points on a line do not count, such as those
//! of a wall behind the table, nor do other surfaces far from it, such as a worktop.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Point3;
use regrasp_api::Aabb;

/// Edge of a cell, m. A surface has points in a block of three by three cells.
const CELL_M: f64 = 0.05;
/// Largest distance of two parts of one table, in cells: objects and the robot may hide the table
/// between them.
const GAP: u32 = 5;

/// Bounding box in x and y of the points on the largest surface, or of all points without one.
pub(crate) fn extent(points: &[Point3<f64>]) -> Option<Aabb> {
    let mut cells: BTreeMap<[i32; 2], Option<Aabb>> = BTreeMap::new();
    for p in points {
        let cell = [p.x, p.y].map(|x| (x / CELL_M).floor() as i32);
        let bounds = cells.entry(cell).or_default();
        *bounds = grown(*bounds, p);
    }
    let block = |[x, y]: [i32; 2]| (0..9).map(move |i| [x + i % 3 - 1, y + i / 3 - 1]);
    let is_full = |middle: &[i32; 2]| block(*middle).all(|cell| cells.contains_key(&cell));
    let on_surface = |cell: &[i32; 2]| block(*cell).any(|middle| is_full(&middle));
    let left = cells.keys().filter(|cell| on_surface(cell)).copied();
    let mut left: BTreeSet<[i32; 2]> = left.collect();
    let mut largest = Vec::new();
    while let Some(first) = left.pop_first() {
        let mut part = vec![first];
        let mut next = 0;
        while let Some(&cell) = part.get(next) {
            next += 1;
            let is_near = |other: &[i32; 2]| (0..2).all(|i| cell[i].abs_diff(other[i]) <= GAP);
            part.extend(left.extract_if(.., |other| is_near(other)));
        }
        if part.len() > largest.len() {
            largest = part;
        }
    }
    let bounds = largest.iter().filter_map(|cell| cells[cell]);
    let bounds = bounds.reduce(|a, b| around(&a, &b));
    bounds.or_else(|| points.iter().fold(None, grown))
}

fn grown(bounds: Option<Aabb>, p: &Point3<f64>) -> Option<Aabb> {
    let point = Aabb::new([p.x, p.y, 0.0], [p.x, p.y, 0.0]);
    Some(bounds.map_or(point, |bounds| around(&bounds, &point)))
}

pub(crate) fn around(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb::around([a.min, a.max, b.min, b.max])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_and_a_worktop_behind_the_table_do_not_extend_it() {
        let grid = (0..60).flat_map(|i| (0..40).map(move |j| (i, j)));
        let table = grid.map(|(i, j)| {
            let [x, y] = [i, j].map(|k| 0.02 * f64::from(k));
            Point3::new(0.1 + x, -0.4 + y, 0.9)
        });
        let wall = (0..200).map(|i| Point3::new(-0.1, -1.0 + 0.01 * f64::from(i), 0.9));
        let worktop = (0..400).map(|i| {
            let [x, y] = [i % 20, i / 20].map(|k| 0.02 * f64::from(k));
            Point3::new(-1.2 + x, -0.4 + y, 0.9)
        });
        let both: Vec<_> = table.chain(wall).chain(worktop).collect();
        let found = extent(&both).expect("there are points");
        for (found, expected) in [(found.min, [0.1, -0.4]), (found.max, [1.28, 0.38])] {
            assert!((found[0] - expected[0]).abs() < 1e-9, "{found:?}");
            assert!((found[1] - expected[1]).abs() < 1e-9, "{found:?}");
        }
        assert_eq!(extent(&both[..3]).map(|b| b.min), Some([0.1, -0.4, 0.0]));
        assert_eq!(extent(&[]), None);
    }
}
