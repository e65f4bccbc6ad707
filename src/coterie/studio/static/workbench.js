// The workbench: open a table, choose the target, watch the search, try a row, compare runs.
const button = (id, words, act) => html("button", { id, type: "button", onclick: act }, words);
const options = (names) => names.map((name) => html("option", { value: name }, name));

// A table that scrolls in itself; cells are texts, numbers or elements.
function grid(id, heads, rows, final = () => false) {
  const numeric = (value) => typeof value === "number" || value instanceof HTMLElement;
  const cell = (value, k) => (k === 0 ? html("th", { scope: "row" }, value) : html("td", { class: numeric(value) ? "num" : null }, typeof value === "number" ? shown(value, 5) : value));
  const head = (name, k) => html("th", { scope: "col", class: k && rows.length && numeric(rows[rows.length - 1][k]) ? "num" : null }, name);
  return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": id.replaceAll("-", " ") }, html("table", { id }, html("thead", {}, html("tr", {}, ...heads.map(head))), html("tbody", {}, ...rows.map((row) => html("tr", { class: final(row) ? "final" : null }, ...row.map(cell))))));
}

class Workbench {
  constructor(root, player, live) {
    this.root = root; this.player = player; this.live = live; this.timer = null; this.open_path = "";
    this.table = html("div"); this.search = html("div"); this.outcome = html("div"); this.compared = html("div");
  }
  begin() {
    const path = html("input", { type: "text", id: "table-path", placeholder: "data/table.csv" }), file = html("input", { type: "file", id: "table-file" });
    const drop = html("div", { class: "drop", id: "drop" }, "Drop a table here: CSV, TSV, Parquet, Arrow or JSON lines. Or ", html("label", {}, "choose one ", file));
    drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => { event.preventDefault(); drop.classList.remove("over"); if (event.dataTransfer.files[0]) this.send(event.dataTransfer.files[0]); });
    file.addEventListener("change", () => { if (file.files[0]) this.send(file.files[0]); });
    this.root.append(html("h2", {}, "Workbench"), html("div", { class: "fields" }, html("label", {}, "Path of a table, relative to the directory of the studio", path)),
      html("p", {}, button("open-table", "Open", () => this.open(() => ask("table", { path: path.value }), path.value)), " ", button("compare", "Compare runs in this directory", () => this.list())), drop, this.compared, this.table, this.search, this.outcome);
  }
  send(file) { return this.open(() => ask(`drop?name=${encodeURIComponent(file.name)}`, file)); }
  async open(get, path = "") {
    await this.try(async () => { this.show(await get()); this.open_path = path; });
  }
  async try(act) {
    try { await act(); trouble(null); } catch (error) { trouble(error); }
  }
  show(table) {
    const names = table.columns.map((column) => column.name), target = html("select", { id: "target" }, ...options(names));
    target.value = names[names.length - 1];
    this.columns = Object.fromEntries(table.columns.map((column) => [column.name, column]));
    const rows = table.columns.map((column) => [column.name, column.kind, `${shown(100 * column.missing, 3)} %`, column.distinct, distribution(column), column.findings.join("; ")]);
    this.table.replaceChildren(html("h3", {}, `${table.name}: ${table.rows.toLocaleString("en")} rows`), ...table.notes.map((note) => html("p", { class: "soft" }, note)),
      grid("columns", ["Column", "Kind", "Missing", "Distinct", "Distribution", "Findings"], rows),
      html("div", { class: "fields" }, html("label", {}, "Target", target), html("label", {}, "Seconds", html("input", { type: "number", id: "seconds", value: 60, min: 1 })), html("label", {}, "Metric", html("input", { type: "text", id: "metric", value: "auto" }))),
      html("p", {}, button("begin-fit", "Find the best ensemble", () => this.fit())), this.axes(table.numeric));
    this.search.replaceChildren(); this.outcome.replaceChildren();
  }
  // Two columns of the table as points of the explorer.
  axes(numeric) {
    if (!numeric.length) return html("p", { class: "soft" }, "The explorer needs columns of numbers; this table has none.");
    const first = html("select", { id: "axis-x" }, ...options(numeric)), second = html("select", { id: "axis-y" }, ...options(numeric));
    second.value = numeric[Math.min(1, numeric.length - 1)];
    const go = (columns) => this.try(async () => {
      await this.live.take({ path: this.open_path, target: at("target").value, columns });
      await this.live.fit();
      this.player.open("explorer");
    });
    return html("div", {}, html("h3", {}, "In the explorer"), html("p", { class: "soft" }, "Methods are fitted to these columns only, and to at most 1,000 rows."), html("div", { class: "fields" }, html("label", {}, "Horizontal axis", first), html("label", {}, "Vertical axis (classes only)", second)),
      html("p", {}, button("explore-columns", "Explore these columns", () => go([...new Set([first.value, second.value])])), " ", button("explore-projection", "Explore a projection", () => go("pca"))));
  }
  fit() {
    return this.try(async () => {
      this.watch(await ask("fit", { target: at("target").value, seconds: Number(at("seconds").value), metric: at("metric").value }));
      clearInterval(this.timer);
      this.timer = setInterval(async () => { try { this.watch(await ask("run")); } catch (error) { trouble(error); } }, 700);
    });
  }
  watch(run) {
    const share = run.state === "running" ? Math.min(100, 100 * run.elapsed / run.limit) : 100, bar = html("div");
    bar.style.width = `${share}%`;
    const words = { running: `${shown(run.left, 3)} s left`, finished: run.stopped ? "Stopped; the best model so far is kept" : "Finished", failed: `Failed: ${run.last}` }[run.state];
    const stop = () => this.try(async () => this.watch(await ask("stop", {})));
    const tried = [...run.tried].sort((a, b) => a.at - b.at).map((one) => [one.name, one.score, one.took]);
    put(this.search, html("h3", { id: "run-state", "data-state": run.state }, words), html("div", { class: "progress" }, bar),
      run.state === "running" ? html("p", {}, fill(button("stop-fit", run.stopped ? "Ending…" : "Stop and keep the best", stop), { disabled: run.stopped }, [])) : null,
      tried.length ? grid("tried", ["Tried", "Score", "Took"], tried) : null);
    if (run.state === "running") return;
    clearInterval(this.timer);
    if (run.state === "finished") this.result(run);
  }
  result(run) {
    const frame = html("iframe", { title: "Report", sandbox: "allow-scripts" });
    const save = (what, name) => this.try(async () => download(await ask(`result/${what}`, undefined, true), name));
    const board = run.leaderboard.map((one) => [one.name, one.score, `${shown(one.low)} – ${shown(one.high)}`, one.weight ? Number(one.weight.toPrecision(2)) : ""]), chosen = new Set(run.leaderboard.filter((one) => one.chosen).map((one) => one.name));
    put(this.outcome, html("h3", {}, `Leaderboard by ${run.metric}`), grid("leaderboard", ["Candidate", "Score", "95 % interval", "Weight"], board, (row) => chosen.has(row[0])),
      html("p", {}, button("save-model", "Download model", () => save("model", "model.coterie")), " ", button("save-report", "Download report", () => save("report", "report.html"))),
      costs(run.thresholds), this.whatIf(run), html("h3", {}, "Report"), frame);
    ask("result/report", undefined, true).then((blob) => { frame.src = URL.createObjectURL(new Blob([blob], { type: "text/html" })); }).catch(trouble);
  }
  whatIf(run) {
    const answer = html("div", { id: "answer", class: "answer", "aria-live": "polite" }), number = html("input", { type: "number", id: "row-number", value: 1, min: 1 });
    const field = ([name, kind], k) => {
      const known = this.columns && this.columns[name] && this.columns[name].values, list = known && kind !== "number" ? `values-${k}` : null;
      return html("label", {}, name, html("input", { type: "text", "data-column": name, "data-kind": kind, placeholder: "missing", list }), list ? html("datalist", { id: list }, ...options(known.map((pair) => pair[0]))) : null);
    };
    const take = () => this.try(async () => {
      const { row } = await ask(`row/${Math.round(Number(number.value)) || 1}`);
      for (const input of document.querySelectorAll("#row input")) input.value = row[input.dataset.column] ?? "";
      await this.predict(answer);
    });
    return html("div", {}, html("h3", {}, "What if"), html("p", {}, html("label", {}, "Row ", number), " ", button("take-row", "Take this row", take)),
      html("div", { class: "fields", id: "row" }, ...Object.entries(run.inputs).map(field)), html("p", {}, button("ask-row", "Predict", () => this.try(() => this.predict(answer)))), answer);
  }
  async predict(answer) {
    const row = {};
    for (const input of document.querySelectorAll("#row input")) {
      const text = input.value.trim(), kind = input.dataset.kind;
      row[input.dataset.column] = text === "" ? null : kind === "text" || kind === "time" || Number.isNaN(Number(text)) ? text : Number(text);
    }
    const said = await ask("whatif", { row }), adds = Object.entries(said.adds.values).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, 12);
    const list = (title, rows) => (rows.length ? html("div", { class: "card" }, html("h4", {}, title), html("dl", { class: "made" }, ...rows.map(([name, value]) => html("div", {}, html("dt", {}, name), html("dd", {}, typeof value === "number" ? shown(value) : value))))) : null);
    put(answer, list("Prediction", Object.entries(said.answer).map(([name, value]) => [name.replaceAll("_", " "), value])), list(`What each column adds to ${shown(said.adds.base, 3)} (Shapley values, ${said.adds.method})`, adds), list("What each member predicts (and its weight)", said.members.map((one) => [`${one.name} (${shown(one.weight, 2)})`, one.says.map((v) => shown(v, 3)).join(", ")])),
      said.nearest.length ? html("div", { class: "whole" }, html("h4", {}, "Most similar training rows, by the share of common leaves"), grid("nearest", ["common leaves", ...Object.keys(said.nearest[0].row)], said.nearest.map((one) => [`${shown(100 * one.share, 3)} %`, ...Object.values(one.row)]))) : null);
  }
  list() {
    return this.try(async () => {
      const { runs } = await ask("runs"), names = runs.map((run) => run.directory), beside = html("div", { id: "beside" });
      const first = html("select", { id: "run-first" }, ...options(names)), second = html("select", { id: "run-second" }, ...options(names));
      second.value = names[1];
      const members = (run) => run.members.map(([name, weight]) => `${name} (${shown(weight, 2)})`).join(", ");
      put(this.compared, html("h3", {}, "Runs in this directory"), runs.length ? grid("runs", ["Run", "Target", "Metric", "Score", "Members"], runs.map((run) => [run.directory, run.target, run.metric, run.score, members(run)])) : html("p", {}, "There is none yet."),
        runs.length < 2 ? null : html("div", { class: "fields" }, html("label", {}, "First run", first), html("label", {}, "Second run", second)),
        runs.length < 2 ? null : html("p", {}, button("compare-two", "Show both side by side", () => this.try(async () => sideBySide(beside, await ask("compare", { first: first.value, second: second.value }))))), beside);
    });
  }
}

// Measures and candidates of two runs, the better value in bold, and how the best score came down or up.
function sideBySide(root, found) {
  const [a, b] = found.runs, heads = ["", a.directory, b.directory], interval = (run) => `${shown(run.interval[0])} – ${shown(run.interval[1])}`;
  const better = (values, greater) => values.map((value, k) => (value === null || value === undefined ? "–" : values[1 - k] !== null && value !== values[1 - k] && (value > values[1 - k]) === greater ? html("b", {}, shown(value, 5)) : value));
  const rows = [["rows", a.rows, b.rows], ["columns", a.columns, b.columns], ["seconds", Math.round(a.seconds), Math.round(b.seconds)], ["members", a.members.map(([name]) => name).join(", "), b.members.map(([name]) => name).join(", ")], ["95 % interval of the score", interval(a), interval(b)]];
  const same = a.metric === b.metric, all = same ? [...a.curve, ...b.curve] : [];
  put(root, grid("two-runs", heads, [...rows, ...found.measures.map((one) => [one.label, ...better(one.values, one.greater_is_better)])]),
    same ? html("h4", {}, `Candidates by ${found.metric.label}`) : html("p", { class: "soft" }, "The runs were scored by different metrics, so their candidates are not compared."),
    same ? grid("two-boards", heads, found.candidates.map((one) => [one.name, ...better(one.scores, found.metric.greater_is_better)])) : null, all.length ? progress(a, b, all, found.metric.label) : null);
}

function progress(a, b, all, label) {
  const values = all.map((one) => one[1]), low = Math.min(...values), high = Math.max(...values), room = (high - low) * 0.08 || Math.abs(high) * 0.05 || 1;
  const plot = new Plot("best score so far by seconds", [0, Math.max(...all.map((one) => one[0]))], [low - room, high + room], ["seconds", `best ${label} so far`]);
  for (const [run, kind] of [[a, "train"], [b, "held"]]) {
    const steps = run.curve.flatMap(([at, best], k) => (k ? [[at, run.curve[k - 1][1]], [at, best]] : [[at, best]]));
    plot.line(steps.map((one) => one[0]), steps.map((one) => one[1]), kind);
    plot.marks(run.curve.map((one) => one[0]), run.curve.map((one) => one[1]), kind);
  }
  plot.key([[a.directory.slice(-18), "train"], [b.directory.slice(-18), "held"]]);
  return card("Progress", plot.root);
}

// The threshold that costs least, given what each kind of mistake costs.
function costs(table) {
  if (!table) return null;
  const [negative, positive] = table.labels, field = (id, words) => html("label", {}, words, html("input", { type: "number", id, value: 1, min: 0, step: 0.5 }));
  const words = html("p", { id: "cheapest" }), holder = html("div", { class: "card" }), total = table.true_positives[0] + table.false_negatives[0] + table.false_positives[0] + table.true_negatives[0];
  const root = html("div", {}, html("h3", {}, "Threshold by cost"), html("div", { class: "fields" }, field("cost-positive", `Cost of predicting “${positive}” for “${negative}”`), field("cost-negative", `Cost of predicting “${negative}” for “${positive}”`)), words, holder);
  const update = () => {
    const cost = (id) => Math.max(0, Number(root.querySelector(id).value) || 0), wrong = cost("#cost-positive"), missed = cost("#cost-negative");
    const ys = table.threshold.map((_, k) => (wrong * table.false_positives[k] + missed * table.false_negatives[k]) / total), least = Math.min(...ys), best = ys.indexOf(least), half = table.threshold.indexOf(0.5);
    const plot = new Plot("mean cost by threshold", [0, 1], [0, Math.max(...ys) * 1.05 || 1], ["threshold", "mean cost of a row"]);
    plot.line(table.threshold, ys, "train"); plot.marker()(table.threshold[best]);
    holder.replaceChildren(plot.root);
    words.textContent = `Predict “${positive}” if its probability is at least ${shown(table.threshold[best], 2)}: a row then costs ${shown(least, 3)} on average${half >= 0 ? `, and ${shown(ys[half], 3)} with a threshold of 0.5` : ""}.`;
  };
  root.addEventListener("input", update);
  update();
  return root;
}

function distribution(column) {
  const counts = column.histogram ? column.histogram.counts : (column.values || []).map((pair) => pair[1]), most = Math.max(1, ...counts);
  if (!counts.length) return "";
  const root = svg("svg", { viewBox: `0 0 ${counts.length * 7} 26`, width: counts.length * 7, height: 26, role: "img", "aria-label": column.histogram ? `from ${shown(column.histogram.edges[0])} to ${shown(column.histogram.edges[counts.length])}` : column.values.map((pair) => pair[0]).join(", ") });
  counts.forEach((count, k) => root.append(svg("rect", { x: 7 * k, y: 26 - 25 * count / most, width: 6, height: 25 * count / most, class: "bars" })));
  return root;
}

function startWorkbench(player, live) {
  at("tab-workbench").hidden = false;
  new Workbench(at("workbench"), player, live).begin();
}
