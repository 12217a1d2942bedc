//! Every skill that comes with the program keeps the rules that any skill has to keep,
//! and skills that break one are caught.

mod broken;
mod built_in;
