//! Fixtures that several tests share.

use regrasp_api::solids::boxed;
use regrasp_api::{Held, Pose, Shape};

/// An object of this shape in a hand that is 4 cm open.
pub(crate) fn held(shape: Shape) -> Held {
    Held {
        id: "held".into(),
        shape,
        tool_from_object: Pose::identity(),
        width_m: 0.04,
        mass_kg: None,
    }
}

/// A box without a lid: half extents to the middle of the walls, half the thickness of walls and
/// floor, heights of the middles of floor and walls, and half the height of the walls, m.
pub(crate) fn open_box(
    [x, y]: [f64; 2],
    thick: f64,
    [floor_z, wall_z]: [f64; 2],
    high: f64,
) -> Shape {
    let wall =
        |at: [f64; 2], half: [f64; 2]| boxed([at[0], at[1], wall_z], [half[0], half[1], high], 0.0);
    let parts = vec![
        boxed([0.0, 0.0, floor_z], [x, y, thick], 0.0),
        wall([x, 0.0], [thick, y]),
        wall([-x, 0.0], [thick, y]),
        wall([0.0, y], [x, thick]),
        wall([0.0, -y], [x, thick]),
    ];
    Shape::Compound { parts }
}
