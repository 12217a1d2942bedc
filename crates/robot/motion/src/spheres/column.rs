//! Distance to the ground under a triangle, for eight points at once.

use nalgebra::Point3;
use pulp::Simd;

use super::lanes::{V, Vec3};

/// The ground under a triangle, down to a flat bottom.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Corners, counter-clockwise seen from above.
    corners: [[f32; 3]; 3],
    bottom: f32,
    /// Slope of the top along x and y.
    slope: [f32; 2],
}

impl Column {
    pub(super) fn new(corners: &[Point3<f64>; 3], bottom: f64) -> Self {
        let [a, b, c] = corners;
        let normal = (b - a).cross(&(c - a));
        Self {
            corners: corners.map(|p| [p.x as f32, p.y as f32, p.z as f32]),
            bottom: bottom as f32,
            slope: [(-normal.x / normal.z) as f32, (-normal.y / normal.z) as f32],
        }
    }

    pub(super) fn bounds(&self) -> ([f32; 3], [f32; 3]) {
        let [a, b, c] = self.corners;
        let mut min = [0, 1, 2].map(|k| a[k].min(b[k]).min(c[k]));
        min[2] = self.bottom;
        (min, [0, 1, 2].map(|k| a[k].max(b[k]).max(c[k])))
    }

    /// Returns the squared distances of eight points from the column.
    ///
    /// Seen from above, one point of the triangle is nearest. For a point below the height of the
    /// top there, the distance combines the horizontal distance and the depth below the bottom. For
    /// a higher point, it is the distance from the top.
    #[inline(always)]
    pub(super) fn squared<S: Simd>(&self, at: &Vec3<S>) -> V<S> {
        let zero = at[0].like(0.0);
        let one = at[0].like(1.0);
        let [a, ..] = self.corners;
        // The three sides, and a test whether the point is inside all of them seen from above.
        let mut outside = zero;
        let mut flat = at[0].like(f32::MAX);
        let mut height = zero;
        let mut edge = at[0].like(f32::MAX);
        for side in 0..3 {
            let (p, q) = (self.corners[side], self.corners[(side + 1) % 3]);
            let [ux, uy, uz] = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
            let (dx, dy, dz) = (
                at[0] - zero.like(p[0]),
                at[1] - zero.like(p[1]),
                at[2] - zero.like(p[2]),
            );
            outside = outside.max(dx * zero.like(uy) - dy * zero.like(ux));
            // The nearest point of the side seen from above, and its height.
            let along = dx * zero.like(ux) + dy * zero.like(uy);
            let t = (along * zero.like(1.0 / (ux * ux + uy * uy))).max(zero);
            let t = t.min(one);
            let (ex, ey) = (dx - t * zero.like(ux), dy - t * zero.like(uy));
            let seen = ex * ex + ey * ey;
            height = seen.pick_below(flat, zero.like(p[2]) + t * zero.like(uz), height);
            flat = flat.min(seen);
            // The nearest point of the side in space.
            let along = along + dz * zero.like(uz);
            let whole = ux * ux + uy * uy + uz * uz;
            let t = (along * zero.like(1.0 / whole)).max(zero).min(one);
            let [ex, ey, ez] = [
                dx - t * zero.like(ux),
                dy - t * zero.like(uy),
                dz - t * zero.like(uz),
            ];
            edge = edge.min(ex * ex + ey * ey + ez * ez);
        }
        let [sx, sy] = self.slope;
        let [dx, dy] = [at[0] - zero.like(a[0]), at[1] - zero.like(a[1])];
        let under = zero.like(a[2]) + dx * zero.like(sx) + dy * zero.like(sy);
        // Inside the sides, the nearest point seen from above is the point itself.
        flat = zero.pick_below(outside, flat, zero);
        height = zero.pick_below(outside, height, under);
        // Distance to the top: to its plane if the perpendicular foot is on the triangle.
        let above = at[2] - under;
        let share = 1.0 / (1.0 + sx * sx + sy * sy);
        let foot = [
            dx + above * zero.like(sx * share),
            dy + above * zero.like(sy * share),
        ];
        let mut off = zero;
        for side in 0..3 {
            let (p, q) = (self.corners[side], self.corners[(side + 1) % 3]);
            let [ux, uy] = [q[0] - p[0], q[1] - p[1]];
            let [px, py] = [p[0] - a[0], p[1] - a[1]];
            let (fx, fy) = (foot[0] - zero.like(px), foot[1] - zero.like(py));
            off = off.max(fx * zero.like(uy) - fy * zero.like(ux));
        }
        let top = zero.pick_below(off, edge, above * above * zero.like(share));
        let below = (zero.like(self.bottom) - at[2]).max(zero);
        height.pick_below(at[2], top, flat + below * below)
    }
}
