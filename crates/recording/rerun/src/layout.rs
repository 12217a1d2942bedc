//! Initial layout of the viewer's window.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use regrasp_api::CameraView;

use crate::EntityPath;
use crate::marks::single;
use crate::signals::{FORCES, GRIPPER, JOINTS, TRACKING};

/// A part of the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Pane {
    /// Panes side by side, with their shares of the width.
    Row(Vec<(f32, Pane)>),
    /// Panes on top of each other, with their shares of the height.
    Stack(Vec<(f32, Pane)>),
    /// Panes as tabs.
    Tabs(Vec<Pane>),
    /// A single view.
    View(View),
}

/// A view of entities.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Type of view.
    pub kind: ViewKind,
    /// Title of the view.
    pub title: String,
    /// Entity that is shown, with everything below it.
    pub origin: EntityPath,
}

/// Types of views.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewKind {
    /// 3D view, with its initial viewpoint.
    Space(Option<Eye>),
    /// Picture.
    Picture,
    /// Signals over time.
    Series,
    /// Document.
    Document,
    /// Log.
    Log,
}

/// Initial viewpoint of a 3D view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// Position of the eye in World, m.
    pub from: [f32; 3],
    /// Point at the centre of the view in World, m.
    pub to: [f32; 3],
}

/// Distance of the scene's centre in front of a camera, m.
const LOOK_M: f64 = 1.0;

/// Angle by which the eye is turned from the camera around the centre, rad. Otherwise, the camera's
/// picture would hide the scene.
const ASIDE_RAD: f64 = -0.7;

impl Eye {
    /// Creates a viewpoint beside a camera that looks at the same point.
    pub fn beside(camera: &CameraView) -> Self {
        let from = camera.world_from_camera * Point3::origin();
        let to = camera.world_from_camera * Point3::new(0.0, 0.0, LOOK_M);
        let round = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), ASIDE_RAD);
        Self {
            from: single(to + round * (from - to)),
            to: single(to),
        }
    }
}

/// Returns the default layout: the 3D view above the signals on the left; documents, log and
/// pictures on the right.
pub fn layout(cameras: &[String], eye: Option<Eye>) -> Pane {
    let view = |kind: ViewKind, title: &str, origin: EntityPath| {
        Pane::View(View {
            kind,
            title: title.to_owned(),
            origin,
        })
    };
    let series =
        |group: &str, title: &str| view(ViewKind::Series, title, EntityPath::signals(group));
    let (forces, joints) = (series(FORCES, "Forces (N)"), series(JOINTS, "Joints (rad)"));
    let figures = Pane::Row(vec![
        (1.0, series(TRACKING, "Tracking error (rad)")),
        (1.0, series(GRIPPER, "Gripper (m)")),
        (1.0, Pane::Tabs(vec![forces, joints])),
    ]);
    let space = view(ViewKind::Space(eye), "World", EntityPath::world());
    let plan = view(ViewKind::Document, "Plan", EntityPath::plan());
    let failures = view(ViewKind::Document, "Failures", EntityPath::failures());
    let mut texts = vec![
        (3.0, Pane::Tabs(vec![plan, failures])),
        (2.0, view(ViewKind::Log, "Story", EntityPath::story())),
    ];
    if !cameras.is_empty() {
        let picture = |name: &String| {
            let title = format!("Camera {name}");
            view(ViewKind::Picture, &title, EntityPath::camera(name))
        };
        texts.push((2.0, Pane::Tabs(cameras.iter().map(picture).collect())));
    }
    Pane::Row(vec![
        (5.0, Pane::Stack(vec![(3.0, space), (1.0, figures)])),
        (3.0, Pane::Stack(texts)),
    ])
}

impl Pane {
    /// All views in the pane.
    pub fn views(&self) -> Vec<&View> {
        match self {
            Self::View(view) => vec![view],
            Self::Tabs(panes) => panes.iter().flat_map(Self::views).collect(),
            Self::Row(panes) | Self::Stack(panes) => {
                panes.iter().flat_map(|(_, pane)| pane.views()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use regrasp_ground_truth::Frame;

    use super::*;
    use crate::signals;

    #[test]
    fn whatever_is_logged_is_seen_somewhere() {
        let layout = layout(&["wrist".into()], None);
        let views = layout.views();
        let mut paths = vec![
            EntityPath::link("hand"),
            EntityPath::object("cube"),
            EntityPath::planned(),
            EntityPath::executed(),
            EntityPath::contacts(),
            EntityPath::no_motion(),
            EntityPath::touching(),
            EntityPath::grasps("cube", "taken"),
            EntityPath::plan(),
            EntityPath::failures(),
            EntityPath::story(),
            EntityPath::picture("wrist"),
        ];
        let figures = signals::figures(&Frame::default());
        paths.extend(figures.into_iter().map(|(path, _)| path));
        for path in paths {
            let is_seen = views.iter().any(|view| path.is_within(&view.origin));
            assert!(is_seen, "no view contains {path}");
        }
    }

    #[test]
    fn the_eye_is_as_far_and_as_high_as_the_camera_but_elsewhere() {
        let (from, to) = (Vector3::new(1.2, -0.4, 0.9), Vector3::new(0.4, 0.1, 0.05));
        let camera = CameraView {
            name: "scene".into(),
            intrinsics: regrasp_api::Intrinsics::from_vertical_fov(64, 48, 0.8),
            world_from_camera: regrasp_api::looking_at(&from, &to, &Vector3::z())
                .expect("the two points are equal"),
        };
        let eye = Eye::beside(&camera);
        let [from_eye, to_eye] = [eye.from, eye.to].map(|p| Vector3::from(p.map(f64::from)));
        assert!(((from_eye - to_eye).norm() - LOOK_M).abs() < 1e-6);
        assert!((from_eye.z - from.z).abs() < 1e-6);
        assert!((from_eye - from).norm() > 0.3);
    }

    #[test]
    fn without_cameras_there_is_no_empty_view() {
        let layout = layout(&[], None);
        let is_picture = |view: &&&View| view.kind == ViewKind::Picture;
        assert_eq!(layout.views().iter().filter(is_picture).count(), 0);
    }
}
