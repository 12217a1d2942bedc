//! Checks of references between elements: one tree of links, and no cycles of mimics.

use std::collections::{HashMap, HashSet};

use urdf_rs::{Joint, JointType, Robot};

use super::elements::listed;

/// Rejects a robot whose links are not one tree, or whose mimics have no source or form a cycle.
pub(super) fn check(robot: &Robot) -> Result<(), String> {
    check_references(robot)?;
    check_tree(robot)?;
    check_mimics(robot)
}

fn check_references(robot: &Robot) -> Result<(), String> {
    let known: HashSet<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    for joint in &robot.joints {
        for (role, link) in [("parent", &joint.parent.link), ("child", &joint.child.link)] {
            if !known.contains(link.as_str()) {
                return Err(format!(
                    "joint `{}` refers to unknown {role} link `{link}` (known links: {})",
                    joint.name,
                    listed(robot.links.iter().map(|link| &link.name), ", ")
                ));
            }
        }
    }
    Ok(())
}

fn check_tree(robot: &Robot) -> Result<(), String> {
    let mut joint_of_child: HashMap<&str, &Joint> = HashMap::new();
    for joint in &robot.joints {
        if let Some(first) = joint_of_child.insert(&joint.child.link, joint) {
            return Err(format!(
                "link `{}` is the child of two joints, `{}` and `{}`",
                joint.child.link, first.name, joint.name
            ));
        }
    }
    // From here on, every link has at most one parent.
    let parent_of = |link: &str| {
        let joint = joint_of_child.get(link);
        joint.map(|joint| joint.parent.link.as_str())
    };
    for link in &robot.links {
        if let Some(links) = cycle(&link.name, robot.links.len(), parent_of) {
            return Err(format!("the links form a cycle through `{links}`"));
        }
    }
    let links = robot.links.iter().map(|link| link.name.as_str());
    let roots: Vec<&str> = links.filter(|name| parent_of(name).is_none()).collect();
    if roots.len() > 1 {
        let roots = roots.join("`, `");
        return Err(format!(
            "the links do not form one tree: `{roots}` are all roots"
        ));
    }
    Ok(())
}

fn check_mimics(robot: &Robot) -> Result<(), String> {
    let joints = robot.joints.iter();
    let joints: HashMap<&str, &Joint> = joints.map(|j| (j.name.as_str(), j)).collect();
    let source_of = |joint: &str| {
        let mimic = joints.get(joint)?.mimic.as_ref()?;
        Some(mimic.joint.as_str())
    };
    for joint in &robot.joints {
        let Some(source_name) = source_of(&joint.name) else {
            continue;
        };
        let Some(source) = joints.get(source_name) else {
            return Err(format!(
                "joint `{}` mimics unknown joint `{source_name}` (known joints: {})",
                joint.name,
                listed(robot.joints.iter().map(|joint| &joint.name), ", ")
            ));
        };
        if [joint, source]
            .iter()
            .any(|j| j.joint_type == JointType::Fixed)
        {
            return Err(format!(
                "joint `{}` mimics `{source_name}`, and one of the two is fixed",
                joint.name
            ));
        }
        if let Some(joints) = cycle(&joint.name, robot.joints.len(), source_of) {
            return Err(format!("joints mimic each other in a circle: `{joints}`"));
        }
    }
    Ok(())
}

/// Sorted names on the cycle into which a walk from `start` leads. A walk among `n` names either
/// ends within `n` steps, or follows a cycle.
fn cycle<'a>(start: &'a str, n: usize, next: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    let on_cycle = (0..n).try_fold(start, |at, _| next(at))?;
    let mut names = vec![on_cycle];
    let mut at = next(on_cycle);
    while let Some(name) = at.filter(|&name| name != on_cycle) {
        names.push(name);
        at = next(name);
    }
    names.sort_unstable();
    Some(names.join("`, `"))
}
