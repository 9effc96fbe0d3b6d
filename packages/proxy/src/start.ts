import type { FastifyInstance } from "fastify";
import type { FlagSource, UnleashClient } from "flags-sdk";
import { listen } from "flags-server-kit";
import { buildApp, type AppOptions } from "./app.ts";
import type { ProxyConfig } from "./config/config.ts";
import { loadEmbeddedConfig } from "./config/load-config.ts";
import type { ProxyOptions } from "./config/options.ts";
import { chooseSource, logSourceEvents } from "./flag-source.ts";

/** A proxy that listens. */
export interface RunningProxy extends AsyncDisposable {
  readonly app: FastifyInstance;
  /** Its address, including the base path: `/proxy` and the other paths follow. */
  readonly url: string;
  readonly port: number;
  /** Finishes the requests in flight and sends the last metrics. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Starts the proxy. Options that are not set are read from the environment.
 *
 * A client passed here is started but not closed: the caller must close it. It may be a client of
 * the official Node SDK, `unleash-client`; usage is still sent to `flagsUrl`.
 *
 * @throws {ConfigError} if the options or the environment are invalid
 * @throws {TypeError} if the client is neither a `FlagSource` nor one of `unleash-client`
 * @example
 * const proxy = await start({ flagsUrl, flagsApiToken, clientKeys: ["a-key-of-your-choice"] });
 * console.log(`${proxy.url}/proxy`);
 */
export async function start(
  options: ProxyOptions = {},
  client?: FlagSource | UnleashClient,
): Promise<RunningProxy> {
  return serve(await loadEmbeddedConfig(options), client);
}

/**
 * Creates the proxy as a Fastify application that does not listen yet, for programs that serve it
 * themselves. Options, client and errors are those of `start()`.
 */
export async function createApp(
  options: ProxyOptions = {},
  client?: FlagSource | UnleashClient,
): Promise<FastifyInstance> {
  const config = await loadEmbeddedConfig(options);
  return startApp(config, client, { hasFastPath: false });
}

/** Builds the application and opens its port. */
export async function serve(
  config: ProxyConfig,
  client?: FlagSource | UnleashClient,
  options: Omit<AppOptions, "hasFastPath"> = {},
): Promise<RunningProxy> {
  const app = await startApp(config, client, { ...options, hasFastPath: true });
  const { port, origin } = await listen(app, config);
  const close = async (): Promise<void> => {
    await app.close();
  };
  return { app, url: `${origin}${config.basePath}`, port, close, [Symbol.asyncDispose]: close };
}

/** Builds the application on its flag source, and starts the source. */
async function startApp(
  config: ProxyConfig,
  client: FlagSource | UnleashClient | undefined,
  options: AppOptions,
): Promise<FastifyInstance> {
  const { source, isOwned } = chooseSource(config, client);
  const app = await buildApp(config, source, options);
  const stopLogging = logSourceEvents(source, config.logger);
  app.addHook("onClose", async () => {
    if (isOwned) await source.close();
    stopLogging();
  });
  source.start();
  return app;
}
