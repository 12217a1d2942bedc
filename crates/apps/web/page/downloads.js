// Downloads of the last run: its folder, and files that the server makes from its recording.

import { $, answer, make } from "./dom.js";

export class Downloads {
  constructor() {
    this.buttons = [];
    this.run = null;
    this.making = false;
  }

  /** Makes a button for each export that this build can make. */
  offer(exports) {
    for (const { button } of this.buttons) button.remove();
    this.buttons = exports.filter(({ available }) => available).map((kind) => {
      const button = make("button", { type: "button", textContent: `Download ${kind.label}` });
      button.dataset.export = kind.name;
      button.addEventListener("click", () => this.fetch(kind, button));
      $("downloads").append(button);
      return { button };
    });
  }

  refresh({ run, recorded, doing }) {
    $("downloads").hidden = !run || doing?.what === "run";
    if (run !== this.run) {
      this.run = run;
      answer($("download-answer"), "", true);
    }
    if (!run) return;
    $("download").href = `/api/run/${run}`;
    $("download").download = "";
    for (const { button } of this.buttons) {
      button.hidden = !recorded;
      button.disabled = this.making;
    }
  }

  /** Lets the server make a file. That takes a while and may fail, which a plain link would not show. */
  async fetch({ name, label }, button) {
    if (this.making) return;
    this.making = true;
    for (const { button } of this.buttons) button.disabled = true;
    const said = $("download-answer");
    answer(said, `The ${label} is being made …`, true);
    const words = button.textContent;
    button.textContent = `Making ${label} …`;
    try {
      const response = await fetch(`/api/run/${this.run}/${name}`);
      if (!response.ok) throw new Error(await response.text());
      const file = /filename="([^"]*)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
      const blob = await response.blob();
      const link = make("a", { href: URL.createObjectURL(blob), download: file ?? name });
      link.click();
      // The browser needs the address until it has begun to write.
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      answer(said, `${link.download}, ${(blob.size / 1e6).toFixed(1)} MB`, true);
    } catch (error) {
      answer(said, error.message, false);
    } finally {
      this.making = false;
      button.textContent = words;
      for (const { button } of this.buttons) button.disabled = false;
    }
  }
}
