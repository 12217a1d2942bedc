// Moving the tool by keys and buttons.

import { $, answer, make } from "./dom.js";

const STEP_M = 0.03;
const SMALL_M = 0.005;
const STEP_RAD = 0.2;
const SMALL_RAD = 0.05;

/** Key, label, direction in World (x forward, y left, z up; null for the gripper), sense of rotation about z. */
const KEYS = [
  ["q", "up", [0, 0, 1], 0], ["w", "forward", [1, 0, 0], 0], ["e", "down", [0, 0, -1], 0],
  ["a", "left", [0, 1, 0], 0], ["s", "back", [-1, 0, 0], 0], ["d", "right", [0, -1, 0], 0],
  ["z", "turn ↺", [0, 0, 0], 1], [" ", "grip", null, 0], ["x", "turn ↻", [0, 0, 0], -1],
];

export class Hands {
  constructor(page, link) {
    this.page = page;
    this.link = link;
    this.under = false;
    this.open = false;
    this.buttons = KEYS.map((key) => this.button(key));
    $("keys").replaceChildren(...this.buttons);
    window.addEventListener("keydown", (event) => {
      const typesIn = event.key === " " ? "input, textarea, select, button, a" : "input, textarea, select";
      if (event.target.matches(typesIn) || event.ctrlKey || event.metaKey || event.altKey) return;
      const idx = KEYS.findIndex(([key]) => key === event.key.toLowerCase());
      if (idx < 0) return;
      event.preventDefault();
      this.act(KEYS[idx], event.shiftKey);
    });
  }

  button(key) {
    const [name, what] = key;
    const button = make("button", { type: "button" },
      make("kbd", {}, name === " " ? "space" : name.toUpperCase()), ` ${what}`);
    button.setAttribute("aria-keyshortcuts", name === " " ? "Space" : name);
    button.addEventListener("click", (event) => this.act(key, event.shiftKey));
    return button;
  }

  refresh() {
    const { status, inControl } = this.page;
    const busy = status.doing && !["teleoperate", "gripper"].includes(status.doing.what);
    for (const button of this.buttons) button.disabled = !inControl || Boolean(busy);
    if (status.held) this.open = true;
  }

  /** Makes one move at a time: a key that is held down repeats when the last move has ended. */
  async act([, , direction, turn], small) {
    if (this.under || this.buttons[0].disabled) return;
    this.under = true;
    const length = small ? SMALL_M : STEP_M;
    const order = direction === null
      ? { do: "gripper", open: this.open }
      : {
          do: "teleoperate",
          by_m: direction.map((part) => part * length),
          turn_rad: turn * (small ? SMALL_RAD : STEP_RAD),
        };
    try {
      const { outcome, result, message } = await this.link.order(order);
      if (direction === null) this.open = !this.open;
      if (outcome === "skill" && result.success) answer($("hands-answer"), result.reason_detail, true);
      else answer($("hands-answer"), message ?? `${result.reason}: ${result.reason_detail}`, false);
    } catch (error) {
      answer($("hands-answer"), error.message, false);
    } finally {
      this.under = false;
    }
  }
}
