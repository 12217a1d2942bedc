//! Recovery from injected faults: classes of faults, the judged story of one episode, and summaries
//! by class.

mod classes;
mod page;
mod report;
mod story;

pub use classes::{Class, Draw, classes};
pub use page::RecoveryPage;
pub use report::{ClassReport, Pair, RecoveryReport, SuiteInfo, Totals};
pub use story::{ClassInfo, RecoveryRecord, Story, judge_recovery};
