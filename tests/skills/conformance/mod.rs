//! Every built-in skill keeps the rules for skills, and skills that violate one are detected.

mod broken;
mod built_in;
