// How members differ: κ against error of all pairs, the pairwise matrix, dissent, and pruning.
function diversityCards(scene) {
  if (!scene.pruned || !scene.arrays.kappa) return [];
  const n = scene.rounds, cloud = html("canvas", { width: 660, height: 462, role: "img", "aria-label": "κ against mean error of pairs of members" });
  const matrix = html("canvas", { width: 462, height: 462, role: "img", "aria-label": "disagreement of pairs of members" });
  const words = html("p", { class: "soft" }), profile = html("div"), rank = new Map(scene.pruned.map((member, k) => [member, k]));
  const { kappa, differ, said, truth } = scene.arrays, worst = Math.max(0.5, ...scene.member_errors);
  const update = (t) => {
    const kept = new Set(scene.pruned.filter((member) => member < t).slice(0, Math.ceil(t / 2)));
    drawCloud(cloud, t, n, kappa, scene.member_errors, worst, kept);
    drawMatrix(matrix, t, n, differ);
    profile.replaceChildren(dissentPlot(scene, t, said, truth));
    const gone = Array.from({ length: t }, (_, k) => k).filter((member) => !kept.has(member)).sort((a, b) => rank.get(b) - rank.get(a)).map((k) => k + 1);
    words.textContent = `Pruning to half by reduced error would keep ${kept.size} of ${t} members (orange pairs)${gone.length ? ` and take away ${gone.slice(0, 12).join(", ")}${gone.length > 12 ? ", …" : ""}` : ""}. Measured on ${scene.diversity_rows}.`;
  };
  return [[card(`κ and error of pairs: ${scene.name}`, cloud, words), update],
    [card(`Disagreement of pairs: ${scene.name}`, matrix), () => {}], [card(`Dissent: ${scene.name}`, profile), () => {}]];
}

function drawCloud(canvas, t, n, kappa, errors, worst, kept) {
  const pen = canvas.getContext("2d"), x = scale(-0.5, 1, 60, 645), y = scale(0, worst, 420, 15);
  pen.fillStyle = theme("--paper"); pen.fillRect(0, 0, 660, 462);
  pen.fillStyle = theme("--soft"); pen.font = "18px system-ui, sans-serif"; pen.textAlign = "center";
  for (const v of [-0.5, 0, 0.5, 1]) pen.fillText(shown(v), x(v), 442);
  pen.fillText("κ", 352, 458); pen.textAlign = "right";
  for (const v of ticks(0, worst, 4)) pen.fillText(shown(v, 2), 52, y(v) + 6);
  for (const pass of [false, true]) {
    pen.fillStyle = pass ? css(COLOURS[1], 0.8) : css(COLOURS[0], 0.35);
    for (let a = 0; a < t; a++) for (let b = a + 1; b < t; b++) {
      if ((kept.has(a) && kept.has(b)) === pass) pen.fillRect(x(kappa[a * n + b]) - 2, y((errors[a] + errors[b]) / 2) - 2, pass ? 5 : 4, pass ? 5 : 4);
    }
  }
}

function drawMatrix(canvas, t, n, differ) {
  const pen = canvas.getContext("2d"), image = new ImageData(t, t), small = Object.assign(document.createElement("canvas"), { width: t, height: t });
  for (let a = 0; a < t; a++) for (let b = 0; b < t; b++) {
    const v = Math.min(1, differ[a * n + b] * 2), place = 4 * (a * t + b);
    image.data.set([255 - 255 * v, 250 - 136 * v, 245 - 67 * v, 255], place);
  }
  small.getContext("2d").putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false; pen.clearRect(0, 0, 462, 462); pen.drawImage(small, 0, 0, 462, 462);
}

// Rows by the share of members that are wrong about them.
function dissentPlot(scene, t, said, truth) {
  const bins = Math.min(t + 1, 21), counts = new Float32Array(bins), first = scene.train < scene.rows ? scene.train : 0;
  for (let k = first; k < scene.rows; k++) {
    let wrong = 0;
    for (let s = 0; s < t; s++) wrong += said[s * scene.rows + k] !== truth[k];
    counts[Math.round(wrong / t * (bins - 1))]++;
  }
  const total = scene.rows - first, plot = new Plot("Rows by share of members that are wrong", [0, 1], [0, Math.max(0.05, ...counts) / total * 1.05 || 1], ["share of members that are wrong", "share of rows"]);
  counts.forEach((count, k) => {
    const x = plot.across(k / (bins - 1 || 1)), y = plot.up(count / total);
    plot.root.append(svg("rect", { x: x - 5, y, width: 10, height: plot.up(0) - y, class: "bars" }));
  });
  return plot.root;
}
