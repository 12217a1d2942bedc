//! A vision-language model as planner, with recorded answers from a cassette.
//!
//! ```sh
//! cargo run --example vlm_planner
//! ```
//!
//! The cube that should go on the plate is covered by another one. The model's first plan fails,
//! the model gets the reason of the failure, and its second plan removes the upper cube first. The
//! example prints each request and each answer as sent, and the calls.
//!
//! The answers on the cassette were written by hand and recorded from a local server
//! (`tests/cli/models/cassette.rs`); they do not come from a vendor's model. To use a real model,
//! run `cargo run -- run --task unstack_to_plate --planner ollama --model NAME`.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::io;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use regrasp::record::ConsoleSink;
use regrasp::scene::builtin_task;
use regrasp::{EpisodeOptions, LoadedRobot, verdict_block};
use regrasp_chat::{Cassette, ChatAnswer, ChatModel, ChatRequest, ModelError, Player};
use regrasp_llm_planner::{VlmOptions, VlmPlanner};

const CASSETTE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../examples/vlm_planner.cassette.json"
);

/// Model that forwards requests to another one, and prints them and the answers.
struct Told(Player);

#[async_trait]
impl ChatModel for Told {
    fn model(&self) -> &str {
        self.0.model()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelError> {
        let tools: Vec<_> = request.tools.iter().map(|t| t.name.as_str()).collect();
        println!("\n--- rules\n{}", request.system);
        println!("--- request\n{}", request.user);
        println!("--- tools\n{}", tools.join(", "));
        let answer = self.0.chat(request).await?;
        println!("--- answer\n{}", answer.raw);
        println!("--- calls");
        for call in &answer.calls {
            match &call.arguments {
                Ok(arguments) => println!("{}({arguments})", call.name),
                Err(broken) => println!("{}: {}", call.name, broken.error),
            }
        }
        println!("---\n");
        Ok(answer)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(CASSETTE);
    let model = Told(Cassette::load(path)?.player(path, None));
    let task = builtin_task("unstack_to_plate")?.instantiate(0)?;
    let options = EpisodeOptions {
        planner: Box::new(VlmPlanner::new(Arc::new(model), VlmOptions::default())),
        sink: Box::new(ConsoleSink::new(io::stdout())),
        ..EpisodeOptions::default()
    };
    let episode = LoadedRobot::panda()?.episode(&task.scene, &task.prompt, options)?;
    println!("{}", verdict_block(&episode.result));
    println!("  tokens:       {}", episode.result.tokens);
    if episode.result.success {
        Ok(())
    } else {
        Err(episode.result.final_detail.into())
    }
}
