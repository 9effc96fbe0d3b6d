import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { FlagSource } from "flags-sdk";
import type { ProxyConfig } from "./config/config.ts";
import { readEnvironment } from "./config/env.ts";
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
  const app = await assembleApp(config, client);
  try {
    // NOTE: no host means IPv6 and IPv4 where there are both, and IPv4 where there is only that;
    // Fastify would take `undefined` for localhost.
    await app.listen({ port: config.port, host: config.host ?? "" });
  } catch (error) {
    await app.close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    await app.close();
  };
  const url = `http://${toHost(config.host)}:${port}${config.basePath}`;
  return { app, url, port, close, [Symbol.asyncDispose]: close };
}

function toHost(host = "localhost"): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
