// The error of a majority vote: members of equal error whose mistakes are correlated.
function logGamma(x) {
  const c = [76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2, -0.5395239384953e-5];
  let y = x, sum = 1.000000000190015;
  const t = x + 5.5 - (x + 0.5) * Math.log(x + 5.5);
  for (const value of c) sum += value / ++y;
  return -t + Math.log(2.5066282746310005 * sum / x);
}
const logBeta = (a, b) => logGamma(a) + logGamma(b) - logGamma(a + b);

// Ties are mistakes. Correlated mistakes are beta-binomial: all rows have a difficulty of their own.
function voteError(n, error, correlation) {
  if (error <= 0 || error >= 1) return error <= 0 ? 0 : 1;
  if (correlation >= 1) return error;
  let sum = 0;
  for (let right = 0; right <= Math.floor(n / 2); right++) {
    const wrong = n - right, choose = logGamma(n + 1) - logGamma(right + 1) - logGamma(wrong + 1);
    if (correlation <= 0) sum += Math.exp(choose + right * Math.log(1 - error) + wrong * Math.log(error));
    else {
      const spread = (1 - correlation) / correlation, a = error * spread, b = (1 - error) * spread;
      sum += Math.exp(choose + logBeta(wrong + a, right + b) - logBeta(a, b));
    }
  }
  return Math.min(1, sum);
}
const hoeffding = (n, error) => (error < 0.5 ? Math.exp(-0.5 * n * (1 - 2 * error) ** 2) : 1);

function calculator(root) {
  const field = (id, words, value, min, max, step) => html("label", {}, words, html("input", { type: "number", id, value, min, max, step }));
  const tiles = html("div", { class: "tiles" }), holder = html("div", { class: "card" });
  const update = () => {
    const n = Math.min(999, Math.max(1, Math.round(Number(at("vote-members").value) || 1)));
    const error = Math.min(1, Math.max(0, Number(at("vote-error").value) || 0)), r = Math.min(1, Math.max(0, Number(at("vote-correlation").value) || 0));
    const tile = (id, words, value, main) => html("div", { class: `tile${main ? " main" : ""}` }, html("span", { class: "what" }, words), html("strong", { id }, shown(value)));
    tiles.replaceChildren(tile("vote-exact", "Error of the vote", voteError(n, error, r), true), tile("vote-independent", "If independent", voteError(n, error, 0)), tile("vote-hoeffding", "Hoeffding's bound, if independent", hoeffding(n, error)), tile("vote-one", "One member", error));
    const most = Math.max(n, 11), xs = [];
    for (let k = 1; k <= most; k += 2 * Math.max(1, Math.round(most / 120))) xs.push(k);
    const plot = new Plot("Error of the vote by number of members", [1, most], [0, Math.max(0.1, Math.min(1, error * 1.4))], ["members", "error of the vote"]);
    const top = Math.max(0.1, Math.min(1, error * 1.4));
    plot.line(xs, xs.map((k) => Math.min(top, voteError(k, error, r))), "train");
    plot.line(xs, xs.map((k) => voteError(k, error, 0)), "held");
    plot.line(xs, xs.map((k) => (hoeffding(k, error) <= top ? hoeffding(k, error) : null)), "bound");
    plot.key([["correlated", "train"], ["independent", "held"], ["Hoeffding", "bound"]]);
    plot.marker()(n);
    holder.replaceChildren(plot.root);
  };
  root.append(html("h2", {}, "Vote calculator"), html("div", { class: "fields" }, field("vote-members", "Members", 21, 1, 999, 2), field("vote-error", "Error of each", 0.3, 0, 1, 0.01), field("vote-correlation", "Correlation of their mistakes", 0, 0, 1, 0.05)), tiles, holder,
    html("p", { class: "soft" }, "Two classes, a majority vote, ties are mistakes. Correlated mistakes follow the beta-binomial distribution."));
  root.addEventListener("input", update);
  update();
}
