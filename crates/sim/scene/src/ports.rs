//! Plugs and holes of objects.

use regrasp_api::{ObjectId, ObjectPort, PortKind, Section};

use crate::Result;
use crate::defs::{SceneDef, Variation};
use crate::fields::{Field, Fields, Sign};
use crate::{formats, keys};

pub(crate) const KEYS: [(&str, PortKind); 2] = [("plug", PortKind::Plug), ("hole", PortKind::Hole)];

pub(crate) fn parse(object: &Fields<'_>, id: &ObjectId) -> Result<Vec<ObjectPort>> {
    let keys = KEYS.iter();
    let given = keys.filter_map(|(key, kind)| Some((object.get(key)?, *kind)));
    given.map(|(field, kind)| port(&field, id, kind)).collect()
}

fn port(field: &Field<'_>, id: &ObjectId, kind: PortKind) -> Result<ObjectPort> {
    let port = field.fields(formats::keys("port"))?;
    let half_size = port.need("half_size")?;
    let half_size_m = half_size.array::<2>(Sign::Length)?;
    let section = section(&port)?;
    if section != Section::Rectangle && half_size_m[0] != half_size_m[1] {
        let [a, b] = half_size_m;
        let allowed = "two equal numbers for a round or equilateral section";
        return Err(half_size.not_allowed(format!("[{a}, {b}]"), allowed));
    }
    let through = port.flag("through")?;
    if kind == PortKind::Plug && through {
        return port.refuse("through", "true", "false for a plug, which has one end");
    }
    Ok(ObjectPort {
        object: id.clone(),
        kind,
        object_from_port: keys::posed(&port)?,
        half_size_m,
        depth_m: port.number("depth", Sign::Length)?,
        keyed: port.flag("keyed")?,
        section,
        through,
    })
}

/// Largest number of sides of a cross-section; with more it is practically round.
const MAX_SIDES: f64 = 24.0;

fn section(port: &Fields<'_>) -> Result<Section> {
    let is_round = port.flag("round")?;
    let Some(sides) = port.get("sides") else {
        return Ok(if is_round {
            Section::Round
        } else {
            Section::Rectangle
        });
    };
    let n = sides.number(Sign::Any)?;
    let is_count = n.fract() == 0.0 && (3.0..=MAX_SIDES).contains(&n);
    if is_round || !is_count {
        return Err(sides.not_allowed(n, "a whole number from 3 to 24, without `round`"));
    }
    Ok(Section::Polygon(n as u32))
}

/// Returns the ports of a scene, scaled like their objects.
pub(crate) fn scaled(def: &SceneDef, variations: &[Variation]) -> Vec<ObjectPort> {
    let size_of = |id: &ObjectId| {
        let mut objects = def.objects.iter().zip(variations);
        let object = objects.find(|(o, _)| &o.body.id == id);
        object.map_or(1.0, |(_, v)| v.size)
    };
    let scaled = |port: &ObjectPort| {
        let size = size_of(&port.object);
        let mut port = port.clone();
        port.object_from_port.translation.vector *= size;
        port.half_size_m = port.half_size_m.map(|half| half * size);
        port.depth_m *= size;
        port
    };
    def.rest.ports.iter().map(scaled).collect()
}
