//! Sequences of pictures of one camera.

use regrasp_api::CameraView;

use crate::picture::Picture;
use crate::previous::PreviousPicture;
use crate::shadow::Shadows;
use crate::software::SoftwareRenderer;
use crate::stage::Stage;

/// Draws the pictures of a video and keeps unchanged pixels. The pictures are bit-identical to
/// those of a [`SoftwareRenderer`] in [`Detail::Plain`](crate::Detail::Plain).
#[derive(Debug, smart_default::SmartDefault)]
pub struct SequenceRenderer {
    #[default(SoftwareRenderer::with_shadows(Shadows::with_changes()))]
    renderer: SoftwareRenderer,
    before: PreviousPicture,
}

impl SequenceRenderer {
    /// Draws the next picture. If the camera or the floor changed, all pixels are drawn again.
    pub fn next(&mut self, stage: &Stage, view: &CameraView) -> &Picture {
        let Self { renderer, before } = self;
        renderer.shadows.draw(stage);
        renderer.look(stage, view);
        let mut picture = before.canvas(stage, view);
        renderer.shade(stage, &mut picture, Some(before));
        before.keep(picture, &mut renderer.seen)
    }
}
