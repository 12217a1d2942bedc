// The large view: the 3D scene, or without it pictures of a camera.

import { $ } from "./dom.js";
import { fetchScene } from "./link.js";

const NO_3D =
  "This program was built without npm, so there is no 3D view: the server renders pictures instead. " +
  "Install Node.js with npm, and build again with `--features serve` to get it.";

export class View {
  constructor(page, on) {
    this.page = page;
    this.on = on;
    this.scene3d = null;
    this.world = null;
    this.shots = 0;
  }

  async start(has3d) {
    if (this.started) return;
    this.started = true;
    if (has3d) {
      try {
        const { Scene3d } = await import("./scene3d.js");
        this.scene3d = new Scene3d($("canvas"), {
          mayMove: () => this.page.inControl,
          move: this.on.move,
        });
      } catch (error) {
        this.without(`There is no 3D view: ${error.message}. The server renders pictures instead.`);
      }
    } else {
      this.without(NO_3D);
    }
    if (this.wanted !== undefined) await this.load(this.wanted);
  }

  without(why) {
    $("canvas").hidden = true;
    $("picture").hidden = false;
    $("no3d").hidden = false;
    $("no3d").textContent = why;
    this.pictures();
  }

  /** Fetches the scene of a world and shows it. */
  async load(world) {
    this.wanted = world;
    if (!this.started || (!this.scene3d && $("picture").hidden)) return;
    const scene = await fetchScene();
    if (this.wanted !== world || scene.world !== world) return;
    await this.scene3d?.load(scene);
    this.world = world;
    this.on.scene(scene);
  }

  show(shot) {
    this.shot = shot;
    if (shot.world === this.world) {
      this.scene3d?.show(shot);
      this.shots += 1;
    }
  }

  /** Shows pictures of the scene's camera, one after the other. */
  async pictures() {
    let shown = null;
    for (;;) {
      if (this.shot && this.shot !== shown && !document.hidden) {
        shown = this.shot;
        try {
          const response = await fetch(`/api/camera/scene?width=640&at=${shown.time}`);
          if (response.ok) {
            const last = $("picture").src;
            $("picture").src = URL.createObjectURL(await response.blob());
            if (last) URL.revokeObjectURL(last);
          }
        } catch {
          // The connection is lost; main.js reports that.
        }
      }
      await new Promise((done) => setTimeout(done, 200));
    }
  }
}
