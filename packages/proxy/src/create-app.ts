import type { FastifyInstance } from "fastify";
import type { FlagSource } from "flags-sdk";
import { buildApp, type AppOptions } from "./app.ts";
import type { ProxyConfig } from "./config/config.ts";
import { loadEmbeddedConfig } from "./config/load-embedded-config.ts";
import type { ProxyOptions } from "./config/options.ts";
import { createClient } from "./create-client.ts";
import { logFaults } from "./log-faults.ts";

/**
 * Makes the proxy as a Fastify application that does not listen yet, for programs that serve it
 * themselves. What the options leave open is taken from the environment.
 *
 * A client given here is started, but closing it stays with whoever made it.
 *
 * @throws {ConfigError} when options or environment cannot be used
 */
export async function createApp(
  options: ProxyOptions = {},
  client?: FlagSource,
): Promise<FastifyInstance> {
  const config = await loadEmbeddedConfig(options);
  return assembleApp(config, client, { hasFastPath: false });
}

/** Puts application and client together and sets the client going. */
export async function assembleApp(
  config: ProxyConfig,
  client: FlagSource | undefined,
  options: AppOptions,
): Promise<FastifyInstance> {
  const source = client ?? createClient(config);
  const app = await buildApp(config, source, options);
  const stopLogging = logFaults(source, config.logger);
  app.addHook("onClose", async () => {
    if (client === undefined) await source.close();
    stopLogging();
  });
  source.start();
  return app;
}
