// Faults and disturbances, by button and by dragging.

import { $, answer, make } from "./dom.js";

/** Label, function that makes the order for an object and a joint, and true if it needs an object. */
const TROUBLES = [
  ["Nudge it", (object) => fault({ nudged: { object, distance_m: 0.04, at_secs: 0 } }), true],
  ["Take it away", (object) => fault({ removed: { object, at_secs: 0 } }), true],
  ["Hide it", (object) => fault({ sight_misses: { object } }), true],
  ["Slip at lift", () => fault({ slip_at_lift: { factor: 0, for_secs: 1.5 } })],
  ["Weak gripper", () => fault({ gripper_weak: { factor: 0.05 } })],
  ["Stuck gripper", () => fault({ gripper_stuck: { for_secs: 3 } })],
  ["Block a joint", (_, joint) => fault({ joint_blocked: { joint, at_secs: 0, for_secs: 3 } })],
  ["Repair all", () => ({ do: "repair" })],
];

function fault(kind) {
  return { do: "fault", fault: kind };
}

export class Faults {
  constructor(page, link) {
    this.page = page;
    this.link = link;
    this.joint = null;
    this.buttons = TROUBLES.map(([label, order, needsObject]) => {
      const button = make("button", { type: "button" }, label);
      button.dataset.object = needsObject ? "yes" : "";
      button.addEventListener("click", () => this.say(order($("fault-object").value, this.joint), label));
      return button;
    });
    $("faults").replaceChildren(...this.buttons);
  }

  scene({ nodes }) {
    const movable = nodes.filter((node) => node.movable);
    const chosen = $("fault-object").value;
    $("fault-object").replaceChildren(...movable.map(({ name }) => make("option", { value: name }, name)));
    if (movable.some(({ name }) => name === chosen)) $("fault-object").value = chosen;
    this.refresh();
  }

  refresh() {
    const hasObject = $("fault-object").options.length > 0;
    for (const button of this.buttons) {
      button.disabled = !this.page.inControl || (button.dataset.object === "yes" && !hasObject);
    }
    $("fault-object").disabled = !hasObject;
  }

  say(order, what) {
    return this.link.order(order).then(
      () => answer($("fault-answer"), what, true),
      (error) => answer($("fault-answer"), error.message, false),
    );
  }

  move(object, xy) {
    return this.say({ do: "move", object, xy }, `${object} was moved`);
  }
}
