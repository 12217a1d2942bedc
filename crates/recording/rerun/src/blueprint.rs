//! Layout in the viewer's format: a separate store.
//!
//! The official builder of such stores is not used, because its random ids would make the files of
//! equal runs differ. The ids here are consecutive.

use rerun::external::re_sdk_types::blueprint::archetypes::{
    ContainerBlueprint, EyeControls3D, PanelBlueprint, TimePanelBlueprint, ViewBlueprint,
    ViewContents, ViewportBlueprint,
};
use rerun::external::re_sdk_types::blueprint::components::{
    ContainerKind, Eye3DKind, PanelState, RootContainer,
};
use rerun::{AsComponents, EntityPath, SerializationResult, SerializedComponentColumn, datatypes};

use crate::columns::{SIM_TIME, entity_path, one_row};
use crate::layout::{Pane, View, ViewKind};

/// Timeline on which the viewer stores changes of a layout.
pub(crate) const TIMELINE: &str = "blueprint";

pub(crate) type Entity = (EntityPath, Vec<SerializedComponentColumn>);

pub(crate) fn entities(layout: &Pane) -> SerializationResult<Vec<Entity>> {
    let mut builder = Builder::default();
    // The viewer requires a container as the root.
    let root = match layout {
        Pane::View(_) => builder.container(ContainerKind::Tabs, &[(1.0, layout)])?,
        _ => builder.pane(layout)?,
    };
    let viewport = ViewportBlueprint::new()
        .with_root_container(RootContainer(root.id))
        .with_auto_layout(false)
        .with_auto_views(false);
    builder.add("viewport".into(), &viewport)?;
    for panel in ["blueprint_panel", "selection_panel"] {
        let hidden = PanelBlueprint::new().with_state(PanelState::Collapsed);
        builder.add(panel.into(), &hidden)?;
    }
    let time = TimePanelBlueprint::new()
        .with_state(PanelState::Collapsed)
        .with_timeline(SIM_TIME);
    builder.add("time_panel".into(), &time)?;
    Ok(builder.entities)
}

#[derive(Default)]
struct Builder {
    entities: Vec<Entity>,
    n_ids: u16,
}

struct Placed {
    id: datatypes::Uuid,
    path: String,
}

impl Builder {
    fn add(&mut self, path: EntityPath, components: &dyn AsComponents) -> SerializationResult<()> {
        self.entities.push((path, one_row(components)?));
        Ok(())
    }

    fn place(&mut self, kind: &str) -> Placed {
        self.n_ids += 1;
        let mut bytes = *b"regrasp-layout..";
        bytes[14..].copy_from_slice(&self.n_ids.to_be_bytes());
        let id = datatypes::Uuid { bytes };
        Placed {
            path: format!("{kind}/{id}"),
            id,
        }
    }

    fn pane(&mut self, pane: &Pane) -> SerializationResult<Placed> {
        match pane {
            Pane::View(view) => self.view(view),
            Pane::Row(panes) => self.container(ContainerKind::Horizontal, &shared(panes)),
            Pane::Stack(panes) => self.container(ContainerKind::Vertical, &shared(panes)),
            Pane::Tabs(panes) => {
                let panes: Vec<_> = panes.iter().map(|pane| (1.0, pane)).collect();
                self.container(ContainerKind::Tabs, &panes)
            }
        }
    }

    fn container(
        &mut self,
        kind: ContainerKind,
        panes: &[(f32, &Pane)],
    ) -> SerializationResult<Placed> {
        let placed = self.place("container");
        let children = panes.iter().map(|(_, pane)| self.pane(pane));
        let children = children.collect::<SerializationResult<Vec<_>>>()?;
        let shares = panes.iter().map(|(share, _)| *share);
        let mut container = ContainerBlueprint::new(kind);
        if let (ContainerKind::Tabs, Some(first)) = (kind, children.first()) {
            container = container.with_active_tab(first.path.as_str());
        }
        container = container.with_contents(children.iter().map(|child| child.path.as_str()));
        container = match kind {
            ContainerKind::Horizontal => container.with_col_shares(shares),
            ContainerKind::Vertical => container.with_row_shares(shares),
            _ => container,
        };
        self.add(placed.path.as_str().into(), &container)?;
        Ok(placed)
    }

    fn view(&mut self, view: &View) -> SerializationResult<Placed> {
        let placed = self.place("view");
        let path = &placed.path;
        let blueprint = ViewBlueprint::new(class(&view.kind))
            .with_display_name(view.title.as_str())
            .with_space_origin(entity_path(&view.origin).to_string());
        self.add(path.as_str().into(), &blueprint)?;
        let contents = ViewContents::new(["$origin/**"]);
        self.add(format!("{path}/ViewContents").into(), &contents)?;
        if let ViewKind::Space(Some(eye)) = &view.kind {
            let controls = EyeControls3D::new()
                .with_kind(Eye3DKind::Orbital)
                .with_position(eye.from)
                .with_look_target(eye.to)
                .with_eye_up([0.0, 0.0, 1.0_f32]);
            self.add(format!("{path}/EyeControls3D").into(), &controls)?;
        }
        Ok(placed)
    }
}

fn shared(panes: &[(f32, Pane)]) -> Vec<(f32, &Pane)> {
    panes.iter().map(|(share, pane)| (*share, pane)).collect()
}

fn class(kind: &ViewKind) -> &'static str {
    match kind {
        ViewKind::Space(_) => "3D",
        ViewKind::Picture => "2D",
        ViewKind::Series => "TimeSeries",
        ViewKind::Document => "TextDocument",
        ViewKind::Log => "TextLog",
    }
}
