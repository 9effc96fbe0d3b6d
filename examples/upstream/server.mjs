// An upstream to try the proxy against: it serves the flags in flags.json, and nothing more.
//
//   node examples/upstream/server.mjs
//
// Edit flags.json while it runs: the next time the proxy asks, it gets the new flags.
// PORT, HOST and UPSTREAM_FILE change where it listens and which file it serves. It asks for no token.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const host = process.env.HOST || "127.0.0.1";
const port = Number(process.env.PORT || 4242);
const flagsFile =
  process.env.UPSTREAM_FILE || fileURLToPath(new URL("flags.json", import.meta.url));

const routes = {
  "GET /api/client/features": sendFlags,
  "POST /api/client/register": acceptRegistration,
  "POST /api/client/metrics": acceptMetrics,
};

/** The flags last read without a fault: a typing error in the file does not take them away. */
let current = { body: "", etag: "" };

async function readFlags() {
  const body = await readFile(flagsFile, "utf8");
  if (body === current.body) return;
  const { features } = JSON.parse(body);
  // The ETag depends on nothing but the content, so equal files get equal ETags.
  current = { body, etag: `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"` };
  console.log(`read ${features.length} flags from ${flagsFile}`);
}

async function refreshFlags() {
  try {
    await readFlags();
  } catch (error) {
    console.error(`${flagsFile} cannot be used, serving the flags from before: ${error.message}`);
  }
}

async function sendFlags(request, response) {
  await refreshFlags();
  const unchanged = request.headers["if-none-match"] === current.etag;
  response.writeHead(unchanged ? 304 : 200, {
    "content-type": "application/json",
    etag: current.etag,
  });
  response.end(unchanged ? undefined : current.body);
}

async function acceptRegistration(request, response) {
  const { appName } = await readJson(request);
  console.log(`${appName} registered`);
  response.writeHead(202).end();
}

async function acceptMetrics(request, response) {
  const { appName, bucket } = await readJson(request);
  for (const [name, { yes, no }] of Object.entries(bucket.toggles)) {
    console.log(`${appName} used ${name}: on ${yes} times, off ${no} times`);
  }
  response.writeHead(202).end();
}

async function readJson(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return JSON.parse(text);
}

async function answer(request, response) {
  const path = request.url.split("?")[0];
  const handle = routes[`${request.method} ${path}`];
  try {
    if (handle) await handle(request, response);
    else response.writeHead(404).end();
  } catch (error) {
    response.writeHead(400).end(error.message);
  }
}

function explainListenError(error) {
  const reason = error.code === "EADDRINUSE" ? `port ${port} is taken, set PORT` : error.message;
  console.error(`cannot listen on ${host}:${port}: ${reason}`);
  process.exitCode = 1;
}

// Without usable flags there is nothing to serve, so a bad file at the start is an error.
await readFlags();
const server = createServer((request, response) => void answer(request, response));
server.on("error", explainListenError);
server.listen(port, host, () => {
  console.log(`example upstream on http://${host}:${server.address().port}/api`);
});
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
