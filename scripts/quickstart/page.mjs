import { readFileSync } from "node:fs";
import { ENVIRONMENT, HOST, PROJECT } from "./settings.mjs";

const MAX_BODY_BYTES = 1024;
/** All of the page but the root: every other path is the proxy's. */
const PREFIX = "/quickstart/";
const FILES = {
  "/": ["index.html", "text/html; charset=utf-8"],
  [`${PREFIX}page.css`]: ["page.css", "text/css; charset=utf-8"],
  [`${PREFIX}page.js`]: ["page.js", "text/javascript; charset=utf-8"],
  [`${PREFIX}evaluate.js`]: ["evaluate.js", "text/javascript; charset=utf-8"],
  [`${PREFIX}context.js`]: ["context.js", "text/javascript; charset=utf-8"],
};
const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/** An answer that is not what was asked for. */
class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Makes the page: a function that answers its requests, and leaves all others and returns false. Its
 * switches are passed on to the admin API: the admin token stays in this process. It does nothing for
 * the pages of other sites.
 */
export function createPage({ ports }, { admin, clientKey }) {
  const port = Number(ports.PORT);
  const routes = {
    ...fileRoutes(),
    [`GET ${PREFIX}settings`]: () => json({ clientKey, environment: ENVIRONMENT }),
    [`GET ${PREFIX}flags`]: async () => json(await listFlags(admin)),
    [`POST ${PREFIX}switch`]: async (request) =>
      json(await switchFlag(admin, await readJson(request))),
  };
  const respond = async (request, response, path) => {
    const answer = await answerWith(routes, { request, path, port });
    response.writeHead(answer.status ?? 200, { ...HEADERS, "content-type": answer.type });
    response.end(request.method === "HEAD" ? undefined : answer.body);
  };
  return (request, response) => {
    const [path] = request.url.split("?", 1);
    if (path !== "/" && !path.startsWith(PREFIX)) return false;
    void respond(request, response, path);
    return true;
  };
}

async function answerWith(routes, { request, path, port }) {
  try {
    refuseOtherSites(request, port);
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
