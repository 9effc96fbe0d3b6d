import type { FastifyInstance } from "fastify";
import type { FlagSource } from "flags-sdk";
import { listen, readEnvironment } from "flags-service";
import type { ProxyConfig } from "./config/config.ts";
import { loadConfig } from "./config/load-config.ts";
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
 * @example
 * const proxy = await start({ flagsUrl, flagsApiToken, clientKeys: ["a-key-of-your-choice"] });
 * console.log(`${proxy.url}/proxy`);
 */
export async function start(
  options: ProxyOptions = {},
  client?: FlagSource,
): Promise<RunningProxy> {
  return serve(await loadConfig(options, readEnvironment()), client);
}

/** Builds the application and opens its port. */
export async function serve(config: ProxyConfig, client?: FlagSource): Promise<RunningProxy> {
  const app = await assembleApp(config, client, { hasFastPath: true });
  const { port, origin } = await listen(app, config);
  const close = async (): Promise<void> => {
    await app.close();
  };
  return { app, url: `${origin}${config.basePath}`, port, close, [Symbol.asyncDispose]: close };
}
