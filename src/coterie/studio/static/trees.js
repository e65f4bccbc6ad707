// The tree of a round as a diagram.
function treeChart(scene) {
  if (!scene.trees.some((tree) => tree)) return null;
  const holder = html("div"), update = (t) => holder.replaceChildren(treeDrawing(scene, scene.trees[t - 1], t));
  return [card(`New member: ${scene.name}`, holder), update];
}

function columnName(scene, feature) {
  const along = scene.drawn.indexOf(feature);
  return (along >= 0 ? scene.columns[along] : `column ${feature}`).slice(0, 24);
}

function treeDrawing(scene, tree, t) {
  if (!tree) return html("p", { class: "soft" }, "The member of this round is not a single tree.");
  const sizes = `Member ${t}: ${tree.leaves} ${tree.leaves === 1 ? "leaf" : "leaves"}, depth ${tree.depth}.`;
  if (!tree.feature || tree.leaves > 16) return html("p", { class: "soft" }, `${sizes} Too large to draw.`);
  const height = 40 + 62 * tree.depth, width = 440, root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": sizes, class: tree.leaves > 4 ? "dense" : null });
  let leaf = 0;
  (function place(node, depth) {
    const y = 18 + 62 * depth;
    if (tree.feature[node] < 0) {
      const x = (leaf++ + 0.5) * width / tree.leaves, value = tree.value[node];
      const text = tree.kind === "class" ? (scene.classes[value] ?? String(value)).slice(0, 12) : shown(value, 3);
      const colour = tree.kind === "class" ? css(colourOf(value), 0.3) : "none";
      root.append(svg("rect", { x: x - Math.min(34, width / tree.leaves / 2 - 1), y: y - 13, width: Math.min(68, width / tree.leaves - 2), height: 22, rx: 4, fill: colour, stroke: "#8a939d" }), svg("text", { x, y: y + 3, class: "middle" }, text));
      return x;
    }
    const marks = root.childNodes.length, left = place(tree.left[node], depth + 1), right = place(tree.right[node], depth + 1), x = (left + right) / 2;
    const words = `${columnName(scene, tree.feature[node])} ≤ ${shown(tree.threshold[node])}`;
    const before = root.childNodes[marks];
    for (const [to, said] of [[left, "yes"], [right, "no"]]) {
      root.insertBefore(svg("line", { x1: x, y1: y + 8, x2: to, y2: y + 49, class: "branch" }), before);
      root.append(svg("text", { x: (x + to) / 2 + (to < x ? -14 : 14), y: y + 28, class: "tick middle" }, said));
    }
    root.append(svg("text", { x, y: y + 3, class: "middle" }, words));
    return x;
  })(0, 0);
  return html("div", {}, root, html("p", { class: "soft" }, sizes));
}
