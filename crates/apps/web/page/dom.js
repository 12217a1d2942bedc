// Small helpers for the document. Text from the robot, a model or a scene is always set as
// text, never as markup.

export const $ = (id) => document.getElementById(id);

/** Characters that a page does not show, or that change how others are shown. */
// eslint-disable-next-line no-control-regex -- it looks for control characters
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

const spelt = (hidden) =>
  Array.from({ length: hidden.length }, (_, i) =>
    `\\u${hidden.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");

/** Parses JSON of the server; replaces hidden characters in strings by their escapes. */
export const heard = (json) =>
  JSON.parse(json, (_, value) => (typeof value === "string" ? value.replace(HIDDEN, spelt) : value));

/** Makes an element: make("b", {className: "x"}, "text", child). */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Shows the result of an action below its controls. */
export function answer(output, text, isGood) {
  output.textContent = text;
  output.className = `answer ${isGood ? "good" : "bad"}`;
}

export const seconds = (secs) => `${secs.toFixed(2)} s`;

/** Formats a skill call for people: pick(red_cube, then …). */
export function callText(skill, args) {
  const value = (v) => {
    if (typeof v === "number") return String(Math.round(v * 1000) / 1000);
    if (Array.isArray(v)) return `[${v.map(value).join(", ")}]`;
    if (v && typeof v === "object") {
      return Object.entries(v).map(([k, w]) => (k === "skill" ? value(w) : `${k} ${value(w)}`)).join(" ");
    }
    return String(v);
  };
  const parts = Object.entries(args ?? {})
    .filter(([, v]) => v !== null)
    .map(([k, v]) => (k === "object" || k === "target" ? value(v) : `${k}: ${value(v)}`));
  return `${skill}(${parts.join(", ")})`;
}
