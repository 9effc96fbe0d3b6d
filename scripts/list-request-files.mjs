// Lists the files of this repository that run during each `GET /proxy` after a warm-up, and the functions
// called in them, as measured by V8's coverage: `npm run build && node scripts/list-request-files.mjs`.

import { once } from "node:events";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import { start } from "../packages/proxy/dist/index.js";

const PACKAGES = new URL("../packages/", import.meta.url).href;
const CLIENT_KEY = "key";

const rollout = { rollout: "50", stickiness: "userId", groupId: "new-checkout" };
const DOCUMENT = {
  version: 2,
  features: [
    { name: "dark-mode", enabled: true, strategies: [{ name: "default" }] },
    {
      name: "new-checkout",
      enabled: true,
      strategies: [{ name: "flexibleRollout", parameters: rollout }],
    },
  ],
};

const upstream = createServer((request, response) => {
  response.setHeader("content-type", "application/json").end(JSON.stringify(DOCUMENT));
}).listen(0, "127.0.0.1");
await once(upstream, "listening");

const silent = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} };
const proxy = await start({
  flagsUrl: `http://127.0.0.1:${upstream.address().port}/api`,
  flagsApiToken: "default:development.token",
  clientKeys: [CLIENT_KEY],
  host: "127.0.0.1",
  port: 0,
  logger: silent,
});
await waitUntilReady();

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
for (let user = 0; user < 10; user++) await requestFlags(user);
await session.post("Profiler.takePreciseCoverage");
const measured = [];
for (let user = 0; user < 5; user++) {
  await requestFlags(`measured-${user}`);
  measured.push(listCalled(await session.post("Profiler.takePreciseCoverage")));
}

// A timer can run during one request, but not during each of them.
const [first, ...others] = measured;
const executed = first.filter(({ file }) =>
  others.every((called) => called.some((other) => other.file === file)),
);
for (const { file, called } of executed) console.log(`${file}: ${[...new Set(called)].join(", ")}`);
console.log(`${executed.length} files`);

await proxy.close();
upstream.close();
upstream.closeAllConnections();

function listCalled({ result }) {
  return result
    .filter(({ url }) => url.startsWith(PACKAGES))
    .map(({ url, functions }) => ({
      file: url.slice(PACKAGES.length).replace("/dist/", "/src/").replace(/\.js$/, ".ts"),
      called: functions.filter(wasCalled).map(({ functionName }) => functionName || "(anonymous)"),
    }))
    .filter(({ called }) => called.length > 0)
    .toSorted((one, other) => one.file.localeCompare(other.file));
}

function wasCalled({ functionName, ranges: [range] }) {
  return range.count > 0 && (functionName !== "" || range.startOffset > 0);
}

async function requestFlags(userId) {
  const url = `${proxy.url}/proxy?userId=${userId}&sessionId=session`;
  const response = await fetch(url, { headers: { authorization: CLIENT_KEY } });
  if (response.status !== 200) throw new Error(`GET /proxy: ${response.status}`);
  await response.text();
}

async function waitUntilReady() {
  const deadline = Date.now() + 60_000;
  while ((await fetch(`${proxy.url}/proxy/health`)).status !== 200) {
    if (Date.now() > deadline)
      throw new Error("The proxy did not receive any flags within a minute");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
