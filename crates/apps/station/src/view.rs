//! View of a scene for a session.

use std::sync::Arc;

use regrasp::SceneView;
use regrasp_session::View;

pub(crate) fn view_of(scene: SceneView) -> View {
    let scene = Arc::new(scene);
    let (staged, seen) = (Arc::clone(&scene), Arc::clone(&scene));
    View {
        geometry: scene,
        stage: Box::new(move |frame| staged.stage_from_frame(frame)),
        cameras: Box::new(move |joints, width_m| seen.views(joints, width_m)),
    }
}
