import type { FastifyInstance } from "fastify";
import { registerOpenApi as register } from "flags-server-kit/http";
import { version } from "../../version.ts";
import { OPERATION_IDS } from "./operation-ids.ts";

/** How requests to a path authenticate. */
export type SecurityScheme = "adminToken" | "backendToken";

/** Serves the OpenAPI document of the routes, and a page to try them on. Call it before adding routes. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  app.addHook("onRoute", (route) => {
    const operationId = OPERATION_IDS[`${[route.method].flat().join()} ${route.url}`];
    if (operationId !== undefined) route.schema = { ...route.schema, operationId };
  });
  await register(app, {
    title: "Flags admin",
    version,
    description: "Manages feature flags, and hands them to server SDKs and proxies",
    securitySchemes: {
      adminToken: token("An admin token, such as `*:*.secret`"),
      backendToken: token("A backend token, such as `*:production.secret`"),
    } satisfies Record<SecurityScheme, unknown>,
    basePath: "",
  });
}

function token(description: string) {
  return { type: "apiKey", in: "header", name: "authorization", description } as const;
}
