import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { completeOperations, nameSchemas } from "./openapi-document.ts";
import { configureRoutes } from "./protect-routes.ts";

type SwaggerDocument = NonNullable<FastifyDynamicSwaggerOptions["openapi"]>;

interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** How requests are authenticated. */
  readonly securitySchemes: NonNullable<SwaggerDocument["components"]>["securitySchemes"];
  /** Path before `/docs`; empty, or with a leading and without a trailing slash. */
  readonly basePath: string;
}

/**
 * The Content-Security-Policy of the page. Swagger UI adds inline styles, and images and fonts as
 * `data:` URLs. `upgrade-insecure-requests` is missing because the service uses plain HTTP.
 */
const UI_POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "font-src 'self' data:",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "img-src 'self' data:",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
].join("; ");

/**
 * Serves the OpenAPI document of the routes, and a page on which to try them. Call it before adding
 * routes. Every operation gets an id (`completeOperations()`), and every schema with a `title` becomes
 * a component (`nameSchemas()`).
 */
export async function registerOpenApi(
  app: FastifyInstance,
  { basePath, securitySchemes, ...info }: OpenApiOptions,
): Promise<void> {
  // NOTE: imported here because loading these modules is slow.
  const { default: swagger } = await import("@fastify/swagger");
  const { default: swaggerUi } = await import("@fastify/swagger-ui");
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info,
      components: { ...(securitySchemes && { securitySchemes }) },
    },
    transformObject: (document) =>
      "openapiObject" in document
        ? completeOperations(nameSchemas(document.openapiObject), basePath)
        : document.swaggerObject,
  });
  await app.register(async (scope) => {
    configureRoutes(scope, { checksHost: true, pathForm: "lenient" });
    await scope.register(swaggerUi, {
      routePrefix: `${basePath}/docs/openapi`,
      staticCSP: UI_POLICY,
    });
    let json: string | undefined;
    scope.get(`${basePath}/docs/openapi.json`, { schema: { hide: true } }, (_request, reply) => {
      // NOTE: with all routes of a service, this takes several milliseconds.
      json ??= JSON.stringify(app.swagger());
      return reply.type("application/json; charset=utf-8").send(json);
    });
  });
}
