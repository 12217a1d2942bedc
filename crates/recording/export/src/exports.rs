//! What can be made from the recording of a run.

use regrasp_session::{Export, MakeExport};

/// Every kind of file, also those that this build cannot make for want of a feature.
pub fn exports() -> Vec<Export> {
    vec![
        Export {
            name: "video",
            label: "video",
            extension: "mp4",
            media_type: "video/mp4",
            feature: "video",
            make: video(),
        },
        Export {
            name: "rerun",
            label: "Rerun file",
            extension: "rrd",
            media_type: "application/octet-stream",
            feature: "rerun",
            make: rerun(),
        },
    ]
}

#[cfg(feature = "video")]
fn video() -> Option<MakeExport> {
    use std::sync::Arc;

    use regrasp_record::Recording;

    use crate::{ExportError, FilmOptions, film_while};

    Some(Arc::new(|recording, out, is_wanted| {
        let made = Recording::open(recording)
            .map_err(ExportError::from)
            .and_then(|mut it| film_while(&mut it, out, &FilmOptions::default(), is_wanted));
        made.map(drop).map_err(|error| error.to_string())
    }))
}

#[cfg(not(feature = "video"))]
fn video() -> Option<MakeExport> {
    None
}

#[cfg(feature = "rerun")]
fn rerun() -> Option<MakeExport> {
    use std::sync::Arc;

    use regrasp_record::Recording;

    use crate::{ExportError, export_rrd_while};

    Some(Arc::new(|recording, out, is_wanted| {
        let made = Recording::open(recording)
            .map_err(ExportError::from)
            .and_then(|mut it| export_rrd_while(&mut it, out, is_wanted));
        made.map(drop).map_err(|error| error.to_string())
    }))
}

#[cfg(not(feature = "rerun"))]
fn rerun() -> Option<MakeExport> {
    None
}
