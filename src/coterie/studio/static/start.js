// Unpack the scenes and begin, where the address says.
async function start() {
  const content = JSON.parse(at("content").textContent), player = new Player();
  calculator(at("calculator"));
  player.restore(location.hash || content.state || "");
  if (content.live) startWorkbench(player, await startLive(player)); else {
    document.title = `${content.scenes.map((scene) => scene.name).join(" and ")} · coterie`;
    player.show(await Promise.all(content.scenes.map(unpack)));
  }
  if (player.tab) player.open(player.tab);
  document.documentElement.dataset.ready = "yes";
}
start().catch((error) => { at("trouble").hidden = false; at("trouble").textContent = `The page could not be shown: ${error.message}`; });
