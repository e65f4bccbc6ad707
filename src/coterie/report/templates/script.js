"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const percent = (part) => {
    if (part === null || !isFinite(part)) return "–";
    return (100 * part).toFixed(1) + "\u00a0%";
  };
  const whole = (part) => Math.round(100 * part) + "\u00a0%";
  const number = (value) => {
    const places = value ? Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(Math.abs(value))))) : 0;
    return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
  };
  document.documentElement.classList.add("js");

  // Tables: a click on a heading sorts by it, another turns the order round. Empty values stay last.
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    for (const head of heads) {
      const button = head.querySelector("button");
      if (!button) continue;
      button.addEventListener("click", () => {
        const turn = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        const value = (row) => row.cells[head.cellIndex].dataset.value ?? "";
        const numeric = head.classList.contains("num");
        const empty = (text) => numeric ? text === "" || isNaN(Number(text)) : text === "";
        const rows = [...table.tBodies[0].rows].sort((first, second) => {
          const [a, b] = [value(first), value(second)];
          if (empty(a) || empty(b)) return empty(a) - empty(b);
          return turn * (numeric ? a - b : a.localeCompare(b));
        });
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", turn === 1 ? "ascending" : "descending");
        table.tBodies[0].append(...rows);
      });
    }
  }

  // Sliders: each figure carries its numbers for every position.
  const slider = (name, show) => {
    const input = find(name + "-input");
    if (!input) return;
    const table = JSON.parse(find(name).dataset.table);
    input.addEventListener("input", () => show(table, Number(input.value)));
    // A browser that remembers where the slider was must not show other figures beside it.
    show(table, Number(input.value));
  };
  const price = (name) => Math.max(0, Number(find("cost-" + name).value) || 0);
  const costs = (table) => table.threshold.map((_, at) =>
    price("alarm") * table.false_positives[at] + price("miss") * table.false_negatives[at]);
  for (const name of ["alarm", "miss", "best"]) {
    const moved = name === "best" ? "click" : "input";
    find("cost-" + name)?.addEventListener(moved, () => {
      const input = find("threshold-input");
      if (name === "best") {
        const all = costs(JSON.parse(find("threshold").dataset.table));
        input.value = all.indexOf(Math.min(...all));
      }
      input.dispatchEvent(new Event("input"));
    });
  }
  slider("threshold", (table, at) => {
    const count = (name) => table[name][at];
    const names = ["true_positives", "false_positives", "false_negatives", "true_negatives"];
    const [tp, fp, fn, tn] = names.map(count);
    names.forEach((name) => { find(name).textContent = count(name).toLocaleString("en"); });
    find("threshold-value").textContent = whole(table.threshold[at]);
    const mark = find("threshold-mark");
    const { x0, x1 } = mark.dataset;
    const x = Number(x0) + table.threshold[at] * (x1 - x0);
    mark.setAttribute("x1", x);
    mark.setAttribute("x2", x);
    find("rate-right").textContent = percent((tp + tn) / (tp + fp + fn + tn));
    find("rate-found").textContent = percent(tp / (tp + fn));
    find("rate-precise").textContent = percent(tp / (tp + fp));
    find("cost-value").textContent = number(costs(table)[at]);
  });
  slider("coverage", (table, at) => {
    find("coverage-risk").textContent = percent(table.risk[at]);
    find("coverage-sure").textContent = whole(table.threshold[at]);
    find("coverage-share").textContent = percent(table.coverage[at]);
    const mark = find("coverage-mark");
    const { x0, x1, y0, y1, top } = mark.dataset;
    mark.setAttribute("visibility", table.risk[at] === null ? "hidden" : "visible");
    mark.setAttribute("cx", Number(x0) + table.coverage[at] * (x1 - x0));
    mark.setAttribute("cy", Number(y0) + (table.risk[at] ?? 0) / top * (y1 - y0));
  });
  slider("tolerance", (table, at) => {
    find("tolerance-share").textContent = percent(table.share[at]);
    find("tolerance-value").textContent = number(table.tolerance[at]);
  });

  // What an element says when it is pointed at or touched.
  const tip = find("tip");
  const place = (event) => {
    const box = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, innerWidth - box.width - 8);
    const above = event.clientY - box.height - 12;
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = (above > 8 ? above : event.clientY + 18) + "px";
  };
  const say = (event) => {
    const said = event.target.closest?.("[data-tip]");
    tip.hidden = !said;
    if (!said) return;
    tip.textContent = said.dataset.tip;
    place(event);
  };
  document.addEventListener("pointerover", say);
  document.addEventListener("pointerdown", say);
  document.addEventListener("pointermove", (event) => { if (!tip.hidden) place(event); });
  document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  // Paper has no way to open what is folded.
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
  });
})();
