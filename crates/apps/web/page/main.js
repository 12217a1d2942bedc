// Entry point of the page: passes messages of the server to the parts that show them.

import { $, make } from "./dom.js";
import { Link } from "./link.js";
import { Cameras } from "./cameras.js";
import { Downloads } from "./downloads.js";
import { Hands } from "./hands.js";
import { Setup } from "./setup.js";
import { Story } from "./story.js";
import { Timeline } from "./timeline.js";
import { Faults } from "./faults.js";
import { View } from "./view.js";

/** State that every part of the page may read. */
const page = { status: null, inControl: false, connected: false };

const link = new Link({
  async hello({ catalogue, has_3d: has3d }) {
    page.connected = true;
    // Drops the old state: the server sends the log again from its beginning.
    page.status = null;
    setup.offer(catalogue);
    downloads.offer(catalogue.exports);
    await view.start(has3d);
    refresh();
  },
  control({ controller, connections }) {
    page.inControl = controller === link.me;
    const others = connections - 1;
    const watching = others > 0 ? `${others} other${others > 1 ? "s" : ""} here` : "";
    $("crew").textContent = page.inControl ? watching : `you are watching${watching ? `, ${watching}` : ""}`;
    const button = $("control");
    button.hidden = page.inControl ? others === 0 : false;
    button.disabled = !page.inControl && controller !== null;
    button.textContent = page.inControl ? "Give up control" : "Take control";
    button.title = button.disabled ? "Another connection is in control until it disconnects or releases control" : "";
    refresh();
  },
  status({ status }) {
    const isNewWorld = page.status?.world !== status.world;
    page.status = status;
    if (isNewWorld) newWorld();
    refresh();
  },
  log({ entries, missed }) {
    if (missed > 0) story.missed(missed);
    for (const entry of entries) {
      story.take(entry);
      timeline.mark(entry);
    }
  },
  shot(shot) {
    timeline.push(shot);
  },
  lost() {
    page.connected = false;
    page.inControl = false;
    $("state").textContent = "The connection was lost; reconnecting …";
    refresh();
  },
  error(message) {
    $("state").textContent = message;
  },
});

const timeline = new Timeline({
  show: (shot, isPast) => {
    view.show(shot);
    $("past").hidden = !isPast;
    $("past").textContent = isPast ? `State at ${shot.time.toFixed(2)} s` : "";
    cameras.at(isPast ? shot.time : null);
  },
});
const story = new Story((secs) => timeline.jump(secs));
const setup = new Setup(page, link);
const downloads = new Downloads();
const hands = new Hands(page, link);
const faults = new Faults(page, link);
const cameras = new Cameras(() => timeline.version);
const view = new View(page, {
  move: (object, xy) => faults.move(object, xy),
  scene: (scene) => {
    faults.scene(scene);
    cameras.scene(scene);
    timeline.load(scene.world);
  },
});

$("control").addEventListener("click", () => {
  const wish = page.inControl ? "release" : "take";
  link.control(wish).catch((error) => ($("state").textContent = error.message));
});

function newWorld() {
  story.clear();
  timeline.clear(page.status.world);
  view.load(page.status.world);
}

function refresh() {
  const { status } = page;
  if (!page.connected || !status) return;
  const { doing, flow, held, pending, robot } = status;
  document.body.toggleAttribute("data-real", Boolean(robot));
  const words = [];
  if (!doing) words.push("Ready");
  else if (doing.stopping) words.push("Stopping");
  else if (pending) words.push("Waiting for you");
  else if (flow === "paused") words.push("Paused");
  else words.push("Running");
  const state = [make("b", {}, words[0])];
  if (doing) state.push(`: ${doing.text}`);
  if (robot) state.push(` · ${armText(robot)}`);
  if (held) state.push(` · holds ${held}`);
  if (status.armed.length > 0) state.push(` · next run has ${status.armed.length} fault(s)`);
  $("state").replaceChildren(...state);
  document.body.dataset.state = doing ? (doing.stopping ? "stopping" : flow) : "ready";
  setup.refresh();
  hands.refresh();
  faults.refresh();
  downloads.refresh(status);
}

/** Describes the state of a real robot. */
function armText({ name, mode, errors, heard, stopped }) {
  const words = [`${name}: ${heard ? mode : "no response"}`, ...errors];
  if (stopped) words.push("stopped until the next command");
  return words.join(", ");
}

/** State of the page, for tests. */
window.regrasp = { page, timeline, view, link, downloads };
