// The workbench: open a table, choose the target, watch the search, try a row.
class Workbench {
  constructor(root) {
    this.root = root; this.timer = null;
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
      html("p", {}, html("button", { id: "open-table", type: "button", onclick: () => this.open(() => ask("table", { path: path.value })) }, "Open"), " ", html("button", { id: "compare", type: "button", onclick: () => this.compare() }, "Compare runs in this directory")), drop, this.compared, this.table, this.search, this.outcome);
  }
  send(file) { return this.open(() => ask(`drop?name=${encodeURIComponent(file.name)}`, file)); }
  async open(get) {
    try { this.show(await get()); trouble(null); } catch (error) { trouble(error); }
  }
  show(table) {
    const names = table.columns.map((column) => column.name), target = html("select", { id: "target" }, ...names.map((name) => html("option", { value: name }, name)));
    target.value = names[names.length - 1];
    const rows = table.columns.map((column) => html("tr", {}, html("th", { scope: "row" }, column.name), html("td", {}, column.kind), html("td", { class: "num" }, `${shown(100 * column.missing, 3)} %`), html("td", { class: "num" }, String(column.distinct)), html("td", {}, distribution(column)), html("td", {}, column.findings.join("; "))));
    this.table.replaceChildren(html("h3", {}, `${table.name}: ${table.rows} rows`), ...table.notes.map((note) => html("p", { class: "soft" }, note)),
      html("div", { class: "scroll" }, html("table", {}, html("thead", {}, html("tr", {}, ...["Column", "Kind", "Missing", "Distinct", "Distribution", "Findings"].map((name) => html("th", { scope: "col" }, name)))), html("tbody", {}, ...rows))),
      html("div", { class: "fields" }, html("label", {}, "Target", target), html("label", {}, "Seconds", html("input", { type: "number", id: "seconds", value: 60, min: 1 })), html("label", {}, "Metric", html("input", { type: "text", id: "metric", value: "auto" }))),
      html("p", {}, html("button", { id: "begin-fit", type: "button", onclick: () => this.fit() }, "Find the best ensemble")));
    this.search.replaceChildren(); this.outcome.replaceChildren();
  }
  async fit() {
    try {
      this.watch(await ask("fit", { target: at("target").value, seconds: Number(at("seconds").value), metric: at("metric").value }));
      trouble(null);
      clearInterval(this.timer);
      this.timer = setInterval(async () => { try { this.watch(await ask("run")); } catch (error) { trouble(error); } }, 700);
    } catch (error) { trouble(error); }
  }
  watch(run) {
    const share = run.state === "running" ? Math.min(100, 100 * run.elapsed / run.limit) : 100, bar = html("div");
    bar.style.width = `${share}%`;
    const words = { running: `${shown(run.left, 3)} s left`, finished: run.stopped ? "Stopped; the best model so far is kept" : "Finished", failed: `Failed: ${run.last}` }[run.state];
    const best = [...run.tried].sort((a, b) => a.at - b.at);
    put(this.search, html("h3", { id: "run-state", "data-state": run.state }, words), html("div", { class: "progress" }, bar),
      run.state === "running" ? html("p", {}, html("button", { id: "stop-fit", type: "button", disabled: run.stopped, onclick: () => ask("stop", {}).then((now) => this.watch(now)).catch(trouble) }, run.stopped ? "Ending…" : "Stop and keep the best")) : null,
      html("div", { class: "scroll" }, html("table", { id: "tried" }, html("thead", {}, html("tr", {}, ...["Tried", "Score", "Took"].map((name) => html("th", { scope: "col" }, name)))), html("tbody", {}, ...best.map((one) => html("tr", {}, html("th", { scope: "row" }, one.name), html("td", { class: "num" }, shown(one.score, 5)), html("td", {}, one.took)))))));
    if (run.state === "running") return;
    clearInterval(this.timer);
    if (run.state === "finished") this.result(run);
  }
  result(run) {
    const inputs = Object.entries(run.inputs).map(([name, kind]) => html("label", {}, name, html("input", { type: "text", "data-column": name, "data-kind": kind, placeholder: kind })));
    const answer = html("div", { id: "answer", "aria-live": "polite" }), frame = html("iframe", { title: "Report", sandbox: "allow-scripts" });
    const save = (what) => ask(`result/${what}`, undefined, true).then((blob) => download(blob, what === "report" ? "report.html" : "model.coterie")).catch(trouble);
    this.outcome.replaceChildren(html("h3", {}, `Leaderboard by ${run.metric}`), html("div", { class: "scroll" }, html("table", { id: "leaderboard" }, html("thead", {}, html("tr", {}, ...["", "Score", "95 % interval", "Weight"].map((name) => html("th", { scope: "col" }, name)))), html("tbody", {}, ...run.leaderboard.map((one) => html("tr", { class: one.chosen ? "final" : null }, html("th", { scope: "row" }, one.name), html("td", { class: "num" }, shown(one.score, 5)), html("td", { class: "num" }, `${shown(one.low)} – ${shown(one.high)}`), html("td", { class: "num" }, one.weight ? shown(one.weight, 2) : "")))))),
      html("p", {}, html("button", { id: "save-model", type: "button", onclick: () => save("model") }, "Download model"), " ", html("button", { id: "save-report", type: "button", onclick: () => save("report") }, "Download report")),
      html("h3", {}, "What if"), html("div", { class: "fields", id: "row" }, ...inputs), html("p", {}, html("button", { id: "ask-row", type: "button", onclick: () => this.whatif(answer) }, "Predict this row")), answer, html("h3", {}, "Report"), frame);
    ask("result/report", undefined, true).then((blob) => { frame.src = URL.createObjectURL(new Blob([blob], { type: "text/html" })); }).catch(trouble);
  }
  async whatif(answer) {
    const row = {};
    for (const input of document.querySelectorAll("#row input")) {
      const text = input.value.trim(), kind = input.dataset.kind;
      row[input.dataset.column] = text === "" ? null : kind === "text" || kind === "time" || Number.isNaN(Number(text)) ? text : Number(text);
    }
    try {
      const said = await ask("whatif", { row }), rest = Object.entries(said.answer);
      const adds = Object.entries(said.adds.values).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, 12);
      const list = (title, rows) => (rows.length ? html("div", { class: "card" }, html("h4", {}, title), html("dl", { class: "made" }, ...rows.map(([name, value]) => html("div", {}, html("dt", {}, name), html("dd", {}, typeof value === "number" ? shown(value) : String(value)))))) : null);
      put(answer, list("Answer", rest), list(`Contribution of each column, starting from ${shown(said.adds.base, 3)} (${said.adds.method} Shapley values)`, adds), list("What members say", said.members.map((one) => [`${one.name} (${shown(one.weight, 2)})`, one.says.map((v) => shown(v, 3)).join(", ")])), list("Most similar training rows, by shared leaves", said.nearest.map((one) => [`${shown(100 * one.share, 3)} %`, Object.entries(one.row).map(([name, cell]) => `${name} ${cell}`).join(", ")])));
      trouble(null);
    } catch (error) { trouble(error); }
  }
  async compare() {
    try {
      const { runs } = await ask("runs");
      this.compared.replaceChildren(html("h3", {}, "Runs in this directory"), html("div", { class: "scroll" }, html("table", { id: "runs" }, html("thead", {}, html("tr", {}, ...["Run", "Target", "Metric", "Score", "Members"].map((name) => html("th", { scope: "col" }, name)))), html("tbody", {}, ...runs.map((run) => html("tr", {}, html("th", { scope: "row" }, run.directory), html("td", {}, run.target), html("td", {}, run.metric), html("td", { class: "num" }, shown(run.score, 5)), html("td", {}, run.members.join(", "))))))));
      trouble(null);
    } catch (error) { trouble(error); }
  }
}

function distribution(column) {
  const counts = column.histogram ? column.histogram.counts : (column.values || []).map((pair) => pair[1]), most = Math.max(1, ...counts);
  if (!counts.length) return html("span", {});
  const root = svg("svg", { viewBox: `0 0 ${counts.length * 7} 26`, width: counts.length * 7, height: 26, role: "img", "aria-label": column.histogram ? `from ${shown(column.histogram.edges[0])} to ${shown(column.histogram.edges[counts.length])}` : column.values.map((pair) => pair[0]).join(", ") });
  counts.forEach((count, k) => root.append(svg("rect", { x: 7 * k, y: 26 - 25 * count / most, width: 6, height: 25 * count / most, class: "bars" })));
  return root;
}

function startWorkbench() {
  at("tab-workbench").hidden = false;
  new Workbench(at("workbench")).begin();
}
