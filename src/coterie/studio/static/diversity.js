// How members differ: κ against error of all pairs, the pairwise matrix, dissent, and pruning.
function diversityCards(scene) {
  if (!scene.pruned || !scene.arrays.kappa) return [];
  const n = scene.rounds, cloud = html("canvas", { width: 660, height: 462, role: "img", "aria-label": "κ against mean error of pairs of members" });
  const matrix = html("canvas", { width: 660, height: 462, role: "img", "aria-label": "disagreement of pairs of members" });
  const words = html("p", { class: "soft" }), profile = html("div"), rank = new Map(scene.pruned.map((member, k) => [member, k]));
  const { kappa, differ, said, truth } = scene.arrays, worst = Math.max(0.5, ...scene.member_errors);
  const update = (t) => {
    const kept = new Set(scene.pruned.filter((member) => member < t).slice(0, Math.ceil(t / 2)));
    drawCloud(cloud, t, n, kappa, scene.member_errors, worst, kept);
    drawMatrix(matrix, t, n, differ);
    profile.replaceChildren(dissentPlot(scene, t, said, truth));
    const gone = Array.from({ length: t }, (_, k) => k).filter((member) => !kept.has(member)).sort((a, b) => rank.get(b) - rank.get(a)).map((k) => k + 1);
    words.textContent = `Pruning to half by reduced error would keep ${kept.size} of ${t} members (orange pairs)${gone.length ? ` and remove ${gone.slice(0, 12).join(", ")}${gone.length > 12 ? ", …" : ""}` : ""}. Measured on ${scene.diversity_rows}.`;
  };
  return [[card(`κ and error of pairs: ${scene.name}`, cloud, words), update],
    [card(`Disagreement of pairs: ${scene.name}`, matrix), () => {}], [card(`Dissent: ${scene.name}`, profile), () => {}]];
}

function drawCloud(canvas, t, n, kappa, errors, worst, kept) {
  const pen = canvas.getContext("2d"), x = scale(-0.5, 1, 64, 645), y = scale(0, worst, 400, 30), size = t > 60 ? 4 : 7;
  pen.fillStyle = theme("--paper"); pen.fillRect(0, 0, 660, 462);
  pen.fillStyle = theme("--soft"); pen.strokeStyle = theme("--line"); pen.font = "17px system-ui, sans-serif"; pen.textAlign = "center";
  for (const v of [-0.5, 0, 0.5, 1]) { pen.fillText(shown(v), x(v), 422); pen.strokeRect(x(v), 30, 0, 370); }
  pen.fillText("agreement beyond chance, κ", 352, 450); pen.textAlign = "right";
  for (const v of ticks(0, worst, 4)) { pen.fillText(shown(v, 2), 56, y(v) + 6); pen.strokeRect(64, y(v), 581, 0); }
  pen.textAlign = "left"; pen.fillText("mean error of the pair", 8, 18);
  for (const pass of [false, true]) {
    pen.fillStyle = css(colourOf(pass ? 1 : 0), pass ? 0.85 : 0.5);
    for (let a = 0; a < t; a++) for (let b = a + 1; b < t; b++) {
      if ((kept.has(a) && kept.has(b)) === pass) pen.fillRect(x(Math.max(-0.5, kappa[a * n + b])) - size / 2, y((errors[a] + errors[b]) / 2) - size / 2, size, size);
    }
  }
}

// From the colour of the paper, where two members agree, to blue where they differ on half of the rows.
function drawMatrix(canvas, t, n, differ) {
  const pen = canvas.getContext("2d"), small = Object.assign(document.createElement("canvas"), { width: t, height: t }), inner = small.getContext("2d");
  const blue = colourOf(0), side = 400, shade = (share) => Math.min(1, share * 2), image = new ImageData(t, t), one = new Uint32Array(image.data.buffer);
  const colour = Uint32Array.from({ length: 256 }, (_, alpha) => (alpha << 24) | (blue[2] << 16) | (blue[1] << 8) | blue[0]);
  for (let a = 0; a < t; a++) for (let b = 0; b < t; b++) one[a * t + b] = colour[Math.round(255 * shade(differ[a * n + b]))];
  inner.putImageData(image, 0, 0);
  pen.fillStyle = theme("--paper"); pen.fillRect(0, 0, 660, 462);
  pen.imageSmoothingEnabled = false; pen.drawImage(small, 56, 10, side, side);
  pen.strokeStyle = theme("--line"); pen.strokeRect(56, 10, side, side);
  pen.fillStyle = theme("--soft"); pen.font = "17px system-ui, sans-serif";
  for (const v of ticks(1, Math.max(t, 2), 5)) {
    if (v < 1 || v > t || v % 1) continue;
    const middle = (v - 0.5) * side / t;
    pen.textAlign = "center"; pen.fillText(v, 56 + middle, 430); pen.textAlign = "right"; pen.fillText(v, 50, 16 + middle);
  }
  pen.textAlign = "center"; pen.fillText("member", 56 + side / 2, 452);
  pen.textAlign = "left"; pen.fillText("differ on", 490, 30);
  [0, 0.25, 0.5].forEach((share, k) => {
    pen.fillStyle = css(blue, shade(share)); pen.fillRect(490, 48 + 34 * k, 24, 24); pen.strokeRect(490, 48 + 34 * k, 24, 24);
    pen.fillStyle = theme("--soft"); pen.fillText(["no rows", "a quarter", "half or more"][k], 522, 66 + 34 * k);
  });
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
