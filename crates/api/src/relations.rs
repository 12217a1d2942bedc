use crate::{PerceivedObject, Percept};

/// How far two surfaces may be apart vertically and still count as resting on
/// each other, m: twice the contact margin plus what settling leaves.
pub const SUPPORT_GAP_M: f64 = 0.006;

/// Whether `top` rests on `below`, as far as shapes and poses tell: its lowest
/// point is at the upper surface of `below`, and its centre is above it.
///
/// A hollow compound (bowl, tray) supports what lies anywhere above its floor and
/// within its rim.
pub fn is_supported_by(top: &PerceivedObject, below: &PerceivedObject) -> bool {
    if top.id == below.id {
        return false;
    }
    let (a, b) = (top.aabb_in_world(), below.aabb_in_world());
    let center = a.center();
    let above_footprint = (0..2).all(|i| (b.min[i]..=b.max[i]).contains(&center[i]));
    let hollow = below.shape.is_hollow();
    let gap = a.min[2] - b.max[2];
    let touches = if hollow {
        a.min[2] > b.min[2] - SUPPORT_GAP_M && gap < SUPPORT_GAP_M
    } else {
        gap.abs() < SUPPORT_GAP_M
    };
    above_footprint && touches
}

/// Everything that rests directly on `below`, in percept order.
pub fn objects_on<'a>(percept: &'a Percept, below: &PerceivedObject) -> Vec<&'a PerceivedObject> {
    let others = percept.objects.iter();
    others
        .filter(|o| o.movable && is_supported_by(o, below))
        .collect()
}

/// Whether the bounding boxes of two objects overlap seen from above, when each
/// is grown by `clearance_m / 2`.
pub fn footprints_overlap(a: &PerceivedObject, b: &PerceivedObject, clearance_m: f64) -> bool {
    let (a, b) = (a.aabb_in_world(), b.aabb_in_world());
    (0..2).all(|i| a.min[i] - clearance_m < b.max[i] && b.min[i] - clearance_m < a.max[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ObjectId, Pose, Shape};

    fn cube(id: &str, half: f64, x: f64, z: f64) -> PerceivedObject {
        PerceivedObject {
            id: ObjectId::new(id),
            category: "cube".into(),
            color: None,
            shape: Shape::Box {
                half_extents: [half; 3],
            },
            world_from_object: Pose::translation(x, -0.3, z),
            position_std_m: 0.0,
            movable: true,
        }
    }

    #[test]
    fn only_what_stands_on_it_is_supported_by_it() {
        let below = cube("below", 0.02, 0.5, 0.02);
        assert!(is_supported_by(&cube("on", 0.015, 0.51, 0.0551), &below));
        assert!(!is_supported_by(&cube("hovers", 0.015, 0.51, 0.07), &below));
        assert!(!is_supported_by(
            &cube("beside", 0.015, 0.55, 0.055),
            &below
        ));
        assert!(!is_supported_by(&below, &cube("on", 0.015, 0.51, 0.0551)));
    }
}
