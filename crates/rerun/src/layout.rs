//! What opens where in the viewer.

use regrasp_api::CameraView;

use crate::Place;
use crate::signals::{FORCES, GRIPPER, JOINTS, TRACKING};

/// A part of the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Pane {
    /// Side by side, with their shares of the width.
    Row(Vec<(f32, Pane)>),
    /// One above the other, with their shares of the height.
    Stack(Vec<(f32, Pane)>),
    /// One behind the other.
    Tabs(Vec<Pane>),
    /// One view.
    View(View),
}

/// Something to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// What kind of view.
    pub kind: ViewKind,
    /// Its title.
    pub title: String,
    /// What it shows, with everything below.
    pub origin: Place,
}

/// Kinds of views.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewKind {
    /// Space, seen from somewhere.
    Space(Option<Eye>),
    /// A picture.
    Picture,
    /// Figures over time.
    Series,
    /// A document.
    Document,
    /// A log.
    Log,
}

/// From where space is seen first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    /// In World, m.
    pub from: [f32; 3],
    /// A point in the middle of the view, in World, m.
    pub to: [f32; 3],
}

/// How far in front of a camera the middle of the view lies, m: about where a scene is.
const LOOK_M: f64 = 1.0;

impl Eye {
    /// From where a camera looks.
    pub fn of(camera: &CameraView) -> Self {
        let from = camera.world_from_camera.translation.vector;
        let to = camera.world_from_camera * nalgebra::Point3::new(0.0, 0.0, LOOK_M);
        Self {
            from: [from.x, from.y, from.z].map(|v| v as f32),
            to: [to.x, to.y, to.z].map(|v| v as f32),
        }
    }
}

/// Space with figures below it on the left; plan, failures, log and pictures on the right.
pub fn layout(cameras: &[String], eye: Option<Eye>) -> Pane {
    let view = |kind: ViewKind, title: &str, origin: Place| {
        Pane::View(View {
            kind,
            title: title.to_owned(),
            origin,
        })
    };
    let series = |group: &str, title: &str| view(ViewKind::Series, title, Place::signals(group));
    let figures = Pane::Row(vec![
        (1.0, series(TRACKING, "Tracking error (rad)")),
        (1.0, series(GRIPPER, "Gripper (m)")),
        (
            1.0,
            Pane::Tabs(vec![
                series(FORCES, "Forces (N)"),
                series(JOINTS, "Joints (rad)"),
            ]),
        ),
    ]);
    let space = view(ViewKind::Space(eye), "World", Place::world());
    let mut texts = vec![
        (
            3.0,
            Pane::Tabs(vec![
                view(ViewKind::Document, "Plan", Place::plan()),
                view(ViewKind::Document, "Failures", Place::failures()),
            ]),
        ),
        (2.0, view(ViewKind::Log, "Story", Place::story())),
    ];
    if !cameras.is_empty() {
        let picture = |name: &String| {
            let title = format!("Camera {name}");
            view(ViewKind::Picture, &title, Place::camera(name))
        };
        texts.push((2.0, Pane::Tabs(cameras.iter().map(picture).collect())));
    }
    Pane::Row(vec![
        (5.0, Pane::Stack(vec![(3.0, space), (1.0, figures)])),
        (3.0, Pane::Stack(texts)),
    ])
}

impl Pane {
    /// All views in it.
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
    use regrasp_api::Frame;

    use super::*;
    use crate::signals;

    #[test]
    fn whatever_is_logged_is_seen_somewhere() {
        let layout = layout(&["wrist".into()], None);
        let views = layout.views();
        let mut places = vec![
            Place::link("hand"),
            Place::object("cube"),
            Place::planned(),
            Place::executed(),
            Place::contacts(),
            Place::no_motion(),
            Place::touching(),
            Place::grasps("cube", "taken"),
            Place::plan(),
            Place::failures(),
            Place::story(),
            Place::picture("wrist"),
        ];
        let figures = signals::figures(&Frame::default());
        places.extend(figures.into_iter().map(|(place, _)| place));
        for place in places {
            let is_seen = views.iter().any(|view| place.is_within(&view.origin));
            assert!(is_seen, "{place} is in no view");
        }
    }

    #[test]
    fn without_cameras_there_is_no_empty_view() {
        let layout = layout(&[], None);
        let is_picture = |view: &&&View| view.kind == ViewKind::Picture;
        assert_eq!(layout.views().iter().filter(is_picture).count(), 0);
    }
}
