import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import type { FastifyInstance } from "fastify";

type OpenApiDocument = NonNullable<FastifyDynamicSwaggerOptions["openapi"]>;

interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** How requests are authenticated. */
  readonly securitySchemes: NonNullable<OpenApiDocument["components"]>["securitySchemes"];
  /** Path before `/docs`; empty, or with a leading and without a trailing slash. */
  readonly basePath: string;
}

/** Serves the description of the routes and a page to try them on. Comes before the routes. */
export async function registerOpenApi(
  app: FastifyInstance,
  { basePath, securitySchemes, ...info }: OpenApiOptions,
): Promise<void> {
  // NOTE: not loaded by a service that does not show its description, as that is slow.
  const { default: swagger } = await import("@fastify/swagger");
  const { default: swaggerUi } = await import("@fastify/swagger-ui");
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info,
      components: { ...(securitySchemes && { securitySchemes }) },
    },
  });
  await app.register(swaggerUi, {
    routePrefix: `${basePath}/docs/openapi`,
    staticCSP: true,
    // The service itself speaks plain HTTP: told to upgrade, a browser would find no page parts.
    transformStaticCSP: (header) => header.replace(/\s*upgrade-insecure-requests;/, ""),
  });
  app.get(`${basePath}/docs/openapi.json`, { schema: { hide: true } }, () => app.swagger());
}
