// Scenes in step: controls, keyboard, and the state in the address.
const LAYERS = ["regions", "member", "weights", "mistakes", "held"];

class Player {
  constructor() {
    this.t = 1; this.playing = null; this.rest = null; this.pictures = []; this.updates = []; this.scenes = [];
    this.look = { regions: true, member: true, weights: true, mistakes: true, held: false, shade: "ensemble" };
    this.listen();
  }
  get rounds() { return Math.max(1, ...this.scenes.map((scene) => scene.rounds)); }
  // Show scenes; the round stays if there is such a one.
  show(scenes, round = this.t) {
    this.scenes = scenes; this.pictures = []; this.updates = [];
    const cards = [], wide = [];
    at("stage").classList.toggle("two", scenes.length > 1);
    at("stage").replaceChildren(...scenes.map((scene, k) => this.view(scene, k)));
    for (const make of [retrainedChart, retrainedCurves, errorChart, marginChart, treeChart, factChart]) for (const scene of scenes) {
      const made = make(scene);
      if (made) { cards.push(made[0]); this.follow(scene, made[1], "explorer"); } else if (scenes.length > 1 && scenes.some(make)) cards.push(html("div"));
    }
    this.name(scenes);
    // Cards of one kind stand side by side.
    const groups = scenes.map((scene) => diversityCards(scene).map(([element, update]) => { this.follow(scene, update, "diversity"); return element; }));
    for (let k = 0; k < 3; k++) for (const group of groups) if (group[k]) wide.push(group[k]);
    at("cards").replaceChildren(...cards);
    at("diversity-cards").replaceChildren(...(wide.length ? wide : [html("p", {}, "Fewer than two members are classifiers.")]));
    at("round").max = this.rounds;
    this.pictures.forEach((picture) => picture.fit());
    this.go(round, false);
  }
  // Layers that the scenes do not have are not offered.
  name(scenes) {
    const numbers = scenes.some((scene) => scene.task === "regression"), label = (id) => at(id).closest("label");
    label("regions").hidden = label("shade").hidden = numbers;
    label("held").hidden = scenes.every((scene) => scene.train === scene.rows);
    label("mistakes").lastChild.textContent = numbers ? " Residuals" : " Mistakes";
    label("member").lastChild.textContent = numbers ? " Members" : " New member";
  }
  follow(scene, update, tab = "") { this.updates.push([(t) => update(Math.min(t, scene.rounds)), tab]); }
  view(scene, number) {
    const canvas = html("canvas", { role: "img", tabindex: "-1", id: `picture-${number}` }), picture = new Picture(scene, canvas, this.look);
    this.pictures.push(picture);
    const [panel, update] = formulaPanel(scene);
    this.follow(scene, update);
    this.updates.push([(t) => canvas.setAttribute("aria-label", this.words(scene, Math.min(t, scene.rounds))), ""]);
    const more = scene.of > scene.rounds ? ` The first ${scene.rounds} of ${scene.of} rounds.` : "";
    return html("div", { class: "view" }, html("div", {}, html("h2", {}, scene.name), canvas, legend(scene), html("p", { class: "soft legend" }, (scene.emphasis ? `Size of a dot: ${scene.emphasis}.` : "All rows have equal weight.") + more + (scene.note ? ` ${scene.note}` : ""))), panel);
  }
  words(scene, t) {
    const held = scene.errors.held ? `, held-out ${shown(scene.errors.held[t - 1], 3)}` : "";
    return `${scene.name}, round ${t} of ${scene.rounds}: training ${scene.measure} ${shown(scene.errors.train[t - 1], 3)}${held}`;
  }
  go(t, tell = true) {
    this.t = Math.min(this.rounds, Math.max(1, Math.round(t) || 1));
    at("round").value = this.t;
    say(at("round-shown"), `${this.t} of ${this.rounds}`);
    at("round").setAttribute("aria-valuetext", `round ${this.t} of ${this.rounds}`);
    this.draw();
    for (const [update, tab] of this.updates) if (!tab || (this.tab || "explorer") === tab) update(this.t);
    if (!this.playing) this.settle(tell);
  }
  // Words and address wait for the round to rest: browsers draw their own window anew for an address.
  settle(tell) {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      if (tell) say(at("said"), this.scenes.map((scene) => this.words(scene, Math.min(this.t, scene.rounds))).join("; "));
      this.remember();
    }, 120);
  }
  draw() { for (const picture of this.pictures) picture.draw(this.t); }
  play(on) {
    clearInterval(this.playing); this.playing = null;
    if (on) {
      if (this.t >= this.rounds) this.go(1);
      this.playing = setInterval(() => (this.t >= this.rounds ? this.play(false) : this.go(this.t + 1)), 1000 / Number(at("speed").value));
    } else this.go(this.t);
    at("play").textContent = on ? "⏸ Pause" : "▶ Play";
    at("play").setAttribute("aria-label", on ? "Pause" : "Play"); at("play").setAttribute("aria-pressed", String(on));
  }
  remember() {
    const state = new URLSearchParams({ round: this.t, tab: this.tab || "explorer", shade: this.look.shade, show: LAYERS.filter((name) => this.look[name]).join(" "), ...(this.extra ? this.extra() : {}) });
    try { history.replaceState(null, "", `#${state}`); } catch { /* a frame without an address */ }
    return `#${state}`;
  }
  restore(text) {
    const state = new URLSearchParams(text.replace(/^#/, ""));
    if (state.has("show")) { const on = state.get("show").split(" "); for (const name of LAYERS) { this.look[name] = on.includes(name); at(name).checked = this.look[name]; } }
    if (state.get("shade") === "member" || state.get("shade") === "ensemble") at("shade").value = this.look.shade = state.get("shade");
    if (state.has("round")) this.t = Number(state.get("round")) || 1;
    if (at(`tab-${state.get("tab")}`)) this.open(state.get("tab"), false);
    return state;
  }
  open(tab, tell = true) {
    this.tab = tab;
    for (const button of document.querySelectorAll("[role=tab]")) {
      const on = button.id === `tab-${tab}`;
      button.setAttribute("aria-selected", String(on)); button.tabIndex = on ? 0 : -1;
      at(button.getAttribute("aria-controls")).hidden = !on;
    }
    at("player").hidden = tab === "calculator" || tab === "workbench";
    if (tell) { this.pictures.forEach((picture) => picture.fit()); this.go(this.t); }
  }
  listen() {
    const press = (id, act) => at(id).addEventListener("click", act);
    press("first", () => this.go(1)); press("last", () => this.go(this.rounds));
    press("back", () => this.go(this.t - 1)); press("forward", () => this.go(this.t + 1));
    press("play", () => this.play(!this.playing));
    press("png", () => savePng(this)); press("svg", () => saveSvg(this)); press("gif", () => saveGif(this));
    press("link", () => this.copy());
    at("round").addEventListener("input", () => this.go(Number(at("round").value)));
    at("speed").addEventListener("change", () => { if (this.playing) this.play(true); });
    for (const name of LAYERS) at(name).addEventListener("change", () => { this.look[name] = at(name).checked; this.go(this.t, false); });
    at("shade").addEventListener("change", () => { this.look.shade = at("shade").value; this.go(this.t, false); });
    const tabs = [...document.querySelectorAll("[role=tab]")];
    for (const button of tabs) {
      button.addEventListener("click", () => this.open(button.id.slice(4)));
      button.addEventListener("keydown", (event) => {
        const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!way) return;
        event.stopPropagation(); event.preventDefault();
        const seen = tabs.filter((tab) => !tab.hidden), next = seen[(seen.indexOf(button) + way + seen.length) % seen.length];
        next.focus(); this.open(next.id.slice(4));
      });
    }
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("resize", () => { this.pictures.forEach((picture) => picture.fit()); this.draw(); });
    window.addEventListener("hashchange", () => { this.restore(location.hash); this.go(this.t); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.pictures.forEach((picture) => picture.fit()); this.go(this.t, false); });
  }
  key(event) {
    if (at("player").hidden || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea, canvas, [role=tab]")) return;
    const acts = { ArrowLeft: () => this.go(this.t - 1), ArrowRight: () => this.go(this.t + 1), Home: () => this.go(1), End: () => this.go(this.rounds) };
    if (event.key === " " && !event.target.matches("button")) acts[" "] = () => this.play(!this.playing);
    if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
  }
  async copy() {
    clearTimeout(this.rest); this.remember();
    try { await navigator.clipboard.writeText(location.href); at("said").textContent = "Link copied."; } catch { at("said").textContent = `The URL of this page holds its state: ${location.hash}`; }
  }
}

function legend(scene) {
  return html("ul", { class: "legend" }, ...scene.classes.slice(0, 12).map((name, code) => {
    const mark = new Strokes();
    symbol(mark, code % 5, 7, 7, 5);
    return html("li", {}, svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, svg("path", { d: mark.d, fill: css(colourOf(code)) })), ` ${name}`);
  }));
}
