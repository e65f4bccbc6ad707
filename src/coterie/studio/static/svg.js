// Elements, scales, ticks. Text is only ever set as text, so no name can become markup.
const SVG = "http://www.w3.org/2000/svg";
const at = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
const put = (element, ...children) => element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
// Text that is the same is left alone, which spares the layout of the page.
const say = (element, text) => { if (element.textContent !== text) element.textContent = text; };
const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

function shown(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const text = Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-4)
    ? value.toExponential(2) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

function ticks(low, high, about = 5) {
  if (!(high > low)) return [low];
  const rough = (high - low) / about, size = 10 ** Math.floor(Math.log10(rough));
  const step = size * [1, 2, 5, 10].find((factor) => factor * size >= rough * 0.999);
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) found.push(Number((n * step).toPrecision(12)));
  return found;
}

const scale = (low, high, start, end) => (value) => start + ((value - low) / ((high - low) || 1)) * (end - start);

// A pair of axes as SVG; lines and marks are added to it.
class Plot {
  constructor(label, x, y, names, height = 250) {
    this.width = 440; this.height = height;
    this.across = scale(x[0], x[1], 46, this.width - 10);
    this.up = scale(y[0], y[1], height - 38, 24);
    this.root = svg("svg", { viewBox: `0 0 ${this.width} ${height}`, role: "img", "aria-label": label });
    for (const value of ticks(...y)) {
      this.root.append(svg("line", { x1: 46, x2: this.width - 10, y1: this.up(value), y2: this.up(value), class: "grid" }),
        svg("text", { x: 40, y: this.up(value) + 4, class: "tick end" }, shown(value, 3)));
    }
    // Rounds and members are counted.
    const whole = ["round", "members"].includes(names[0]);
    for (const value of ticks(...x).filter((one) => !whole || Number.isInteger(one))) this.root.append(svg("text", { x: this.across(value), y: height - 22, class: "tick middle" }, shown(value, 3)));
    this.root.append(svg("line", { x1: 46, x2: this.width - 10, y1: height - 38, y2: height - 38, class: "axis" }),
      svg("text", { x: (this.width + 36) / 2, y: height - 5, class: "label middle" }, names[0]),
      svg("text", { x: 2, y: 12, class: "label" }, names[1]));
  }
  path(xs, ys) {
    let text = "", pen = "M";
    for (let k = 0; k < xs.length; k++) {
      if (ys[k] === null || ys[k] === undefined || Number.isNaN(ys[k])) { pen = "M"; continue; }
      text += `${pen}${this.across(xs[k]).toFixed(1)},${this.up(ys[k]).toFixed(1)}`;
      pen = "L";
    }
    return text;
  }
  line(xs, ys, kind) {
    const drawn = svg("path", { d: this.path(xs, ys), class: `curve ${kind}` });
    this.root.append(drawn);
    return drawn;
  }
  marker() {
    const mark = svg("line", { y1: 24, y2: this.height - 38, class: "now" });
    this.root.append(mark);
    return (value) => { const x = this.across(value).toFixed(1); mark.setAttribute("x1", x); mark.setAttribute("x2", x); };
  }
  marks(xs, ys, kind) {
    for (let k = 0; k < xs.length; k++) this.root.append(svg("circle", { cx: this.across(xs[k]), cy: this.up(ys[k]), r: 3, class: `key-${kind}` }));
  }
  key(entries) {
    let x = this.width - 10;
    for (const [text, kind] of entries.slice().reverse()) {
      this.root.append(svg("text", { x, y: 12, class: `key end key-${kind}` }, text));
      x -= 7 * text.length + 12;
    }
  }
}

const card = (title, ...children) => html("div", { class: "card" }, html("h3", {}, title), ...children);
