//! What of an object goes into what: plugs and holes.

use regrasp_api::{ObjectId, ObjectPort, PortKind};

use crate::SceneError;
use crate::defs::{SceneDef, Variation};
use crate::fields::{Field, Fields, Sign};
use crate::keys;

/// The keys of an object that say so.
pub(crate) const KEYS: [(&str, PortKind); 2] = [("plug", PortKind::Plug), ("hole", PortKind::Hole)];

/// The plug and the hole of an object, if it has them.
pub(crate) fn parse(object: &Fields<'_>, id: &ObjectId) -> Result<Vec<ObjectPort>, SceneError> {
    let given = KEYS
        .iter()
        .filter_map(|(key, kind)| Some((object.get(key)?, *kind)));
    given.map(|(field, kind)| port(&field, id, kind)).collect()
}

fn port(field: &Field<'_>, id: &ObjectId, kind: PortKind) -> Result<ObjectPort, SceneError> {
    let port = field.fields(&[
        "position",
        "yaw_rad",
        "quat_xyzw",
        "half_size",
        "depth",
        "keyed",
    ])?;
    Ok(ObjectPort {
        object: id.clone(),
        kind,
        object_from_port: keys::posed(&port)?,
        half_size_m: port.need("half_size")?.array::<2>(Sign::Length)?,
        depth_m: port.number("depth", Sign::Length)?,
        keyed: port.flag("keyed")?,
    })
}

/// The ports of a scene, as large as their objects were drawn.
pub(crate) fn scaled(def: &SceneDef, variations: &[Variation]) -> Vec<ObjectPort> {
    let size_of = |id: &ObjectId| {
        let mut objects = def.objects.iter().zip(variations);
        objects
            .find(|(o, _)| &o.id == id)
            .map_or(1.0, |(_, v)| v.size)
    };
    let scaled = |port: &ObjectPort| {
        let size = size_of(&port.object);
        let mut port = port.clone();
        port.object_from_port.translation.vector *= size;
        port.half_size_m = port.half_size_m.map(|half| half * size);
        port.depth_m *= size;
        port
    };
    def.ports.iter().map(scaled).collect()
}
