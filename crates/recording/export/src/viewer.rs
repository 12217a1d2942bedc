//! Export of recorded runs for the Rerun viewer.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use regrasp_api::{ObjectId, Pose};
use regrasp_ground_truth::Frame;
use regrasp_record::{EpisodeInfo, Item, RecordError, Recording};
use regrasp_render::{Body, Stage};
use regrasp_rerun::{
    Clock, EntityPath, Eye, Fixture, Logbook, RrdError, RrdFile, Surface, Written, layout,
    signal_fixtures,
};
use serde::Serialize;

use crate::{ExportError, RecordedScene};

/// Statistics of an export.
#[derive(Clone, Debug, Serialize)]
pub struct Exported {
    /// Number of frames.
    pub frames: u64,
    /// Number of events.
    pub events: u64,
    /// Number of camera pictures.
    pub pictures: u64,
    /// Simulated time of the last item, s. In later runs of a session, it exceeds the run's
    /// duration, because the clock does not restart.
    pub duration_s: f64,
    /// Number of chunks in the file.
    pub chunks: u64,
    /// Number of rows over all entities.
    pub rows: u64,
    /// Size of the file, bytes.
    pub bytes: u64,
    /// Real time of the export, s.
    pub wall_s: f64,
}

/// Name of the camera beside which the initial viewpoint of the 3D view is placed.
const FIRST_CAMERA: &str = "scene";

/// Writes a recording, complete or truncated, as a viewer file.
///
/// # Errors
///
/// [`ExportError`] if the recording cannot be read or drawn, the file cannot be written, or
/// `is_wanted` returns false. The unfinished file is then removed.
pub fn export_rrd(
    recording: &mut Recording,
    path: &Path,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Exported, ExportError> {
    let began = Instant::now();
    let scene = RecordedScene::of(recording)?;
    let cameras = recording.cameras();
    let first = recording.frames().next().transpose()?.unwrap_or_default();
    let view = &scene.view;
    let views = view.views(&first.joints.position, first.gripper.width_m);
    let eye = views.iter().find(|view| view.name == FIRST_CAMERA);
    let panes = layout(&cameras, eye.map(Eye::beside));
    let info = &recording.info().episode;
    let (id, title) = (id(info, recording.end_secs()), title(info));
    let mut file = RrdFile::create(path, &id, &title, &panes)?;
    for (place, fixture) in signal_fixtures(&scene.loaded.file().arm_joints) {
        file.fixture(&place, &fixture)?;
    }
    file.fixture(&EntityPath::contacts(), &Fixture::NoLabels)?;
    for view in views.iter().filter(|view| cameras.contains(&view.name)) {
        let fixture = Fixture::Camera(view.intrinsics);
        file.fixture(&EntityPath::camera(&view.name), &fixture)?;
    }
    let clock = clock(recording)?;
    let mut export = Export {
        scene,
        cameras,
        file,
        book: Logbook::new(clock),
        shown: BTreeSet::new(),
        has_robot: false,
    };
    let (mut frames, mut events, mut pictures, mut duration_s) = (0, 0, 0, 0.0_f64);
    for item in recording.items() {
        if !is_wanted() {
            return Err(ExportError::Unwanted {
                what: "the Rerun file",
            });
        }
        let item = item?;
        duration_s = duration_s.max(item.time_secs());
        match item {
            Item::Frame(frame) => {
                frames += 1;
                export.frame(&frame)?;
            }
            Item::Event(event) => {
                events += 1;
                export.book.event(&event);
            }
            Item::Picture(picture) => {
                pictures += 1;
                let book = &mut export.book;
                book.picture(&picture.camera, picture.time_secs, picture.png);
            }
        }
        if export.book.is_full() {
            export.write()?;
        }
    }
    let written = export.finish()?;
    Ok(Exported {
        frames,
        events,
        pictures,
        duration_s,
        chunks: written.chunks,
        rows: written.rows,
        bytes: written.bytes,
        wall_s: began.elapsed().as_secs_f64(),
    })
}

/// Unique id of a run. Every export of the same run has the same id.
fn id(info: &EpisodeInfo, end_secs: f64) -> String {
    let name = info.scene.as_deref().unwrap_or("run");
    let (task, seed, planner) = (&info.task, info.seed, &info.planner);
    format!("{name}-seed{seed}-{planner}-{task}-{end_secs:.3}s")
}

fn title(info: &EpisodeInfo) -> String {
    let of = info.scene.as_ref().map(|scene| format!(" in {scene}"));
    let (task, of) = (&info.task, of.unwrap_or_default());
    format!("{task}{of}, seed {}", info.seed)
}

/// Clock of a recording. The step length is constant, so that one frame after step 0 gives it.
fn clock(recording: &mut Recording) -> Result<Clock, RecordError> {
    for frame in recording.frames() {
        let frame = frame?;
        if frame.step > 0 {
            return Ok(Clock::from_instant(frame.time_secs, frame.step));
        }
    }
    Ok(Clock::default())
}

struct Export {
    scene: RecordedScene,
    cameras: Vec<String>,
    file: RrdFile,
    book: Logbook,
    shown: BTreeSet<ObjectId>,
    has_robot: bool,
}

impl Export {
    fn frame(&mut self, frame: &Frame) -> Result<(), RrdError> {
        let bare = Frame {
            joints: frame.joints.clone(),
            gripper: frame.gripper.clone(),
            ..Frame::default()
        };
        let robot = self.scene.view.stage_from_frame(&bare);
        if !self.has_robot {
            self.has_robot = true;
            self.robot_surfaces(&robot)?;
        }
        if frame.objects.iter().any(|o| !self.shown.contains(&o.id)) {
            self.object_surfaces(frame, robot.bodies.len())?;
        }
        let links =
            links(&robot).map(|(name, body)| (EntityPath::link(name), body.world_from_body));
        let position = &frame.joints.position;
        let views = self.scene.view.views(position, frame.gripper.width_m);
        let views = views
            .into_iter()
            .filter(|view| self.cameras.contains(&view.name));
        let views = views.map(|view| (EntityPath::camera(&view.name), view.world_from_camera));
        let bodies: Vec<(EntityPath, Pose)> = links.chain(views).collect();
        self.book.frame(frame, bodies);
        Ok(())
    }

    /// Writes the meshes of each link as numbered entities below the link.
    fn robot_surfaces(&mut self, robot: &Stage) -> Result<(), RrdError> {
        let mut n_parts = 0;
        let mut last = None;
        for body in &robot.bodies {
            let Some(name) = robot.name_of(body.instance) else {
                continue;
            };
            n_parts = if last == Some(name) { n_parts + 1 } else { 0 };
            last = Some(name);
            let place = EntityPath::link(name).child(n_parts.to_string());
            self.file.fixture(&place, &Fixture::Mesh(surface(body)))?;
        }
        Ok(())
    }

    /// Writes the meshes of objects that no earlier frame had. A stage lists the objects before the
    /// `n_robot` bodies of the robot.
    fn object_surfaces(&mut self, frame: &Frame, n_robot: usize) -> Result<(), RrdError> {
        let stage = self.scene.view.stage_from_frame(frame);
        let n_objects = stage.bodies.len().saturating_sub(n_robot);
        for body in stage.bodies.iter().take(n_objects) {
            let Some(name) = stage.name_of(body.instance) else {
                continue;
            };
            if !self.shown.contains(&ObjectId::new(name)) {
                let mesh = Fixture::Mesh(surface(body));
                self.file.fixture(&EntityPath::object(name), &mesh)?;
            }
        }
        // Objects without a mesh are included, so that they are not looked up again.
        let seen = frame.objects.iter().map(|object| object.id.clone());
        self.shown.extend(seen);
        Ok(())
    }

    fn write(&mut self) -> Result<(), RrdError> {
        for column in self.book.take() {
            self.file.column(&column)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Written, RrdError> {
        self.write()?;
        self.file.finish()
    }
}

/// Visible links, once each. The bodies of a link are consecutive.
fn links(robot: &Stage) -> impl Iterator<Item = (&str, &Body)> {
    let mut last = None;
    robot.bodies.iter().filter_map(move |body| {
        let is_new = last.replace(body.instance) != Some(body.instance);
        let name = robot.name_of(body.instance).filter(|_| is_new)?;
        Some((name, body))
    })
}

fn surface(body: &Body) -> Surface {
    let drawn = body.mesh.surface();
    Surface {
        positions: drawn.positions.clone(),
        normals: drawn.normals.clone(),
        triangles: drawn.triangles.clone(),
        rgb: body
            .look
            .rgb
            .map(|v| (255.0 * v.clamp(0.0, 1.0)).round() as u8),
    }
}
