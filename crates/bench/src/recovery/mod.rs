//! What an agent does about faults: one episode's story, judged, and summed up by class.

mod report;
mod story;
mod table;

pub use report::{ClassReport, RecoveryReport, SuiteInfo, Totals};
pub use story::{ClassInfo, RecoveryRecord, Story, judge_recovery};
