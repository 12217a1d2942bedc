//! What several owners, trouble and hostile text do to a store.

mod approvals;
mod hostile;
mod killed;
mod memory;
mod place;
mod runs;
mod trouble;
