import type { FastifyInstance } from "fastify";
import type { FlagSource, UnleashClient } from "flags-sdk";
import { listen } from "flags-server-kit";
import type { AppOptions } from "./app.ts";
import type { ProxyConfig } from "./config/config.ts";
import { loadEmbeddedConfig } from "./config/load-embedded-config.ts";
import type { ProxyOptions } from "./config/options.ts";
import { assembleApp } from "./create-app.ts";

/** A proxy that listens. */
export interface RunningProxy extends AsyncDisposable {
  readonly app: FastifyInstance;
  /** Where it can be reached, base path included: `/proxy` and the other paths follow. */
  readonly url: string;
  readonly port: number;
  /** Finishes the requests in flight and sends the last metrics. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Starts the proxy. What the options leave open is taken from the environment.
 *
 * @throws {ConfigError} when options or environment cannot be used
 * @throws {TypeError} when the client is neither a `FlagSource` nor one of `unleash-client`
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

/** Builds the application and opens its port. */
export async function serve(
  config: ProxyConfig,
  client?: FlagSource | UnleashClient,
  options: Omit<AppOptions, "hasFastPath"> = {},
): Promise<RunningProxy> {
  const app = await assembleApp(config, client, { ...options, hasFastPath: true });
  const { port, origin } = await listen(app, config);
  const close = async (): Promise<void> => {
    await app.close();
  };
  return { app, url: `${origin}${config.basePath}`, port, close, [Symbol.asyncDispose]: close };
}
