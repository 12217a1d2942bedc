//! Detection of pixels that need more than one sample.

use crate::raster::GeometryBuffer;

/// Relative change of the inverse depth within a pixel from which the pixel counts as an edge
/// between two surfaces.
const STEP: f32 = 0.01;
/// Squared cosine between two normals within a pixel below which the pixel counts as an edge.
const SQUARED_COSINE: f32 = 0.94;

/// Returns true if the square of `factor` x `factor` samples centred at (x, y) shows more than one
/// smooth surface.
pub(crate) fn is_edge(seen: &GeometryBuffer, x: usize, y: usize, factor: usize) -> bool {
    let half = factor / 2;
    let (middle, width) = (y * seen.size.width + x, seen.size.width);
    let (facet, inverse) = (seen.facet[middle], seen.inverse_depth[middle]);
    for row in y - half..=y + half {
        for at in row * width + x - half..=row * width + x + half {
            let there = seen.inverse_depth[at];
            let both = [inverse > 0.0, there > 0.0];
            if both[0] != both[1] {
                return true;
            }
            if !both[0] || seen.facet[at] == facet {
                continue;
            }
            if (there - inverse).abs() > STEP * inverse
                || do_facets_meet_at_edge(seen, [x, y], [at - row * width, row])
            {
                return true;
            }
        }
    }
    false
}

fn do_facets_meet_at_edge(seen: &GeometryBuffer, a: [usize; 2], b: [usize; 2]) -> bool {
    let there = |[x, y]: [usize; 2]| {
        let facet = &seen.facets[seen.facet[y * seen.size.width + x] as usize];
        (facet.body, facet.normal(x as f32, y as f32))
    };
    let ((body_a, normal_a), (body_b, normal_b)) = (there(a), there(b));
    let dot = |a: &[f32; 3], b: &[f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (along, squares) = (
        dot(&normal_a, &normal_b),
        dot(&normal_a, &normal_a) * dot(&normal_b, &normal_b),
    );
    body_a != body_b || along <= 0.0 || along * along < SQUARED_COSINE * squares
}
