//! Videos of recorded runs.

use std::path::Path;
use std::time::{Duration, Instant};

use regrasp_ground_truth::Frame;
use regrasp_record::{Cue, Cues, Recording};
use regrasp_render::{Caption, Ink, Letters, SequenceRenderer};
use regrasp_video::{VideoOptions, VideoWriter};
use serde::Serialize;

use crate::at_rate::{SLACK, at_rate};
use crate::{ExportError, RecordedScene};

/// Options of a video.
#[derive(Clone, Debug, PartialEq, smart_default::SmartDefault)]
pub struct FilmOptions {
    /// Name of the camera. Default `scene`.
    #[default("scene".into())]
    pub camera: String,
    /// Size and rate of the video.
    pub video: VideoOptions,
    /// Set if the pictures show the plan's number, call, phase and reason as text. Default true.
    #[default(true)]
    pub captions: bool,
}

/// Statistics of a rendered video.
#[derive(Clone, Debug, Serialize)]
pub struct FilmStats {
    /// Number of pictures.
    pub frames: u64,
    /// Duration of the video, s.
    pub duration_s: f64,
    /// Real time of the export, s.
    pub wall_s: f64,
    /// Pictures per second of real time.
    pub frames_per_s: f64,
    /// Mean time to render a picture, ms.
    pub render_ms: f64,
    /// Mean time to draw captions on a picture, ms.
    pub caption_ms: f64,
    /// Mean time to encode a picture, ms.
    pub encode_ms: f64,
}

/// Height of the captions' font as a fraction of the picture's height.
const FONT_PART: f32 = 1.0 / 32.0;
const INK: Ink = Ink {
    letters: [240, 243, 247],
    band: [16, 18, 22],
    opacity: 150,
};
const FAILED: Ink = Ink {
    letters: [255, 205, 185],
    band: [90, 24, 20],
    opacity: 170,
};

/// Renders a recording, complete or truncated, as a video. Picture k shows the world k / fps
/// seconds after the first frame.
///
/// # Errors
///
/// [`ExportError`] if the recording cannot be read or drawn, the camera does not exist, the video
/// cannot be written, or `is_wanted` returns false. The unfinished file is then removed.
pub fn film(
    recording: &mut Recording,
    path: &Path,
    options: &FilmOptions,
    is_wanted: &dyn Fn() -> bool,
) -> Result<FilmStats, ExportError> {
    let began = Instant::now();
    let scene = RecordedScene::of(recording)?;
    let camera = std::slice::from_ref(&options.camera);
    scene.view.check_camera_names(camera)?;
    let subtitles = Subtitles::new(recording, options)?;
    let mut film_writer = FilmWriter {
        scene,
        options,
        renderer: SequenceRenderer::default(),
        rgb: vec![],
        subtitles,
        writer: VideoWriter::create(path, options.video)?,
        is_wanted,
        spent: Spent::default(),
    };
    at_rate(recording, options.video.fps, SLACK, |frame, now_secs| {
        film_writer.write(frame, now_secs)
    })?;
    let FilmWriter { writer, spent, .. } = film_writer;
    let frames = writer.finish()?;
    let wall_s = began.elapsed().as_secs_f64();
    let each = |spent: Duration| 1e3 * spent.as_secs_f64() / frames as f64;
    Ok(FilmStats {
        frames,
        duration_s: frames as f64 / f64::from(options.video.fps),
        wall_s,
        frames_per_s: frames as f64 / wall_s,
        render_ms: each(spent.render),
        caption_ms: each(spent.caption),
        encode_ms: each(spent.encode),
    })
}

struct FilmWriter<'a> {
    scene: RecordedScene,
    options: &'a FilmOptions,
    renderer: SequenceRenderer,
    rgb: Vec<u8>,
    subtitles: Option<Subtitles>,
    writer: VideoWriter,
    is_wanted: &'a dyn Fn() -> bool,
    spent: Spent,
}

#[derive(Default)]
struct Spent {
    render: Duration,
    caption: Duration,
    encode: Duration,
}

impl FilmWriter<'_> {
    fn write(&mut self, frame: &Frame, now_secs: f64) -> Result<(), ExportError> {
        if !(self.is_wanted)() {
            return Err(ExportError::Unwanted { what: "the video" });
        }
        let began = Instant::now();
        let video = &self.options.video;
        let size = [video.width, video.height];
        let view = self.scene.camera(&self.options.camera, frame, size)?;
        let stage = self.scene.view.stage_from_frame(frame);
        let picture = self.renderer.next(&stage, &view);
        self.rgb.clone_from(&picture.rgb);
        let drawn = Instant::now();
        if let Some(subtitles) = &mut self.subtitles {
            subtitles.put(&mut self.rgb, now_secs);
        }
        let written = Instant::now();
        self.writer.push(&self.rgb)?;
        self.spent.render += drawn - began;
        self.spent.caption += written - drawn;
        self.spent.encode += written.elapsed();
        Ok(())
    }
}

struct Subtitles {
    cues: Cues,
    captions: Letters,
    width: usize,
    height: usize,
    font_size: f32,
    /// Last caption, cached so that its text is rendered again only if it changes.
    last: Option<(Cue, Caption)>,
}

impl Subtitles {
    fn new(recording: &mut Recording, options: &FilmOptions) -> Result<Option<Self>, ExportError> {
        if !options.captions {
            return Ok(None);
        }
        let video = &options.video;
        Ok(Some(Self {
            cues: Cues::of(&recording.events()?),
            captions: Letters::new()?,
            width: video.width as usize,
            height: video.height as usize,
            font_size: (FONT_PART * video.height as f32).max(10.0),
            last: None,
        }))
    }

    fn put(&mut self, rgb: &mut [u8], now_secs: f64) {
        let cue = self.cues.at(now_secs);
        let is_same = self.last.as_ref().is_some_and(|(last, _)| last == cue);
        if !is_same {
            let lines = cue.lines();
            let caption = self.captions.caption(&lines, self.width, self.font_size);
            self.last = Some((cue.clone(), caption));
        }
        if let Some((cue, caption)) = &self.last {
            let has_failed = cue.reason.is_some() && cue.call.is_some();
            let ink = if has_failed { FAILED } else { INK };
            let top = self.height.saturating_sub(caption.rows());
            caption.put(rgb, self.width, [0, top], ink);
        }
    }
}
