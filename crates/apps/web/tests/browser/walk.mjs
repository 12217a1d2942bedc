// A walk through the live page in a real browser: node walk.mjs URL CHROMIUM [SCREENSHOTS].

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [url, executablePath, screenshots] = process.argv.slice(2);
const PATIENCE_MS = 120_000;
const TEXT = "put the red cube on the plate";
/** Exports that this build can make from a recording. */
const EXPORTS = (process.env.LIVE_PAGE_EXPORTS ?? "").split(",").filter(Boolean);

const profile = mkdtempSync(join(tmpdir(), "regrasp-walk-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath,
  headless: true,
  viewport: { width: 1440, height: 900 },
  acceptDownloads: true,
  args: [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
});
context.setDefaultTimeout(PATIENCE_MS);

const troubles = [];
function listen(page, name) {
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(`${name}: ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => troubles.push(`${name}: ${error.stack}`));
}

/** Evaluates a function in the page. */
const know = (page, what) => page.evaluate(what);
const poses = (page) => know(page, () => Array.from(regrasp.timeline.latest?.poses ?? regrasp.timeline.shots.at(-1).poses));
const simSecs = (page) => know(page, () => regrasp.timeline.end);
const differ = (a, b) => a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]) || 0), 0);
const canvas = (page) => page.locator("#canvas").screenshot({ animations: "allow" });
const until = (page, what, ...rest) => page.waitForFunction(what, ...rest);
const ready = (page) => until(page, () => regrasp.page.status && regrasp.page.status.doing === null);
/** Reads codec, number of frames and duration of a video; null if ffprobe is not installed. */
function probe(path) {
  const args = ["-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
    "stream=codec_name,nb_read_frames,duration", "-of", "json", path];
  const { error, status, stdout, stderr } = spawnSync("ffprobe", args, { encoding: "utf8" });
  if (error?.code === "ENOENT") return null;
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout).streams[0];
}
/** Finds controls and headings that overlap, that cannot be scrolled into view, or whose text is cut off. */
const misplaced = (page) => page.evaluate(() => {
  const all = [...document.querySelectorAll("h1, h2, legend, button, .button, select, input, textarea")];
  const clips = (it) => ["overflow", "overflowX", "overflowY"].some((what) => getComputedStyle(it)[what] !== "visible");
  const name = (it) => `${it.tagName.toLowerCase()}${it.id && `#${it.id}`} "${(it.textContent || it.value || "").trim().slice(0, 24)}"`;
  const found = [];
  const shown = [];
  for (const it of all) {
    if (!it.checkVisibility({ visibilityProperty: true })) continue;
    if (it.matches("button, .button") && it.scrollWidth > it.clientWidth + 1) found.push(`${name(it)} is too narrow for its words`);
    const { left, top, right, bottom } = it.getBoundingClientRect();
    let seen = { left, top, right, bottom };
    for (let box = it.parentElement; box && box !== document.body; box = box.parentElement) {
      if (!clips(box)) continue;
      const edge = box.getBoundingClientRect();
      // A box cannot be scrolled above or left of its beginning.
      if (top < edge.top - box.scrollTop - 1 || left < edge.left - box.scrollLeft - 1) {
        found.push(`${name(it)} is off the top or left of ${name(box).split(" ")[0]}`);
      }
      if (getComputedStyle(box).overflowY === "hidden" && box.tagName !== "BUTTON" && bottom > edge.bottom + 1) {
        found.push(`${name(it)} is cut off at the bottom of ${name(box).split(" ")[0]}`);
      }
      seen = {
        left: Math.max(seen.left, edge.left), top: Math.max(seen.top, edge.top),
        right: Math.min(seen.right, edge.right), bottom: Math.min(seen.bottom, edge.bottom),
      };
    }
    if (seen.right - seen.left > 1 && seen.bottom - seen.top > 1) shown.push({ it, ...seen });
  }
  for (const [i, a] of shown.entries()) {
    for (const b of shown.slice(i + 1)) {
      if (a.it.contains(b.it) || b.it.contains(a.it)) continue;
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (width > 1 && height > 1) found.push(`${name(a.it)} lies over ${name(b.it)}`);
    }
  }
  return { found, n: shown.length };
});
const SIZES = [{ width: 1400, height: 900 }, { width: 1024, height: 700 }];
async function nothingOverlaps(page, when) {
  const before = page.viewportSize();
  for (const size of SIZES) {
    await page.setViewportSize(size);
    const { found, n } = await misplaced(page);
    assert.deepEqual(found, [], `${when}, ${size.width} x ${size.height}`);
    assert.ok(n > 20, `${when}: only ${n} controls are in view`);
    await picture(page, `${when}-${size.width}`);
  }
  await page.setViewportSize(before);
}
async function picture(page, name) {
  if (!screenshots) return;
  // A view at rest is drawn at full quality after a moment.
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(screenshots, `${name}.png`) });
}

try {
  const page = context.pages()[0] ?? (await context.newPage());
  listen(page, "first");
  await page.goto(url);
  await until(page, () => regrasp.view.world !== null && regrasp.view.shots > 0);
  assert.equal(await page.locator("#scene").inputValue(), "covered");
  await until(page, () => [...document.querySelectorAll("#cameras img")].every((picture) => picture.naturalWidth > 0));

  await nothingOverlaps(page, "begin");

  // A second browser watches.
  const second = await context.newPage();
  listen(second, "second");
  await second.goto(url);
  await until(second, () => regrasp.view.world !== null && regrasp.page.status);
  assert.match(await second.locator("#crew").textContent(), /you are watching/);
  assert.ok(await second.locator("#run").isDisabled(), "a watcher cannot run anything");
  assert.ok(await second.locator("#control").isDisabled(), "a watcher cannot take control");
  await page.bringToFront();

  // Type a text and run it; the canvas and the pose change.
  const [before, posesBefore] = [await canvas(page), await poses(page)];
  await page.locator("#text").fill(TEXT);
  await page.locator("#run").click();
  await until(page, () => regrasp.timeline.end > 0.5);
  const [after, posesAfter] = [await canvas(page), await poses(page)];
  assert.ok(differ(posesBefore, posesAfter) > 0.05, "the arm moved");
  assert.ok(!before.equals(after), "the picture changed");
  // Measures the rate of updates while simulated time keeps up with real time.
  const pace = await know(page, async () => {
    const start = { real: performance.now(), received: regrasp.timeline.version, shown: regrasp.view.shots, drawn: regrasp.view.scene3d.drawn, sim: regrasp.timeline.end };
    await new Promise((done) => setTimeout(done, 2000));
    const secs = (performance.now() - start.real) / 1000;
    return {
      received: (regrasp.timeline.version - start.received) / secs,
      shown: (regrasp.view.shots - start.shown) / secs,
      drawn: (regrasp.view.scene3d.drawn - start.drawn) / secs,
      level: regrasp.view.scene3d.level,
      simulated: (regrasp.timeline.end - start.sim) / secs,
    };
  });
  console.log(`positions received ${pace.received.toFixed(1)}/s, shown ${pace.shown.toFixed(1)}/s, drawn ${pace.drawn.toFixed(1)}/s, simulated ${pace.simulated.toFixed(2)} s/s, coarseness ${pace.level}`);
  await until(second, () => regrasp.timeline.end > 0.5);

  // The page shows why the first plan failed, and the second plan beside it.
  const failed = page.locator("#steps .bad", { hasText: "object_covered" });
  await failed.waitFor();
  assert.match(await failed.textContent(), /blue_cube/);
  await page.locator('#plans article[data-version="2"]').waitFor();
  assert.equal(await page.locator("#plans article").count(), 2);
  assert.match(await page.locator('#plans article[data-version="2"] li.new').first().textContent(), /blue_cube/);

  await picture(page, "running");

  // A critical step waits for approval.
  const pending = page.locator("#pending");
  await pending.waitFor({ state: "visible" });
  assert.match(await pending.textContent(), /place_on/);
  assert.ok(await second.locator("#pending .main").isDisabled(), "a watcher cannot approve");
  await picture(page, "approve");
  await pending.locator("button", { hasText: "Approve" }).click();
  await page.locator("#steps .end.good", { hasText: "plan complete" }).waitFor();
  await ready(page);
  assert.equal(await page.locator("#steps .verdict").count(), 0, "a free text has no verdict");
  await picture(page, "done");

  // Scrub back, then jump to the moment of the failure.
  const end = await simSecs(page);
  const live = await canvas(page);
  await page.locator("#scrub").fill("0");
  await page.locator("#past").waitFor({ state: "visible" });
  await until(page, () => document.getElementById("clock").textContent === "0.00 s");
  assert.ok(!live.equals(await canvas(page)), "the past looks different");
  await failed.click();
  const at = Number(await failed.getAttribute("data-at"));
  await until(page, (at) => Math.abs(Number(document.getElementById("scrub").value) - at) < 0.1, at);
  await picture(page, "past");
  await page.locator("#live").click();
  await page.locator("#past").waitFor({ state: "hidden" });
  assert.equal(await simSecs(page), end, "looking back moved nothing");

  // Stop in the middle: the arm holds.
  await page.locator("#text").fill("put the blue cube on the red cube");
  await page.locator("#run").click();
  await until(page, (end) => regrasp.timeline.end > end + 0.6, end);
  await page.keyboard.press("Escape");
  await page.locator("#steps .end.bad", { hasText: "cancelled" }).waitFor();
  await ready(page);
  const [held, heldAt] = [await poses(page), await simSecs(page)];
  await page.waitForTimeout(500);
  assert.equal(differ(held, await poses(page)), 0, "the arm holds");
  assert.equal(await simSecs(page), heldAt);

  // Keys move the tool by hand; where the arm cannot go, the page shows the reason.
  await page.locator("#canvas").focus();
  await page.keyboard.press("q");
  await page.locator("#hands-answer", { hasText: "the tool is at" }).waitFor();
  assert.ok(differ(held, await poses(page)) > 0.01, "the tool went up");
  for (let i = 0; i < 60; i++) {
    const before = await page.locator("#hands-answer").textContent();
    await page.keyboard.press("q");
    await until(page, (before) => document.getElementById("hands-answer").textContent !== before, before);
    if (/unreachable|collision|blocked/.test(await page.locator("#hands-answer").textContent())) break;
  }
  assert.match(await page.locator("#hands-answer").textContent(), /unreachable|collision|blocked/);

  // A dragged object lands where it is released.
  await page.locator("#reset").click();
  await until(page, () => regrasp.page.status.world === 2 && regrasp.view.world === 2 && regrasp.timeline.shots.length > 0);
  const place = (name) => page.evaluate((name) => {
    const { scene3d } = regrasp.view;
    const { group } = scene3d.nodes.find(({ group }) => group.userData.name === name);
    scene3d.scene.updateMatrixWorld();
    const seen = group.position.clone().project(scene3d.camera);
    const { left, top, width, height } = scene3d.canvas.getBoundingClientRect();
    return { x: left + ((seen.x + 1) / 2) * width, y: top + ((1 - seen.y) / 2) * height, at: group.position.toArray() };
  }, name);
  await until(page, () => regrasp.view.scene3d.nodes.every(({ group }) => group.visible));
  const cube = await place("blue_cube");
  await page.mouse.move(cube.x, cube.y);
  await page.mouse.down();
  await page.mouse.move(cube.x + 60, cube.y + 30, { steps: 8 });
  await page.mouse.up();
  await page.locator("#fault-answer", { hasText: "blue_cube" }).waitFor();
  await until(page, () => regrasp.timeline.end > 0.2 && regrasp.page.status.doing === null);
  await page.waitForTimeout(300);
  const moved = await place("blue_cube");
  const far = Math.hypot(moved.at[0] - cube.at[0], moved.at[1] - cube.at[1]);
  assert.ok(far > 0.05, `it was moved by ${far.toFixed(3)} m`);
  assert.ok(moved.at[2] < cube.at[2] - 0.02, "the cube came down to the table");

  // A task has a verdict: success, none after a stop, and failure.
  await page.locator("#scene").selectOption("unstack_to_plate");
  await until(page, () => regrasp.page.status.scene === "unstack_to_plate" && regrasp.page.status.doing === null);
  assert.equal(await page.locator("#text").inputValue(), TEXT, "the prompt of the task is filled in");
  await page.locator("#approve").selectOption("never");
  await page.locator("#speed").selectOption("0");
  await page.locator("#run").click();
  await page.locator("#steps .verdict.good", { hasText: "judge: success" }).waitFor();
  await ready(page);
  await picture(page, "judged");
  await page.locator("#speed").selectOption("1");
  await page.locator("#reset").click();
  await until(page, () => regrasp.page.status.doing === null && document.querySelectorAll("#steps .verdict").length === 0);
  await page.locator("#run").click();
  await until(page, () => regrasp.timeline.end > 0.5);
  await page.locator("#stop").click();
  await page.locator("#steps .verdict", { hasText: "judge: no verdict" }).waitFor();
  await ready(page);
  await page.locator("#speed").selectOption("0");
  await page.locator("#reset").click();
  await until(page, () => regrasp.page.status.doing === null && document.querySelectorAll("#steps .verdict").length === 0);
  await page.locator("#fault-object").selectOption("red_cube");
  await page.locator("#faults button", { hasText: "Take it away" }).click();
  await page.locator("#fault-answer.good").waitFor();
  await page.locator("#run").click();
  const denied = page.locator("#steps .verdict.bad", { hasText: "judge: failure" });
  await denied.waitFor();
  assert.match(await denied.locator(".unmet").first().textContent(), /^on.*red_cube.*plate/);
  await ready(page);
  await picture(page, "denied");

  // Runs once more, for a recording of some length.
  await page.locator("#reset").click();
  await until(page, () => regrasp.page.status.doing === null && document.querySelectorAll("#steps .verdict").length === 0);
  await page.locator("#run").click();
  await page.locator("#steps .verdict.good").waitFor();
  await ready(page);

  // Nothing overlaps with the downloads of a build with every feature and a full column.
  const make = (all) => page.evaluate((all) => {
    regrasp.downloads.offer(all);
    regrasp.downloads.refresh(regrasp.page.status);
  }, all);
  const every = [{ name: "video", label: "video" }, { name: "rerun", label: "Rerun file" }];
  await make(every.map((kind) => ({ ...kind, available: true })));
  assert.equal(await page.locator("#downloads button:visible, #downloads a:visible").count(), 3);
  await nothingOverlaps(page, "downloads");
  await make(every.map((kind) => ({ ...kind, available: EXPORTS.includes(kind.name) })));

  // Download the run.
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#download").click()]);
  const bytes = readFileSync(await download.path());
  assert.match(download.suggestedFilename(), /^unstack_to_plate-seed0-.*\.zip$/);
  assert.ok(bytes.length > 1000 && bytes.subarray(0, 2).toString() === "PK", "it is a zip file");

  // The page offers exactly the exports of this build, and each can be downloaded.
  const offered = await page.locator("#downloads button:visible").evaluateAll((all) => all.map((it) => it.dataset.export));
  assert.deepEqual(offered, EXPORTS);
  const secs = await page.evaluate(() => {
    const log = [...document.querySelectorAll("#steps [data-at]")].map((it) => Number(it.dataset.at));
    return Math.max(...log);
  });
  for (const name of EXPORTS) {
    const [made] = await Promise.all([page.waitForEvent("download"), page.locator(`#downloads [data-export="${name}"]`).click()]);
    const path = await made.path();
    const bytes = readFileSync(path);
    const kind = { video: ["mp4", bytes.subarray(4, 8).toString() === "ftyp"], rerun: ["rrd", bytes.subarray(0, 4).toString() === "RRF2"] }[name];
    assert.match(made.suggestedFilename(), new RegExp(`^unstack_to_plate-seed0-.*\\.${kind[0]}$`));
    assert.ok(kind[1], `${name}: the file has this format`);
    const seen = name === "video" ? probe(path) : null;
    if (seen) {
      assert.equal(seen.codec_name, "h264");
      assert.ok(Math.abs(Number(seen.duration) - secs) < 0.5, `${seen.duration} s of ${secs} s`);
      console.log(`video: ${seen.nb_read_frames} frames, ${Number(seen.duration).toFixed(2)} s of a run of ${secs.toFixed(2)} s, ${(bytes.length / 1e6).toFixed(2)} MB`);
    }
    await page.locator("#download-answer.good", { hasText: made.suggestedFilename() }).waitFor();
  }

  // Takes a picture of the dark theme.
  if (screenshots) {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForTimeout(300);
    await picture(page, "dark");
  }
  assert.deepEqual(troubles, [], "errors in the console");
  console.log("the walk is done");
} catch (error) {
  // The state of the page explains a failure better than the line of this file.
  const page = context.pages()[0];
  console.error(await page?.locator("#state").textContent({ timeout: 1000 }).catch(() => "no page"));
  console.error(await page?.locator("#steps").innerText({ timeout: 1000 }).catch(() => "no steps"));
  if (screenshots) await page?.screenshot({ path: join(screenshots, "failed.png") }).catch(() => {});
  throw error;
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}
