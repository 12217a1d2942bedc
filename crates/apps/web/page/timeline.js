// Timeline of the world so far, and the moment that is shown.

import { $, seconds } from "./dom.js";
import { fetchHistory } from "./link.js";

/** Maximum number of kept positions; beyond it, every other one is dropped. */
const MAX_SHOTS = 12000;

export class Timeline {
  constructor({ show }) {
    this.show = show;
    this.version = 0;
    this.clear(0);
    $("scrub").addEventListener("input", () => this.jump(Number($("scrub").value)));
    $("live").addEventListener("click", () => this.follow());
  }

  clear(world) {
    this.world = world;
    this.shots = [];
    this.marks = [];
    this.past = null;
    this.stride = 1;
    this.nSeen = 0;
    $("marks").replaceChildren();
    $("scrub").max = 0;
    $("live").classList.add("on");
  }

  /** Loads the positions from before this page was opened. */
  async load(world) {
    const shots = (await fetchHistory()).filter((shot) => shot.world === world);
    if (world !== this.world) return;
    const first = this.shots[0]?.time ?? Infinity;
    this.shots = [...shots.filter((shot) => shot.time < first), ...this.shots];
    this.draw();
  }

  push(shot) {
    // Positions of a world that is not loaded yet fit no scene.
    if (shot.world !== this.world) return;
    this.version += 1;
    const last = this.shots.at(-1);
    if (last && shot.time <= last.time) this.shots.pop();
    if (last && shot.time <= last.time ? true : this.nSeen++ % this.stride === 0 || !last) this.shots.push(shot);
    if (this.shots.length > MAX_SHOTS) {
      this.shots = this.shots.filter((_, i) => i % 2 === 0);
      this.stride *= 2;
    }
    this.latest = shot;
    this.draw();
  }

  /** Shows a moment of the past, or the present again if it is the last. */
  jump(secs) {
    if (this.shots.length === 0) return;
    let [low, high] = [0, this.shots.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.shots[middle].time <= secs) low = middle;
      else high = middle - 1;
    }
    this.past = low === this.shots.length - 1 ? null : this.shots[low];
    this.draw();
  }

  follow() {
    this.past = null;
    this.draw();
  }

  mark({ entry, sim_secs: at, event }) {
    const kinds = { step_started: "", plan_revised: "plan" };
    let kind = null;
    if (entry === "event") {
      kind = kinds[event.event] ?? null;
      if (event.event === "step_finished" && !event.result.success) kind = "bad";
    } else if (entry === "disturbed") kind = "hand";
    if (kind === null) return;
    const element = document.createElement("i");
    element.className = kind;
    this.marks.push({ at, element });
    $("marks").append(element);
    this.place();
  }

  place() {
    const end = Math.max(this.end, 1e-6);
    for (const { at, element } of this.marks) element.style.setProperty("left", `${Math.min(100, (100 * at) / end)}%`);
  }

  get end() {
    return this.latest?.world === this.world ? this.latest.time : (this.shots.at(-1)?.time ?? 0);
  }

  /** Updates the page at the next frame of the screen; several calls before it update once. */
  draw() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => {
      this.waits = false;
      const shot = this.past ?? (this.latest?.world === this.world ? this.latest : this.shots.at(-1));
      if (!shot) return;
      const scrub = $("scrub");
      scrub.max = this.end;
      scrub.value = shot.time;
      scrub.setAttribute("aria-valuetext", seconds(shot.time));
      $("clock").textContent = seconds(shot.time);
      $("live").classList.toggle("on", !this.past);
      this.place();
      this.show(shot, this.past !== null);
    });
  }
}
