//! Named groups of tasks.

/// A suite of tasks. Which task is in which is said by the first part of its name
/// (`maniskill/pick_cube`); tasks without one are listed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// Tasks of ManiSkill.
    Maniskill,
    /// Tasks of robosuite.
    Robosuite,
    /// Tasks of RoboSandbox.
    Robosandbox,
    /// Reaching into, under and over things.
    Clutter,
    /// Shapes that no other task has, whose size, mass and friction are drawn.
    Shapes,
    /// Task and motion planning: the five classes of Lagriffoul et al. 2018,
    /// "Platform-independent benchmarks for task and motion planning", on our table.
    Tamp,
    /// Doors, drawers and knobs of drawn sizes.
    Hinges,
    /// Plain sentences about the built-in scenes; words, places, sizes, masses and frictions are drawn.
    Everyday,
    /// Every task, but those with drawn shapes or words, of hinges and of task planning: what it measures
    /// stays the same.
    All,
}

impl Suite {
    /// Every suite.
    pub const EVERY: [Self; 9] = [
        Self::Maniskill,
        Self::Robosuite,
        Self::Robosandbox,
        Self::Clutter,
        Self::Shapes,
        Self::Tamp,
        Self::Hinges,
        Self::Everyday,
        Self::All,
    ];
}

/// Tasks of RoboSandbox that have no such prefix.
const ROBOSANDBOX: &[&str] = &[
    "home",
    "open_drawer",
    "pick_cube",
    "pick_cube_scrambled",
    "pick_from_three",
    "pick_unreachable_cube",
    "stack_two",
];
/// Tasks in which the way is the difficulty.
const CLUTTER: &[&str] = &["clutter_pick", "over_wall", "shelf_pick"];

impl Suite {
    /// Its name, which is also the prefix of its tasks.
    pub fn name(self) -> &'static str {
        match self {
            Self::Maniskill => "maniskill",
            Self::Robosuite => "robosuite",
            Self::Robosandbox => "robosandbox",
            Self::Clutter => "clutter",
            Self::Shapes => "shapes",
            Self::Tamp => "tamp",
            Self::Hinges => "hinges",
            Self::Everyday => "everyday",
            Self::All => "all",
        }
    }

    /// Of these tasks, those that are in it, in their order.
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
        // A listed task that was also made with the prefix would be counted twice.
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
