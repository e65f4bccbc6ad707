// The picture of one scene on a canvas: regions, the new member, and the rows.
const COLOURS = [[0, 114, 178], [217, 120, 0], [0, 121, 90], [179, 38, 30], [142, 94, 162], [120, 110, 20], [30, 150, 180], [190, 80, 140]];
const LIGHT = [[86, 180, 233], [240, 160, 40], [60, 199, 156], [255, 143, 134], [196, 160, 220], [210, 200, 90], [110, 210, 235], [240, 150, 200]];
const dark = matchMedia("(prefers-color-scheme: dark)");
const colourOf = (code) => (dark.matches ? LIGHT : COLOURS)[code % COLOURS.length];
const css = (rgb, alpha = 1) => `rgba(${rgb[0]},${rgb[1]},${rgb[2]},${alpha})`;
// Asked once for each scheme: asking makes the browser lay out what has changed.
const asked = new Map();
dark.addEventListener("change", () => asked.clear());
function theme(name) {
  if (!asked.has(name)) asked.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return asked.get(name);
}

function symbol(path, shape, x, y, r) {
  if (shape === 0 && r < 1.5) { path.rect(x - r, y - r, 2 * r, 2 * r); return; }
  if (shape === 0) { path.moveTo(x + r, y); path.arc(x, y, r, 0, 7); return; }
  const s = r * 0.9;
  if (shape === 1) { path.rect(x - s, y - s, 2 * s, 2 * s); return; }
  const turns = shape === 2 ? [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]] : shape === 3 ? [[0, -1.2], [1.1, 0.8], [-1.1, 0.8]] : [[0, 1.2], [1.1, -0.8], [-1.1, -0.8]];
  turns.forEach(([a, b], k) => path[k ? "lineTo" : "moveTo"](x + a * r, y + b * r));
  path.closePath();
}

class Picture {
  constructor(scene, canvas, look) {
    this.scene = scene; this.canvas = canvas; this.look = look;
    const n = scene.resolution, rows = scene.flat ? 1 : n;
    this.cells = Object.assign(document.createElement("canvas"), { width: n, height: rows });
    this.image = new ImageData(n, rows);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.jitter = Float32Array.from({ length: scene.rows }, (_, k) => ((k * 0.618034) % 1 - 0.5) * 0.5);
    this.fit();
  }
  fit() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2), box = this.canvas.getBoundingClientRect();
    const width = Math.max(box.width, 200) || 540, height = width * 0.8;
    this.canvas.width = Math.round(width * ratio); this.canvas.height = Math.round(height * ratio);
    this.ratio = ratio; this.width = width; this.height = height;
    this.paint();
    this.paper = theme("--paper") || "#fff"; this.ink = theme("--ink") || "#000"; this.soft = theme("--soft") || "#555";
    const [x0, x1, y0, y1] = this.scene.box, reach = this.scene.reach;
    this.bottom = height - 36;
    const wide = reach || !this.scene.flat ? Math.max(...ticks(...(reach || [y0, y1])).map((value) => shown(value, 3).length)) : 0;
    this.left = 24 + 7 * wide; this.top = 8; this.right = width - 8;
    this.x = scale(x0, x1, this.left, this.right);
    this.y = reach ? scale(reach[0], reach[1], this.bottom, this.top) : this.scene.flat ? scale(-1, 1, this.bottom, this.top) : scale(y0, y1, this.bottom, this.top);
  }
  // What each code of a cell means: its class, and its colour as one number.
  paint() {
    const classes = Math.max(this.scene.classes.length, 1), steps = Math.floor(256 / classes), colours = new Uint8Array(1024);
    this.classOf = Uint8Array.from({ length: 256 }, (_, code) => Math.min(classes - 1, Math.floor(code / steps)));
    for (let code = 0; code < 256; code++) {
      const which = this.classOf[code];
      colours.set([...colourOf(which), 26 + 120 * (code - which * steps) / (steps - 1)], 4 * code);
    }
    this.colours = new Uint32Array(colours.buffer);
  }
  draw(t, pen = this.canvas.getContext("2d")) {
    const { scene, look } = this, round = Math.min(t, scene.rounds) - 1;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = this.paper; pen.fillRect(0, 0, this.width, this.height);
    if (scene.task === "classification") {
      if (look.regions) this.shade(pen, round);
      if (look.member) this.cut(pen, round);
    } else this.curves(pen, round);
    this.dots(pen, round);
    this.axes(pen);
    if (this.cross) this.aim(pen);
  }
  // Where the keyboard points.
  aim(pen) {
    const { px, py } = this.cross;
    pen.beginPath(); pen.moveTo(px - 12, py); pen.lineTo(px + 12, py); pen.moveTo(px, py - 12); pen.lineTo(px, py + 12);
    pen.strokeStyle = this.ink; pen.lineWidth = 2; pen.stroke();
  }
  shade(pen, round) {
    const { scene, pixels, colours } = this, n = scene.resolution, rows = scene.flat ? 1 : n;
    const source = scene.arrays[this.look.shade === "member" ? "cut" : "region"], from = round * n * rows;
    for (let j = 0; j < rows; j++) {
      const row = from + j * n, to = (rows - 1 - j) * n;
      for (let i = 0; i < n; i++) pixels[to + i] = colours[source[row + i]];
    }
    this.cells.getContext("2d").putImageData(this.image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.cells, this.left, this.top, this.right - this.left, this.bottom - this.top);
    this.edges(pen, source, from, rows, this.ink, 1.6);
  }
  // Lines between cells of different classes.
  edges(pen, source, from, rows, colour, width) {
    const n = this.scene.resolution, w = (this.right - this.left) / n, h = (this.bottom - this.top) / rows, { classOf } = this;
    pen.beginPath();
    for (let j = 0; j < rows; j++) {
      const row = from + j * n, y = this.bottom - (j + 1) * h;
      for (let i = 0; i < n; i++) {
        const own = classOf[source[row + i]], x = this.left + (i + 1) * w;
        if (i + 1 < n && classOf[source[row + i + 1]] !== own) { pen.moveTo(x, y); pen.lineTo(x, y + h); }
        if (j + 1 < rows && classOf[source[row + n + i]] !== own) { pen.moveTo(x - w, y); pen.lineTo(x, y); }
      }
    }
    pen.strokeStyle = colour; pen.lineWidth = width; pen.stroke();
  }
  // The splits of a small member; of a large one, whose splits would hide the picture, its boundary.
  cut(pen, round) {
    const lines = cutsOf(this.scene, round);
    if (lines) {
      pen.setLineDash([6, 4]);
      pen.beginPath();
      for (const [x0, y0, x1, y1] of lines) { pen.moveTo(this.x(x0), this.scene.flat ? this.bottom : this.y(y0)); pen.lineTo(this.x(x1), this.scene.flat ? this.top : this.y(y1)); }
      pen.strokeStyle = "#d4337a"; pen.lineWidth = 2.2; pen.stroke();
    } else {
      const n = this.scene.resolution, rows = this.scene.flat ? 1 : n;
      this.edges(pen, this.scene.arrays.cut, round * n * rows, rows, "rgba(212,51,122,.55)", 1);
    }
    pen.setLineDash([]);
  }
  curves(pen, round) {
    const { scene } = this, n = scene.resolution, [x0, x1] = scene.box, wide = (x1 - x0) / n;
    pen.save(); pen.beginPath(); pen.rect(this.left, this.top, this.right - this.left, this.bottom - this.top); pen.clip();
    const trace = (values, from, colour, width) => {
      pen.beginPath();
      for (let i = 0; i < n; i++) pen[i ? "lineTo" : "moveTo"](this.x(x0 + (i + 0.5) * wide), this.y(values[from + i]));
      pen.strokeStyle = colour; pen.lineWidth = width; pen.stroke();
    };
    if (this.look.member) {
      const source = scene.arrays[scene.adds ? "curve" : "member_curve"], first = Math.max(0, round - 40);
      for (let s = first; s < round; s++) trace(source, s * n, css([120, 130, 140], 0.25), 1);
      if (!scene.adds) trace(source, round * n, "#d4337a", 1.6);
    }
    if (this.look.mistakes) {
      pen.beginPath();
      for (let k = 0; k < scene.train; k++) {
        const x = this.x(scene.arrays.points[2 * k]);
        pen.moveTo(x, this.y(scene.arrays.truth[k])); pen.lineTo(x, this.y(scene.arrays.fitted[round * scene.rows + k]));
      }
      pen.strokeStyle = css([179, 38, 30], 0.3); pen.lineWidth = 1; pen.stroke();
    }
    trace(scene.arrays.curve, round * n, css(colourOf(1)), 3);
    pen.restore();
  }
  place(k) {
    const { points, truth } = this.scene.arrays, x = this.x(points[2 * k]);
    if (this.scene.task === "regression") return [x, this.y(truth[k])];
    return [x, this.y(this.scene.flat ? this.jitter[k] : points[2 * k + 1])];
  }
  radius(k, round) {
    const base = this.scene.train > 600 ? 1.9 : this.scene.train > 150 ? 3.2 : 5, weights = this.scene.arrays.weights;
    if (!this.look.weights || !weights || k >= this.scene.train) return base;
    return Math.min(Math.max(base * weights[round * this.scene.train + k] / 1000, 0.7), 34);
  }
  dots(pen, round) {
    const { scene, look } = this, classes = Math.max(scene.classes.length, 1), last = look.held ? scene.rows : scene.train;
    const decided = scene.arrays.decided, gap = scene.train > 600 ? 0.8 : 2.5;
    for (let code = 0; code < classes; code++) {
      const [path, open, wrong] = [0, 1, 2].map(() => (pen.newPath ? pen.newPath() : new Path2D()));
      for (let k = 0; k < last; k++) {
        if (scene.classes.length && scene.arrays.truth[k] !== code) continue;
        const [x, y] = this.place(k), r = this.radius(k, round);
        symbol(k < scene.train ? path : open, code % 5, x, y, r);
        if (look.mistakes && decided && decided[round * scene.rows + k] !== code) { wrong.moveTo(x + r + gap, y); wrong.arc(x, y, r + gap, 0, 7); }
      }
      pen.fillStyle = css(colourOf(code), 0.82); pen.fill(path);
      if (scene.train <= 600) { pen.strokeStyle = this.paper; pen.lineWidth = 0.8; pen.stroke(path); }
      pen.strokeStyle = css(colourOf(code)); pen.lineWidth = 1.4; pen.stroke(open);
      pen.strokeStyle = dark.matches ? "#ff8f86" : "#b3261e"; pen.lineWidth = gap < 1 ? 0.9 : 1.5; pen.stroke(wrong);
    }
  }
  axes(pen) {
    const { scene } = this;
    pen.fillStyle = this.paper;
    pen.fillRect(0, this.bottom, this.width, this.height - this.bottom); pen.fillRect(0, 0, this.left, this.height);
    pen.strokeStyle = this.soft; pen.lineWidth = 1; pen.strokeRect(this.left, this.top, this.right - this.left, this.bottom - this.top);
    pen.fillStyle = this.soft; pen.font = "12px system-ui, sans-serif"; pen.textAlign = "center";
    for (const value of ticks(scene.box[0], scene.box[1])) pen.fillText(shown(value, 3), this.x(value), this.bottom + 14);
    pen.fillText(scene.columns[0].slice(0, 60), (this.left + this.right) / 2, this.height - 7);
    pen.textAlign = "right";
    if (!scene.flat || scene.reach) {
      const [low, high] = scene.reach || scene.box.slice(2);
      for (const value of ticks(low, high)) pen.fillText(shown(value, 3), this.left - 4, this.y(value) + 4);
    }
    pen.save(); pen.translate(11, (this.top + this.bottom) / 2); pen.rotate(-Math.PI / 2); pen.textAlign = "center";
    pen.fillText((scene.reach ? "target" : scene.columns[1]).slice(0, 50), 0, 0); pen.restore();
  }
  // From a place on the screen, and on the picture, to values of the two axes.
  values(event) {
    const box = this.canvas.getBoundingClientRect();
    return this.at((event.clientX - box.left) * this.width / box.width, (event.clientY - box.top) * this.height / box.height);
  }
  at(px, py) {
    const [x0, x1] = this.scene.box, [y0, y1] = this.scene.reach || this.scene.box.slice(2);
    return { px, py, x: x0 + (px - this.left) / (this.right - this.left) * (x1 - x0), y: y0 + (this.bottom - py) / (this.bottom - this.top) * (y1 - y0) };
  }
  nearest(px, py, within = 14) {
    let best = -1, least = within * within;
    for (let k = 0; k < this.scene.train; k++) {
      const [x, y] = this.place(k), d = (x - px) ** 2 + (y - py) ** 2;
      if (d < least) { least = d; best = k; }
    }
    return best;
  }
}

const MOST_CUT = 8;

// Lines of a small tree within the picture; columns that are not drawn stay at their typical value.
function cutsOf(scene, round) {
  const tree = scene.trees[round];
  if (!tree || !tree.feature || tree.leaves > MOST_CUT || !scene.drawn.length) return null;
  const found = [], axis = (feature) => scene.drawn.indexOf(feature);
  (function walk(node, box) {
    const feature = tree.feature[node];
    if (feature < 0) return;
    const cut = tree.threshold[node], along = axis(feature);
    if (along < 0) { walk((scene.typical[feature] ?? 0) <= cut ? tree.left[node] : tree.right[node], box); return; }
    const [x0, x1, y0, y1] = box;
    if (along === 0) {
      if (cut > x0 && cut < x1) found.push([cut, y0, cut, y1]);
      walk(tree.left[node], [x0, Math.min(x1, cut), y0, y1]); walk(tree.right[node], [Math.max(x0, cut), x1, y0, y1]);
    } else {
      if (cut > y0 && cut < y1) found.push([x0, cut, x1, cut]);
      walk(tree.left[node], [x0, x1, y0, Math.min(y1, cut)]); walk(tree.right[node], [x0, x1, Math.max(y0, cut), y1]);
    }
  })(0, scene.box);
  return found;
}
