//! What an agent does about faults: every class of faults, on tasks where it strikes, one
//! episode's story, judged, and summed up by class.

mod classes;
mod draw;
mod page;
mod report;
mod story;
mod suite;
mod table;

pub use classes::{Class, classes};
pub use draw::Draw;
pub use page::RecoveryPage;
pub use report::{ClassReport, Pair, RecoveryReport, SuiteInfo, Totals};
pub use story::{ClassInfo, RecoveryRecord, Story, judge_recovery};
pub use suite::{RecoveryEpisode, RecoverySuite, RunRecovery, SuiteError};
