//! Whether a thing can be where a model points.

use regrasp_api::{CameraView, Measured, ObjectId, Reason};
use regrasp_rgbd_perception::{LastLook, Region, What};

/// Why a thing cannot be meant.
#[derive(Debug, PartialEq)]
pub(super) struct Miss {
    pub(super) reason: Reason,
    /// One sentence with figures.
    pub(super) detail: String,
    pub(super) measured: Vec<Measured>,
}

/// What became of looking for a phrase.
pub(super) enum Located {
    /// It is this thing, by the name that the eyes give it.
    There(ObjectId),
    /// Nothing that is seen can be meant.
    Nowhere(Miss),
}

/// The thing that is seen there, by the name that the eyes give it.
pub(super) fn thing_at(
    look: &LastLook,
    phrase: &str,
    view: &CameraView,
    region: Region,
) -> Result<ObjectId, Miss> {
    let place = place(view, region);
    let miss = |reason: Reason, what: &str| Miss {
        reason,
        detail: format!("`{phrase}` was pointed out at {place}, {what}"),
        measured: vec![],
    };
    let Some(hit) = look.at(&view.name, region) else {
        let (width, height) = (view.intrinsics.width, view.intrinsics.height);
        let what = format!("outside of the picture of {width} x {height} pixels");
        let mut miss = miss(Reason::PointOutsideImage, &what);
        let [x, y] = middle(region);
        miss.measured = vec![pixels("column", x, width), pixels("row", y, height)];
        return Err(miss);
    };
    let depth = |mut miss: Miss| {
        miss.measured.extend(hit.depth_m.map(|value| Measured {
            name: "depth".into(),
            value,
            limit: None,
            unit: "m".into(),
        }));
        miss
    };
    let at = hit.point_in_world.map_or_else(String::new, |p| {
        format!(
            " ({:.2} m away, at x={:.3} y={:.3} z={:.3})",
            hit.depth_m.unwrap_or(0.0),
            p.x,
            p.y,
            p.z
        )
    });
    Err(match hit.what {
        What::Thing(Some(id)) => return Ok(id),
        What::Thing(None) => depth(miss(
            Reason::ObjectNotFound,
            &format!("where nothing is seen that has a shape{at}"),
        )),
        What::NoDepth => miss(Reason::PointWithoutDepth, "where no depth was measured"),
        What::OutOfCell => depth(miss(
            Reason::ObjectOutOfWorkspace,
            &format!("where only things outside of the cell are seen{at}"),
        )),
        What::Robot => depth(miss(
            Reason::PointOnRobot,
            &format!("where the robot itself is seen{at}"),
        )),
        What::Table => depth(miss(
            Reason::PointOnTable,
            &format!("where only the table is seen{at}"),
        )),
    })
}

fn pixels(name: &str, value: f64, limit: u32) -> Measured {
    Measured {
        name: name.into(),
        value,
        limit: Some(f64::from(limit)),
        unit: "px".into(),
    }
}

fn middle(region: Region) -> [f64; 2] {
    match region {
        Region::Point(pixel) => pixel,
        Region::Box { min, max } => [0, 1].map(|i| 0.5 * (min[i] + max[i])),
    }
}

/// For example "pixel (320, 200) of camera scene".
fn place(view: &CameraView, region: Region) -> String {
    let name = &view.name;
    match region {
        Region::Point([x, y]) => format!("pixel ({x:.0}, {y:.0}) of camera {name}"),
        Region::Box { min, max } => format!(
            "box ({:.0}, {:.0}) to ({:.0}, {:.0}) of camera {name}",
            min[0], min[1], max[0], max[1]
        ),
    }
}
