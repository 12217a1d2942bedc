//! State for reading bodies, shared by all elements.

use std::path::PathBuf;

use crate::assets::Assets;
use crate::compiler::Compiler;
use crate::defaults::Defaults;
use crate::ledger::Ledger;
use crate::model::Coupling;

pub(crate) struct Reader<'a> {
    pub(crate) compiler: &'a Compiler,
    pub(crate) defaults: &'a Defaults,
    pub(crate) assets: &'a Assets,
    pub(crate) ledger: &'a mut Ledger,
    /// Models being read, the outermost first.
    pub(crate) open: Vec<PathBuf>,
    /// Old and new names of copied elements, inner copies first.
    pub(crate) copied: Vec<(String, String)>,
    pub(crate) n_copies: usize,
    /// Couplings of attached models.
    pub(crate) attached: Vec<Coupling>,
}
