//! State of reading a body, besides its element.

use std::path::PathBuf;

use crate::assets::Assets;
use crate::compiler::Compiler;
use crate::defaults::Defaults;
use crate::ledger::Ledger;
use crate::model::Coupling;

/// Reads bodies.
pub(crate) struct Reader<'a> {
    pub(crate) compiler: &'a Compiler,
    pub(crate) defaults: &'a Defaults,
    pub(crate) assets: &'a Assets,
    pub(crate) ledger: &'a mut Ledger,
    /// The files that are being read, the outermost first.
    pub(crate) open: Vec<PathBuf>,
    /// Names of what was copied, old and new, inner copies first.
    pub(crate) copied: Vec<(String, String)>,
    /// Copies made so far.
    pub(crate) n_copies: usize,
    /// Couplings of attached models.
    pub(crate) attached: Vec<Coupling>,
}
