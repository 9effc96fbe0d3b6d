import type { Server } from "node:http";
import type { FlagsClient, UnleashClient } from "flags-sdk";
import type { FlagSource } from "../upstream/flag-source.ts";
import { describeListening } from "flags-server-kit";
import { onStopping } from "flags-server-kit/http";
import type { Telemetry } from "flags-server-kit/telemetry";
import { type App, type AppOptions, buildApp } from "./app.ts";
import type { ProxyConfig } from "../config/config.ts";
import type { ProxyOptions } from "../config/options.ts";
import { loadEmbeddedConfig } from "../migrate/load-translated-config.ts";
import { buildManagementServer } from "./management-app.ts";
import { createProxyApp, type ProxyApp } from "./proxy-app.ts";
import { createMetrics, observeCertificate } from "../metrics/metrics.ts";
import { followTlsFiles, type OpenPorts, openPorts, warnOfUnusedPorts } from "./ports.ts";
import { chooseSources, type ChosenSources, createConfiguredSources } from "./choose-sources.ts";
import { logSourceEvents } from "./log-source-events.ts";
import { closeSources, sendUsageBefore, startSources } from "../sources/sources.ts";

/** A proxy that listens. */
export interface RunningProxy extends AsyncDisposable {
  readonly server: Server;
  /** Its address, including the base path: `/proxy` and the other paths follow. */
  readonly url: string;
  readonly port: number;
  /** Finishes requests in progress, within 5 s, and delivers the pending usage. Can be called more than once. */
  close(): Promise<void>;
}

/**
 * Starts the proxy. Options that are not set are read from the environment.
 *
 * A client passed here is started but not closed: the caller must close it. It may be a client of
 * the official Node SDK, `unleash-client`; usage is still sent to `flagsUrl`.
 *
 * @throws {ConfigError} if the options or the environment are invalid
 * @throws {TypeError} if the client is neither a `FlagsClient` or `FlagSource` nor one of `unleash-client`
 * @example
 * const proxy = await start({ flagsUrl, flagsApiToken, clientKeys: ["a-key-of-your-choice"] });
 * console.log(`${proxy.url}/proxy`);
 */
export async function start(
  options: ProxyOptions = {},
  client?: FlagsClient | FlagSource | UnleashClient,
): Promise<RunningProxy> {
  const config = await loadEmbeddedConfig(options);
  return serve(config, chooseSources(config, client));
}

/**
 * Creates the proxy as a request listener, for programs that serve it themselves. Options and client are those of
 * `start()`. `ready` of the result rejects with its errors, and so do `listen()`, `flagsReady()` and `fetch()`.
 *
 * @example
 * const app = createApp({ flagsUrl, flagsApiToken, clientKeys: ["a-key-of-your-choice"] });
 * http.createServer(app).listen(3000);
 */
export function createApp(
  options: ProxyOptions = {},
  client?: FlagsClient | FlagSource | UnleashClient,
): ProxyApp {
  return createProxyApp(buildEmbedded(options, client));
}

async function buildEmbedded(
  options: ProxyOptions,
  client: FlagsClient | FlagSource | UnleashClient | undefined,
): Promise<App> {
  const config = await loadEmbeddedConfig(options);
  warnOfUnusedPorts(config);
  return startApp(config, chooseSources(config, client), {});
}

export interface ServedProxy extends RunningProxy {
  /** Servers in addition to that of the app: plain HTTP next to TLS, and the management port. */
  readonly furtherServers: readonly Server[];
  readonly addresses: string;
}

export async function serveWithTelemetry(
  config: ProxyConfig,
  telemetry: Telemetry | undefined,
): Promise<ServedProxy> {
  const metrics = createMetrics();
  telemetry?.exportMetrics(metrics);
  const tracer = telemetry?.tracer;
  const sources = createConfiguredSources(config, tracer?.beginUpstream);
  const proxy = await serve(config, { sources, areOwned: true }, { metrics, tracer });
  onStopping(proxy.server, (delayMs) => sendUsageBefore(delayMs, sources));
  const close = async (): Promise<void> => {
    await proxy.close();
    await telemetry?.close();
  };
  return { ...proxy, close, [Symbol.asyncDispose]: close };
}

type ServeOptions = Pick<AppOptions, "metrics" | "tracer" | "verifier">;

export async function serve(
  config: ProxyConfig,
  chosen: ChosenSources = chooseSources(config, undefined),
  { metrics = createMetrics(), ...options }: ServeOptions = {},
): Promise<ServedProxy> {
  const { network, sharedLogger = config.logger } = config;
  const tls = network.tls && followTlsFiles(network.tls, sharedLogger);
  if (tls !== undefined) observeCertificate(metrics.registry, tls);
  const app = await startApp(config, chosen, {
    ...options,
    metrics,
    tls,
    omitsManagement: network.management !== undefined,
  }).catch((error: unknown) => {
    tls?.close();
    throw error;
  });
  app.main.onClose(() => tls?.close());
  const { access, guard } = app;
  const management =
    network.management &&
    buildManagementServer(config, { sources: chosen.sources, metrics, access });
  const { main, plain, furtherServers } = await openPorts(app.main, { config, guard, management });
  const close = (): Promise<void> => app.main.close();
  return {
    server: app.main.server,
    url: `${main.origin}${config.basePath}`,
    port: main.port,
    furtherServers,
    addresses: describeAddresses(config, { main, plain }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function describeAddresses(
  { host, basePath, network }: ProxyConfig,
  { main, plain }: Pick<OpenPorts, "main" | "plain">,
): string {
  const address = `${main.origin}${basePath}/proxy`;
  if (plain === undefined) return describeListening(host, [main], address);
  const redirects = network.tls?.redirects === true ? ", which redirects" : "";
  const urls = `${address} and ${plain.origin}${basePath}/proxy${redirects}`;
  return describeListening(host, [main, plain], urls);
}

async function startApp(
  config: ProxyConfig,
  { sources, areOwned }: ChosenSources,
  options: AppOptions,
): Promise<App> {
  const stopLogging = logSourceEvents(sources, config.logger);
  const onClose = async (): Promise<void> => {
    if (areOwned) await closeSources(sources);
    stopLogging();
  };
  const app = await buildApp(config, sources, { ...options, onClose });
  await startSources(sources);
  return app;
}
