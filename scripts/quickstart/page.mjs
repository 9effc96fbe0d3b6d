import { readFileSync } from "node:fs";
import { createHostCheck } from "flags-server-kit/http";
import { allowedHosts, clientKeyOf, ENVIRONMENT, HOST, PROJECT } from "./settings.mjs";

const MAX_BODY_BYTES = 1024;
/** Path prefix of everything but the root. All other paths belong to the proxy. */
const PREFIX = "/quickstart/";
const CONSOLE = "../../packages/console";
/** The page looks like the console, whose styles it uses. */
const FILES = {
  "/": ["page/index.html", "text/html; charset=utf-8"],
  [`${PREFIX}page.js`]: ["page/page.js", "text/javascript; charset=utf-8"],
  [`${PREFIX}page.css`]: ["page/page.css", "text/css; charset=utf-8"],
  [`${PREFIX}icon.svg`]: [`${CONSOLE}/public/icon.svg`, "image/svg+xml"],
  ...Object.fromEntries(
    ["theme", "switch", "badge"].map((name) => [
      `${PREFIX}${name}.css`,
      [`${CONSOLE}/src/ui/${name}.css`, "text/css; charset=utf-8"],
    ]),
  ),
};
const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
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

/** An error response. */
class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Creates the request handler of the demo page. It returns false for requests that belong to the proxy.
 * It forwards switches to the admin API, so the admin token never reaches the browser, and rejects
 * requests from other sites.
 */
export function createPage(settings, admin) {
  const isOwnHost = createHostCheck({
    host: HOST,
    allowedHosts: allowedHosts(process.env).split(/\s*,\s*/),
  });
  const routes = {
    ...fileRoutes(),
    [`GET ${PREFIX}flags`]: async () => json(await listFlags(admin, settings)),
    [`POST ${PREFIX}switch`]: async (request) =>
      json(await switchFlag(admin, await readJson(request))),
  };
  const respond = async (request, response, path) => {
    const { status = 200, type, body } = await handle(routes, { request, path, isOwnHost });
    response.writeHead(status, { ...HEADERS, "content-type": type });
    response.end(request.method === "HEAD" ? undefined : body);
  };
  return (request, response) => {
    const [path] = request.url.split("?", 1);
    if (path !== "/" && !path.startsWith(PREFIX)) return false;
    void respond(request, response, path);
    return true;
  };
}

async function handle(routes, { request, path, isOwnHost }) {
  try {
    if (!isOwnHost(request))
      throw new HttpError(421, "This server does not serve the requested host");
    rejectOtherSites(request);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = routes[`${method} ${path}`];
    if (route === undefined) throw new HttpError(404, `There is no ${method} ${path}`);
    return await route(request);
  } catch (error) {
    request.resume();
    return json({ error: error.message }, error.status ?? 502);
  }
}

/** NOTE: any page in the browser can send requests here. */
function rejectOtherSites({ method, headers }) {
  if (method === "GET" || method === "HEAD") return;
  if (headers.origin !== `http://${headers.host}`) {
    throw new HttpError(403, "Only the demo page can change flags");
  }
  // A form of another site cannot send this type.
  if (!/^application\/json\b/i.test(headers["content-type"] ?? "")) {
    throw new HttpError(415, "The body must be JSON");
  }
}

/** NOTE: no tokens, which never reach the browser. */
async function listFlags(admin, { adminUrl, clientKeys }) {
  const { features } = await admin.get(`/projects/${PROJECT}/features`);
  const flags = features.map(({ name, description, environments }) => ({
    name,
    description: description ?? "",
    enabled: environments.some((one) => one.name === ENVIRONMENT && one.enabled),
  }));
  return { flags, clientKey: clientKeyOf({ clientKeys }), adminUrl };
}

async function switchFlag(admin, { name, enabled } = {}) {
  if (typeof name !== "string" || typeof enabled !== "boolean") {
    throw new HttpError(400, "The body must have a name and enabled, true or false");
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
    if (size > MAX_BODY_BYTES) throw new HttpError(413, "The body is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) ?? undefined;
  } catch {
    throw new HttpError(400, "The body is not JSON");
  }
}

function fileRoutes() {
  const entries = Object.entries(FILES).map(([path, [file, type]]) => {
    const body = readFileSync(new URL(file, import.meta.url));
    return [`GET ${path}`, () => ({ type, body })];
  });
  return Object.fromEntries(entries);
}

function json(value, status = 200) {
  return { status, type: "application/json", body: JSON.stringify(value) };
}
