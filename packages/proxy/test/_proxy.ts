import type { Server } from "node:http";
import type { FlagSource } from "../src/upstream/flag-source.ts";
import type { Logger } from "flags-server-kit/neutral";
import { openPort, resolveSettings } from "flags-server-kit";
import { afterAll, onTestFinished } from "vitest";
import { buildApp, type AppOptions } from "../src/start/app.ts";
import { toSource, type Source } from "../src/sources/sources.ts";
import { assembleConfig } from "../src/config/config.ts";
import type { ProxyConfig } from "../src/config/config.ts";
import type { EvaluatePage } from "../src/core/pages/evaluate-page.ts";
import type { Route } from "../src/core/routing/route.ts";
import { SETTINGS } from "../src/config/settings.ts";
import { SAMPLE } from "./_documents.ts";
import { DocumentSource, type SourceDocument } from "./_source.ts";

export const KEY = "client-key-1";
export const OTHER_KEY = "client-key-2";
export const SERVER_TOKEN = "server-token";

/** A logger that records what is logged. */
export class MemoryLogger implements Logger {
  readonly lines: { readonly level: string; readonly parts: readonly unknown[] }[] = [];
  debug = this.#at("debug");
  info = this.#at("info");
  warn = this.#at("warn");
  error = this.#at("error");
  fatal = this.#at("fatal");

  #at(level: string) {
    return (...parts: unknown[]): void => {
      this.lines.push({ level, parts });
    };
  }
}

/** A configuration with the defaults of all settings, except for addresses and keys. */
export function proxyConfig(overrides: Partial<ProxyConfig> = {}): ProxyConfig {
  const { values } = resolveSettings(SETTINGS, {
    options: {
      flagsUrl: "http://127.0.0.1:1/api",
      flagsApiToken: "upstream-token",
      flagsInstanceId: "test",
      clientKeys: [KEY, OTHER_KEY],
      expServerSideSdkConfig: { tokens: SERVER_TOKEN },
      port: 0,
      host: "127.0.0.1",
    },
    environment: {},
  });
  const config = assembleConfig(values, {
    files: undefined,
    limitsKeysToProject: false,
    logger: new MemoryLogger(),
    logTap: undefined,
    origins: new Map(),
    maxConnections: 20_000,
    customStrategies: [],
    contextEnrichers: [],
    network: {
      tls: undefined,
      allowList: undefined,
      denyList: [],
      management: undefined,
      upstream: { ca: undefined, cert: undefined, key: undefined, headers: {}, timeoutMs: 10_000 },
    },
    storeAuthorities: undefined,
  });
  return { ...config, ...overrides };
}

interface ProxySetup {
  readonly config?: Partial<ProxyConfig>;
  readonly document?: SourceDocument;
  readonly source?: DocumentSource;
  readonly app?: AppOptions;
}

interface TestRequest extends RequestInit {
  readonly headers?: Record<string, string>;
}

export interface RunningApp {
  readonly server: Server;
  readonly routes: readonly Route[];
  readonly evaluate: EvaluatePage;
  readonly close: () => Promise<void>;
  readonly url: string;
  readonly port: number;
  /** Sends a request, by default with a valid client key. */
  readonly request: (path: string, init?: TestRequest) => Promise<Response>;
  /** Posts a value as JSON with a valid client key. */
  readonly post: (
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ) => Promise<Response>;
}

export interface TestProxy extends RunningApp {
  readonly source: DocumentSource;
}

/** Starts a proxy with a document on a free port, for the duration of a test. */
export async function startProxy(setup: ProxySetup = {}): Promise<TestProxy> {
  const source = setup.source ?? new DocumentSource(setup.document ?? SAMPLE);
  return { source, ...(await startProxyOver(source, setup)) };
}

/** Starts a proxy with a source on a free port, for the duration of a test. */
export function startProxyOver(
  source: FlagSource,
  setup?: Pick<ProxySetup, "config" | "app">,
): Promise<RunningApp> {
  return startProxyOf([toSource(source)], setup);
}

/** Starts a proxy with several sources on a free port, for the duration of a test. */
export async function startProxyOf(
  sources: readonly Source[],
  setup?: Pick<ProxySetup, "config" | "app">,
): Promise<RunningApp> {
  const running = await listen(sources, setup);
  onTestFinished(() => closeNow(running));
  return running;
}

interface SharedSetup {
  readonly config?: Partial<ProxyConfig>;
  readonly document?: SourceDocument;
}

/**
 * Returns a function that starts proxies for the duration of a test file, for tests that change nothing in them. Tests with
 * the same document and settings have the same proxy. Both are compared as JSON, so they must contain no functions.
 */
export function shareProxies(): (setup?: SharedSetup) => Promise<RunningApp> {
  const proxies = new Map<string, Promise<RunningApp>>();
  afterAll(async () => {
    const started = await Promise.all(proxies.values());
    await Promise.all(started.map(closeNow));
  });
  return async ({ config = {}, document = SAMPLE } = {}) => {
    const key = JSON.stringify({ config, document });
    const proxy = proxies.get(key) ?? listen([toSource(new DocumentSource(document))], { config });
    proxies.set(key, proxy);
    return proxy;
  };
}

/** Closes a proxy without waiting for clients: tests do not read all responses to their ends. */
export function closeNow({ server, close }: Pick<RunningApp, "server" | "close">): Promise<void> {
  server.closeAllConnections();
  return close();
}

async function listen(
  sources: readonly Source[],
  { config, app: options }: Pick<ProxySetup, "config" | "app"> = {},
): Promise<RunningApp> {
  const { main, routes, evaluate } = await buildApp(proxyConfig(config), sources, options);
  const { server } = main;
  const { port } = await openPort(server, { host: "127.0.0.1", port: 0 });
  const close = (): Promise<void> => main.close();
  const url = `http://127.0.0.1:${port}`;

  const request = (path: string, init: TestRequest = {}): Promise<Response> =>
    fetch(url + path, { ...init, headers: { authorization: KEY, ...init.headers } });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    request(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });
  return { server, routes, evaluate, url, port, request, post, close };
}

export interface ToggleResponse {
  readonly name: string;
  readonly enabled: boolean;
  readonly impressionData: boolean;
  readonly variant: {
    readonly name: string;
    readonly enabled: boolean;
    readonly payload?: { readonly type: string; readonly value: string };
  };
}

export async function togglesOf(response: Response): Promise<readonly ToggleResponse[]> {
  const body = (await response.json()) as { readonly toggles: readonly ToggleResponse[] };
  return body.toggles;
}

export async function namesOf(response: Response): Promise<readonly string[]> {
  return (await togglesOf(response)).map(({ name }) => name);
}

export async function errorOf(
  response: Response,
): Promise<{ readonly error: string; readonly validation?: readonly object[] }> {
  return (await response.json()) as { readonly error: string };
}
