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

class Live {
  constructor(player) { this.player = player; this.X = []; this.y = []; this.asked = 0; this.shown = 0; }
  async begin() {
    const { sets, methods } = await ask("choices"), state = new URLSearchParams(location.hash.replace(/^#/, ""));
    const options = (names) => names.map((name) => html("option", { value: name }, name));
    const choice = (id, words, names, value) => {
      const select = html("select", { id }, ...options(names));
      if (names.includes(value)) select.value = value;
      return html("label", {}, words, select);
    };
    const number = (id, words, value, min, max, step) => html("label", {}, words, html("input", { type: "number", id, value: state.get(id) ?? value, min, max, step }));
    at("live").append(choice("set", "Data", sets, state.get("set") || "moons"), choice("method", "Method", methods, state.get("method") || "AdaBoost"), choice("against", "Beside", ["nothing", ...methods], state.get("against") || "nothing"),
      number("rounds", "Rounds", 30, 1, 500, 1), number("depth", "Depth", 1, 1, 8, 1), number("n", "Points", 200, 10, 2000, 10), number("noise", "Label noise", 0, 0, 0.5, 0.05), number("spread", "Spread", 0.2, 0, 1, 0.05),
      choice("tool", "Click to", ["add the first class", "add the second class", "move", "relabel", "remove"], "move"), html("button", { id: "fresh", type: "button" }, "New points"));
    at("live").hidden = false;
    this.seed = Number(state.get("seed")) || 0;
    for (const id of ["set", "n", "noise", "spread"]) at(id).addEventListener("change", () => this.draw());
    for (const id of ["method", "against", "rounds", "depth"]) at(id).addEventListener("change", () => this.fit());
    at("fresh").addEventListener("click", () => { this.seed++; this.draw(); });
    this.player.extra = () => ({ set: at("set").value, method: at("method").value, against: at("against").value, rounds: at("rounds").value, depth: at("depth").value, n: at("n").value, noise: at("noise").value, spread: at("spread").value, seed: this.seed });
    await this.draw();
  }
  async draw() {
    const wish = { set: at("set").value, seed: this.seed };
    for (const name of ["n", "noise", "spread"]) wish[name] = Number(at(name).value);
    try { ({ X: this.X, y: this.y } = await ask("points", wish)); await this.fit(); } catch (error) { trouble(error); }
  }
  // Only the newest question is shown; answers to older ones may come late.
  async fit() {
    const number = ++this.asked, methods = [at("method").value];
    if (at("against").value !== "nothing") methods.push(at("against").value);
    try {
      const { scenes } = await ask("explore", { X: this.X, y: this.y, methods, rounds: Number(at("rounds").value), depth: Number(at("depth").value) });
      if (number < this.shown) return;
      this.shown = number;
      trouble(null);
      this.order = scenes[0].order || null;
      this.player.show(await Promise.all(scenes.map(unpack)));
      this.player.pictures.forEach((picture) => this.edit(picture));
      document.documentElement.dataset.fits = String(number);
    } catch (error) { trouble(error); }
  }
  index(k) { return this.order ? this.order[k] : k; }
  edit(picture) {
    let held = -1;
    const tool = () => at("tool").value;
    picture.canvas.addEventListener("pointerdown", (event) => {
      const place = picture.values(event), near = picture.nearest(place.px, place.py, event.pointerType === "touch" ? 26 : 14);
      if (tool().startsWith("add")) { this.X.push([place.x, place.y]); this.y.push(tool().includes("first") ? 0 : 1); this.fit(); return; }
      if (near < 0) return;
      const k = this.index(near);
      if (tool() === "relabel") { this.y[k] = 1 - this.y[k]; this.fit(); }
      else if (tool() === "remove") { this.X.splice(k, 1); this.y.splice(k, 1); this.fit(); }
      else { held = near; picture.canvas.setPointerCapture(event.pointerId); }
    });
    picture.canvas.addEventListener("pointermove", (event) => {
      if (held < 0) return;
      const place = picture.values(event);
      picture.scene.arrays.points[2 * held] = place.x; picture.scene.arrays.points[2 * held + 1] = place.y;
      picture.draw(this.player.t);
    });
    picture.canvas.addEventListener("pointerup", (event) => {
      if (held < 0) return;
      const place = picture.values(event);
      this.X[this.index(held)] = [place.x, place.y]; held = -1;
      this.fit();
    });
  }
}

async function startLive(player) {
  takeToken();
  player.restore(location.hash);
  try { await new Live(player).begin(); } catch (error) { trouble(new Error(`${error.message} Open the address that coterie studio printed.`)); }
}
