// Scene, task, planner; run, pause, step, stop; and questions that wait for an answer.

import { $, callText, make } from "./dom.js";

export class Setup {
  constructor(page, link) {
    this.page = page;
    this.link = link;
    this.prompts = new Map();
    this.asked = null;
    $("reset").addEventListener("click", () => this.reset());
    $("scene").addEventListener("change", () => this.reset());
    $("run").addEventListener("click", () => this.run());
    $("pause").addEventListener("click", () => this.pause());
    $("step").addEventListener("click", () => this.step());
    $("stop").addEventListener("click", () => this.say({ do: "stop" }));
    $("speed").addEventListener("change", () => this.say({ do: "speed", times: Number($("speed").value) }));
    $("record").addEventListener("change", () => this.say({ do: "record", on: $("record").checked }));
    $("text").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        this.run();
      }
    });
    window.addEventListener("keydown", (event) => this.key(event));
  }

  offer({ scenes, tasks, planners, perceptions, version }) {
    const option = (value, label = value) => make("option", { value }, label);
    const group = (label, options) => {
      const element = make("optgroup", { label });
      element.append(...options);
      return element;
    };
    this.prompts = new Map(tasks.map((task) => [task.name, task.prompt]));
    $("scene").replaceChildren(
      group("Scenes", scenes.map((name) => option(name))),
      group("Tasks", tasks.map(({ name, prompt }) => option(name, `${name} – ${prompt}`))),
    );
    const names = { ground_truth: "ground truth", rgbd: "colour and depth" };
    $("planner").replaceChildren(...planners.map((name) => option(name)));
    $("perception").replaceChildren(...perceptions.map((name) => option(name, names[name] ?? name)));
    document.querySelector("h1").title = `Regrasp ${version}`;
  }

  /** Shows the state of the session. */
  refresh() {
    const { status, inControl } = this.page;
    const { doing, flow, pending } = status;
    const busy = doing !== null;
    for (const id of ["scene", "seed", "reset", "run", "planner", "perception", "approve", "step-by-step"]) {
      $(id).disabled = !inControl || busy;
    }
    $("text").disabled = !inControl;
    for (const id of ["speed", "record"]) $(id).disabled = !inControl;
    $("pause").disabled = !inControl || !busy || doing.stopping;
    $("step").disabled = !inControl || !busy || doing.stopping;
    // A real robot can always be stopped: it may be moved by others.
    $("stop").disabled = !busy && !status.robot;
    $("pause").textContent = flow === "paused" ? "Resume" : "Pause";
    $("pause").title = status.robot ? "Pauses before the next motion; Stop ends the current one" : "";
    $("reset").textContent = status.robot ? "Connect again" : "Reset";
    $("speed").value = String(status.speed);
    if (status.robot) $("speed").disabled = true;
    $("record").checked = status.record;
    if (document.activeElement !== $("scene")) $("scene").value = status.scene;
    if (document.activeElement !== $("seed")) $("seed").value = status.seed;
    if (this.world !== status.world) {
      this.world = status.world;
      if (status.prompt) $("text").value = status.prompt;
    }
    this.ask(pending);
  }

  say(order) {
    return this.link.order(order).catch((error) => {
      $("state").textContent = error.message;
    });
  }

  reset() {
    return this.say({ do: "reset", scene: $("scene").value, seed: Number($("seed").value) || 0 });
  }

  run() {
    if ($("run").disabled) return;
    const text = $("text").value.trim() || $("text").placeholder;
    $("text").value = text;
    const approve = $("approve").value;
    this.say({
      do: "run",
      order: {
        text,
        planner: $("planner").value,
        perception: $("perception").value,
        ...(approve && { approve }),
        step_by_step: $("step-by-step").checked,
      },
    });
  }

  pause() {
    if (!$("pause").disabled) this.say({ do: this.page.status.flow === "paused" ? "resume" : "pause" });
  }

  step() {
    if (!$("step").disabled) this.say({ do: "step" });
  }

  /** Escape stops, also while somebody types; otherwise p pauses, and n goes on to the next step. */
  key(event) {
    if (event.key === "Escape") {
      if (!$("stop").disabled) this.say({ do: "stop" });
      return;
    }
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "p") this.pause();
    if (event.key === "n") this.step();
  }

  /** Shows an open question. It is not redrawn until it is answered, so that clicks hit what was shown. */
  ask(pending) {
    const box = $("pending");
    if (!pending) {
      box.hidden = true;
      this.asked = null;
      return;
    }
    const { inControl } = this.page;
    if (this.asked === pending.id && box.dataset.mine === String(inControl)) return;
    this.asked = pending.id;
    box.dataset.mine = String(inControl);
    const answer = (approve, text) => this.say({ do: "answer", id: pending.id, approve, ...(text && { text }) });
    const button = (label, className, act) => {
      const element = make("button", { type: "button", className, textContent: label, disabled: !inControl });
      element.addEventListener("click", act);
      return element;
    };
    const title = make("strong", { id: "pending-title" });
    if (pending.kind === "approval") {
      const { call, risks } = pending.request;
      title.textContent = "May the robot do this?";
      box.replaceChildren(
        title,
        make("code", {}, callText(call.skill, call.args)),
        ...(risks.length > 0 ? [make("span", {}, risks.join("; "))] : []),
        make("div", { className: "row" },
          button("Approve", "main", () => answer(true)),
          button("Refuse", "stop", () => answer(false))),
      );
    } else {
      title.textContent = pending.question;
      const words = make("input", { type: "text", disabled: !inControl, ariaLabel: "Answer" });
      words.className = "grow";
      box.replaceChildren(
        title,
        make("div", { className: "row" }, words, button("Answer", "main", () => answer(true, words.value))),
      );
    }
    box.hidden = false;
    // Focuses the box, not a button: a key that is held down must not approve anything.
    box.tabIndex = -1;
    if (inControl) (box.querySelector("input") ?? box).focus();
  }
}
