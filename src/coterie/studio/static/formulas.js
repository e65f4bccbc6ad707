// Formulas with the numbers of the round put in, and the numbers themselves.
function formulaPanel(scene) {
  const tiles = html("div", { class: "tiles small" }), list = html("dl", { class: "formulas" }), proof = html("p", { class: "certificate" });
  const names = ["error", "alpha", "edge", "normaliser", "loss", "margin", "gap", "potential"].filter((name) => name in scene.facts);
  const value = (name, t) => {
    if (name === "bound" && !("bound" in scene.facts)) return scene.certificate.kind === "bound" ? scene.certificate.values[t - 1] : null;
    return name in scene.facts ? scene.facts[name][t - 1] : undefined;
  };
  const tile = (words, id) => {
    const number = html("strong", { "data-fact": id });
    tiles.append(html("div", { class: "tile" }, html("span", { class: "what" }, words), number));
    return number;
  };
  const measure = scene.measure === "error" ? "error" : "MSE";
  // Made once; a round changes nothing but text.
  const shownFacts = names.map((name) => [tile(factName(name), name), scene.facts[name]]);
  shownFacts.push([tile(`training ${measure}`, "train"), scene.errors.train]);
  if (scene.errors.held) shownFacts.push([tile(`held-out ${measure}`, "held"), scene.errors.held]);
  const lines = scene.formulas.map(([title, text]) => {
    const line = html("dd");
    list.append(html("div", {}, html("dt", {}, title), line));
    return [line, text];
  });
  const update = (t) => {
    for (const [element, values] of shownFacts) say(element, shown(values[t - 1]));
    for (const [element, text] of lines) say(element, text.replace(/\{(\w+)\}/g, (_, name) => { const v = value(name, t); return v === undefined || v === null ? "…" : shown(v); }));
    const { kind, words, values } = scene.certificate;
    proof.classList.toggle("none", kind === "none");
    say(proof, kind === "none" ? words.replace(/^None: /, "No certificate: ") : `Certificate (${kind}): ${shown(values[t - 1])}. ${words}`);
  };
  return [html("div", { class: "panel" }, tiles, list, proof), update];
}
