//! Several owners, errors and hostile text.

mod approvals;
mod hostile;
mod killed;
mod memory;
mod place;
mod runs;
mod trouble;
