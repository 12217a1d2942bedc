//! A session that cannot rehearse plans, because its world cannot be rewound.

use regrasp::LoadedRobot;
use regrasp::agent::AgentOptions;
use regrasp::api::SkillCall;
use regrasp_session::{
    Backend, Catalogue, Command, LoadedScene, Outcome, Reply, Session, SetupFailure, SimBackend,
    StationOptions,
};
use serde_json::json;

use super::masked::blinded;
use regrasp_testkit::says;

/// Simulation backend whose worlds cannot be rewound.
struct OneWay(SimBackend);

impl Backend for OneWay {
    fn catalogue(&self) -> Catalogue {
        self.0.catalogue()
    }

    fn load(&mut self, scene: &str, seed: u64) -> Result<LoadedScene, SetupFailure> {
        let loaded = self.0.load(scene, seed)?;
        Ok(LoadedScene {
            robot: blinded(loaded.robot),
            ..loaded
        })
    }
}

#[test]
fn a_plan_that_cannot_be_rehearsed_is_answered_so() {
    let options = StationOptions {
        agent: AgentOptions::default(),
        ..StationOptions::default()
    };
    let backend = OneWay(SimBackend::new(LoadedRobot::panda().unwrap(), options));
    let session = Session::start(Box::new(backend), "tabletop", 0, 0.0).unwrap();
    let calls = vec![SkillCall::new("home", json!({}))];
    let Reply::Later(pending) = session.command(Command::Check { calls }).unwrap() else {
        panic!("the rehearsal was answered at once");
    };
    let outcome = pending.wait();
    let Outcome::Trouble { message } = outcome else {
        panic!("{outcome:?}");
    };
    says(&message, &["only a simulated world can be copied"]);
}
