//! Drives and constraints between parts: `<actuator>`, `<tendon>`, `<equality>`.

use std::collections::HashMap;

use crate::ledger::{Fate, Ledger};
use crate::model::{Body, Coupling, Gearing};
use crate::xml::Element;

/// Attributes by which actuators, constraints and parts of tendons name joints, sites and bodies.
const NAMED: [&[&str]; 3] = [
    &["joint", "jointinparent", "joint1", "joint2"],
    &["site", "cranksite", "slidersite", "site1", "site2"],
    &["body", "body1", "body2"],
];

/// Returns all drives and constraints of a model. Where one acts on a part that was copied, it also
/// acts on the copies.
pub(crate) fn couplings(model: &Element, copied: &[(String, String)]) -> Vec<Coupling> {
    let of = |tag: &'static str| model.children(tag).flat_map(|section| &section.children);
    let fixed: Vec<&Element> = of("tendon").filter(|t| t.tag == "fixed").collect();
    let mut tendons: HashMap<&str, [Vec<String>; 3]> = HashMap::new();
    let mut found = vec![];
    for tendon in of("tendon") {
        let mut parts = <[Vec<String>; 3]>::default();
        for part in &tendon.children {
            add(part, &mut parts);
        }
        found.push(coupling("tendon", tendon, parts.clone()));
        tendons.extend(tendon.text("name").map(|name| (name, parts)));
    }
    for section in ["equality", "actuator"] {
        for element in of(section) {
            let mut parts = <[Vec<String>; 3]>::default();
            add(element, &mut parts);
            for name in ["tendon", "tendon1", "tendon2"] {
                let tendon = element.text(name).and_then(|name| tendons.get(name));
                for (own, of_tendon) in parts.iter_mut().zip(tendon.into_iter().flatten()) {
                    own.extend_from_slice(of_tendon);
                }
            }
            found.push(Coupling {
                gear: gearing(element, &fixed),
                ..coupling(section, element, parts)
            });
        }
    }
    // A tendon is not listed separately if the constraint on it was read.
    let kept = of("equality").filter(|e| gearing(e, &fixed).is_some());
    let kept: Vec<_> = kept.filter_map(|e| e.text("tendon1")).collect();
    found.retain(|coupling| {
        let mut tendons = kept.iter().map(|name| format!("tendon fixed `{name}`"));
        !tendons.any(|what| what == coupling.what)
    });
    for names in found.iter_mut().flat_map(|coupling| &mut coupling.parts) {
        for (old, new) in copied {
            if names.contains(old) {
                names.push(new.clone());
            }
        }
    }
    found
}

fn numbers(text: &str) -> Option<Vec<f64>> {
    let words = text.split_ascii_whitespace();
    words.map(|n| n.parse().ok()).collect()
}

/// Returns the two joints that a constraint couples: one is a linear function of the other, or a
/// weighted sum of both is constant. Curves and more than two joints are not supported.
fn gearing(element: &Element, tendons: &[&Element]) -> Option<Gearing> {
    let given = numbers(element.text("polycoef").unwrap_or_default())?;
    // Coefficients that are left out are MuJoCo's defaults.
    let coefficient = |i: usize, default: f64| given.get(i).copied().unwrap_or(default);
    let (constant, line) = (coefficient(0, 0.0), coefficient(1, 1.0));
    let is_line = given.iter().skip(2).all(|c| *c == 0.0);
    let (joints, ratio, offset) = match element.tag.as_str() {
        "joint" if is_line => {
            let joints = [element.text("joint1")?, element.text("joint2")?];
            (joints, line, constant)
        }
        "tendon" if element.text("tendon2").is_none() => {
            let named = |t: &&&Element| t.text("name") == element.text("tendon1");
            let parts: Vec<_> = tendons.iter().find(named)?.children("joint").collect();
            let [a, b] = parts[..] else { return None };
            let weight = |e: &Element| e.text("coef")?.parse::<f64>().ok();
            let (first, second) = (weight(a)?, weight(b)?);
            let joints = [a.text("joint")?, b.text("joint")?];
            (joints, -second / first, constant / first)
        }
        _ => return None,
    };
    let is_usable = ratio.is_finite() && offset.is_finite() && ratio != 0.0;
    is_usable.then(|| Gearing {
        joints: joints.map(str::to_owned),
        ratio,
        offset,
    })
}

fn add(element: &Element, parts: &mut [Vec<String>; 3]) {
    for (names, own) in NAMED.iter().zip(parts) {
        let values = names.iter().filter_map(|name| element.attribute(name));
        own.extend(values.map(|a| a.value.clone()));
    }
}

fn coupling(section: &str, element: &Element, parts: [Vec<String>; 3]) -> Coupling {
    let is_off = element.text("active") == Some("false");
    let relative = element.attribute("relpose").is_some();
    let name = element.text("name");
    let name = name.map_or(String::new(), |name| format!(" `{name}`"));
    Coupling {
        what: match (is_off, relative) {
            (true, _) => format!("{section} {} that is switched off", element.tag),
            (_, true) => format!("{section} {} with relpose{name}", element.tag),
            _ => format!("{section} {}{name}", element.tag),
        },
        drives: section == "actuator",
        gear: None,
        parts,
        place: element.place.clone(),
    }
}

/// Fixes a body that is welded to the world at its current pose. Returns true if the coupling is
/// such a weld, or is switched off, so that nothing else has to handle it.
pub(crate) fn hold(world: &mut Body, coupling: &Coupling, ledger: &mut Ledger) -> bool {
    let place = &coupling.place;
    if coupling.what.ends_with("switched off") {
        ledger.note(Fate::Ignored, &coupling.what, "it has no effect", place);
        return true;
    }
    let others = coupling.parts[2].iter().filter(|name| *name != "world");
    let [name] = others.collect::<Vec<_>>()[..] else {
        return false;
    };
    let is_weld = coupling.what.starts_with("equality weld") && !coupling.what.contains("relpose");
    let is_held = is_weld && fix_body(world, name);
    if is_held {
        ledger.read("equality weld", place);
    }
    is_held
}

/// Removes the joints of a body that has no moving ancestor.
fn fix_body(body: &mut Body, name: &str) -> bool {
    body.bodies.iter_mut().any(|inner| {
        if inner.name.as_deref() == Some(name) {
            inner.joints.clear();
            return true;
        }
        inner.joints.is_empty() && fix_body(inner, name)
    })
}

impl Coupling {
    /// Returns true if the coupling refers to a part of the body or of its descendants.
    pub(crate) fn touches(&self, body: &Body) -> bool {
        let [joints, sites, bodies] = &self.parts;
        let has = |names: &[String], name: &Option<String>| {
            name.as_ref().is_some_and(|n| names.contains(n))
        };
        body.all().any(|body| {
            body.joints.iter().any(|joint| has(joints, &joint.name))
                || body.sites.iter().any(|site| has(sites, &site.name))
                || has(bodies, &body.name)
        })
    }

    /// Reports the coupling in the ledger, depending on the bodies that are left out and kept.
    pub(crate) fn note(&self, left_out: &[&Body], stays: &[&Body], ledger: &mut Ledger) {
        let touches = |bodies: &[&Body]| bodies.iter().any(|body| self.touches(body));
        let mut free = "bodies are not coupled to each other".to_owned();
        match self.parts.concat().as_slice() {
            [] => {}
            [one] => free += &format!(": {one} moves independently"),
            names => free += &format!(": {} move independently", names.join(", ")),
        }
        let (fate, why) = match (touches(stays), touches(left_out)) {
            (false, true) => (
                Fate::Ignored,
                "it is on a robot, which is left out: the robot file gives the arm",
            ),
            _ if self.drives => (Fate::Unsupported, "only the arm has actuators"),
            _ => (Fate::Unsupported, free.as_str()),
        };
        ledger.note(fate, &self.what, why, &self.place);
    }
}
