import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { openPort } from "flags-server-kit";
import { onTestFinished } from "vitest";
import { buildApp } from "../src/start/app.ts";
import type { ProxyConfig } from "../src/config/config.ts";
import { toSource } from "../src/sources/sources.ts";
import { flag } from "./_documents.ts";
import { MemoryLogger, proxyConfig } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

/** What the upstream says about a token. */
export interface IssuedToken {
  readonly type: string;
  readonly projects: readonly string[];
  readonly environment: string;
}

/** An upstream that validates tokens, as a real one does, and records the calls. */
export interface IssuingUpstream {
  /** The value for `FLAGS_URL`. */
  readonly url: string;
  readonly issued: Map<string, IssuedToken>;
  /** The tokens of each call. */
  readonly calls: (readonly string[])[];
  /** The headers of each call. */
  readonly headers: IncomingMessage["headers"][];
  /** Responds to a call in place of the upstream. */
  respond: ((response: ServerResponse, tokens: readonly string[]) => void) | undefined;
  /** Closes the port, and opens it again. */
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export const frontend = (environment: string, ...projects: readonly string[]): IssuedToken => ({
  type: "frontend",
  environment,
  projects,
});

export const backend = (environment: string, ...projects: readonly string[]): IssuedToken => ({
  ...frontend(environment, ...projects),
  type: "client",
});

/** Starts the upstream, for the duration of a test. */
export async function startIssuingUpstream(
  issued: Readonly<Record<string, IssuedToken>> = {},
): Promise<IssuingUpstream> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === "/api/client/features") return sendFlags(request, response);
      if (request.url !== "/edge/validate") return response.writeHead(404).end();
      const { tokens } = JSON.parse(body) as { readonly tokens: readonly string[] };
      upstream.calls.push(tokens);
      upstream.headers.push(request.headers);
      if (upstream.respond !== undefined) return upstream.respond(response, tokens);
      return sendTokens(
        response,
        tokens.flatMap((token) => describe(upstream, token)),
      );
    });
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  await listen(0);
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  const upstream: IssuingUpstream = {
    url: `http://127.0.0.1:${port}/api`,
    issued: new Map(Object.entries(issued)),
    calls: [],
    headers: [],
    respond: undefined,
    stop,
    restart: () => listen(port),
  };
  return upstream;
}

function describe({ issued }: IssuingUpstream, token: string): readonly object[] {
  const found = issued.get(token);
  return found === undefined ? [] : [{ token, ...found }];
}

function sendFlags(request: IncomingMessage, response: ServerResponse): void {
  const [, environment = ""] = /:(\w+)\./.exec(request.headers.authorization ?? "") ?? [];
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ version: 2, ...flagsOf(environment) }));
}

export function sendTokens(response: ServerResponse, tokens: readonly unknown[]): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ tokens }));
}

/** The flags of an environment: one of each project, with its name. */
const flagsOf = (environment: string) => ({
  features: ["web", "app"].map((project) => flag(`${environment}.${project}`, { project })),
});

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** The setting with which keys are verified again after an interval. */
export const revalidateEvery = (
  revalidationIntervalMs: number,
  maxAgeMs = WEEK_MS,
): Pick<ProxyConfig, "upstreamKeys"> => ({ upstreamKeys: { revalidationIntervalMs, maxAgeMs } });

interface Setup {
  readonly upstream: IssuingUpstream;
  readonly config?: Partial<ProxyConfig>;
  /** The projects of the upstream tokens of each environment. @default one token for all projects */
  readonly projects?: readonly string[];
}

/** Starts a proxy of the environments `development` and `production` that lets the upstream verify keys. */
export async function startWithUpstreamKeys({
  upstream,
  config: overrides,
  projects = ["*"],
}: Setup) {
  const sources = ["development", "production"].flatMap((environment) =>
    projects.map((project) =>
      toSource(new DocumentSource(flagsOf(environment)), {
        name: environment,
        scope: { project, environment },
      }),
    ),
  );
  const logger = new MemoryLogger();
  const config = proxyConfig({
    upstreamUrl: upstream.url,
    upstreamTokens: ["*:development.upstream", "*:production.upstream"],
    ...revalidateEvery(3_600_000),
    clientKeys: [],
    serverTokens: [],
    logger,
    ...overrides,
  });
  const { main } = await buildApp(config, sources);
  const { origin: url } = await openPort(main.server, { host: "127.0.0.1", port: 0 });
  const close = async (): Promise<void> => {
    main.server.closeAllConnections();
    await main.close();
  };
  onTestFinished(close);
  const get = (path: string, key: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { headers: { authorization: key, ...headers } });
  const statusOf = async (key: string, path = "/proxy"): Promise<number> => {
    const response = await get(path, key);
    await response.text();
    return response.status;
  };
  const metric = async (name: string): Promise<number> => {
    const metrics = await (await fetch(`${url}/proxy/internal-backstage/prometheus`)).text();
    const line = metrics.split("\n").find((each) => each.startsWith(`flags_proxy_${name} `));
    return Number(line?.split(" ").at(-1));
  };
  return { url, logger, get, statusOf, metric, close };
}
