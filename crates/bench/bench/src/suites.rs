//! Named groups of tasks.

use strum::{EnumString, IntoStaticStr, VariantNames};

/// A suite of tasks. The first part of a task's name (`maniskill/pick_cube`) gives its suite; tasks
/// without such a prefix are listed in this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Suite {
    /// Tasks of ManiSkill.
    Maniskill,
    /// Tasks of robosuite.
    Robosuite,
    /// Tasks of RoboSandbox.
    Robosandbox,
    /// Picking and placing between, below and above obstacles.
    Clutter,
    /// Shapes that no other task has, with random size, mass and friction.
    Shapes,
    /// Task and motion planning: the five classes of Lagriffoul et al. 2018,
    /// "Platform-independent benchmarks for task and motion planning", on Regrasp's table.
    Tamp,
    /// Doors, lids, drawers, knobs and levers of random sizes.
    Hinges,
    /// Plain sentences on built-in scenes with random words, places, sizes, masses and frictions.
    Everyday,
    /// All tasks except those of the suites `shapes`, `tamp`, `hinges` and `everyday`.
    All,
}

/// Tasks of RoboSandbox without the prefix.
const ROBOSANDBOX: &[&str] = &[
    "home",
    "open_drawer",
    "pick_cube",
    "pick_cube_scrambled",
    "pick_from_three",
    "pick_unreachable_cube",
    "stack_two",
];
/// Tasks whose difficulty is to find a path.
const CLUTTER: &[&str] = &["clutter_pick", "over_wall", "shelf_pick"];

impl Suite {
    /// Names of all suites.
    pub const NAMES: &[&str] = Self::VARIANTS;

    /// Name of the suite, which is also the prefix of its tasks.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Filters `names` to the tasks of the suite, in their order.
    pub fn tasks<'a>(self, names: &[&'a str]) -> Vec<&'a str> {
        let listed = match self {
            Self::Robosandbox => ROBOSANDBOX,
            Self::Clutter => CLUTTER,
            _ => &[],
        };
        let has = |suite: Self, name: &str| {
            let prefix = name.split_once('/').map(|(prefix, _)| prefix);
            prefix == Some(suite.name())
        };
        // A listed task that also exists with the prefix would be counted twice.
        let is_renamed = |name: &str| names.contains(&format!("{}/{name}", self.name()).as_str());
        let is_in = |name: &&&str| match self {
            Self::All => {
                let apart = [Self::Shapes, Self::Tamp, Self::Hinges, Self::Everyday];
                !apart.into_iter().any(|suite| has(suite, name))
            }
            _ => has(self, name) || listed.contains(*name) && !is_renamed(name),
        };
        names.iter().filter(is_in).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use regrasp_scene::builtin_task_names;

    use super::*;

    #[test]
    fn suites_go_by_prefix_and_by_list() {
        let names = [
            "home",
            "maniskill/a",
            "over_wall",
            "robosandbox/home",
            "shapes/rod",
            "stack_two",
        ];
        assert_eq!(Suite::Maniskill.tasks(&names), ["maniskill/a"]);
        assert_eq!(Suite::Robosuite.tasks(&names), [""; 0]);
        let robosandbox = ["robosandbox/home", "stack_two"];
        assert_eq!(Suite::Robosandbox.tasks(&names), robosandbox);
        assert_eq!(Suite::Clutter.tasks(&names), ["over_wall"]);
        assert_eq!(Suite::Shapes.tasks(&names), ["shapes/rod"]);
        let all = Suite::All.tasks(&names);
        assert_eq!([&all[..4], &all[4..]], [&names[..4], &names[5..]]);
    }

    #[test]
    fn every_listed_task_exists() {
        let names = builtin_task_names();
        for (suite, listed) in [(Suite::Robosandbox, ROBOSANDBOX), (Suite::Clutter, CLUTTER)] {
            for name in listed {
                let prefixed = format!("{}/{name}", suite.name());
                let is_there = names.contains(name) || names.contains(&prefixed.as_str());
                assert!(is_there, "there is no task `{name}`");
            }
        }
    }
}
