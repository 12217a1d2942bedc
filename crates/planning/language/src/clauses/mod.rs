//! From clauses to what is to be brought about.

mod each;
mod hinges;
mod onto;
mod places;
mod pushing;
mod putting;
mod stacking;
mod taking;

use std::rc::Rc;

use regrasp_api::{Goal, ObjectJoint};

use crate::context::Context;
use crate::reader::Reader;
use crate::task::{Step, Steps};
use crate::tree::Tree;

impl Reader<'_> {
    /// What an action asks for.
    pub(crate) fn action(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        match tree.label.as_str() {
            "topic_pick" | "pick" | "wish_pick" => self.pick(tree, context),
            "take_from" => self.take_from(tree, context),
            "take_down" => self.take_down(tree, context),
            "take_out" | "wish_out" => self.take_out(tree, context),
            "wish_off" => self.take_off(tree, context),
            "wish_none" => self.none_there(tree, context),
            "clear" | "empty" => self.clear(tree, context),
            "put" | "take_put" | "wish" => self.put_somewhere(tree, context),
            "put_from" => self.put_from(tree, context),
            "put_where" => self.put_where(tree, context),
            "put_place_first" => self.put_place_first(tree, context),
            "put_down" => self.put_down(tree, context),
            "gets" | "filled" | "covered_with" => self.put_on_first(tree, context),
            "bridge" => self.bridge(tree, context),
            "side_by_side" => self.side_by_side(tree, context),
            "aside" => Err(self.unclear(tree, "where exactly is _?")),
            "pour" => self.pour(tree, context),
            "insert" => self.insert(tree, context),
            "upright" | "wish_upright" => self.stand_up(tree, context),
            "shift" | "shift_heading" | "wish_push" => self.shift(tree, context),
            "shift_plainly" => self.shift_plainly(tree, context),
            "shift_toward" | "shift_toward_by" => self.shift_toward(tree, context),
            "shift_point" => self.shift_to_point(tree, context),
            "shift_place" => self.shift_to_place(tree, context),
            "push_off" => {
                let why = "nothing is pushed off what it stands on: it would fall";
                Err(self.nonsense(tree, why))
            }
            "move_by" | "move_by_wish" => self.move_by(tree, context),
            "lift" | "lift_then" => self.lift(tree, context),
            "hold_at" => self.hold_at(tree, context),
            "open" | "wish_open" => self.slide(tree.np(), true, ObjectJoint::opens, context),
            "close" | "wish_closed" => self.slide(tree.np(), false, ObjectJoint::opens, context),
            "wish_none_open" => self.close_all(tree, context),
            "set_on" => self.slide(tree.np(), true, ObjectJoint::is_set, context),
            "set_off" => self.slide(tree.np(), false, ObjectJoint::is_set, context),
            "turn_by" => self.turn_by(tree, context),
            "press" => self.press(tree, context),
            "stack_on" => self.stack_on(tree, context),
            "stack_three" => self.stack_three(tree, context),
            "tower" | "tower_on" => self.build_tower(tree, context),
            "swap" => self.swap(tree, context),
            "swap_with" => self.swap_with(tree, context),
            "wish_do" => self.action(tree.last(), context),
            "nothing" => Ok(vec![]),
            "home" => Ok(vec![Step::Do(Goal::Home.into())]),
            _ => Err(self.nonsense(tree, "not understood")),
        }
    }
}
