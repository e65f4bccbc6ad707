// How members differ: κ against error of all pairs, the pairwise matrix, dissent, and pruning.
function diversityCards(scene) {
  if (!scene.pruned || !scene.arrays.kappa) return [];
  const n = scene.rounds, cloud = html("canvas", { width: 660, height: 462, role: "img", "aria-label": "κ against mean error of pairs of members" });
  const matrix = html("canvas", { width: 660, height: 462, role: "img", "aria-label": "disagreement of pairs of members" });
  const words = html("p", { class: "soft" }), profile = html("div"), rank = new Map(scene.pruned.map((member, k) => [member, k]));
  const { kappa, differ } = scene.arrays, pairs = new Pairs(n, kappa, scene.member_errors);
  let wrong = null;
  const update = (t) => {
    wrong ??= wrongVotes(scene);
    const kept = new Set(scene.pruned.filter((member) => member < t).slice(0, Math.ceil(t / 2)));
    drawCloud(cloud, pairs, t, kept);
    drawMatrix(matrix, t, n, differ);
    profile.replaceChildren(dissentPlot(scene, t, wrong));
    const gone = Array.from({ length: t }, (_, k) => k).filter((member) => !kept.has(member)).sort((a, b) => rank.get(b) - rank.get(a)).map((k) => k + 1);
    say(words, `Pruning to half by reduced error would keep ${kept.size} of ${t} members (orange pairs)${gone.length ? ` and remove ${gone.slice(0, 12).join(", ")}${gone.length > 12 ? ", …" : ""}` : ""}. Measured on ${scene.diversity_rows}.`);
  };
  return [[card(`κ and error of pairs: ${scene.name}`, cloud, words), update],
    [card(`Disagreement of pairs: ${scene.name}`, matrix), () => {}], [card(`Dissent: ${scene.name}`, profile), () => {}]];
}

// All pairs of members as squares in an image, darker where they lie on one another: twenty thousand
// of them are counted here sooner than a canvas takes them one by one.
class Pairs {
  constructor(n, kappa, errors) {
    this.n = n; this.kappa = kappa; this.errors = errors; this.worst = Math.max(0.5, ...errors); this.low = kappa.some((value) => value < -0.5) ? -1 : -0.5;
    this.canvas = Object.assign(document.createElement("canvas"), { width: 582, height: 371 });
    this.image = new ImageData(582, 371);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.counts = [new Uint16Array(this.pixels.length), new Uint16Array(this.pixels.length)];
  }
  draw(t, kept) {
    const { n, kappa, errors, counts, pixels } = this, { width, height } = this.canvas, size = t > 60 ? 4 : 7, edge = size >> 1;
    const x = scale(this.low, 1, 0, width - 1), y = scale(0, this.worst, height - 1, 0), inside = (place, end) => Math.min(end - size, Math.max(0, Math.round(place) - edge));
    for (const one of counts) one.fill(0);
    for (let a = 0; a < t; a++) for (let b = a + 1; b < t; b++) {
      const mine = counts[kept.has(a) && kept.has(b) ? 1 : 0], left = inside(x(kappa[a * n + b]), width), top = inside(y((errors[a] + errors[b]) / 2), height);
      for (let j = 0; j < size; j++) for (let at = (top + j) * width + left, i = 0; i < size; i++) mine[at + i]++;
    }
    const [others, chosen] = [[0, 0.5], [1, 0.85]].map(([code, alpha]) => {
      const [r, g, b] = colourOf(code);
      return Uint32Array.from({ length: 9 }, (_, count) => (Math.round(255 * (1 - (1 - alpha) ** count)) << 24) | (b << 16) | (g << 8) | r);
    });
    for (let k = 0; k < pixels.length; k++) pixels[k] = counts[1][k] ? chosen[Math.min(8, counts[1][k])] : others[Math.min(8, counts[0][k])];
    this.canvas.getContext("2d").putImageData(this.image, 0, 0);
    return this.canvas;
  }
}

function drawCloud(canvas, pairs, t, kept) {
  const pen = canvas.getContext("2d"), x = scale(pairs.low, 1, 64, 645), y = scale(0, pairs.worst, 400, 30);
  pen.fillStyle = theme("--paper"); pen.fillRect(0, 0, 660, 462);
  pen.fillStyle = theme("--soft"); pen.strokeStyle = theme("--line"); pen.font = "17px system-ui, sans-serif"; pen.textAlign = "center";
  for (const v of ticks(pairs.low, 1, 4)) { pen.fillText(shown(v), x(v), 422); pen.strokeRect(x(v), 30, 0, 370); }
  pen.fillText("agreement beyond chance, κ", 352, 450); pen.textAlign = "right";
  for (const v of ticks(0, pairs.worst, 4)) { pen.fillText(shown(v, 2), 56, y(v) + 6); pen.strokeRect(64, y(v), 581, 0); }
  pen.textAlign = "left"; pen.fillText("mean error of the pair", 8, 18);
  pen.drawImage(pairs.draw(t, kept), 64, 30);
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

// How many of the first members are wrong about each row.
function wrongVotes(scene) {
  const { said, truth } = scene.arrays, found = new Uint16Array(scene.rounds * scene.rows);
  for (let k = 0; k < found.length; k++) found[k] = (k < scene.rows ? 0 : found[k - scene.rows]) + (said[k] !== truth[k % scene.rows]);
  return found;
}

// Rows by the share of members that are wrong about them.
function dissentPlot(scene, t, wrong) {
  const bins = Math.min(t + 1, 21), counts = new Float32Array(bins), first = scene.train < scene.rows ? scene.train : 0;
  for (let k = first; k < scene.rows; k++) counts[Math.round(wrong[(t - 1) * scene.rows + k] / t * (bins - 1))]++;
  const total = scene.rows - first, plot = new Plot("Rows by share of members that are wrong", [0, 1], [0, Math.max(0.05, ...counts) / total * 1.05 || 1], ["share of members that are wrong", "share of rows"]);
  counts.forEach((count, k) => {
    const x = plot.across(k / (bins - 1 || 1)), y = plot.up(count / total);
    plot.root.append(svg("rect", { x: x - 5, y, width: 10, height: plot.up(0) - y, class: "bars" }));
  });
  return plot.root;
}
