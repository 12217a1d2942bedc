//! Writes a viewer file chunk by chunk.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use rerun::external::re_build_info::CrateVersion;
use rerun::external::re_log_encoding::{Encoder, EncodingOptions};
use rerun::external::re_log_types::{
    BlueprintActivationCommand, SetStoreInfo, StoreInfo, StoreSource,
};
use rerun::log::{Chunk, ChunkId, LogMsg};
use rerun::{
    RecordingInfo, SerializedComponentColumn, StoreId, StoreKind, TimeColumn, ViewCoordinates,
};

use crate::columns::entity_path;
use crate::error::ColumnError;
use crate::{Column, EntityPath, Fixture, Pane, RrdError, blueprint, columns};

/// Application id under which the viewer stores layouts.
const APPLICATION: &str = "regrasp";
const LAYOUT: &str = "regrasp-layout";

/// Writes one run to a viewer file.
pub struct RrdFile {
    path: PathBuf,
    part: PathBuf,
    /// Encoder; `None` once the file is finished.
    encoder: Option<Encoder<BufWriter<File>>>,
    store: StoreId,
    written: Written,
}

/// Size of a written file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Number of chunks.
    pub chunks: u64,
    /// Number of rows over all entities.
    pub rows: u64,
    /// Size, bytes.
    pub bytes: u64,
}

impl RrdFile {
    /// Creates a file. The viewer treats files with the same `id` as parts of one run.
    ///
    /// # Errors
    ///
    /// [`RrdError`] if the name does not end in `.rrd`, the file exists, or it cannot be created.
    pub fn create(path: &Path, id: &str, title: &str, layout: &Pane) -> Result<Self, RrdError> {
        let is_rrd = path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("rrd"));
        let name = path.file_name().filter(|_| is_rrd);
        let name = name.map(ToOwned::to_owned);
        let mut name = name.ok_or_else(|| {
            let why = "the name must end in .rrd, because the viewer opens no other files";
            RrdError::write(path)(why)
        })?;
        if path.exists() {
            let why = "a file of that name exists; remove it, or choose another name";
            return Err(RrdError::write(path)(why));
        }
        name.push(".part");
        let part = path.with_file_name(name);
        let file = File::create(&part).map_err(RrdError::write(path))?;
        let options = EncodingOptions::PROTOBUF_COMPRESSED;
        let encoder = Encoder::new_eager(CrateVersion::LOCAL, options, BufWriter::new(file));
        let mut file = Self {
            encoder: Some(encoder.map_err(RrdError::encoder(path))?),
            path: path.to_owned(),
            part,
            store: StoreId::new(StoreKind::Recording, APPLICATION, id),
            written: Written::default(),
        };
        file.begin(file.store.clone())?;
        file.layout(layout)?;
        let info = RecordingInfo::new().with_name(title);
        file.once(rerun::EntityPath::properties(), columns::one_row(&info))?;
        let axes = columns::one_row(&ViewCoordinates::FLU());
        file.once(entity_path(&EntityPath::world()), axes)?;
        Ok(file)
    }

    /// Writes a static value.
    ///
    /// # Errors
    ///
    /// [`RrdError`] if it cannot be encoded or written.
    pub fn fixture(&mut self, path: &EntityPath, fixture: &Fixture) -> Result<(), RrdError> {
        self.once(entity_path(path), columns::of_fixture(fixture))
    }

    /// Writes rows of one entity.
    ///
    /// # Errors
    ///
    /// [`RrdError`] if they cannot be encoded or written.
    pub fn column(&mut self, column: &Column) -> Result<(), RrdError> {
        let path = entity_path(&column.path);
        let times = columns::times(&column.stamps);
        let store = self.store.clone();
        self.chunk(&store, path, times, columns::of_rows(&column.rows))
    }

    /// Writes the index and renames the file to its final name.
    ///
    /// # Errors
    ///
    /// [`RrdError`] if it cannot be written.
    pub fn finish(mut self) -> Result<Written, RrdError> {
        if let Some(mut encoder) = self.encoder.take() {
            let failed = RrdError::encoder(&self.path);
            encoder.finish().map_err(&failed)?;
            let file = encoder.into_inner().map_err(&failed)?.into_inner();
            let failed = RrdError::write(&self.path);
            let file = file.map_err(|error| failed(error.into_error()))?;
            file.sync_all().map_err(&failed)?;
            self.written.bytes = file.metadata().map_err(&failed)?.len();
        }
        fs::rename(&self.part, &self.path).map_err(RrdError::write(&self.path))?;
        Ok(self.written)
    }

    fn begin(&mut self, store: StoreId) -> Result<(), RrdError> {
        let source = StoreSource::Other(concat!("regrasp ", env!("CARGO_PKG_VERSION")).into());
        let message = LogMsg::SetStoreInfo(SetStoreInfo {
            row_id: *self.next_id(),
            info: StoreInfo::new(store, source),
        });
        self.message(&message)
    }

    fn layout(&mut self, layout: &Pane) -> Result<(), RrdError> {
        let store = StoreId::new(StoreKind::Blueprint, APPLICATION, LAYOUT);
        self.begin(store.clone())?;
        let paths = blueprint::entities(layout);
        let paths = paths.map_err(|error| self.unencoded("the layout", &error))?;
        for (path, columns) in paths {
            let time = TimeColumn::new_sequence(blueprint::TIMELINE, [0_i64]);
            self.chunk(&store, path, [time], Ok(columns))?;
        }
        self.message(&LogMsg::BlueprintActivationCommand(
            BlueprintActivationCommand {
                blueprint_id: store,
                make_active: true,
                make_default: true,
            },
        ))
    }

    fn once(
        &mut self,
        path: rerun::EntityPath,
        columns: rerun::SerializationResult<Vec<SerializedComponentColumn>>,
    ) -> Result<(), RrdError> {
        let store = self.store.clone();
        self.chunk(&store, path, [], columns)
    }

    fn chunk(
        &mut self,
        store: &StoreId,
        path: rerun::EntityPath,
        times: impl IntoIterator<Item = TimeColumn>,
        columns: rerun::SerializationResult<Vec<SerializedComponentColumn>>,
    ) -> Result<(), RrdError> {
        let what = path.to_string();
        let id = self.next_id();
        let chunk = || -> Result<_, ColumnError> {
            let times = times.into_iter();
            let times = times.map(|time| (*time.timeline().name(), time)).collect();
            let components = columns?.into_iter().collect();
            let chunk = Chunk::from_auto_row_ids(id, path, times, components)?;
            let n_rows = chunk.num_rows();
            Ok((
                n_rows,
                LogMsg::ArrowMsg(store.clone(), chunk.to_arrow_msg()?),
            ))
        };
        let (n_rows, message) = chunk().map_err(|error| self.unencoded(&what, &error))?;
        self.written.chunks += 1;
        self.written.rows += n_rows as u64;
        self.message(&message)
    }

    fn message(&mut self, message: &LogMsg) -> Result<(), RrdError> {
        let Some(encoder) = &mut self.encoder else {
            return Ok(());
        };
        let appended = encoder.append(message).map(drop);
        appended.map_err(RrdError::encoder(&self.path))
    }

    /// Returns the id of the next chunk, in ascending order; the ids of its rows follow it. Among
    /// rows with equal times, the viewer shows the one with the highest id, which must be the last
    /// one written.
    fn next_id(&self) -> ChunkId {
        let n = u128::from(self.written.chunks) + 1;
        ChunkId::from_u128(n << 64)
    }

    fn unencoded(&self, what: &str, why: &dyn std::fmt::Display) -> RrdError {
        RrdError::write(&self.path)(format!("encode {what}: {why}"))
    }
}

impl Drop for RrdFile {
    fn drop(&mut self) {
        self.encoder = None;
        // After `finish`, the file has its final name, and there is nothing to remove. If the
        // removal fails, only an unfinished file remains.
        let _ = fs::remove_file(&self.part);
    }
}

#[cfg(test)]
mod tests {
    use regrasp_api::Pose;
    use tempfile::TempDir;

    use super::*;
    use crate::{Clock, Row, Stamp, contents, layout};

    fn write(path: &Path) -> Result<Written, RrdError> {
        let panes = layout(&["wrist".into()], None);
        let mut file = RrdFile::create(path, "run", "a run", &panes)?;
        file.fixture(&EntityPath::link("a/b c"), &Fixture::Pose(Pose::identity()))?;
        let stamps: Vec<Stamp> = (0..3).map(|k| Clock::default().at(f64::from(k))).collect();
        file.column(&Column {
            path: EntityPath::object("cube"),
            stamps,
            rows: vec![Row::Pose(Pose::identity()); 3],
        })?;
        file.finish()
    }

    #[test]
    fn what_is_written_is_read_back_and_the_file_appears_when_it_is_whole() {
        let dir = TempDir::new().expect("a folder");
        let path = dir.path().join("it.rrd");
        let panes = layout(&[], None);
        let dropped =
            RrdFile::create(&path, "run", "a run", &panes).expect("the file cannot be created");
        drop(dropped);
        let left = || fs::read_dir(dir.path()).expect("a folder").count();
        assert_eq!(left(), 0, "an unfinished file is removed");

        let written = write(&path).expect("the file cannot be written");
        assert_eq!(left(), 1);
        let found = contents(&path).expect("the file cannot be read");
        assert_eq!(found.rows("/world/objects/cube"), 3);
        assert_eq!(found.fixed(r"/world/robot/a\/b\ c"), 1);
        assert!(found.timelines.contains("sim_time") && found.timelines.contains("step"));
        assert!(found.n_layout > 10, "{found:?}");
        assert_eq!(
            written.bytes,
            fs::metadata(&path).expect("the file does not exist").len()
        );
    }

    #[test]
    fn the_same_gives_the_same_messages() {
        let dir = TempDir::new().expect("a folder");
        let messages = |name: &str| {
            let path = dir.path().join(name);
            write(&path).expect("the file cannot be written");
            let bytes = fs::read(&path).expect("the file does not exist");
            // The order of the index after the messages is undefined.
            let n = contents(&path)
                .expect("the file cannot be read")
                .n_message_bytes;
            bytes[..n].to_vec()
        };
        let first = messages("a.rrd");
        assert!(first.len() > 1000);
        assert!(
            first == messages("b.rrd"),
            "two files of the same run have different messages"
        );
    }

    #[test]
    fn other_names_and_files_that_are_there_are_refused() {
        let dir = TempDir::new().expect("a folder");
        let refused = |name: &str| {
            let error = write(&dir.path().join(name)).expect_err("the name was accepted");
            error.to_string()
        };
        assert!(refused("it.mp4").contains("must end in .rrd"));
        assert!(refused("no/it.rrd").contains("it.rrd`"));
        write(&dir.path().join("it.rrd")).expect("the file cannot be written");
        assert!(refused("it.rrd").contains("a file of that name exists"));
    }
}
