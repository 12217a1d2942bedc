//! Camera views of a simulated scene, rendered from the true state.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use regrasp_api::{CameraView, Cameras, ObjectId, Observation, PerceptionError, Pose, RgbdFrame};
use regrasp_ground_truth::{Frame, GroundTruth, GroundTruthObject, GroundTruthSource, LinkPose};
use regrasp_record::{BodySurface, Geometry, RecordedBody};
use regrasp_render::{Detail, MeasuringRenderer, RobotLooks, SoftwareRenderer, Stage};
use regrasp_scene::{Scene, SceneCamera};

use crate::drawn::{Drawn, Painter, unknown};
use crate::{LoadedRobot, NoSuchCamera, SetupError};

/// Gap between the floor and the objects on it, m, so that their surfaces do not coincide.
const FLOOR_GAP_M: f64 = 5e-4;
/// Maximum distance between a surface and its recorded triangles, m.
const RECORDED_ERROR_M: f32 = 1e-3;

/// Visual geometry of a scene and a robot, and the scene's cameras.
#[derive(Clone, Debug)]
pub struct SceneView {
    robot: Arc<RobotLooks>,
    objects: BTreeMap<ObjectId, Vec<Drawn>>,
    scenery: Vec<Drawn>,
    cameras: Vec<SceneCamera>,
    world_from_base: Pose,
    floor_z: f64,
}

impl SceneView {
    /// Creates the view of a scene and a robot.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the robot file or a camera names a link or joint that the URDF lacks.
    pub fn new(loaded: &LoadedRobot, scene: &Scene) -> Result<Self, SetupError> {
        let file = loaded.file();
        let cameras = scene.all_cameras(file);
        let robot = loaded.looks()?;
        let mut links = cameras
            .iter()
            .filter_map(|c| Some((&c.name, c.link.as_ref()?)));
        if let Some((name, link)) = links.find(|(_, link)| robot.link_idx(link).is_none()) {
            let (user, link) = (format!("camera `{name}`"), link.clone());
            return Err(SetupError::NoSuchLink { user, link });
        }
        let mut painter = Painter::default();
        let objects = scene.objects.iter();
        let objects = objects.map(|object| (object.id.clone(), painter.object(object)));
        let objects = objects.collect();
        let scenery = scene.scenery.iter().map(|visual| painter.backdrop(visual));
        let scenery: Vec<Drawn> = scenery.collect();
        let bottoms = scene.objects.iter().filter(|o| !o.is_movable());
        let bottoms = bottoms.map(|o| o.shape.aabb(&o.world_from_object).min[2]);
        let bottoms = bottoms.chain(scenery.iter().map(Drawn::bottom_z));
        let base_z = scene.world_from_base.translation.z;
        let floor_z = bottoms.fold(base_z, f64::min) - FLOOR_GAP_M;
        Ok(Self {
            robot: Arc::new(robot),
            objects,
            scenery,
            cameras,
            world_from_base: scene.world_from_base,
            floor_z,
        })
    }

    /// Names of all cameras.
    pub fn camera_names(&self) -> Vec<String> {
        self.cameras.iter().map(|c| c.name.clone()).collect()
    }

    /// All visible surfaces in this state.
    pub fn stage(&self, truth: &GroundTruth) -> Stage {
        let objects = truth.objects.iter();
        let objects = objects.map(|it| (&it.id, &it.world_from_object, Some(it)));
        self.staged(objects, &truth.joint_positions, truth.gripper_width_m)
    }

    /// All visible surfaces in a frame of a recording or a live view. Unlike in
    /// [`SceneView::stage`], objects that are not in the scene file are left out.
    pub fn stage_from_frame(&self, frame: &Frame) -> Stage {
        let objects = frame.objects.iter();
        let objects = objects.map(|it| (&it.id, &it.world_from_object, None));
        self.staged(objects, &frame.joints.position, frame.gripper.width_m)
    }

    /// Stage with objects at their poses. An object that was added later, and is not in the scene
    /// file, is drawn from the true state.
    fn staged<'a>(
        &self,
        objects: impl Iterator<Item = (&'a ObjectId, &'a Pose, Option<&'a GroundTruthObject>)>,
        joint_positions: &[f64],
        gripper_width_m: f64,
    ) -> Stage {
        let mut stage = Stage {
            floor_z: Some(self.floor_z),
            ..Stage::default()
        };
        self.add_scenery(&mut stage);
        for (id, world_from_object, truth) in objects {
            let added;
            let drawn = match (self.objects.get(id), truth) {
                (Some(drawn), _) => drawn.as_slice(),
                (None, Some(object)) => {
                    added = [unknown(object)];
                    &added
                }
                (None, None) => continue,
            };
            let instance = stage.instance(id.as_str());
            for part in drawn {
                part.add_to(&mut stage, instance, world_from_object);
            }
        }
        let links = self.world_from_links(joint_positions, gripper_width_m);
        self.robot.add_to(&mut stage, &links);
        stage
    }

    /// [`SceneView::view`] for the robot's state in a frame.
    ///
    /// # Errors
    ///
    /// [`NoSuchCamera`], with the names of all cameras.
    pub fn view_from_frame(&self, name: &str, frame: &Frame) -> Result<CameraView, NoSuchCamera> {
        self.view(name, &frame.joints.position, frame.gripper.width_m)
    }

    /// All cameras at their poses for this state of the robot.
    pub fn views(&self, joint_positions: &[f64], gripper_width_m: f64) -> Vec<CameraView> {
        let links = self.world_from_links(joint_positions, gripper_width_m);
        let view = |camera: &SceneCamera| {
            let link = camera.link.as_ref().and_then(|l| self.robot.link_idx(l));
            let world_from_parent = link.map_or_else(Pose::identity, |idx| links[idx]);
            CameraView {
                name: camera.name.clone(),
                intrinsics: camera.intrinsics,
                world_from_camera: world_from_parent * camera.parent_from_camera,
            }
        };
        self.cameras.iter().map(view).collect()
    }

    /// One camera at its pose for this state of the robot.
    ///
    /// # Errors
    ///
    /// [`NoSuchCamera`], with the names of all cameras.
    pub fn view(
        &self,
        name: &str,
        joint_positions: &[f64],
        gripper_width_m: f64,
    ) -> Result<CameraView, NoSuchCamera> {
        let views = self.views(joint_positions, gripper_width_m);
        let found = views.into_iter().find(|view| view.name == name);
        found.ok_or_else(|| NoSuchCamera {
            name: name.to_owned(),
            known: self.camera_names(),
        })
    }

    /// Checks that there are cameras of these names.
    ///
    /// # Errors
    ///
    /// [`NoSuchCamera`], with the names of all cameras.
    pub fn check_camera_names(&self, names: &[String]) -> Result<(), NoSuchCamera> {
        let known = self.camera_names();
        match names.iter().find(|name| !known.contains(name)) {
            Some(name) => Err(NoSuchCamera {
                name: name.clone(),
                known,
            }),
            None => Ok(()),
        }
    }

    fn world_from_links(&self, joint_positions: &[f64], gripper_width_m: f64) -> Vec<Pose> {
        self.robot
            .world_from_links(&self.world_from_base, joint_positions, gripper_width_m)
    }

    fn add_scenery(&self, stage: &mut Stage) {
        const BACKGROUND: u16 = 0;
        let here = Pose::identity();
        self.scenery
            .iter()
            .for_each(|d| d.add_to(stage, BACKGROUND, &here));
    }
}

impl Geometry for SceneView {
    fn joint_names(&self) -> Vec<String> {
        self.robot.joint_names()
    }

    fn surfaces(&self) -> Vec<BodySurface> {
        let here = Pose::identity();
        let [mut scenery, mut objects, mut robot] = [(); 3].map(|()| Stage::default());
        self.add_scenery(&mut scenery);
        for (id, drawn) in &self.objects {
            let instance = objects.instance(id.as_str());
            let drawn = drawn.iter();
            drawn.for_each(|d| d.add_to(&mut objects, instance, &here));
        }
        self.robot
            .add_to(&mut robot, &vec![here; self.robot.links().len()]);
        let scenery = surfaces(&scenery, |_| RecordedBody::Scenery);
        let objects = surfaces(&objects, |name| RecordedBody::Object(name.into()));
        let robot = surfaces(&robot, |name| RecordedBody::Link(name.to_owned()));
        scenery.chain(objects).chain(robot).collect()
    }

    fn links(&self, frame: &Frame) -> Vec<LinkPose> {
        let poses = self.world_from_links(&frame.joints.position, frame.gripper.width_m);
        let names: Vec<_> = self.robot.links().collect();
        let links = names.iter().zip(&poses);
        let links = links.map(|((name, parent), world_from_link)| LinkPose {
            name: (*name).to_owned(),
            parent: parent.map(|idx| names[idx].0.to_owned()),
            parent_from_link: match parent {
                Some(idx) => poses[*idx].inv_mul(world_from_link),
                None => *world_from_link,
            },
        });
        links.collect()
    }
}

/// Surfaces of a stage on which the frames of all owners coincide with World.
fn surfaces(
    stage: &Stage,
    owner: impl Fn(&str) -> RecordedBody,
) -> impl Iterator<Item = BodySurface> {
    stage.bodies.iter().map(move |body| {
        let surface = body.mesh.level(RECORDED_ERROR_M);
        BodySurface {
            body: owner(stage.name_of(body.instance).unwrap_or_default()),
            body_from_surface: body.world_from_body,
            positions: surface.positions.clone(),
            triangles: surface.triangles.clone(),
            rgb: body.look.rgb,
        }
    })
}

/// Cameras of a simulated scene. They render the true state and return pixels only.
pub struct SimCameras {
    view: SceneView,
    truth: Arc<dyn GroundTruthSource>,
    renderer: SoftwareRenderer,
    measuring: MeasuringRenderer,
    /// Names of the cameras; all of the scene if `None`.
    only: Option<Vec<String>>,
}

impl SimCameras {
    /// Creates cameras that see `truth`.
    pub fn new(view: SceneView, truth: Arc<dyn GroundTruthSource>) -> Self {
        Self {
            view,
            truth,
            renderer: SoftwareRenderer::default(),
            measuring: MeasuringRenderer::default(),
            only: None,
        }
    }

    /// Selects some of the cameras, in this order.
    ///
    /// # Errors
    ///
    /// [`NoSuchCamera`], with the names of all cameras.
    pub fn only(mut self, names: &[String]) -> Result<Self, NoSuchCamera> {
        self.view.check_camera_names(names)?;
        self.only = Some(names.to_vec());
        Ok(self)
    }

    /// Renders colours in the quality meant for people; depth stays the same.
    pub fn fine(mut self) -> Self {
        self.renderer = SoftwareRenderer::new(Detail::Fine);
        self
    }

    /// The selected cameras at their poses for this state of the robot.
    fn views(&self, observation: &Observation) -> Vec<CameraView> {
        let all = self
            .view
            .views(&observation.joint_positions, observation.gripper.width_m);
        let names = self.names();
        let views = names
            .iter()
            .filter_map(|n| all.iter().find(|v| &v.name == n));
        views.cloned().collect()
    }
}

impl Cameras for SimCameras {
    fn names(&self) -> Vec<String> {
        self.only
            .clone()
            .unwrap_or_else(|| self.view.camera_names())
    }

    fn look(&mut self, observation: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
        let stage = self.view.stage(&self.truth.truth());
        let pictures = self.renderer.render(&stage, &self.views(observation));
        Ok(pictures.into_iter().map(|p| p.into_frame()).collect())
    }

    fn measure(&mut self, observation: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
        let stage = self.view.stage(&self.truth.truth());
        let views = self.views(observation);
        let depths = self.measuring.measure(stage, &views);
        let frame = |(view, depth_m): (CameraView, Vec<f32>)| RgbdFrame {
            rgb: vec![0; 3 * depth_m.len()],
            view,
            depth_m,
        };
        Ok(views.into_iter().zip(depths).map(frame).collect())
    }

    fn colour(&mut self, picture_idx: usize, pixels: &[Range<usize>], rgb: &mut [u8]) {
        self.measuring.colour(picture_idx, pixels, rgb);
    }
}
