//! State of reading a body, besides its element.

use crate::assets::Assets;
use crate::compiler::Compiler;
use crate::defaults::Defaults;
use crate::ledger::Ledger;

/// Reads bodies.
pub(crate) struct Reader<'a> {
    pub(crate) compiler: &'a Compiler,
    pub(crate) defaults: &'a Defaults,
    pub(crate) assets: &'a Assets,
    pub(crate) ledger: &'a mut Ledger,
}
