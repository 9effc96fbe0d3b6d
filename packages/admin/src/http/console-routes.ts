import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { codeOf } from "flags-server-kit/neutral";
import type { HostCheck } from "flags-server-kit/http";
import { ApiError, misdirected } from "../errors.ts";
import { sendError } from "./error-handler.ts";

/** NOTE: also correct when this runs from the bundle, which is in a folder of the same depth. */
const BUILT_CONSOLE: string = fileURLToPath(new URL("../console", import.meta.url));

interface ConsoleOptions {
  /** Checks requests for the page, which has no route. */
  readonly isOwnHost: HostCheck;
  /** Folder with the built console. @default the one that the build writes */
  readonly directory?: string | undefined;
  /** Path at which browsers reach the service, with a slash at both ends. @default "/" */
  readonly basePath?: string | undefined;
}

const NOT_BUILT =
  "flags-admin serves its console here, but the console has not been built. Run `npm run build` in the source repository and restart the service.\nThe API is documented at /docs/openapi.\n";

const ONE_YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/**
 * Serves the console: its files, and its page for every other path that a browser opens, because the
 * page itself decides what to show there. Other requests for unknown paths get a JSON error.
 */
export async function registerConsole(
  app: FastifyInstance,
  { isOwnHost, directory = BUILT_CONSOLE, basePath = "/" }: ConsoleOptions,
): Promise<void> {
  const createPage = await loadConsolePage(directory, basePath);
  if (createPage !== undefined) await registerFiles(app, directory);

  const respond = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (isReserved(request)) return sendNotFound(request, reply);
    reply.header("vary", "Accept");
    const isForPage = isPageRequest(request);
    if (createPage !== undefined && (isForPage || isStartRequest(request))) {
      return isOwnHost(request.raw)
        ? sendPage(reply, createPage())
        : sendError(reply, misdirected());
    }
    return isForPage && pathOf(request) === "" ? sendNotBuilt(reply) : sendNotFound(request, reply);
  };
  // NOTE: anyone can send requests to unknown paths, so their bodies are not read.
  app.addHook("onRequest", (request, reply, done) => {
    if (request.is404 && !isRead(request.method)) respond(request, reply);
    else done();
  });
  app.setNotFoundHandler(respond);
}

async function registerFiles(app: FastifyInstance, directory: string): Promise<void> {
  // NOTE: imported here because loading these modules is slow.
  const { default: serveFiles } = await import("@fastify/static");
  await app.register(serveFiles, {
    root: join(directory, "assets"),
    prefix: "/assets/",
    index: false,
    dotfiles: "ignore",
    // A NUL character would be an internal error. Built files never need an encoded character.
    allowedPath: (path) => /^[\w/.-]+$/.test(path),
    // The build writes compressed variants next to the files.
    preCompressed: true,
    // The names of these files contain a hash of their content.
    immutable: true,
    maxAge: ONE_YEAR_MS,
  });
  for (const name of await listOtherFiles(directory)) {
    app.get(`/${name}`, { schema: { hide: true } }, (_request, reply) =>
      reply.header("cache-control", "no-cache").sendFile(name, directory, { cacheControl: false }),
    );
  }
}

/** Lists files such as icons, which are next to the page. */
async function listOtherFiles(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter(
      (entry) => entry.isFile() && /^\w[\w.-]*\.(?:ico|png|svg|txt|webmanifest)$/.test(entry.name),
    )
    .map(({ name }) => name);
}

/** The first segments of the paths at which browsers never open a page. */
const RESERVED: ReadonlySet<string> = new Set([
  "api",
  "assets",
  "auth",
  "docs",
  "edge",
  "health",
  "internal-backstage",
  "ready",
]);

function isReserved(request: FastifyRequest): boolean {
  return RESERVED.has(pathOf(request).split("/", 1)[0] ?? "");
}

/** Returns the path without slashes at its start, as the router ignores repeated ones. */
function pathOf({ url }: FastifyRequest): string {
  return (url.split("?", 1)[0] ?? "").replace(/^\/+/, "");
}

/** Browsers name the type. Programs accept JSON or anything, and would not expect a page. */
function isPageRequest({ method, headers }: FastifyRequest): boolean {
  return isRead(method) && /\btext\/html\b/i.test(headers.accept ?? "");
}

/** Programs that accept anything, such as curl, get the page only at the address of the service itself. */
function isStartRequest(request: FastifyRequest): boolean {
  const { method, headers } = request;
  return isRead(method) && pathOf(request) === "" && (headers.accept ?? "*/*").includes("*/*");
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** The paths of the proxy for browsers and mobile apps. Unleash serves some of them itself. */
const PROXY_PATH = /^(?:api\/frontend|api\/proxy|proxy|ofrep)(?:\/|$)/;

const IS_NO_PROXY =
  "This service has no API for browsers and mobile apps: give them the address of flags-proxy";

function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendError(reply, new ApiError("NotFoundError", describeMissing(pathOf(request))));
}

function describeMissing(path: string): string {
  if (PROXY_PATH.test(path)) return IS_NO_PROXY;
  if (/^api(?:\/|$)/.test(path)) {
    return "No such path: server SDKs and proxies use paths below /api/client, and tools those below /api/admin. /docs/openapi lists all";
  }
  return "No such path";
}

function sendPage(
  reply: FastifyReply,
  { html, policy }: { readonly html: string; readonly policy: string },
): FastifyReply {
  return reply
    .code(200)
    .type("text/html; charset=utf-8")
    .headers({
      "content-security-policy": policy,
      "cross-origin-opener-policy": "same-origin",
      "cache-control": "no-cache",
    })
    .serializer(String)
    .send(html);
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .type("text/plain; charset=utf-8")
    .header("cache-control", "no-cache")
    .serializer(String)
    .send(NOT_BUILT);
}

/** The page of the console as it is sent once, with its Content-Security-Policy. */
interface ConsolePage {
  readonly html: string;
  readonly policy: string;
}

const NONCE_BYTES = 16;
const NONCE_PLACEHOLDER = "__CSP_NONCE__";
const BASE_PLACEHOLDER = "__BASE_HREF__";

/**
 * Reads the page of a built console.
 *
 * @param basePath the path at which browsers reach the service, with a slash at both ends
 * @returns a function that creates the page for one response; undefined if the console is not built
 */
async function loadConsolePage(
  directory: string,
  basePath: string,
): Promise<(() => ConsolePage) | undefined> {
  const template = await readIfPresent(join(directory, "index.html"));
  if (template === undefined) return undefined;
  const parts = template
    .replaceAll(BASE_PLACEHOLDER, escapeHtml(basePath))
    .split(NONCE_PLACEHOLDER);
  return () => {
    const nonce = randomBytes(NONCE_BYTES).toString("base64");
    return { html: parts.join(nonce), policy: policyFor(nonce) };
  };
}

/** Components add styles at run time, with the nonce. Scripts are only loaded from files. */
function policyFor(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  '"': "&quot;",
  "'": "&#39;",
  "<": "&lt;",
  ">": "&gt;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&"'<>]/g, (character) => ENTITIES[character] ?? "");
}
