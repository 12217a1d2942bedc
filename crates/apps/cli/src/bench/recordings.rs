//! Recordings of episodes.

use std::fs;
use std::path::PathBuf;

use regrasp::bench::{BenchError, BenchFolder, InfrastructureFailure, Key};
use regrasp::record::EpisodeInfo;
use regrasp::scene::TaskInstance;
use regrasp::{EpisodeOptions, LoadedRobot};
use regrasp_export::RecordOptions;
use regrasp_record::Recorder;

use super::arguments::{BenchRunArguments, RecordArgument};
use crate::{CliError, Result, complain};

pub(super) struct Recordings<'a> {
    folder: Option<&'a BenchFolder>,
    which: RecordArgument,
    options: RecordOptions,
    planner: String,
}

impl<'a> Recordings<'a> {
    pub(super) fn new(
        folder: Option<&'a BenchFolder>,
        arguments: &BenchRunArguments,
        planner: String,
    ) -> Result<Self> {
        let which = arguments.record;
        let folder = folder.filter(|_| which != RecordArgument::None);
        if which != RecordArgument::None {
            let dir = folder.ok_or_else(|| {
                CliError::usage("use --record: there is no folder for recordings; add --out")
            })?;
            let dir = dir.recordings();
            fs::create_dir_all(&dir).map_err(BenchError::writing(&dir))?;
        }
        Ok(Self {
            folder,
            which,
            options: arguments.recording.options(),
            planner,
        })
    }

    pub(super) fn begin(
        &self,
        loaded: &LoadedRobot,
        instance: &TaskInstance,
        options: &mut EpisodeOptions,
    ) -> Result<Option<Recorder>, InfrastructureFailure> {
        let Some(path) = self.written(instance) else {
            return Ok(None);
        };
        let info = EpisodeInfo {
            task: instance.prompt.clone(),
            scene: Some(instance.name.clone()),
            seed: instance.seed,
            planner: self.planner.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            ..EpisodeInfo::default()
        };
        let record = &self.options;
        let begun = record.begin(&path, loaded, &instance.scene, info, options);
        begun
            .map(Some)
            .map_err(|error| InfrastructureFailure::new("recording", error.to_string()))
    }

    /// Keeps or deletes the recording of a judged episode. Returns the path of a kept one.
    pub(super) fn settle(&self, instance: &TaskInstance, is_success: bool) -> Option<PathBuf> {
        let written = self.written(instance)?;
        let kept = self.folder?.recording(&key(instance));
        let settled = match self.which {
            RecordArgument::Failures if is_success => fs::remove_file(&written),
            _ if written == kept => Ok(()),
            _ => fs::rename(&written, &kept),
        };
        if let Err(error) = settled {
            complain(&format!(
                "failed to keep or delete the recording of {}: {error}",
                key(instance)
            ));
            return None;
        }
        kept.is_file().then_some(kept)
    }

    /// Path at which an episode is recorded. If only failures are kept, it ends in `.part` until
    /// the recording is kept.
    fn written(&self, instance: &TaskInstance) -> Option<PathBuf> {
        let kept = self.folder?.recording(&key(instance));
        Some(match self.which {
            RecordArgument::Failures => kept.with_extension("mcap.part"),
            _ => kept,
        })
    }
}

pub(super) fn key(instance: &TaskInstance) -> Key {
    Key {
        group: instance.name.clone(),
        seed: instance.seed,
    }
}
