//! What cameras in a simulated scene show: the bridge from truth and robot to pictures.

use std::collections::BTreeMap;
use std::sync::Arc;

use regrasp_api::{CameraView, Cameras, ObjectId, Observation, PerceptionError, Pose, RgbdFrame};
use regrasp_ground_truth::{Frame, GroundTruth, GroundTruthSource};
use regrasp_render::{Detail, Renderer, RobotLooks, SoftwareRenderer, Stage};
use regrasp_scene::{Scene, SceneCamera};

use crate::drawn::{Drawn, Painter, shape_of, unknown};
use crate::{LoadedRobot, NoSuchCamera, SetupError};

/// The floor lies this far below whatever stands on it, m, so that both are not seen at
/// once.
const FLOOR_GAP_M: f64 = 5e-4;

/// A scene and a robot as they look, and the cameras that see them.
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
    /// Takes in what a scene and a robot look like.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the robot file names links that the URDF has not.
    pub fn new(loaded: &LoadedRobot, scene: &Scene) -> Result<Self, SetupError> {
        let file = loaded.file();
        let cameras = scene.all_cameras(file);
        let robot = loaded.looks()?;
        for link in cameras.iter().filter_map(|c| c.link.as_ref()) {
            if robot.link_idx(link).is_none() {
                return Err(SetupError::NoSuchLink { link: link.clone() });
            }
        }
        let mut painter = Painter::default();
        let objects = scene.objects.iter().map(|object| {
            let visuals = object.visuals.iter().map(|visual| painter.drawn(visual));
            let mut drawn: Vec<Drawn> = visuals.collect();
            if drawn.is_empty() {
                drawn.push(shape_of(object));
            }
            (object.id.clone(), drawn)
        });
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

    /// The names of all cameras.
    pub fn camera_names(&self) -> Vec<String> {
        self.cameras.iter().map(|c| c.name.clone()).collect()
    }

    /// Everything that can be seen.
    pub fn stage(&self, truth: &GroundTruth) -> Stage {
        let mut stage = Stage {
            floor_z: Some(self.floor_z),
            ..Stage::default()
        };
        self.add_scenery(&mut stage);
        for object in &truth.objects {
            let instance = stage.instance(object.id.as_str());
            let here = &object.world_from_object;
            match self.objects.get(&object.id) {
                Some(drawn) => drawn
                    .iter()
                    .for_each(|d| d.add_to(&mut stage, instance, here)),
                // What came into the world later is no part of the scene.
                None => unknown(object).add_to(&mut stage, instance, here),
            }
        }
        let links = self.world_from_links(&truth.joint_positions, truth.gripper_width_m);
        self.robot.add_to(&mut stage, &links);
        stage
    }

    /// Everything that can be seen in a frame of a recording or a live view, as
    /// [`SceneView::stage`] of that instant; objects that the scene does not know are left
    /// out.
    pub fn stage_from_frame(&self, frame: &Frame) -> Stage {
        let mut stage = Stage {
            floor_z: Some(self.floor_z),
            ..Stage::default()
        };
        self.add_scenery(&mut stage);
        for object in &frame.objects {
            let Some(drawn) = self.objects.get(&object.id) else {
                continue;
            };
            let instance = stage.instance(object.id.as_str());
            let here = &object.world_from_object;
            drawn
                .iter()
                .for_each(|d| d.add_to(&mut stage, instance, here));
        }
        let links = self.world_from_links(&frame.joints.position, frame.gripper.width_m);
        self.robot.add_to(&mut stage, &links);
        stage
    }

    /// One camera as [`SceneView::view`] has it, at the instant of a frame.
    ///
    /// # Errors
    ///
    /// [`NoSuchCamera`], with those that there are.
    pub fn view_from_frame(&self, name: &str, frame: &Frame) -> Result<CameraView, NoSuchCamera> {
        self.view(name, &frame.joints.position, frame.gripper.width_m)
    }

    /// Every camera where it is when the robot stands like this.
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

    /// One camera where it is when the robot stands like this.
    ///
    /// # Errors
    ///
    /// [`NoSuchCamera`], with those that there are.
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

    /// Makes sure that there are cameras of these names.
    ///
    /// # Errors
    ///
    /// [`NoSuchCamera`], with those that there are.
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

    /// What belongs to nothing is a part of the background.
    fn add_scenery(&self, stage: &mut Stage) {
        const BACKGROUND: u16 = 0;
        let here = Pose::identity();
        self.scenery
            .iter()
            .for_each(|d| d.add_to(stage, BACKGROUND, &here));
    }
}

/// The cameras of a simulated scene. They look at the truth, as cameras do, and give
/// pixels only.
pub struct SimCameras {
    view: SceneView,
    truth: Arc<dyn GroundTruthSource>,
    renderer: SoftwareRenderer,
    /// Their names; all cameras of the scene if `None`.
    only: Option<Vec<String>>,
}

impl SimCameras {
    /// Cameras that look at `truth`.
    pub fn new(view: SceneView, truth: Arc<dyn GroundTruthSource>) -> Self {
        Self {
            view,
            truth,
            renderer: SoftwareRenderer::default(),
            only: None,
        }
    }

    /// Only these of them, in this order.
    ///
    /// # Errors
    ///
    /// [`NoSuchCamera`], with those that there are.
    pub fn only(mut self, names: &[String]) -> Result<Self, NoSuchCamera> {
        let known = self.view.camera_names();
        if let Some(name) = names.iter().find(|name| !known.contains(name)) {
            let name = name.clone();
            return Err(NoSuchCamera { name, known });
        }
        self.only = Some(names.to_vec());
        Ok(self)
    }

    /// With as much work in their pictures as for people; depth stays as it is.
    pub fn fine(mut self) -> Self {
        self.renderer = SoftwareRenderer::new(Detail::Fine);
        self
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
        let all = self
            .view
            .views(&observation.joint_positions, observation.gripper.width_m);
        let names = self.names();
        let views = names
            .iter()
            .filter_map(|n| all.iter().find(|v| &v.name == n));
        let views: Vec<_> = views.cloned().collect();
        let pictures = self.renderer.render(&stage, &views);
        Ok(pictures.into_iter().map(|p| p.into_frame()).collect())
    }
}
