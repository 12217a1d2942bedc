//! Height fields as closed surfaces.

use parry3d_f64::math as glam;
use parry3d_f64::shape::SharedShape;
use regrasp_api::HeightField;

/// The closed surface of a height field: its triangles, and below them the same ones turned
/// over at the height of the underside, with walls between their borders.
pub(super) fn block(field: &HeightField) -> Option<SharedShape> {
    if field.flaw().is_some() {
        return None;
    }
    let [nx, ny] = field.n_places();
    let at = |i: usize, j: usize, down: bool| {
        let p = field.point(i, j);
        glam::Vector::new(p.x, p.y, if down { field.bottom } else { p.z })
    };
    let mut points = Vec::with_capacity(2 * nx * ny);
    for down in [false, true] {
        points.extend((0..nx).flat_map(|i| (0..ny).map(move |j| at(i, j, down))));
    }
    let n = u32::try_from(nx * ny).ok()?;
    let idx = |i: usize, j: usize| (i * ny + j) as u32;
    let mut triangles = Vec::new();
    for i in 1..nx {
        for j in 1..ny {
            let (a, b) = (idx(i - 1, j - 1), idx(i, j - 1));
            let (c, d) = (idx(i - 1, j), idx(i, j));
            triangles.extend([[a, b, c], [b, d, c]]);
            triangles.extend([[c + n, b + n, a + n], [c + n, d + n, b + n]]);
        }
    }
    let mut wall = |a: u32, b: u32| triangles.extend([[a, a + n, b], [b, a + n, b + n]]);
    for i in 1..nx {
        wall(idx(i - 1, 0), idx(i, 0));
        wall(idx(i, ny - 1), idx(i - 1, ny - 1));
    }
    for j in 1..ny {
        wall(idx(0, j), idx(0, j - 1));
        wall(idx(nx - 1, j - 1), idx(nx - 1, j));
    }
    SharedShape::trimesh(points, triangles).ok()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use regrasp_api::{Pose, Shape};

    use super::super::{drop_distance, overlap_depth, volume};
    use super::*;

    const CUBE: Shape = Shape::Box {
        half_extents: [0.02; 3],
    };

    #[test]
    fn a_relief_is_closed_and_bears_what_stands_on_it() {
        let relief = Shape::HeightField(HeightField {
            size: [0.4, 0.2],
            heights: vec![vec![0.0; 3], vec![0.05; 3], vec![0.0; 3]],
            bottom: -0.02,
        });
        assert!((volume(&relief) - 0.4 * 0.2 * (0.02 + 0.025)).abs() < 1e-9);
        let above = Pose::translation(0.0, 0.0, 0.2);
        let drop = drop_distance(&CUBE, &above, &relief, &Pose::identity(), 0.5).unwrap();
        assert!((drop - (0.2 - 0.02 - 0.05)).abs() < 1e-3, "{drop}");
        let cloud = Shape::PointCloud {
            points: vec![[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]],
            radius: 0.01,
        };
        let depth = |x: f64| {
            let at = Pose::translation(x, 0.0, 0.0);
            overlap_depth(&CUBE, &at, &cloud, &Pose::identity())
        };
        assert!((depth(0.128).unwrap() - 0.002).abs() < 1e-9);
        assert_eq!(depth(0.131), None);
    }
}
