import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { nameSchemas } from "./named-schemas.ts";
import { addOperationIds } from "./operation-ids.ts";

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

/**
 * The Content-Security-Policy of the page. Swagger UI adds inline styles, and images and
 * fonts as `data:` URLs. There is no `upgrade-insecure-requests`, as the service speaks plain HTTP.
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
 * Serves the OpenAPI document of the routes, and a page to try them on. Call it before adding routes.
 * Every operation has an id, see `addOperationIds()`, and schemas with a `title` are named components,
 * see `nameSchemas()`.
 */
export async function registerOpenApi(
  app: FastifyInstance,
  { basePath, securitySchemes, ...info }: OpenApiOptions,
): Promise<void> {
  // NOTE: loaded only when it is used, because loading is slow.
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
        ? addOperationIds(nameSchemas(document.openapiObject), basePath)
        : document.swaggerObject,
  });
  await app.register(swaggerUi, {
    routePrefix: `${basePath}/docs/openapi`,
    staticCSP: UI_POLICY,
  });
  app.get(`${basePath}/docs/openapi.json`, { schema: { hide: true } }, () => app.swagger());
}
