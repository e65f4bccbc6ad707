// The live part of the explorer: sets, methods, and points that can be added, moved and re-labelled.
let token = sessionStorage.getItem("coterie-token") || "";

// The token comes behind the # of the address, and is taken out of it.
function takeToken() {
  const state = new URLSearchParams(location.hash.replace(/^#/, ""));
  if (!state.has("token")) return;
  token = state.get("token");
  sessionStorage.setItem("coterie-token", token);
  state.delete("token");
  history.replaceState(null, "", `#${state}`);
}

async function ask(path, body, raw = false) {
  const options = { headers: { authorization: `Bearer ${token}` } };
  if (body !== undefined) { options.method = "POST"; options.body = body instanceof Blob ? body : JSON.stringify(body); }
  const response = await fetch(`api/${path}`, options);
  if (!response.ok) {
    let words = `${response.status}`;
    try { words = (await response.json()).error || words; } catch { /* not JSON */ }
    throw new Error(words);
  }
  return raw ? response.blob() : response.json();
}

function trouble(error) {
  at("trouble").hidden = !error;
  at("trouble").textContent = error ? error.message : "";
}

const TABLE = "open table";
const SETTINGS = ["set", "method", "against", "rounds", "depth", "n", "noise", "spread"];
const TIDY = (value) => Number(value.toPrecision(6));

class Live {
  constructor(player) { this.player = player; this.X = []; this.y = []; this.edits = []; this.table = null; this.names = {}; this.asked = 0; this.shown = 0; this.retrained = false; }
  get task() { return this.table ? this.table.task : this.choices.numbers.sets.includes(at("set").value) ? "numbers" : "classes"; }
  async begin() {
    this.choices = await ask("choices");
    const state = new URLSearchParams(location.hash.replace(/^#/, "")), { classes, numbers } = this.choices;
    const choice = (id, words, ...children) => html("label", {}, words, html("select", { id }, ...children));
    const group = (label, names) => html("optgroup", { label }, ...names.map((name) => html("option", { value: name }, name)));
    const number = (id, words, value, min, max, step) => html("label", {}, words, html("input", { type: "number", id, value: state.get(id) ?? value, min, max, step }));
    at("live").append(choice("set", "Data", group("classes", classes.sets), group("numbers", numbers.sets)), choice("method", "Method"), choice("against", "Beside"),
      number("rounds", "Rounds", 30, 1, 500, 1), number("depth", "Depth", 1, 1, 8, 1), number("n", "Points", 200, 10, 2000, 10), number("noise", "Label noise", 0, 0, 0.5, 0.05), number("spread", "Spread", 0.2, 0, 1, 0.05),
      choice("tool", "Click to"), html("button", { id: "fresh", type: "button" }, "New points"), html("button", { id: "retrain", type: "button" }, "Bias and variance"));
    at("live").hidden = at("html").hidden = false;
    this.seed = Number(state.get("seed")) || 0;
    if ([...classes.sets, ...numbers.sets].includes(state.get("set"))) at("set").value = state.get("set");
    this.offer(state.get("method"), state.get("against"));
    for (const id of ["set", "n", "noise", "spread"]) at(id).addEventListener("change", () => this.draw());
    for (const id of ["method", "against", "rounds", "depth"]) at(id).addEventListener("change", () => this.fit());
    at("fresh").addEventListener("click", () => { this.seed++; this.draw(); });
    at("retrain").addEventListener("click", () => this.retrain());
    at("html").addEventListener("click", () => this.save());
    this.player.extra = () => this.state();
    await this.draw(state);
    if (state.has("retrained")) await this.retrain();
  }
  // What a link needs to bring all of this back; a table that was dropped on the page cannot be.
  state() {
    const found = Object.fromEntries(SETTINGS.map((id) => [id, at(id).value]));
    found.seed = this.seed;
    if (this.edits.length) found.edits = this.edits.map((edit) => edit.join(",")).join(";");
    if (this.retrained) found.retrained = "yes";
    if (this.table) Object.assign(found, { table: this.table.path, target: this.table.target, columns: JSON.stringify(this.table.columns) });
    return found;
  }
  // Methods and tools that suit the task, as far as possible those chosen before.
  offer(method = at("method").value, against = at("against").value) {
    const supply = (id, options, value) => {
      at(id).replaceChildren(...options.map(([key, words]) => html("option", { value: key }, words)));
      if (options.some(([key]) => key === value)) at(id).value = value;
    };
    const methods = this.choices[this.task].methods.map((name) => [name, name]), labels = this.names.classes || ["0", "1"];
    supply("method", methods, method); supply("against", [["nothing", "nothing"], ...methods], against);
    for (const id of ["n", "noise", "spread"]) at(id).closest("label").hidden = this.table !== null;
    at("fresh").hidden = this.table !== null;
    const add = this.task === "numbers" ? [["add:0", "add a point"]] : labels.map((name, code) => [`add:${code}`, `add class ${name}`]);
    supply("tool", [["move", "move"], ...add, ...(this.task === "numbers" ? [] : [["relabel", "relabel"]]), ["remove", "remove"]], at("tool").value);
  }
  async draw(state = null) {
    const wish = { set: at("set").value, seed: this.seed };
    for (const name of ["n", "noise", "spread"]) wish[name] = Number(at(name).value);
    try {
      if (state && state.get("table")) {
        await ask("table", { path: state.get("table") });
        await this.take({ path: state.get("table"), target: state.get("target"), columns: JSON.parse(state.get("columns") || "null") });
      } else if (wish.set !== TABLE) {
        this.table = null; this.names = {};
        for (const option of at("set").querySelectorAll(`option[value="${TABLE}"]`)) option.remove();
        ({ X: this.X, y: this.y } = await ask("points", wish));
      }
      this.edits = [];
      this.offer();
      for (const edit of ((state && state.get("edits")) || "").split(";").filter(Boolean)) { const [kind, ...rest] = edit.split(","); this.apply([kind, ...rest.map(Number)]); }
      await this.fit();
    } catch (error) { trouble(error); }
  }
  // Points of the open table instead of one of the sets.
  async take(wish) {
    const found = await ask("table_points", wish);
    this.table = { ...wish, task: found.task };
    this.names = { columns: found.columns, classes: found.classes };
    this.X = found.X; this.y = found.y; this.edits = [];
    if (at("set").value !== TABLE) at("set").prepend(html("option", { value: TABLE }, TABLE));
    at("set").value = TABLE;
    this.offer();
    return found;
  }
  question() {
    const methods = [at("method").value];
    if (at("against").value !== "nothing") methods.push(at("against").value);
    return { X: this.X, y: this.y, task: this.task, methods, rounds: Number(at("rounds").value), depth: Number(at("depth").value) };
  }
  called(scene) {
    scene.columns = this.names.columns ? [...this.names.columns, ""] : scene.flat ? ["x", ""] : ["x₁", "x₂"];
    if (scene.classes.length && this.names.classes) scene.classes = scene.classes.map((code) => this.names.classes[code] ?? code);
    return scene;
  }
  // Only the newest question is shown; answers to older ones may come late.
  async fit() {
    const number = ++this.asked;
    this.retrained = false;
    try {
      const { scenes } = await ask("explore", this.question());
      if (number < this.shown) return;
      this.shown = number;
      trouble(null);
      this.order = scenes[0].order;
      this.show((await Promise.all(scenes.map(unpack))).map((scene) => this.called(scene)));
      document.documentElement.dataset.fits = String(number);
    } catch (error) { trouble(error); }
  }
  show(scenes) {
    this.player.show(scenes);
    this.player.pictures.forEach((picture) => this.edit(picture));
  }
  async retrain() {
    const number = this.asked;
    at("retrain").disabled = true;
    at("said").textContent = "Training on 20 samples…";
    try {
      const parts = await Promise.all((await ask("retrain", this.question())).retrained.map(unpack));
      if (number !== this.asked) return;
      this.retrained = true;
      this.show(this.player.scenes.map((scene, k) => Object.assign(scene, { retrained: parts[k] })));
      this.player.go(this.player.t);
      trouble(null);
    } catch (error) { trouble(error); } finally { at("retrain").disabled = false; }
  }
  async save() {
    const { scenes } = this.player, names = { columns: scenes[0].columns, classes: scenes[0].classes };
    try { download(await ask("export", { ...this.question(), ...names, state: this.player.remember() }, true), fileName(scenes, scenes[0].rounds, "html")); } catch (error) { trouble(error); }
  }
  apply(edit) {
    const [kind, k, x, v] = edit, numbers = this.task === "numbers";
    if (kind === "add") { this.X.push(numbers ? [x] : [x, v]); this.y.push(numbers ? v : k); }
    if (kind === "move") { this.X[k] = numbers ? [x] : [x, v]; if (numbers) this.y[k] = v; }
    if (kind === "relabel") this.y[k] = (this.y[k] + 1) % Math.max(2, (this.names.classes || []).length);
    if (kind === "remove") { this.X.splice(k, 1); this.y.splice(k, 1); }
    this.edits.push(edit);
  }
  change(...edit) { this.apply(edit); this.fit(); }
  // A tool used at a place; a point that is to be moved is returned.
  use(picture, place, within) {
    const [tool, code] = at("tool").value.split(":");
    if (tool === "add") { this.change("add", Number(code), TIDY(place.x), TIDY(place.y)); return -1; }
    const near = picture.nearest(place.px, place.py, within);
    if (near >= 0 && tool === "move") return near;
    if (near >= 0) this.change(tool, this.order[near]);
    return -1;
  }
  carry(picture, near, place) {
    const { points, truth } = picture.scene.arrays;
    points[2 * near] = place.x;
    if (picture.scene.reach) truth[near] = place.y; else points[2 * near + 1] = place.y;
    picture.draw(this.player.t);
  }
  drop(near, place) { this.change("move", this.order[near], TIDY(place.x), TIDY(place.y)); }
  edit(picture) {
    const { canvas } = picture;
    let held = -1;
    fill(canvas, { role: "application", tabindex: 0, "aria-description": "Arrow keys move a crosshair, Enter uses the tool at it." }, []);
    canvas.addEventListener("pointerdown", (event) => {
      picture.cross = null;
      held = this.use(picture, picture.values(event), event.pointerType === "touch" ? 26 : 14);
      if (held >= 0) canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => { if (held >= 0) this.carry(picture, held, picture.values(event)); });
    canvas.addEventListener("pointerup", (event) => { if (held >= 0) { const near = held; held = -1; this.drop(near, picture.values(event)); } });
    canvas.addEventListener("keydown", (event) => { held = this.key(picture, event, held); });
    canvas.addEventListener("blur", () => { picture.cross = null; picture.draw(this.player.t); });
  }
  // The mouse by keyboard: arrows move the crosshair, with Shift slowly, Enter presses and releases.
  key(picture, event, held) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way && event.key !== "Enter") return held;
    event.preventDefault();
    const old = picture.cross || this.cross || { px: (picture.left + picture.right) / 2, py: (picture.top + picture.bottom) / 2 }, step = event.shiftKey ? 2 : 12;
    const [dx, dy] = way || [0, 0], within = (value, low, high) => Math.min(high, Math.max(low, value));
    const place = picture.at(within(old.px + step * dx, picture.left, picture.right), within(old.py + step * dy, picture.top, picture.bottom));
    this.cross = picture.cross = { px: place.px, py: place.py };
    if (way && held >= 0) this.carry(picture, held, place); else picture.draw(this.player.t);
    if (way) return held;
    if (held >= 0) { this.drop(held, place); return -1; }
    return this.use(picture, place, 20);
  }
}

async function startLive(player) {
  takeToken();
  player.restore(location.hash);
  const live = new Live(player);
  try { await live.begin(); } catch (error) { trouble(new Error(`${error.message} Open the address that coterie studio printed.`)); }
  return live;
}
