// A minimal upstream for trying out the proxy. It serves the flags in flags.json.
//
//   node examples/upstream/server.mjs
//
// You can edit flags.json while the upstream runs: the proxy gets the new flags with its next poll.
// PORT and HOST set the address, UPSTREAM_FILE sets the file. No token is required.

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

/** The last valid flags, which are served while the file contains an error. */
let current = { body: "", etag: "" };

async function readFlags() {
  const body = await readFile(flagsFile, "utf8");
  if (body === current.body) return;
  const { features } = JSON.parse(body);
  // The ETag depends only on the content, so equal files get equal ETags.
  current = { body, etag: `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"` };
  console.log(`read ${features.length} flags from ${flagsFile}`);
}

async function refreshFlags() {
  try {
    await readFlags();
  } catch (error) {
    console.error(
      `${flagsFile} cannot be used, so the previous flags are served: ${error.message}`,
    );
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

async function handle(request, response) {
  const path = request.url.split("?")[0];
  const route = routes[`${request.method} ${path}`];
  try {
    if (route) await route(request, response);
    else response.writeHead(404).end();
  } catch (error) {
    response.writeHead(400).end(error.message);
  }
}

function explainListenError(error) {
  const reason = error.code === "EADDRINUSE" ? `port ${port} is in use, set PORT` : error.message;
  console.error(`cannot listen on ${host}:${port}: ${reason}`);
  process.exitCode = 1;
}

// Without valid flags there is nothing to serve, so an invalid file is an error at startup.
await readFlags();
const server = createServer((request, response) => void handle(request, response));
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
