import type { FastifyInstance, FastifySchema } from "fastify";
import { completeOperations, nameSchemas } from "flags-server-kit/neutral";
import { Type } from "typebox";
import { version } from "../version.ts";
import { configureRoutes } from "./protect-routes.ts";
import { errorResponses } from "./schemas.ts";

/** The kind of token that routes require. */
type SecurityScheme = "adminToken" | "backendToken";

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
 * Serves the OpenAPI document, and a page on which to try its operations. Call it before adding routes. Every schema with
 * a `title` becomes a component (`nameSchemas()`).
 */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  app.addHook("onRoute", ({ method, url, schema }) => {
    if (schema?.hide !== true && schema?.operationId === undefined) {
      throw new TypeError(`${[method].flat().join()} ${url} has no operationId`);
    }
  });
  // NOTE: imported here because loading these modules is slow.
  const { default: swagger } = await import("@fastify/swagger");
  const { default: swaggerUi } = await import("@fastify/swagger-ui");
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: INFO,
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transformObject: (document) =>
      "openapiObject" in document
        ? completeOperations(nameSchemas(document.openapiObject), "")
        : document.swaggerObject,
  });
  await app.register(async (scope) => {
    configureRoutes(scope, { checksHost: true, pathForm: "lenient" });
    await scope.register(swaggerUi, { routePrefix: "/docs/openapi", staticCSP: UI_POLICY });
    let json: string | undefined;
    scope.get("/docs/openapi.json", { schema: { hide: true } }, (_request, reply) => {
      // NOTE: with all routes of the service, this takes several milliseconds.
      json ??= JSON.stringify(app.swagger());
      return reply.type("application/json; charset=utf-8").send(json);
    });
  });
}

const INFO = {
  title: "Flags admin",
  version,
  description: "Manages feature flags, and serves them to server SDKs and proxies",
} as const;

const SECURITY_SCHEMES = {
  adminToken: token("A token of the type admin, editor or viewer, such as `*:*.secret`"),
  backendToken: token("A backend token, such as `*:production.secret`"),
} as const satisfies Record<SecurityScheme, unknown>;

function token(description: string) {
  return { type: "apiKey", in: "header", name: "authorization", description } as const;
}

const AnyResponse = Type.Unknown({ description: "Success" });

/** Adds what all routes of a scope have in common to their schemas. Call it before adding routes. */
export function describeRoutes(scope: FastifyInstance, scheme: SecurityScheme): void {
  scope.addHook("onRoute", (route) => {
    route.schema = completeSchema(route.schema ?? {}, scheme);
  });
}

function completeSchema(schema: FastifySchema, scheme: SecurityScheme): FastifySchema {
  const responses = (schema.response ?? {}) as Readonly<Record<string, unknown>>;
  const hasSuccess = Object.keys(responses).some((status) => /^[23]/.test(status));
  return {
    ...schema,
    security: [{ [scheme]: [] }],
    response: {
      ...(!hasSuccess && { "2xx": AnyResponse }),
      // Any request can have a value that cannot be parsed or stored, or an unknown token.
      ...errorResponses(400, 429),
      ...responses,
    },
  };
}
