//! Pictures of failed episodes.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use regrasp::bench::{BenchError, BenchFolder};
use regrasp::ground_truth::GroundTruth;
use regrasp::render::{Detail, SoftwareRenderer, png_bytes};
use regrasp::scene::TaskInstance;
use regrasp::{LoadedRobot, SceneView};
use regrasp_export::{StripOptions, film_strip};
use regrasp_record::Recording;

use super::recordings::key;
use crate::{Result, complain};

const CAMERA: &str = "scene";
const SIZE: [u32; 2] = [480, 360];

/// Draws failed episodes, up to a maximum number of pictures.
pub(super) struct Pictures<'a> {
    folder: Option<&'a BenchFolder>,
    /// Number of pictures that may still be drawn. Locked while a picture is drawn, because the
    /// images and meshes of a drawn scene need many times the memory of an episode.
    left: Mutex<usize>,
}

impl<'a> Pictures<'a> {
    /// Permits `max` pictures, including existing ones.
    pub(super) fn new(folder: Option<&'a BenchFolder>, max: usize) -> Result<Self> {
        let mut n_there = 0;
        if let Some(folder) = folder.filter(|_| max > 0) {
            let dir = folder.pictures();
            let failed = BenchError::writing(&dir);
            fs::create_dir_all(&dir).map_err(&failed)?;
            n_there = fs::read_dir(&dir).map_err(failed)?.count();
        }
        Ok(Self {
            folder,
            left: Mutex::new(max.saturating_sub(n_there)),
        })
    }

    /// Draws a failed episode: its key moments if it was recorded, else its final state. A failure
    /// to draw does not change the episode's result.
    pub(super) fn keep(
        &self,
        loaded: &LoadedRobot,
        instance: &TaskInstance,
        last: &GroundTruth,
        recording: Option<&Path>,
    ) {
        let Some(folder) = self.folder else { return };
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(fewer) = left.checked_sub(1) else {
            return;
        };
        *left = fewer;
        let key = key(instance);
        if let Some(recording) = recording {
            if let Err(error) = draw_strip(recording, &folder.picture(&key)) {
                complain(&format!("no film strip of {key}: failed to {error}"));
            }
            return;
        }
        let Ok(view) = SceneView::new(loaded, &instance.scene) else {
            return;
        };
        let camera = view.view(CAMERA, &last.joint_positions, last.gripper_width_m);
        let Ok(mut camera) = camera else { return };
        camera.intrinsics = camera.intrinsics.resized(SIZE[0], SIZE[1]);
        let stage = view.stage(last);
        for picture in SoftwareRenderer::new(Detail::Fine).render(&stage, &[camera]) {
            if let Err(error) = picture.write_png(&folder.picture(&key)) {
                complain(&format!("no picture of {key}: failed to {error}"));
            }
        }
    }
}

fn draw_strip(recording: &Path, path: &Path) -> Result<()> {
    let options = StripOptions {
        size: [320, 240],
        columns: 3,
        max_moments: 9,
        detail: Detail::Plain,
        ..StripOptions::default()
    };
    let strip = film_strip(&mut Recording::open(recording)?, &options)?;
    let png = png_bytes(strip.width, strip.height, &strip.rgb)?;
    Ok(fs::write(path, png).map_err(BenchError::writing(path))?)
}

/// Copies the pictures of shards into the merged folder.
pub(super) fn gather(shards: &[BenchFolder], merged: &BenchFolder) -> Result<()> {
    let target = merged.pictures();
    fs::create_dir_all(&target).map_err(BenchError::writing(&target))?;
    for shard in shards {
        // A shard without failures has no pictures.
        let Ok(pictures) = fs::read_dir(shard.pictures()) else {
            continue;
        };
        for picture in pictures.flatten() {
            let copy = target.join(picture.file_name());
            fs::copy(picture.path(), &copy).map_err(BenchError::writing(&copy))?;
        }
    }
    Ok(())
}
