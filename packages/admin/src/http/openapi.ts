import type { FastifyInstance, FastifySchema } from "fastify";
import { registerOpenApi as register } from "flags-server-kit/http";
import { Type } from "typebox";
import { version } from "../version.ts";
import { errorResponses } from "./schemas.ts";

/** The kind of token that routes require. */
type SecurityScheme = "adminToken" | "backendToken";

/** Serves the OpenAPI document and an interactive page for it. Call it before adding routes. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  app.addHook("onRoute", ({ method, url, schema }) => {
    if (schema?.hide !== true && schema?.operationId === undefined) {
      throw new TypeError(`${[method].flat().join()} ${url} has no operationId`);
    }
  });
  await register(app, {
    title: "Flags admin",
    version,
    description: "Manages feature flags, and serves them to server SDKs and proxies",
    securitySchemes: {
      adminToken: token("A token of the type admin, editor or viewer, such as `*:*.secret`"),
      backendToken: token("A backend token, such as `*:production.secret`"),
    } satisfies Record<SecurityScheme, unknown>,
    basePath: "",
  });
}

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
