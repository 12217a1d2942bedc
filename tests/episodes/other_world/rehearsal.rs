//! A session before a world that cannot be copied.

use regrasp::Kit;
use regrasp::agent::AgentOptions;
use regrasp::api::{ApprovalPolicy, SkillCall};
use regrasp::faults::Fault;
use regrasp::robot::{Robot, SkillSet};
use regrasp_session::{
    Catalogue, Command, Judge, Outcome, Place, Prepared, Reply, RunOrder, RunOutput, Session,
    SetupTrouble, Workshop,
};
use regrasp_station::{LiveOptions, LiveWorkshop};
use serde_json::json;

use super::masked::blinded;

/// The usual workshop, whose worlds cannot go back in time.
struct OneWay(LiveWorkshop);

impl Workshop for OneWay {
    fn catalogue(&self) -> Catalogue {
        self.0.catalogue()
    }

    fn place(&mut self, scene: &str, seed: u64) -> Result<Place, SetupTrouble> {
        let place = self.0.place(scene, seed)?;
        Ok(Place {
            robot: blinded(place.robot),
            ..place
        })
    }

    fn prepare(
        &mut self,
        robot: &mut Robot,
        order: &RunOrder,
        faults: &[Fault],
    ) -> Result<Prepared, SetupTrouble> {
        self.0.prepare(robot, order, faults)
    }

    fn keep(
        &mut self,
        order: &RunOrder,
        prepared: &Prepared,
        record: bool,
    ) -> Result<Option<RunOutput>, SetupTrouble> {
        self.0.keep(order, prepared, record)
    }

    fn kept(&mut self) -> Result<(), SetupTrouble> {
        self.0.kept()
    }

    fn skills(&self) -> SkillSet {
        self.0.skills()
    }

    fn approval(&self) -> ApprovalPolicy {
        self.0.approval()
    }

    fn judge(&self, order: &RunOrder) -> Option<Box<dyn Judge>> {
        self.0.judge(order)
    }
}

#[test]
fn a_plan_that_cannot_be_rehearsed_is_answered_so() {
    let options = LiveOptions {
        agent: AgentOptions::default(),
        ..LiveOptions::default()
    };
    let workshop = OneWay(LiveWorkshop::new(Kit::panda().unwrap(), options));
    let session = Session::start(Box::new(workshop), "tabletop", 0, 0.0).unwrap();
    let calls = vec![SkillCall::new("home", json!({}))];
    let Reply::Later(pending) = session.command(Command::Check { calls }).unwrap() else {
        panic!("a rehearsal takes a while");
    };
    let outcome = pending.wait();
    let Outcome::Trouble { message } = outcome else {
        panic!("{outcome:?}");
    };
    assert!(message.contains("only simulators can"), "{message}");
}
