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

// Lines of a path as text, with the methods of a canvas path.
class Strokes {
  constructor() { this.d = ""; }
  moveTo(x, y) { this.d += `M${x.toFixed(1)},${y.toFixed(1)}`; }
  lineTo(x, y) { this.d += `L${x.toFixed(1)},${y.toFixed(1)}`; }
  rect(x, y, w, h) { this.moveTo(x, y); this.d += `h${w.toFixed(1)}v${h.toFixed(1)}h${(-w).toFixed(1)}z`; }
  arc(x, y, r) { this.d += `M${(x - r).toFixed(1)},${y.toFixed(1)}a${r.toFixed(1)},${r.toFixed(1)} 0 1 0 ${(2 * r).toFixed(1)},0a${r.toFixed(1)},${r.toFixed(1)} 0 1 0 ${(-2 * r).toFixed(1)},0z`; }
  closePath() { this.d += "z"; }
}

// A pen that writes SVG, with as much of a canvas's pen as pictures use: a file shows what the screen shows.
class SvgPen {
  constructor(root) { this.groups = [root]; this.path = new Strokes(); this.dash = ""; this.clips = 0; }
  get group() { return this.groups[this.groups.length - 1]; }
  add(name, attributes, ...children) { this.group.append(svg(name, attributes, ...children)); }
  setTransform() { /* SVG has no pixels of its own */ }
  newPath() { return new Strokes(); }
  beginPath() { this.path = new Strokes(); }
  moveTo(x, y) { this.path.moveTo(x, y); }
  lineTo(x, y) { this.path.lineTo(x, y); }
  rect(x, y, w, h) { this.path.rect(x, y, w, h); }
  setLineDash(lengths) { this.dash = lengths.join(" "); }
  stroke(path = this.path) { if (path.d) this.add("path", { d: path.d, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-dasharray": this.dash || null }); }
  fill(path) { if (path.d) this.add("path", { d: path.d, fill: this.fillStyle }); }
  fillRect(x, y, width, height) { this.add("rect", { x, y, width, height, fill: this.fillStyle }); }
  strokeRect(x, y, width, height) { this.add("rect", { x, y, width, height, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth }); }
  drawImage(image, x, y, width, height) { this.add("image", { x, y, width, height, href: image.toDataURL(), preserveAspectRatio: "none", "image-rendering": "pixelated" }); }
  fillText(text, x, y) { this.add("text", { x, y, fill: this.fillStyle, "font-size": 12, "font-family": "system-ui, sans-serif", "text-anchor": { center: "middle", right: "end" }[this.textAlign] || "start" }, text); }
  save() { const group = svg("g"); this.group.append(group); this.groups.push(group); }
  restore() { this.groups.pop(); }
  clip() {
    const id = `clip-${++this.clips}`;
    this.add("clipPath", { id }, svg("path", { d: this.path.d }));
    this.group.setAttribute("clip-path", `url(#${id})`);
  }
  move(how) { this.group.setAttribute("transform", `${this.group.getAttribute("transform") || ""} ${how}`.trim()); }
  translate(x, y) { this.move(`translate(${x},${y})`); }
  rotate(angle) { this.move(`rotate(${angle * 180 / Math.PI})`); }
}

function saveSvg(player) {
  const { pictures, t } = player, width = pictures.reduce((sum, picture) => sum + picture.width + 8, -8), height = pictures[0].height;
  const root = svg("svg", { xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height }, svg("rect", { width, height, fill: pictures[0].paper })), pen = new SvgPen(root);
  let shift = 0;
  for (const picture of pictures) { pen.save(); pen.translate(shift, 0); picture.draw(t, pen); pen.restore(); shift += picture.width + 8; }
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
