import type { FastifyInstance } from "fastify";
import type { FlagSource, UnleashClient } from "flags-sdk";
import { buildApp, type AppOptions } from "./app.ts";
import type { ProxyConfig } from "./config/config.ts";
import { loadEmbeddedConfig } from "./config/load-embedded-config.ts";
import type { ProxyOptions } from "./config/options.ts";
import { chooseSource } from "./create-client.ts";
import { logFailures } from "./log-failures.ts";

/**
 * Makes the proxy as a Fastify application that does not listen yet, for programs that serve it
 * themselves. What the options leave open is taken from the environment.
 *
 * A client passed here is started, but not closed: that is up to the caller. It may be a client of
 * the official Node SDK, `unleash-client`; usage then goes to `flagsUrl` all the same.
 *
 * @throws {ConfigError} when options or environment cannot be used
 * @throws {TypeError} when the client is neither a `FlagSource` nor one of `unleash-client`
 */
export async function createApp(
  options: ProxyOptions = {},
  client?: FlagSource | UnleashClient,
): Promise<FastifyInstance> {
  const config = await loadEmbeddedConfig(options);
  return assembleApp(config, client, { hasFastPath: false });
}

/** Builds the application over its source of flags, and starts the source. */
export async function assembleApp(
  config: ProxyConfig,
  client: FlagSource | UnleashClient | undefined,
  options: AppOptions,
): Promise<FastifyInstance> {
  const { source, isOwned } = chooseSource(config, client);
  const app = await buildApp(config, source, options);
  const stopLogging = logFailures(source, config.logger);
  app.addHook("onClose", async () => {
    if (isOwned) await source.close();
    stopLogging();
  });
  source.start();
  return app;
}
