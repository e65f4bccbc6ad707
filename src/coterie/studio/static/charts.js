// Charts that follow the round: errors and bound, margins or residuals, and any fact of the trace.
function errorChart(scene) {
  const xs = Array.from({ length: scene.rounds }, (_, k) => k + 1), { train, held } = scene.errors;
  const proof = scene.certificate.kind === "bound" ? scene.certificate.values : null;
  const most = Math.max(...train, ...(held || [0]), 1e-9), top = scene.measure === "error" ? Math.min(1, Math.max(most * 1.15, ...(proof || []).filter((v) => v !== null), 0.05)) : most * 1.1;
  const plot = new Plot(`${scene.measure} by round`, [1, Math.max(scene.rounds, 2)], [0, top], ["round", scene.measure]);
  const keys = [["training", "train"]];
  if (proof) { plot.line(xs, proof.map((v) => (v === null || v > top ? null : v)), "bound"); keys.push(["bound", "bound"]); }
  plot.line(xs, train, "train");
  if (held) { plot.line(xs, held, "held"); keys.push(["held out", "held"]); }
  plot.key(keys);
  const move = plot.marker();
  return [card(`Errors: ${scene.name}`, plot.root), move];
}

function marginChart(scene) {
  if (scene.task === "regression") return residualChart(scene);
  const plot = new Plot("Distribution of margins", [-1, 1], [0, 1], ["margin", "share of rows at or below"]);
  plot.root.append(svg("line", { x1: plot.across(0), x2: plot.across(0), y1: 24, y2: plot.height - 38, class: "grid" }));
  const train = plot.line([], [], "train"), held = plot.line([], [], "held");
  plot.key(scene.train < scene.rows ? [["training", "train"], ["held out", "held"]] : [["training", "train"]]);
  const least = html("p", { class: "soft" });
  const steps = (from, to) => {
    const counts = new Uint32Array(255);
    for (let k = from; k < to; k++) counts[scene.arrays.margin[k] + 127]++;
    const ys = new Float32Array(255);
    let sum = 0;
    for (let k = 0; k < 255; k++) { sum += counts[k]; ys[k] = sum / (to - from); }
    return ys;
  };
  const xs = Float32Array.from({ length: 255 }, (_, k) => (k - 127) / 127);
  const update = (t) => {
    const start = (t - 1) * scene.rows;
    train.setAttribute("d", plot.path(xs, steps(start, start + scene.train)));
    if (scene.train < scene.rows) held.setAttribute("d", plot.path(xs, steps(start + scene.train, start + scene.rows)));
    let low = 127;
    for (let k = start; k < start + scene.train; k++) low = Math.min(low, scene.arrays.margin[k]);
    say(least, `Margin: ${scene.margins}. The smallest of a training row is about ${shown(low / 127, 2)}.`);
  };
  return [card(`Margins: ${scene.name}`, plot.root, least), update];
}

function residualChart(scene) {
  const bins = 24, span = Math.max(...Array.from({ length: scene.train }, (_, k) => Math.abs(scene.arrays.truth[k] - scene.arrays.fitted[k]))) || 1;
  const plot = new Plot("Distribution of residuals", [-span, span], [0, 0.6], ["residual", "share of training rows"]);
  const bars = Array.from({ length: bins }, () => plot.root.appendChild(svg("rect", { class: "bars" })));
  const update = (t) => {
    const counts = new Uint32Array(bins);
    for (let k = 0; k < scene.train; k++) {
      const left = scene.arrays.truth[k] - scene.arrays.fitted[(t - 1) * scene.rows + k];
      counts[Math.min(bins - 1, Math.max(0, Math.floor((left / span + 1) / 2 * bins)))]++;
    }
    bars.forEach((bar, k) => {
      const x = plot.across(-span + 2 * span * k / bins), y = plot.up(Math.min(0.6, counts[k] / scene.train));
      fill(bar, { x: x + 1, y, width: plot.across(-span + 2 * span * (k + 1) / bins) - x - 2, height: plot.up(0) - y }, []);
    });
  };
  return [card(`Residuals: ${scene.name}`, plot.root), update];
}

const FACTS = { error: "ε weighted error", alpha: "α member weight", edge: "γ edge", normaliser: "Z normaliser", bound: "bound", loss: "loss", margin: "margin", min_margin: "smallest margin", margin_bound: "margin bound", gap: "gap", train_error: "training error", potential: "potential", elapsed: "time taken", left: "time left", time: "time", mass: "total weight", leaves: "leaves", weight: "learning rate", bag_loss: "training loss", validation_loss: "validation loss", committee: "committee", hamming: "Hamming loss", train_cost: "training cost", largest: "largest error", regularised_gap: "regularised gap" };
const factName = (name) => FACTS[name] || name.replaceAll("_", " ");

function factChart(scene) {
  const names = Object.keys(scene.facts).filter((name) => scene.facts[name].some((v) => v !== null));
  if (!names.length) return null;
  const holder = html("div"), choice = html("select", { "aria-label": `Quantity of ${scene.name} to plot` }, ...names.map((name) => html("option", { value: name }, factName(name))));
  let move = () => {}, now = 1;
  const show = () => {
    const ys = scene.facts[choice.value], real = ys.filter((v) => v !== null), low = Math.min(...real), high = Math.max(...real), room = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    const plot = new Plot(`${factName(choice.value)} by round`, [1, Math.max(scene.rounds, 2)], [low - room, high + room], ["round", factName(choice.value)]);
    plot.line(ys.map((_, k) => k + 1), ys, "train");
    move = plot.marker(); move(now);
    holder.replaceChildren(plot.root);
  };
  choice.addEventListener("change", show);
  choice.value = ["alpha", "bag_loss", "loss", "validation_loss", "error"].find((name) => names.includes(name)) || names[0];
  show();
  return [card(`By round: ${scene.name}`, choice, holder), (t) => { now = t; move(t); }];
}

// What training on other samples shows: bias and variance by round, and the curves of all trainings.
function retrainedChart(scene) {
  const found = scene.retrained;
  if (!found) return null;
  const xs = found.error.map((_, k) => k + 1), all = [...found.error, ...found.bias, ...found.variance], name = scene.measure;
  const plot = new Plot("bias and variance by round", [1, Math.max(found.rounds, 2)], [Math.min(0, ...all), Math.max(...all) * 1.08], ["round", name]);
  for (const [values, kind] of [[found.error, "held"], [found.bias, "train"], [found.variance, "third"]]) plot.line(xs, values, kind);
  plot.key([[scene.classes.length ? "bias" : "bias²", "train"], ["variance", "third"], ["both", "held"]]);
  const move = plot.marker(), words = html("p", { class: "soft", "data-bias": "" });
  const update = (t) => {
    const k = Math.min(t, found.rounds) - 1;
    move(k + 1);
    words.textContent = `Round ${k + 1}: ${shown(found.bias[k], 3)} + ${shown(found.variance[k], 3)} = ${shown(found.error[k], 3)}. Trained ${found.repeats} times on random halves (${found.half} rows), measured on held-out rows; the bias includes the noise.`;
  };
  return [card(`Bias and variance: ${scene.name}`, plot.root, words), update];
}

function retrainedCurves(scene) {
  const found = scene.retrained;
  if (!found || !found.arrays.curves) return null;
  const n = scene.resolution, [x0, x1] = scene.box, xs = Float32Array.from({ length: n }, (_, i) => x0 + (i + 0.5) * (x1 - x0) / n);
  const plot = new Plot("curves of all trainings", [x0, x1], scene.reach, [scene.columns[0].slice(0, 50), "target"]);
  const lines = Array.from({ length: found.repeats }, () => plot.line([], [], "faint")), middle = plot.line([], [], "held");
  plot.key([["each training", "bound"], ["their mean", "held"]]);
  const update = (t) => {
    const k = Math.min(t, found.rounds) - 1, mean = new Float32Array(n);
    lines.forEach((line, r) => {
      const ys = found.arrays.curves.subarray((r * found.rounds + k) * n, (r * found.rounds + k + 1) * n);
      line.setAttribute("d", plot.path(xs, ys));
      for (let i = 0; i < n; i++) mean[i] += ys[i] / found.repeats;
    });
    middle.setAttribute("d", plot.path(xs, mean));
  };
  return [card(`Trained on ${found.repeats} samples: ${scene.name}`, plot.root), update];
}
