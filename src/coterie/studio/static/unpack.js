// Arrays of a scene: base64 of deflated bytes, and where each array lies in them.
const KINDS = { u1: Uint8Array, i1: Int8Array, u2: Uint16Array, f4: Float32Array };

async function unpack(scene) {
  const packed = Uint8Array.from(atob(scene.data), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  scene.arrays = Object.fromEntries(Object.entries(scene.arrays).map(([name, one]) => {
    const count = one.shape.reduce((a, b) => a * b, 1);
    return [name, new KINDS[one.type](buffer, one.at, count)];
  }));
  delete scene.data;
  if (scene.retrained) scene.retrained = await unpack(scene.retrained);
  return scene;
}
