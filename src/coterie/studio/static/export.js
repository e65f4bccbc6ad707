// The pictures as files: PNG, SVG and GIF, all made here.
function download(blob, name) {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link); link.click(); link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
const fileName = (scenes, t, kind) => `${scenes.map((scene) => scene.name.replace(/[^\w-]/g, "_").slice(0, 40)).join("-and-")}-${t}.${kind}`;

// All pictures side by side on one canvas.
function joined(pictures, t, width = null) {
  const canvas = document.createElement("canvas"), gap = 8, factor = width ? width / pictures[0].canvas.width : 1;
  const wide = Math.round(pictures[0].canvas.width * factor), high = Math.round(pictures[0].canvas.height * factor);
  canvas.width = pictures.length * wide + (pictures.length - 1) * gap; canvas.height = high;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.fillStyle = pictures[0].paper; pen.fillRect(0, 0, canvas.width, canvas.height);
  pictures.forEach((picture, k) => { picture.draw(t); pen.drawImage(picture.canvas, k * (wide + gap), 0, wide, high); });
  return canvas;
}
const savePng = (player) => joined(player.pictures, player.t).toBlob((blob) => download(blob, fileName(player.scenes, player.t, "png")));

class Strokes {
  constructor() { this.d = ""; }
  moveTo(x, y) { this.d += `M${x.toFixed(1)},${y.toFixed(1)}`; }
  lineTo(x, y) { this.d += `L${x.toFixed(1)},${y.toFixed(1)}`; }
  rect(x, y, w, h) { this.moveTo(x, y); this.d += `h${w.toFixed(1)}v${h.toFixed(1)}h${(-w).toFixed(1)}z`; }
  arc(x, y, r) { this.d += `M${(x - r).toFixed(1)},${y.toFixed(1)}a${r.toFixed(1)},${r.toFixed(1)} 0 1 0 ${(2 * r).toFixed(1)},0a${r.toFixed(1)},${r.toFixed(1)} 0 1 0 ${(-2 * r).toFixed(1)},0z`; }
  closePath() { this.d += "z"; }
}

function svgOf(picture, t, shift) {
  const { scene, look } = picture, round = Math.min(t, scene.rounds) - 1, group = svg("g", { transform: `translate(${shift},0)` });
  const inner = { x: picture.left, y: picture.top, width: picture.right - picture.left, height: picture.bottom - picture.top };
  const text = (x, y, words, anchor = "middle") => svg("text", { x, y, "text-anchor": anchor, "font-size": 12, "font-family": "sans-serif", fill: "#555" }, words);
  picture.draw(t);
  if (scene.task === "classification" && look.regions) group.append(svg("image", { ...inner, href: picture.cells.toDataURL(), preserveAspectRatio: "none", "image-rendering": "pixelated" }));
  if (scene.task === "classification" && look.member) for (const [x0, y0, x1, y1] of cutsOf(scene, round) || []) group.append(svg("line", { x1: picture.x(x0), y1: scene.flat ? picture.bottom : picture.y(y0), x2: picture.x(x1), y2: scene.flat ? picture.top : picture.y(y1), stroke: "#d4337a", "stroke-width": 2.2, "stroke-dasharray": "6 4" }));
  if (scene.task === "regression") {
    const n = scene.resolution, wide = (scene.box[1] - scene.box[0]) / n, line = new Strokes();
    for (let i = 0; i < n; i++) line[i ? "lineTo" : "moveTo"](picture.x(scene.box[0] + (i + 0.5) * wide), picture.y(scene.arrays.curve[round * n + i]));
    group.append(svg("path", { d: line.d, fill: "none", stroke: css(COLOURS[1]), "stroke-width": 3 }));
  }
  for (let k = 0; k < (look.held ? scene.rows : scene.train); k++) {
    const code = scene.classes.length ? scene.arrays.truth[k] : 0, [x, y] = picture.place(k), r = picture.radius(k, round), mark = new Strokes();
    symbol(mark, code % 5, x, y, r);
    group.append(svg("path", { d: mark.d, fill: k < scene.train ? css(colourOf(code), 0.82) : "none", stroke: k < scene.train ? "#fff" : css(colourOf(code)), "stroke-width": 0.8 }));
    if (look.mistakes && scene.arrays.decided && scene.arrays.decided[round * scene.rows + k] !== code) group.append(svg("circle", { cx: x, cy: y, r: r + 2.5, fill: "none", stroke: "#b3261e", "stroke-width": 1.5 }));
  }
  group.append(svg("rect", { ...inner, fill: "none", stroke: "#555" }), text((picture.left + picture.right) / 2, picture.height - 5, scene.columns[0]), text((picture.left + picture.right) / 2, picture.top + 14, `${scene.name}, round ${t}`));
  for (const value of ticks(scene.box[0], scene.box[1])) group.append(text(picture.x(value), picture.bottom + 14, shown(value, 3)));
  const [low, high] = scene.reach || scene.box.slice(2);
  if (!scene.flat || scene.reach) for (const value of ticks(low, high)) group.append(text(picture.left - 4, picture.y(value) + 4, shown(value, 3), "end"));
  return group;
}

function saveSvg(player) {
  const { pictures, t } = player, width = pictures.reduce((sum, picture) => sum + picture.width + 8, 0), height = pictures[0].height;
  const root = svg("svg", { xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height }, svg("rect", { width, height, fill: "#fff" }));
  let shift = 0;
  for (const picture of pictures) { root.append(svgOf(picture, t, shift)); shift += picture.width + 8; }
  player.draw();
  download(new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" }), fileName(player.scenes, t, "svg"));
}

// A GIF with one palette of 6 x 7 x 6 colours.
function gifBytes(frames, width, height, delay) {
  const out = [], short = (value) => out.push(value & 255, value >> 8), chars = (text) => { for (const letter of text) out.push(letter.charCodeAt(0)); };
  chars("GIF89a"); short(width); short(height); out.push(0xf7, 0, 0);
  for (let k = 0; k < 256; k++) { const r = Math.floor(k / 42) % 6, g = Math.floor(k / 6) % 7, b = k % 6; out.push(...(k < 252 ? [r * 51, Math.round(g * 42.5), b * 51] : [0, 0, 0])); }
  out.push(0x21, 0xff, 11); chars("NETSCAPE2.0"); out.push(3, 1, 0, 0, 0);
  for (const frame of frames) {
    out.push(0x21, 0xf9, 4, 0); short(delay); out.push(0, 0, 0x2c); short(0); short(0); short(width); short(height); out.push(0, 8);
    const packed = lzw(frame);
    for (let k = 0; k < packed.length; k += 255) { const part = packed.slice(k, k + 255); out.push(part.length); for (const value of part) out.push(value); }
    out.push(0);
  }
  out.push(0x3b);
  return Uint8Array.from(out);
}

function lzw(pixels) {
  const out = [];
  let size = 9, next = 258, held = 0, bits = 0, table = new Map();
  const put = (code) => { held |= code << bits; bits += size; while (bits >= 8) { out.push(held & 255); held >>= 8; bits -= 8; } };
  put(256);
  let prefix = pixels[0];
  for (let k = 1; k < pixels.length; k++) {
    const key = (prefix << 8) | pixels[k], known = table.get(key);
    if (known !== undefined) { prefix = known; continue; }
    put(prefix);
    if (next === 4096) { put(256); table = new Map(); size = 9; next = 258; }
    else { if (next === 1 << size) size++; table.set(key, next++); }
    prefix = pixels[k];
  }
  put(prefix); put(257);
  if (bits) out.push(held & 255);
  return out;
}

function saveGif(player, most = 40) {
  const step = Math.max(1, Math.ceil(player.rounds / most)), frames = [];
  let canvas = null;
  for (let t = 1; t <= player.rounds; t += step) {
    canvas = joined(player.pictures, t, 360);
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), frame = new Uint8Array(data.length / 4);
    for (let k = 0; k < frame.length; k++) frame[k] = Math.round(data[4 * k] / 51) * 42 + Math.round(data[4 * k + 1] / 42.5) * 6 + Math.round(data[4 * k + 2] / 51);
    frames.push(frame);
  }
  player.draw();
  download(new Blob([gifBytes(frames, canvas.width, canvas.height, 25)], { type: "image/gif" }), fileName(player.scenes, player.rounds, "gif"));
}
