//! Files that can be exported from the recording of a run.

use regrasp_session::Export;
#[cfg(any(feature = "rerun", feature = "video"))]
use {
    crate::ExportError, regrasp_record::Recording, regrasp_session::MakeExport, std::path::Path,
    std::sync::Arc,
};

/// Returns all kinds of exports, including those whose feature is disabled in this build.
pub fn exports() -> Vec<Export> {
    vec![
        Export {
            name: "video",
            label: "video",
            extension: "mp4",
            media_type: "video/mp4",
            feature: "video",
            #[cfg(feature = "video")]
            make: maker(|recording, out, is_wanted| {
                crate::film(recording, out, &crate::FilmOptions::default(), is_wanted)
            }),
            #[cfg(not(feature = "video"))]
            make: None,
        },
        Export {
            name: "rerun",
            label: "Rerun file",
            extension: "rrd",
            media_type: "application/octet-stream",
            feature: "rerun",
            #[cfg(feature = "rerun")]
            make: maker(crate::export_rrd),
            #[cfg(not(feature = "rerun"))]
            make: None,
        },
    ]
}

/// Wraps an export function so that it opens the recording itself.
#[cfg(any(feature = "rerun", feature = "video"))]
fn maker<T, M>(make: M) -> Option<MakeExport>
where
    M: Fn(&mut Recording, &Path, &dyn Fn() -> bool) -> Result<T, ExportError>,
    M: Send + Sync + 'static,
{
    Some(Arc::new(move |recording, out, is_wanted| {
        let made = Recording::open(recording)
            .map_err(ExportError::from)
            .and_then(|mut recording| make(&mut recording, out, is_wanted));
        made.map(drop).map_err(|error| error.to_string())
    }))
}
