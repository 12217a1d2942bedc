//! Camera pictures of the present or an earlier state of the world.

use regrasp_render::{Detail, Picture, SoftwareRenderer, Stage};

use crate::session_state::Scenery;
use crate::shot::pose_of;
use crate::{Refusal, RefusalKind, Shot};

/// Renders a camera's picture of a shot, resized to `width` pixels if that is given.
pub(crate) fn picture(
    scenery: &Scenery,
    shot: &Shot,
    camera: &str,
    width: Option<u32>,
) -> Result<Picture, Refusal> {
    let views = (scenery.view).views(&shot.joint_positions, shot.gripper_width_m);
    let known = || {
        let names: Vec<_> = views.iter().map(|view| view.name.as_str()).collect();
        names.join(", ")
    };
    let Some(view) = views.iter().find(|view| view.name == camera) else {
        let message = format!("there is no camera `{camera}` (cameras: {})", known());
        return Err(Refusal::new(RefusalKind::Unknown, message));
    };
    let mut view = view.clone();
    if let Some(width) = width {
        let of = view.intrinsics;
        let height = (f64::from(of.height) * f64::from(width) / f64::from(of.width)).round();
        view.intrinsics = of.resized(width, (height as u32).max(1));
    }
    let stage = staged(scenery, shot);
    let pictures = SoftwareRenderer::new(Detail::Fine).render(&stage, &[view]);
    let picture = pictures.into_iter().next();
    picture.ok_or_else(|| Refusal::bad_value("the renderer returned no picture"))
}

fn staged(scenery: &Scenery, shot: &Shot) -> Stage {
    let mut stage = scenery.stage.clone();
    stage.bodies.retain_mut(|body| {
        let node = usize::from(body.instance).checked_sub(1);
        let pose = node.and_then(|node| shot.poses.get(node)).and_then(pose_of);
        body.world_from_body = pose.unwrap_or(body.world_from_body);
        pose.is_some()
    });
    stage
}
