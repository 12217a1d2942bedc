//! Problem files (BDDL): objects, initial state and goal.

use std::path::{Path, PathBuf};

use crate::error::{At, LiberoError};
use crate::expression::{Expression, Flaw};

/// A problem file, read but not yet looked up among the assets. All names are in lower case.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// Path of the file.
    pub path: PathBuf,
    /// Name that selects the arena, such as `libero_tabletop_manipulation`.
    pub name: String,
    /// Position of the name in the file.
    pub(crate) at: At,
    /// The command as written; empty if there is none.
    pub language: String,
    /// Regions of a workspace or of an object.
    pub regions: Vec<Region>,
    /// Instances that do not move, workspace included.
    pub fixtures: Vec<Instance>,
    /// Instances that can be moved.
    pub objects: Vec<Instance>,
    /// Predicates at the start, in order.
    pub init: Vec<Atom>,
    /// Goal: predicates that all have to hold.
    pub goal: Vec<Atom>,
}

/// An object or fixture.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Unique name.
    pub name: String,
    /// Class of the instance.
    pub class: String,
    pub(crate) at: At,
}

/// A region on a fixture or object.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Full name, `<target>_<region>`.
    pub name: String,
    /// Instance that has the region.
    pub target: String,
    /// Rectangles relative to the workspace's offset, m: x0, y0, x1, y1. Empty for a site.
    pub ranges: Vec<[f64; 4]>,
    /// Range of the yaw of fixtures in the region, rad.
    pub yaw: [f64; 2],
}

/// A predicate with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// Name of the predicate.
    pub name: String,
    /// Names of instances and regions.
    pub args: Vec<String>,
    pub(crate) at: At,
}

/// Returns the problem files of a folder, sorted by name.
///
/// # Errors
///
/// [`LiberoError`] if the folder does not exist or contains no problem file.
pub fn problems_in(folder: &Path) -> Result<Vec<PathBuf>, LiberoError> {
    let unreadable = |message: String| LiberoError::unreadable(folder, message);
    let entries = std::fs::read_dir(folder).map_err(|e| unreadable(e.to_string()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let is_problem = |path: &PathBuf| path.extension().is_some_and(|e| e == "bddl");
    let mut files: Vec<_> = paths.filter(is_problem).collect();
    files.sort();
    match files.is_empty() {
        true => Err(unreadable("the folder contains no `.bddl` file".into())),
        false => Ok(files),
    }
}

impl Problem {
    /// Reads a problem file.
    ///
    /// # Errors
    ///
    /// [`LiberoError`] if the file cannot be read, else with line and column of the mistake.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LiberoError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path);
        let bytes = bytes.map_err(|error| LiberoError::unreadable(path, error))?;
        // Comments may be in any encoding.
        let text = String::from_utf8_lossy(&bytes);
        Self::parse(path, text.trim_start_matches('\u{feff}'))
    }

    /// Reads the text of a problem file.
    ///
    /// # Errors
    ///
    /// The errors of [`Problem::load`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, LiberoError> {
        let read = Expression::parse(text).and_then(|whole| Self::of(path, &whole));
        let read = read.map(|problem| Self {
            language: language(text),
            ..problem
        });
        read.map_err(|(at, message)| LiberoError::invalid(path, at, message))
    }

    pub(crate) fn wrong(&self, at: At, message: impl Into<String>) -> LiberoError {
        LiberoError::invalid(&self.path, at, message.into())
    }

    fn of(path: &Path, whole: &Expression) -> Result<Self, Flaw> {
        let (head, parts) = whole.headed()?;
        if head != "define" {
            return Err((whole.at, format!("found `({head} …`, expected `(define …`")));
        }
        let mut problem = Self {
            path: path.to_owned(),
            at: whole.at,
            ..Self::default()
        };
        for part in parts {
            let (key, rest) = part.headed()?;
            match key {
                "problem" => {
                    let [name] = rest else {
                        return Err((part.at, "expected `(problem NAME)`".into()));
                    };
                    problem.name = name.word()?.to_owned();
                    problem.at = name.at;
                }
                ":domain" | ":language" | ":obj_of_interest" => {}
                ":regions" => {
                    problem.regions = rest.iter().map(region).collect::<Result<_, _>>()?;
                }
                ":fixtures" => problem.fixtures = instances(rest)?,
                ":objects" => problem.objects = instances(rest)?,
                ":init" => problem.init = rest.iter().map(atom).collect::<Result<_, _>>()?,
                ":goal" => problem.goal = goal(part.at, rest)?,
                other => {
                    let why = format!(
                        "`{other}` is not known (known: problem, :domain, :language, :regions, \
                         :fixtures, :objects, :obj_of_interest, :init, :goal)"
                    );
                    return Err((part.at, why));
                }
            }
        }
        if problem.name.is_empty() {
            return Err((whole.at, "`(problem NAME)` is missing".into()));
        }
        if problem.goal.is_empty() {
            let goal = parts
                .iter()
                .find(|part| matches!(part.headed(), Ok((":goal", _))));
            let (at, is) = goal.map_or((whole.at, "missing"), |goal| (goal.at, "empty"));
            let message = format!("`(:goal …)` is {is}; give at least one predicate");
            return Err((at, message));
        }
        problem.check_names()?;
        Ok(problem)
    }

    /// Returns all instances, fixtures first.
    pub fn instances(&self) -> impl Iterator<Item = &Instance> {
        self.fixtures.iter().chain(&self.objects)
    }

    /// Returns true if there is an instance of that name.
    pub fn has(&self, name: &str) -> bool {
        self.instances().any(|instance| instance.name == name)
    }

    /// Returns a region by its full name, if its instance exists.
    pub fn region(&self, name: &str) -> Option<&Region> {
        // As in LIBERO's own reader, a later region replaces an earlier one with the same name.
        let mut regions = self.regions.iter().rev();
        regions.find(|region| region.name == name && self.has(&region.target))
    }

    fn check_names(&self) -> Result<(), Flaw> {
        let mut names: Vec<&str> = vec![];
        for instance in self.instances() {
            if names.contains(&instance.name.as_str()) {
                return Err((instance.at, format!("`{}` is defined twice", instance.name)));
            }
            names.push(&instance.name);
        }
        for atom in self.init.iter().chain(&self.goal) {
            for arg in &atom.args {
                if !names.contains(&arg.as_str()) && self.region(arg).is_none() {
                    let regions = self.regions.iter().map(|region| region.name.as_str());
                    let known: Vec<_> = names.iter().copied().chain(regions).collect();
                    let known = known.join(", ");
                    let message = format!("`{arg}` is not defined (known: {known})");
                    return Err((atom.at, message));
                }
            }
        }
        Ok(())
    }
}

/// Reads a list of instances such as `a_1 - class b_1 b_2 - class`.
fn instances(words: &[Expression]) -> Result<Vec<Instance>, Flaw> {
    let mut found = vec![];
    let mut waiting: Vec<&Expression> = vec![];
    let mut words = words.iter();
    while let Some(expression) = words.next() {
        if expression.word()? != "-" {
            waiting.push(expression);
            continue;
        }
        let missing = || "a class is missing after this `-`".to_owned();
        let class = words.next().ok_or_else(|| (expression.at, missing()))?;
        let class = class.word()?;
        if waiting.is_empty() {
            return Err((expression.at, "a name is missing before this `-`".into()));
        }
        for name in waiting.drain(..) {
            found.push(Instance {
                name: name.word()?.to_owned(),
                class: class.to_owned(),
                at: name.at,
            });
        }
    }
    match waiting.first() {
        None => Ok(found),
        Some(name) => Err((name.at, format!("`{}` has no `- class`", name.word()?))),
    }
}

fn region(expression: &Expression) -> Result<Region, Flaw> {
    let (own, parts) = expression.headed()?;
    let mut target = None;
    let (mut ranges, mut yaw) = (vec![], [0.0; 2]);
    for part in parts {
        let (key, rest) = part.headed()?;
        match (key, rest) {
            (":target", [name]) => target = Some(name.word()?.to_owned()),
            (":ranges", [list]) => {
                let all = list.list()?.iter().map(numbers::<4>);
                ranges = all.collect::<Result<_, _>>()?;
                if let Some(flat) = ranges.iter().find(|[a, b, c, d]| a > c || b > d) {
                    let why = format!(
                        "the rectangle {flat:?} ends before it begins; expected x0 y0 x1 y1"
                    );
                    return Err((list.at, why));
                }
            }
            (":yaw_rotation", [list]) => match list.list()? {
                [one] => yaw = numbers(one)?,
                _ => return Err((list.at, "expected one pair of angles".into())),
            },
            (":rgba", _) => {}
            (":target" | ":ranges" | ":yaw_rotation", _) => {
                return Err((part.at, format!("`{key}` takes one value")));
            }
            _ => {
                let known = ":target, :ranges, :yaw_rotation, :rgba";
                return Err((part.at, format!("`{key}` is not known (known: {known})")));
            }
        }
    }
    let target =
        target.ok_or_else(|| (expression.at, format!("region `{own}` has no `:target`")))?;
    Ok(Region {
        name: format!("{target}_{own}"),
        target,
        ranges,
        yaw,
    })
}

fn numbers<const N: usize>(expression: &Expression) -> Result<[f64; N], Flaw> {
    let list = expression.list()?;
    let read = list.iter().map(Expression::number);
    let read: Vec<f64> = read.collect::<Result<_, _>>()?;
    let n = read.len();
    read.try_into()
        .map_err(|_| (expression.at, format!("found {n} numbers, expected {N}")))
}

fn atom(expression: &Expression) -> Result<Atom, Flaw> {
    let (name, args) = expression.headed()?;
    let args = args.iter().map(|arg| arg.word().map(str::to_owned));
    Ok(Atom {
        name: name.to_owned(),
        args: args.collect::<Result<_, _>>()?,
        at: expression.at,
    })
}

/// Returns the atoms of a goal; nested `And`s are flattened.
fn goal(at: At, rest: &[Expression]) -> Result<Vec<Atom>, Flaw> {
    let [one] = rest else {
        return Err((at, "expected `(:goal (And …))` or one predicate".into()));
    };
    let (name, parts) = one.headed()?;
    let is_nested = parts.iter().any(|part| part.list().is_ok());
    match name {
        "and" => {
            let all = parts.iter();
            let all = all.map(|part| goal(part.at, std::slice::from_ref(part)));
            Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
        }
        _ if is_nested || ["not", "or", "forall", "exists", "imply"].contains(&name) => Err((
            one.at,
            format!(
                "`{name}` is not supported in a goal; expected one predicate or an `And` of \
                 several (known: {PREDICATES})"
            ),
        )),
        _ => Ok(vec![atom(one)?]),
    }
}

/// The predicates that a goal may contain, for messages.
pub(crate) const PREDICATES: &str = "on and in with two arguments; open, close, turnon, turnoff, \
                                     up with one; true, false, printjointstate";

/// Returns the text in `(:language …)` as written, with capitals, punctuation and brackets.
fn language(text: &str) -> String {
    let lines = text.lines();
    let lines = lines.map(|line| line.split(';').next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join(" ");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let start = text.to_ascii_lowercase().find(":language");
    let from_value = start.map_or("", |start| &text[start + ":language".len()..]);
    let mut depth = 1;
    let end = from_value.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth == 0
    });
    words(end.map_or("", |(end, _)| &from_value[..end]))
}
