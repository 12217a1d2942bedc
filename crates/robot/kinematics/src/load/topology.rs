//! Checks of how elements refer to each other: one tree of links, mimics that end.
//!
//! `k` panics on an unknown mimic and drops links it cannot reach, so all of this
//! happens before it sees the robot.

use std::collections::{HashMap, HashSet};

use urdf_rs::{Joint, JointType, Robot};

use crate::LoadProblem;

/// Refuses a robot whose links are not one tree or whose mimics lead nowhere.
pub(super) fn check(robot: &Robot) -> Result<(), LoadProblem> {
    check_references(robot)?;
    check_tree(robot)?;
    check_mimics(robot)
}

fn check_references(robot: &Robot) -> Result<(), LoadProblem> {
    let known: HashSet<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    for joint in &robot.joints {
        for (role, link) in [("parent", &joint.parent.link), ("child", &joint.child.link)] {
            if !known.contains(link.as_str()) {
                return Err(LoadProblem::UnknownLink {
                    joint: joint.name.clone(),
                    role,
                    link: link.clone(),
                    known: robot.links.iter().map(|link| link.name.clone()).collect(),
                });
            }
        }
    }
    Ok(())
}

fn check_tree(robot: &Robot) -> Result<(), LoadProblem> {
    let mut joint_of_child: HashMap<&str, &Joint> = HashMap::new();
    for joint in &robot.joints {
        if let Some(first) = joint_of_child.insert(&joint.child.link, joint) {
            return Err(LoadProblem::TwoParents {
                link: joint.child.link.clone(),
                first: first.name.clone(),
                second: joint.name.clone(),
            });
        }
    }
    // Every link now has at most one parent. Walking up from a link either ends at a
    // root within n steps or runs round a cycle.
    let parent_of = |link: &str| {
        joint_of_child
            .get(link)
            .map(|joint| joint.parent.link.as_str())
    };
    for link in &robot.links {
        let top =
            (0..robot.links.len()).try_fold(link.name.as_str(), |at, _| parent_of(at).ok_or(()));
        if let Ok(on_cycle) = top {
            return Err(LoadProblem::Cycle {
                links: cycle(on_cycle, parent_of),
            });
        }
    }
    let links = robot.links.iter().map(|link| link.name.clone());
    let roots: Vec<String> = links.filter(|name| parent_of(name).is_none()).collect();
    if roots.len() > 1 {
        return Err(LoadProblem::SeveralRoots { roots });
    }
    Ok(())
}

fn check_mimics(robot: &Robot) -> Result<(), LoadProblem> {
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
            return Err(LoadProblem::UnknownMimic {
                joint: joint.name.clone(),
                source_joint: source_name.to_owned(),
                known: robot
                    .joints
                    .iter()
                    .map(|joint| joint.name.clone())
                    .collect(),
            });
        };
        if [joint, source]
            .iter()
            .any(|j| j.joint_type == JointType::Fixed)
        {
            return Err(LoadProblem::FixedMimic {
                joint: joint.name.clone(),
                source_joint: source_name.to_owned(),
            });
        }
        let end =
            (0..robot.joints.len()).try_fold(joint.name.as_str(), |at, _| source_of(at).ok_or(()));
        if let Ok(on_cycle) = end {
            return Err(LoadProblem::MimicCycle {
                joints: cycle(on_cycle, source_of),
            });
        }
    }
    Ok(())
}

/// The names on the cycle that `start` is on, sorted, each once.
fn cycle<'a>(start: &'a str, next: impl Fn(&'a str) -> Option<&'a str>) -> Vec<String> {
    let mut names = vec![start.to_owned()];
    let mut at = next(start);
    while let Some(name) = at.filter(|&name| name != start) {
        names.push(name.to_owned());
        at = next(name);
    }
    names.sort();
    names
}
