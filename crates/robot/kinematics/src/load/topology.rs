//! Checks of references between elements: one tree of links, and no cycles of mimics.

use std::collections::{HashMap, HashSet};

use urdf_rs::{Joint, JointType, Robot};

use super::words::listed;

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
    // Every link now has at most one parent. Walking up from a link either ends at a root within n
    // steps, or follows a cycle.
    let parent_of = |link: &str| {
        joint_of_child
            .get(link)
            .map(|joint| joint.parent.link.as_str())
    };
    for link in &robot.links {
        let top =
            (0..robot.links.len()).try_fold(link.name.as_str(), |at, _| parent_of(at).ok_or(()));
        if let Ok(on_cycle) = top {
            let links = listed(cycle(on_cycle, parent_of), "`, `");
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
        let end =
            (0..robot.joints.len()).try_fold(joint.name.as_str(), |at, _| source_of(at).ok_or(()));
        if let Ok(on_cycle) = end {
            let joints = listed(cycle(on_cycle, source_of), "`, `");
            return Err(format!("joints mimic each other in a circle: `{joints}`"));
        }
    }
    Ok(())
}

/// Names on the cycle that contains `start`, sorted.
fn cycle<'a>(start: &'a str, next: impl Fn(&'a str) -> Option<&'a str>) -> Vec<&'a str> {
    let mut names = vec![start];
    let mut at = next(start);
    while let Some(name) = at.filter(|&name| name != start) {
        names.push(name);
        at = next(name);
    }
    names.sort_unstable();
    names
}
