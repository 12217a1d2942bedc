// Course of the run: steps with their reasons, and the versions of the plan side by side.

import { $, callText, make, seconds } from "./dom.js";

export class Story {
  /** `jump` shows the moment of a step. */
  constructor(jump) {
    this.jump = jump;
    this.steps = new Map();
    this.plans = [];
    this.clear();
  }

  clear() {
    this.steps.clear();
    this.plans = [];
    $("steps").replaceChildren(make("li", { className: "empty" }, "No steps yet."));
    $("plans").replaceChildren(make("p", { className: "empty" }, "There is no plan yet."));
  }

  missed(n) {
    this.line("title", "…", `${n} earlier events were discarded`, null, null);
  }

  take({ entry, sim_secs: at, ...rest }) {
    const isTop = $("right").scrollHeight - $("right").scrollTop - $("right").clientHeight < 80;
    switch (entry) {
      case "run_started":
        this.plans = [];
        this.line("title", "▸", rest.text, at, `${rest.planner}, ${rest.perception.replace("_", " ")}`);
        break;
      case "event":
        this.event(rest.event, at);
        break;
      case "run_finished":
        if (rest.verdict) this.verdict(rest.verdict, at);
        break;
      case "disturbed":
        this.line("hand", "!", rest.what, at, null);
        break;
      case "trouble":
        this.line("bad", "✕", rest.message, at, null);
        break;
    }
    if (isTop) $("steps").lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  event(event, at) {
    switch (event.event) {
      case "step_started":
        this.steps.set(event.step_idx, this.line("now", "…", callText(event.skill, event.args), at, null));
        break;
      case "phase_started":
        this.last?.classList.contains("now") && this.why(this.last, event.name);
        break;
      case "step_finished":
        this.finished(this.steps.get(event.step_idx), event.result);
        break;
      case "call_refused":
        this.line("bad", "✕", callText(event.call.skill, event.call.args), at, `refused: ${event.why}`);
        break;
      case "plan_revised":
        this.goal(event.version, at);
        this.plan(event.version);
        break;
      case "plan_failed":
        this.line("bad", "✕", "the planner returned no plan", at, event.error);
        break;
      case "approval_asked":
        this.approval(event, at);
        break;
      case "question_asked":
        this.line("hand", "?", event.question, at, event.answer ?? "nobody answered");
        break;
      case "episode_finished": {
        const { success, final_reason: reason, final_detail: detail, final_answer: said } = event.result;
        this.line(success ? "good end" : "bad end", success ? "✓" : "✕", reason.replaceAll("_", " "), at, said ?? detail);
        break;
      }
    }
  }

  /** Shows the interpretation of the command before anything moves, so that people can stop the run. */
  goal({ version, plan: { heard = [] } }, at) {
    if (version !== 1 || heard.length === 0) return;
    this.line("title", "◎", `goal: ${heard[0]}`, at, heard.slice(1).join("; ") || null);
  }

  /** Shows the verdict of the judge, who sees the ground truth. */
  verdict({ judged, unmet = [], false_success: claimed }, at) {
    if (judged === "not_judged") {
      this.line("title verdict", "⚖", "judge: no verdict", at, "the run was stopped or failed before it could be judged");
      return;
    }
    const done = judged === "success";
    const what = done ? "judge: success" : `judge: failure${claimed ? "; the agent claims success" : ""}`;
    const button = this.line(`${done ? "good" : "bad"} end verdict`, "⚖", what, at, null);
    const reasons = unmet.map(({ condition, found }) =>
      make("span", { className: "unmet" }, make("b", {}, condition), ` ${found}`));
    if (reasons.length > 0) this.why(button, ...reasons);
  }

  approval({ request, answer }, at) {
    const granted = answer.answer === "granted";
    const text = `${granted ? "approved" : "refused"}: ${callText(request.call.skill, request.call.args)}`;
    this.line("hand", granted ? "✓" : "✕", text, at, request.risks.join("; "));
  }

  finished(button, { success, reason, reason_detail: detail, hints }) {
    if (!button) return;
    button.className = success ? "good" : "bad";
    button.querySelector(".mark").textContent = success ? "✓" : "✕";
    const parts = success ? [detail] : [make("b", {}, reason ?? "failed"), ` ${detail}`];
    this.why(button, ...parts);
    if (!success && hints.length > 0) button.title = hints.join("\n");
  }

  why(button, ...parts) {
    let why = button.querySelector(".why");
    if (!why) {
      why = make("span", { className: "why" });
      button.append(why);
    }
    why.replaceChildren(...parts);
  }

  line(kind, mark, what, at, why) {
    const button = make("button", { type: "button", className: kind },
      make("span", { className: "mark" }, mark),
      make("span", { className: "what" }, what),
      make("span", { className: "when" }, at === null ? "" : seconds(at)));
    if (why) this.why(button, why);
    if (at !== null) {
      button.dataset.at = at;
      button.addEventListener("click", () => {
        for (const chosen of $("steps").querySelectorAll(".chosen")) chosen.classList.remove("chosen");
        button.classList.add("chosen");
        this.jump(at);
      });
    }
    $("steps").querySelector(".empty")?.remove();
    $("steps").append(make("li", {}, button));
    this.last = button;
    return button;
  }

  /** Shows versions of the plan side by side: new steps are marked, removed ones are in the tooltip. */
  plan({ version, why, steps }) {
    const texts = steps.map((step) => callText(step.skill, step.args));
    const before = this.plans.at(-1)?.texts ?? [];
    const isFirst = this.plans.length === 0;
    this.plans.push({ texts });
    const items = texts.map((text) =>
      make("li", { className: isFirst || before.includes(text) ? "" : "new" }, text));
    const gone = before.filter((text) => !texts.includes(text));
    const article = make("article", {},
      make("h3", {}, `Plan ${version}`),
      make("p", { className: "why" }, why),
      make("ol", {}, ...items));
    article.dataset.version = version;
    if (gone.length > 0) article.title = `no longer planned: ${gone.join(", ")}`;
    if (isFirst) $("plans").replaceChildren(article);
    else $("plans").append(article);
    article.scrollIntoView({ block: "nearest", inline: "end" });
  }
}
