import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import type { ProxyConfig } from "../config/config.ts";
import { version } from "../version.ts";

/** Serves the description of the routes and a page to try them on. Comes before the routes. */
export async function registerOpenApi(
  app: FastifyInstance,
  { basePath, clientKeysHeaderName: name }: Pick<ProxyConfig, "basePath" | "clientKeysHeaderName">,
): Promise<void> {
  const key = (description: string) =>
    ({ type: "apiKey", in: "header", name, description }) as const;

  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Flags proxy",
        version,
        description: "Evaluates feature flags for client applications",
      },
      components: {
        securitySchemes: {
          clientKey: key("One of the client keys"),
          serverToken: key("One of the tokens for server SDKs"),
        },
      },
    },
  });
  await app.register(swaggerUi, {
    routePrefix: `${basePath}/docs/openapi`,
    staticCSP: true,
    // The proxy itself speaks plain HTTP: told to upgrade, a browser would find no page parts.
    transformStaticCSP: (header) => header.replace(/\s*upgrade-insecure-requests;/, ""),
  });
  app.get(`${basePath}/docs/openapi.json`, { schema: { hide: true } }, () => app.swagger());
}
