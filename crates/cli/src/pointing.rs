//! Which model points out what is meant.

use clap::Args;
use regrasp::Pointing;
use regrasp::api::CancelToken;
use regrasp::vlm::PointerOptions;

use super::error::CliError;
use super::models::{ModelArguments, ProviderArgument};
use super::pictures::PictureArguments;
use super::planner::PlannerSource;
use super::values::PerceptionArgument;

#[derive(Args, Clone, Debug)]
pub(super) struct PointingArguments {
    /// With --perception pointer: whose model points; that of the planner if left out.
    #[arg(long, value_enum, value_name = "PROVIDER")]
    pub(super) pointer: Option<ProviderArgument>,
    /// With --perception pointer: look for this, too, such as "the cracked mug"; may be given
    /// several times. What the command speaks of is looked for in any case, if the planners'
    /// grammar understands it.
    #[arg(long, value_name = "PHRASE")]
    find: Vec<String>,
}

impl PointingArguments {
    /// The model that points, if one should.
    pub(super) fn source(
        &self,
        perception: PerceptionArgument,
        planner: &PlannerSource,
        (model, pictures): (&ModelArguments, &PictureArguments),
        cancel: &CancelToken,
    ) -> Result<Option<Pointing>, CliError> {
        let Self { pointer, find } = self;
        if perception != PerceptionArgument::Pointer {
            let given = [
                ("--pointer", pointer.is_some()),
                ("--find", !find.is_empty()),
            ];
            return match given.iter().find(|(_, is_given)| *is_given) {
                Some((argument, _)) => Err(CliError::NothingPoints { argument }),
                None => Ok(None),
            };
        }
        let (model, mode) = match (pointer, planner) {
            (Some(provider), PlannerSource::Offline(_)) => {
                model.source((*provider).into(), cancel)?.model()
            }
            // One model does both: there is one --model.
            (_, PlannerSource::Model(source)) => source.model(),
            (None, PlannerSource::Offline(_)) => return Err(CliError::WhoPoints),
        };
        let options = PointerOptions {
            phrases: find.clone(),
            cameras: pictures.cameras(),
            mode,
            ..PointerOptions::default()
        };
        Ok(Some(Pointing { model, options }))
    }
}
