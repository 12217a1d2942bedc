// Pictures of the cameras, rendered by the server.

import { $, make } from "./dom.js";

const EVERY_MS = 1500;
const WIDTH = 240;

export class Cameras {
  /** `version()` returns a number that changes whenever something moves. */
  constructor(version) {
    this.version = version;
    this.pictures = [];
    this.secs = null;
    this.shown = null;
    this.loop();
  }

  scene({ cameras }) {
    this.shown = null;
    this.pictures = cameras.map((name) => {
      const picture = make("img", { alt: `Camera ${name}` });
      return { name, picture };
    });
    $("cameras").replaceChildren(...this.pictures.map(({ name, picture }) =>
      make("figure", {}, picture, make("figcaption", {}, name))));
  }

  /** Selects the simulated time of the pictures, s; `null` is the present. */
  at(secs) {
    this.secs = secs;
  }

  async loop() {
    for (;;) {
      const wanted = `${this.secs ?? `live ${this.version()}`}`;
      if (wanted !== this.shown && !document.hidden && this.pictures.length > 0) {
        this.shown = wanted;
        for (const picture of this.pictures) await this.draw(picture);
      }
      await new Promise((done) => setTimeout(done, EVERY_MS));
    }
  }

  async draw({ name, picture }) {
    const at = this.secs === null ? "" : `&at=${this.secs}`;
    try {
      const response = await fetch(`/api/camera/${encodeURIComponent(name)}?width=${WIDTH}${at}`);
      if (!response.ok) return;
      const url = URL.createObjectURL(await response.blob());
      const last = picture.src;
      picture.src = url;
      if (last) URL.revokeObjectURL(last);
    } catch {
      // The connection is lost; main.js reports that.
    }
  }
}
