//! Reads the contents of a viewer file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use rerun::StoreKind;
use rerun::external::re_log_encoding::DecoderApp;
use rerun::log::{Chunk, LogMsg};

use crate::RrdError;

/// Contents of a viewer file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Number of rows with a time, by the entity's path in the viewer's notation.
    pub entities: BTreeMap<String, usize>,
    /// Number of static rows, by the entity's path in the viewer's notation.
    pub fixtures: BTreeMap<String, usize>,
    /// Names of all timelines.
    pub timelines: BTreeSet<String>,
    /// Number of entities of the layout.
    pub n_layout: usize,
    /// Number of bytes before the index at the end of the file.
    pub n_message_bytes: usize,
}

impl Contents {
    /// Number of rows with a time that an entity has.
    pub fn rows(&self, path: &str) -> usize {
        self.entities.get(path).copied().unwrap_or(0)
    }

    /// Number of static rows that an entity has.
    pub fn fixed(&self, path: &str) -> usize {
        self.fixtures.get(path).copied().unwrap_or(0)
    }
}

/// Reads a viewer file and counts its rows.
///
/// # Errors
///
/// [`RrdError`] if it cannot be read or is not a viewer file.
pub fn contents(path: &Path) -> Result<Contents, RrdError> {
    let file = File::open(path).map_err(RrdError::read(path))?;
    let mut found = Contents::default();
    let mut messages = DecoderApp::decode_lazy(BufReader::new(file));
    while let Some(message) = messages.next() {
        found.n_message_bytes = messages.num_bytes_processed() as usize;
        let message = message.map_err(RrdError::read(path))?;
        let LogMsg::ArrowMsg(store, message) = message else {
            continue;
        };
        let chunk = Chunk::from_arrow_msg(&message);
        let chunk = chunk.map_err(RrdError::read(path))?;
        if store.kind() == StoreKind::Blueprint {
            found.n_layout += 1;
            continue;
        }
        let entity = chunk.entity_path().to_string();
        let rows = match chunk.is_static() {
            true => &mut found.fixtures,
            false => &mut found.entities,
        };
        *rows.entry(entity).or_default() += chunk.num_rows();
        let timelines = chunk.timelines().keys().map(ToString::to_string);
        found.timelines.extend(timelines);
    }
    Ok(found)
}
