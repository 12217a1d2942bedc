//! Every standard skill keeps the rules for skills, and the check detects skills that violate one.

mod broken;
mod built_in;
