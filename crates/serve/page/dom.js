// Small helpers for the document. Text from the robot, a model or a scene is always set as
// text, never as markup.

export const $ = (id) => document.getElementById(id);

/** Makes an element: make("b", {className: "x"}, "text", child). */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Says how something went, below the controls that asked for it. */
export function answer(output, text, isGood) {
  output.textContent = text;
  output.className = `answer ${isGood ? "good" : "bad"}`;
}

export const seconds = (secs) => `${secs.toFixed(2)} s`;

/** A call as people read it: pick(red_cube, then …). */
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
