//! Recording of runs, and their export: film strips, sheets, videos, data sets, viewer files.
//!
//! [`RecordOptions`] records an episode while it runs, and [`RecordedScene`] draws a recording. All
//! exports build on these.

#[cfg(any(feature = "dataset", feature = "video"))]
mod at_rate;
#[cfg(feature = "dataset")]
mod demonstrations;
mod error;
mod exports;
#[cfg(feature = "video")]
mod film;
mod gallery;
mod recorded;
mod sheet;
mod strip;
#[cfg(feature = "rerun")]
mod viewer;

#[cfg(feature = "dataset")]
pub use demonstrations::{DemonstrationOptions, EnvironmentStates, ending};
pub use error::ExportError;
pub use exports::exports;
#[cfg(feature = "video")]
pub use film::{FilmOptions, FilmStats, film};
pub use gallery::{Gallery, GalleryOptions, gallery};
pub use recorded::{RecordOptions, RecordSetupError, RecordedScene, RecordedSceneError};
pub use strip::{FilmStrip, StripOptions, film_strip};
#[cfg(feature = "rerun")]
pub use viewer::{Exported, export_rrd};
