//! Tasks from all sources: built in, task files, LIBERO's problem files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use regrasp::bench::DrawnTask;
use regrasp::scene::{RobotFile, builtin_task_names, find_task};
use regrasp_libero::{Assets, LiberoTask, Starts, problems_in};

use crate::{CliError, Result, SuiteName, complain};

/// Location of LIBERO's files.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct LiberoArguments {
    /// The folder with LIBERO's `bddl_files` and `assets`. Default: the environment variable
    /// REGRASP_LIBERO.
    #[arg(long, visible_alias = "libero-root", value_name = "DIR")]
    libero: Option<PathBuf>,
    /// Initial states of LIBERO's tasks: `drawn` samples them by LIBERO's rules; a folder has files
    /// `<suite>/<task>.pruned_init`, of which row SEED modulo the number of rows is used; `auto`
    /// uses the folder `init_files` beside `bddl_files` if it has the task's file, else `drawn`.
    #[arg(long, value_name = "auto|drawn|DIR", default_value_t = Starts::Auto)]
    init_states: Starts,
}

/// A task file, a built-in task, or a problem file of LIBERO.
pub(super) type AnyTask = Box<dyn DrawnTask>;

impl LiberoArguments {
    /// Finds the task with a name, or all tasks of a folder of problem files.
    pub(super) fn find(&self, name: &str, robot: &RobotFile) -> Result<Vec<AnyTask>> {
        let path = Path::new(name.strip_prefix("libero:").unwrap_or(name));
        if path.is_dir() {
            return self.all(&problems_in(path)?, robot);
        }
        if path.extension().is_some_and(|e| e == "bddl") {
            return self.all(&[path.to_owned()], robot);
        }
        Ok(vec![Box::new(find_task(name, robot)?)])
    }

    pub(super) fn find_one(&self, name: &str, robot: &RobotFile) -> Result<AnyTask> {
        let mut tasks = self.find(name, robot)?;
        match (tasks.pop(), tasks.is_empty()) {
            (Some(task), true) => Ok(task),
            _ => Err(CliError::usage(format_args!(
                "use `{name}` here: it has several tasks; name one `.bddl` file"
            ))),
        }
    }

    /// Tasks of a suite, or else the named tasks, each with the name by which it was found: that of
    /// the folder for all tasks of a folder.
    pub(super) fn chosen(
        &self,
        suite: Option<&SuiteName>,
        names: &[String],
        robot: &RobotFile,
    ) -> Result<Vec<(String, AnyTask)>> {
        let builtin = builtin_task_names();
        let names = match suite {
            Some(SuiteName::Libero(name)) => {
                let tasks = self.suite(name, robot)?.into_iter();
                return Ok(tasks.map(|t| (t.name().to_owned(), t)).collect());
            }
            Some(SuiteName::Tasks(suite)) => suite.tasks(&builtin),
            Some(SuiteName::Recovery) | None => names.iter().map(String::as_str).collect(),
        };
        if let (Some(SuiteName::Tasks(suite)), []) = (suite, names.as_slice()) {
            return Err(CliError::usage(format_args!(
                "find a task of the suite `{}`: this build has none; `regrasp tasks` lists all",
                suite.name()
            )));
        }
        let mut found = vec![];
        for name in names {
            let tasks = self.find(name, robot)?;
            found.extend(tasks.into_iter().map(|task| (name.to_owned(), task)));
        }
        Ok(found)
    }

    pub(super) fn assets(&self) -> Result<Assets> {
        Ok(Assets::find(self.libero.as_deref())?)
    }

    fn suite(&self, name: &str, robot: &RobotFile) -> Result<Vec<AnyTask>> {
        let assets = self.assets()?;
        let files = problems_in(&assets.suite(name))?;
        load(&files, assets, robot, &self.init_states)
    }

    fn all(&self, files: &[PathBuf], robot: &RobotFile) -> Result<Vec<AnyTask>> {
        let assets = self.assets()?;
        load(files, assets, robot, &self.init_states)
    }
}

fn load(
    files: &[PathBuf],
    assets: Assets,
    robot: &RobotFile,
    starts: &Starts,
) -> Result<Vec<AnyTask>> {
    let assets = Arc::new(assets);
    let mut printed = BTreeSet::new();
    let tasks = files.iter().map(|file| {
        let task = LiberoTask::open(file, &assets, robot, starts)?;
        for note in task.notes() {
            if printed.insert(note.clone()) {
                complain(&format!("{}: {note}", file.display()));
            }
        }
        Ok(Box::new(task) as AnyTask)
    });
    tasks.collect()
}
