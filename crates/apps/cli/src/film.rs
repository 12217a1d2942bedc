//! `regrasp video`.

use crate::arguments::VideoArguments;
use crate::{ExitCode, Result};

#[cfg(feature = "video")]
pub(super) fn video(arguments: &VideoArguments) -> Result<ExitCode> {
    use regrasp_export::{FilmOptions, film};
    use regrasp_video::VideoOptions;

    use crate::output::say;
    use crate::recording::warn_if_truncated;
    use crate::replay::footage;

    let mut video = VideoOptions {
        fps: arguments.fps,
        ..VideoOptions::default()
    };
    if let [width, height] = arguments.size.as_slice() {
        (video.width, video.height) = (*width, *height);
    }
    let options = FilmOptions {
        camera: arguments.camera.clone(),
        video,
        captions: !arguments.no_captions,
    };
    let mut footage = footage(&arguments.run)?;
    warn_if_truncated(&footage.recording);
    let filmed = film(&mut footage.recording, &arguments.out, &options, &|| true)?;
    if arguments.json {
        say(&serde_json::to_string_pretty(&filmed)?);
        return Ok(ExitCode::Ok);
    }
    let from = match footage.is_again {
        true => ", from a repeated run",
        false => "",
    };
    say(&format!(
        "video: {} ({} frames, {:.2} s{from}; written at {:.0} frames/s)",
        arguments.out.display(),
        filmed.frames,
        filmed.duration_s,
        filmed.frames_per_s
    ));
    Ok(ExitCode::Ok)
}

#[cfg(not(feature = "video"))]
pub(super) fn video(_: &VideoArguments) -> Result<ExitCode> {
    Err(crate::CliError::not_built("videos", "video"))
}
