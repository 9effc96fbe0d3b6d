#!/usr/bin/env node
// Not compiled, so that `npm install` can link it, executable, before the build.

// NOTE: probes do not wait for the bundle to load, because they run every few seconds. Elsewhere on the
// command line, their names only take longer.
const isProbe = ["health", "ready"].includes(process.argv[2]);

const { runCommand } = isProbe ? await loadProbes() : await loadServer();
await runCommand();

function loadProbes() {
  return import("../dist/probe-main.js").catch(loadServer);
}

async function loadServer() {
  const { bundle } = await import("./load-bundle.js");
  return bundle.load();
}
