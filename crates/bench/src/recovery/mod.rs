//! What an agent does about faults: one episode's story, judged, and summed up by class.

mod page;
mod report;
mod story;
mod table;

pub use page::RecoveryPage;
pub use report::{ClassReport, Pair, RecoveryReport, SuiteInfo, Totals};
pub use story::{ClassInfo, RecoveryRecord, Story, judge_recovery};
