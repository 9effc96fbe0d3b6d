import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { ENVIRONMENT, HOST, PROJECT } from "./settings.mjs";

const MAX_BODY_BYTES = 1024;
const FILES = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page.css": ["page.css", "text/css; charset=utf-8"],
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
  "/evaluate.js": ["evaluate.js", "text/javascript; charset=utf-8"],
  "/context.js": ["context.js", "text/javascript; charset=utf-8"],
};

/** An answer that is not what was asked for. */
class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Serves the page, and passes its switches on to the admin API: the admin token stays in this
 * process. It listens on this machine only, and does nothing for the pages of other sites.
 */
export function createPageServer({ ports, proxyUrl }, { admin, clientKey }) {
  const port = Number(ports.PAGE_PORT);
  const routes = {
    ...fileRoutes(),
    "GET /api/settings": () => json({ proxyUrl, clientKey, environment: ENVIRONMENT }),
    "GET /api/flags": async () => json(await listFlags(admin)),
    "POST /api/switch": async (request) => json(await switchFlag(admin, await readJson(request))),
  };
  const headers = securityHeaders(new URL(proxyUrl).origin);

  const respond = async (request, response) => {
    const answer = await answerWith(routes, request, port);
    response.writeHead(answer.status ?? 200, { ...headers, "content-type": answer.type });
    response.end(request.method === "HEAD" ? undefined : answer.body);
  };
  const server = createServer((request, response) => void respond(request, response));
  return {
    listen: async () => {
      server.listen(port, HOST);
      await once(server, "listening");
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answerWith(routes, request, port) {
  try {
    refuseOtherSites(request, port);
    const [path] = request.url.split("?", 1);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = routes[`${method} ${path}`];
    if (route === undefined) throw new Refusal(404, `There is no ${method} ${path}`);
    return await route(request);
  } catch (error) {
    request.resume();
    return json({ error: error.message }, error.status ?? 502);
  }
}

/**
 * NOTE: any page in the browser can send requests here. What names another host has been led here by
 * its name server (DNS rebinding); what comes from another origin is somebody else's page.
 */
function refuseOtherSites({ method, headers }, port) {
  const hosts = [`${HOST}:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host)) throw new Refusal(421, "This is not the host you mean");
  if (method === "GET" || method === "HEAD") return;
  if (headers.origin !== `http://${headers.host}`) {
    throw new Refusal(403, "Only the page itself may change flags");
  }
  // A form of another site cannot send this type.
  if (!/^application\/json\b/i.test(headers["content-type"] ?? "")) {
    throw new Refusal(415, "The body must be JSON");
  }
}

async function listFlags(admin) {
  const { features } = await admin.get(`/projects/${PROJECT}/features`);
  const flags = features.map(({ name, description, environments }) => ({
    name,
    description: description ?? "",
    enabled: environments.some((one) => one.name === ENVIRONMENT && one.enabled),
  }));
  return { flags };
}

async function switchFlag(admin, { name, enabled } = {}) {
  if (typeof name !== "string" || typeof enabled !== "boolean") {
    throw new Refusal(400, "The body must have a name and enabled, true or false");
  }
  const flag = `/projects/${PROJECT}/features/${encodeURIComponent(name)}`;
  await admin.post(`${flag}/environments/${ENVIRONMENT}/${enabled ? "on" : "off"}`);
  return { name, enabled };
}

async function readJson(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Refusal(413, "The body is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) ?? undefined;
  } catch {
    throw new Refusal(400, "The body is not JSON");
  }
}

function fileRoutes() {
  const entries = Object.entries(FILES).map(([path, [file, type]]) => {
    const body = readFileSync(new URL(`page/${file}`, import.meta.url));
    return [`GET ${path}`, () => ({ type, body })];
  });
  return Object.fromEntries(entries);
}

function json(value, status = 200) {
  return { status, type: "application/json", body: JSON.stringify(value) };
}

function securityHeaders(proxyOrigin) {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${proxyOrigin}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}
