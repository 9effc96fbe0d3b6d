import type { FastifyInstance } from "fastify";
import { registerOpenApi as register } from "flags-server-kit/http";
import type { ProxyConfig } from "../config/config.ts";
import { version } from "../version.ts";

/** Serves the OpenAPI document and its UI. Must be registered before the routes. */
export async function registerOpenApi(
  app: FastifyInstance,
  { basePath, clientKeysHeaderName: name }: Pick<ProxyConfig, "basePath" | "clientKeysHeaderName">,
): Promise<void> {
  const key = (description: string) =>
    ({ type: "apiKey", in: "header", name, description }) as const;

  await register(app, {
    title: "Flags proxy",
    version,
    description: "Evaluates feature flags for client applications",
    securitySchemes: {
      clientKey: key("One of the client keys"),
      serverToken: key("One of the tokens for server SDKs"),
      apiKey: { ...key("One of the client keys, for OFREP"), name: "X-API-Key" },
      bearer: { type: "http", scheme: "bearer", description: "One of the client keys, for OFREP" },
    },
    basePath,
  });
}
