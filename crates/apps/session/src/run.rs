//! A run from its order to its verdict.

use std::sync::{Arc, Mutex};

use regrasp_agent::Agent;
use regrasp_api::{CancelToken, EpisodeResult, EventSink, LastFailure};
use regrasp_ground_truth::{Episode, watch};
use regrasp_record::RECORDING_FILE;

use crate::session_state::KeptRun;
use crate::worker::{Worker, lost};
use crate::{Entry, Outcome, Prepared, RunOrder, SetupFailure, Verdict};

impl Worker {
    /// Carries out a text, keeps the run's data, and has it judged.
    pub(crate) fn run(
        &mut self,
        order: &RunOrder,
        cancel: &CancelToken,
    ) -> Result<Outcome, SetupFailure> {
        let faults = std::mem::take(&mut *self.shared.armed.lock());
        self.shared.state.update(|status| status.armed.clear());
        let record = self.shared.state.status().record;
        let robot = self.current.robot.as_mut().ok_or_else(lost)?;
        let prepared = (self.current.prepare)(robot, order, &faults)?;
        let runs = self.current.runs.as_mut();
        let output = runs.map(|runs| runs.open(order, &prepared, record));
        let output = output.transpose()?;
        self.n_runs += 1;
        let run = self.n_runs;
        let mut sinks: Vec<Box<dyn EventSink>> = vec![];
        let kept = output.is_some();
        let recorded = kept && record;
        if let Some((sink, folder)) = output {
            let recording = record.then(|| folder.join(RECORDING_FILE));
            self.shared.state.keep_run(KeptRun {
                run,
                folder,
                recording,
            });
            sinks.push(sink);
        }
        // Last, because it may hold the run before a step: the other sinks are complete by then.
        sinks.push(Box::new(self.shared.log_sink()));
        self.shared.state.log(Entry::RunStarted {
            run,
            text: order.text.clone(),
            planner: prepared.planner.name().to_owned(),
            perception: prepared.perception.clone(),
        });
        self.shared.state.update(|status| {
            status.run = Some(run);
            status.recorded = recorded;
        });
        let (result, verdict) = self.carry_out(order, prepared, sinks, cancel)?;
        let written = self.current.close_output();
        self.shared.state.log(Entry::RunFinished {
            run,
            kept,
            verdict: verdict.clone(),
        });
        written?;
        Ok(Outcome::Episode { result, verdict })
    }

    fn carry_out(
        &mut self,
        order: &RunOrder,
        prepared: Prepared,
        mut sinks: Vec<Box<dyn EventSink>>,
        cancel: &CancelToken,
    ) -> Result<(EpisodeResult, Option<Verdict>), SetupFailure> {
        let mut options = prepared.agent;
        if let Some(mode) = order.approve {
            options.approval.get_or_insert_default().mode = mode;
        }
        let prompt = self.shared.state.status().prompt;
        // A task's judge only judges runs of its own prompt.
        let is_its = prompt.is_some_and(|prompt| prompt.trim() == order.text.trim());
        let judge = self.current.judge.as_ref().filter(|_| is_its);
        let last_failure = Arc::new(Mutex::new(None::<LastFailure>));
        sinks.insert(0, Box::new(Arc::clone(&last_failure)));
        let first = self.current.truth.truth();
        let mut robot = self.current.robot.take().ok_or_else(lost)?;
        robot.cancel = cancel.clone();
        robot.set_sink(Box::new(sinks));
        let person = self.shared.operators(cancel);
        let agent = Agent::new(robot, prepared.skills, prepared.planner, options);
        let mut agent = agent.with_person(Box::new(person));
        let result = agent.run(&order.text);
        let mut robot = agent.into_robot();
        let verdict = judge.map(|judge| {
            let last = self.current.truth.truth();
            let wait = |secs| robot.wait(secs);
            let after = watch(&*self.current.truth, judge.watch_secs, wait);
            (judge.verdict)(&Episode {
                result: result.clone(),
                last_failure: last_failure.lock().ok().and_then(|mut it| it.take()),
                first,
                last,
                after,
                first_met: None,
                is_from_store: false,
            })
        });
        robot.cancel = CancelToken::new();
        robot.set_sink(Box::new(self.shared.log_sink()));
        self.current.robot = Some(robot);
        Ok((result, verdict))
    }
}
