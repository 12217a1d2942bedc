//! Conversion of common URDFs to the form that `urdf-rs` requires.
//!
//! `urdf-rs` reports neither line nor element, and requires attributes that nobody uses. Here the
//! XML is interpreted as in ROS, numbers are checked with their location, and everything except
//! links, joints and materials is dropped.

use std::fmt::Write as _;

use regrasp_mesh::{xml_document, xml_text};
use roxmltree::Node;

use super::elements::no_urdf;

const READ: &str = "robot link joint material visual collision inertial origin parent child axis limit \
    dynamics mimic geometry box sphere cylinder capsule mesh mass inertia color texture \
    contact_coefficients";
/// Attributes with numeric values, by the count of numbers.
const NUMBERS: [(usize, &str); 3] = [
    (
        1,
        "radius length value ixx ixy ixz iyy iyz izz lower upper effort velocity damping friction \
         multiplier offset",
    ),
    (3, "xyz rpy size scale"),
    (4, "quat_xyzw rgba"),
];
const JOINTS: &str = "revolute continuous prismatic fixed floating planar spherical";
/// Required parts, one element per line: its attributes and child elements. A `?` marks what may be
/// left out.
const NEEDED: &str = "
    link: name
    joint: name type <parent> <child>
    parent: link
    child: link
    axis: xyz
    mimic: joint
    collision: <geometry>
    visual: <geometry>
    box: size
    sphere: radius
    cylinder: radius length
    capsule: radius length
    mesh: filename
    inertial: <mass> <inertia>
    color: rgba
    texture: filename
    mass: value
    inertia: ixx ixy ixz iyy iyz izz
    origin: xyz? rpy? quat_xyzw?
";
/// Elements without attributes other than those in `NEEDED`: an unknown one is misspelt.
const CLOSED: &str = "origin axis box sphere cylinder capsule mass inertia";

/// Defaults of attributes that may be left out. A robot file may specify the speed instead: see
/// [`RobotModel::check_arm`](crate::RobotModel::check_arm).
const IMPLIED: [(&str, &str, &str); 2] = [("limit", "velocity", "0"), ("material", "name", "")];

/// Converts a URDF to strict XML.
pub(super) fn strict(bytes: &[u8]) -> Result<String, String> {
    let text = xml_text(bytes);
    let document = xml_document(&text).map_err(|(line, why)| format!("line {line}: {why}"))?;
    let root = document.root_element();
    if root.tag_name().name() != "robot" {
        let tag = root.tag_name().name();
        return Err(no_urdf(format!("its root is <{tag}> instead of <robot>")));
    }
    let line = |node: Node<'_, '_>| document.text_pos_at(node.range().start).row;
    let is_xacro = |node: &Node<'_, '_>| {
        let tag = node.tag_name();
        let of_xacro = tag.name().starts_with("xacro.")
            || tag
                .namespace()
                .is_some_and(|n| n.contains("xacro") || node.lookup_prefix(n) == Some("xacro"));
        let is_open = |value: &str| value.contains("${") || value.contains("$(");
        of_xacro || (is_read(*node) && node.attributes().any(|a| is_open(a.value())))
    };
    if let Some(node) = root.descendants().filter(Node::is_element).find(is_xacro) {
        return Err(format!(
            "line {} is xacro, not URDF; run `xacro arm.urdf.xacro > arm.urdf` and name arm.urdf \
             in the robot file",
            line(node)
        ));
    }
    let mut strict = String::new();
    let mut left = vec![(root, false)];
    while let Some((node, is_closed)) = left.pop() {
        let name = node.tag_name().name();
        if is_closed {
            let _ = write!(strict, "</{name}>");
            continue;
        }
        let _ = write!(strict, "<{name}");
        if let Some(why) = lacking(node).or(unknown_attribute(node)) {
            let (element, line) = (element(node), line(node));
            return Err(format!("line {line}: {element} {why}"));
        }
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            if let Some(expected) = unlike(name, key, value) {
                return Err(format!(
                    "line {}: `{key}` of {} is `{value}`, which is not {expected}",
                    line(node),
                    element(node)
                ));
            }
            let value = value
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('"', "&quot;");
            let _ = write!(strict, " {key}=\"{value}\"");
        }
        let mut implied = IMPLIED.iter().filter(|(element, ..)| *element == name);
        if let Some((_, key, value)) = implied.find(|(_, key, _)| node.attribute(*key).is_none()) {
            let _ = write!(strict, " {key}=\"{value}\"");
        }
        strict.push('>');
        left.push((node, true));
        let inner = node.children();
        let inner = inner.filter(|n| is_read_element(*n) && counts(*n));
        let inner: Vec<_> = inner.map(|n| (n, false)).collect();
        left.extend(inner.into_iter().rev());
    }
    Ok(strict)
}

/// Attributes and child elements that an element needs or, with `?`, may have.
fn parts(element: &str) -> impl Iterator<Item = &'static str> {
    let mut lines = NEEDED.lines().filter_map(|l| l.trim().split_once(": "));
    let parts = lines.find(|(name, _)| *name == element);
    parts.map_or("", |(_, parts)| parts).split_whitespace()
}

/// The first required part that an element lacks, if any.
fn lacking(node: Node<'_, '_>) -> Option<String> {
    let name = node.tag_name().name();
    let has = |what: &str| {
        node.children()
            .any(|n| n.is_element() && n.has_tag_name(what))
    };
    let lacks = parts(name).find(|what| match what.strip_prefix('<') {
        Some(inner) => !has(inner.trim_end_matches('>')),
        None => !what.ends_with('?') && node.attribute(*what).is_none(),
    });
    let is_empty = name == "geometry" && !node.children().any(is_read_element);
    let shape =
        is_empty.then(|| "a shape: <box>, <cylinder>, <sphere>, <capsule> or <mesh>".to_owned());
    let lacks = lacks.map(|what| format!("`{what}`")).or(shape);
    lacks.map(|what| format!("lacks {what}"))
}

/// A misspelt attribute, which would have no effect, if any.
fn unknown_attribute(node: Node<'_, '_>) -> Option<String> {
    let name = node.tag_name().name();
    let known: Vec<_> = parts(name).map(|part| part.trim_end_matches('?')).collect();
    let mut attributes = node.attributes().filter(|_| is_one_of(CLOSED, name));
    let unknown = attributes.find(|a| a.namespace().is_none() && !known.contains(&a.name()))?;
    let known = known.join("`, `");
    Some(format!(
        "has the unknown attribute `{}` (known: `{known}`)",
        unknown.name()
    ))
}

fn is_read_element(node: Node<'_, '_>) -> bool {
    node.is_element() && is_read(node)
}

/// Returns true for elements that ROS reads: of parts that may occur only once, the first.
fn counts(node: Node<'_, '_>) -> bool {
    let name = node.tag_name().name();
    let is_of_geometry = node.parent().is_some_and(|p| p.has_tag_name("geometry"));
    let is_it = |n: &Node<'_, '_>| is_of_geometry || n.tag_name().name() == name;
    let mut before = node.prev_siblings().skip(1).filter(|n| is_read_element(*n));
    is_one_of("link joint material visual collision", name) || !before.any(|n| is_it(&n))
}

/// Description of the expected value, if an attribute does not have it.
fn unlike(element: &str, key: &str, value: &str) -> Option<String> {
    if (element, key) == ("joint", "type") && !is_one_of(JOINTS, value) {
        return Some(format!("one of {}", JOINTS.replace(' ', ", ")));
    }
    let (n, _) = NUMBERS.iter().find(|(_, names)| is_one_of(names, key))?;
    let mut words = value.split_ascii_whitespace();
    let fits = words.clone().count() == *n && words.all(|word| word.parse::<f64>().is_ok());
    (!fits).then(|| match n {
        1 => "a number".to_owned(),
        n if value.contains(',') => format!("{n} numbers separated by spaces"),
        n => format!("{n} numbers"),
    })
}

fn is_one_of(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

fn is_read(node: Node<'_, '_>) -> bool {
    node.ancestors().filter(Node::is_element).all(|n| {
        let root = n.document().root_element().tag_name().namespace();
        n.tag_name().namespace() == root && is_one_of(READ, n.tag_name().name())
    })
}

fn element(node: Node<'_, '_>) -> String {
    let own = format!("<{}>", node.tag_name().name());
    let mut around = node.ancestors();
    let around = around.find(|n| ["link", "joint"].contains(&n.tag_name().name()));
    let named = around.and_then(|n| Some((n, n.tag_name().name(), n.attribute("name")?)));
    match named {
        None => own,
        Some((n, tag, name)) if n == node => format!("{tag} `{name}`"),
        Some((_, tag, name)) => format!("{own} of {tag} `{name}`"),
    }
}
