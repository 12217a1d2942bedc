//! Finds the object at which a model points, or the reason why there is none.

use regrasp_api::{CameraView, Measured, ObjectId, Reason, Unseen};
use regrasp_rgbd_perception::{LastLook, Region, What};

/// Returns the perceived object at a region of a picture, by its id in RGB-D perception.
pub(super) fn thing_at(
    look: &LastLook,
    phrase: &str,
    view: &CameraView,
    region: Region,
) -> Result<ObjectId, Unseen> {
    let place = place(view, region);
    let miss = |reason: Reason, what: &str| {
        let detail = format!("`{phrase}` was pointed out at {place}, {what}");
        Unseen::new(phrase, reason, detail)
    };
    let Some(hit) = look.at(&view.name, region) else {
        let (width, height) = (view.intrinsics.width, view.intrinsics.height);
        let what = format!("outside of the picture of {width} x {height} pixels");
        let mut miss = miss(Reason::PointOutsideImage, &what);
        let [x, y] = region.middle();
        let pixels =
            |name: &str, at: f64, size: u32| Measured::new(name, at, Some(f64::from(size)), "px");
        miss.measured = vec![pixels("column", x, width), pixels("row", y, height)];
        return Err(miss);
    };
    let depth_m = hit.depth_m.unwrap_or(0.0);
    let at = hit.point_in_world.map(|p| [p.x, p.y, p.z]);
    let at = at.map_or_else(String::new, |[x, y, z]| {
        format!(" ({depth_m:.2} m away, at x={x:.3} y={y:.3} z={z:.3})")
    });
    let (reason, what) = match hit.what {
        What::Thing(Some(id)) => return Ok(id),
        What::NoDepth => {
            let what = "where no depth was measured";
            return Err(miss(Reason::PointWithoutDepth, what));
        }
        What::Thing(None) => (Reason::ObjectNotFound, "nothing is seen that has a shape"),
        What::OutOfCell => (
            Reason::ObjectOutOfWorkspace,
            "only things outside of the cell are seen",
        ),
        What::Robot => (Reason::PointOnRobot, "the robot itself is seen"),
        What::Table => (Reason::PointOnTable, "only the table is seen"),
    };
    let mut miss = miss(reason, &format!("where {what}{at}"));
    let depth = |depth_m: f64| Measured::new("depth", depth_m, None, "m");
    miss.measured.extend(hit.depth_m.map(depth));
    Err(miss)
}

/// Formats a region, for example "pixel (320, 200) of camera scene".
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
