//! Runs, recorded and shown: film strips, contact sheets, videos, data sets, files for viewers.
//!
//! [`RecordOptions`] records an episode while it runs, and [`RecordedScene`] draws what was
//! recorded. Everything else here is made from that.

#[cfg(feature = "dataset")]
mod demonstrations;
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
pub use demonstrations::{DemonstrationError, DemonstrationOptions, ending};
pub use exports::exports;
#[cfg(feature = "video")]
pub use film::{FilmError, FilmOptions, Filmed, film, film_while};
pub use gallery::{Gallery, GalleryError, GalleryOptions, gallery};
pub use recorded::{RecordOptions, RecordSetupError, RecordedScene, RecordedSceneError};
pub use strip::{FilmStrip, StripError, StripOptions, film_strip};
#[cfg(feature = "rerun")]
pub use viewer::{Exported, ViewerError, export_rrd, export_rrd_while};
