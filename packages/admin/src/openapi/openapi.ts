import type { FastifyInstance } from "fastify";
import { registerOpenApi as register } from "flags-service/http";
import { version } from "../version.ts";

/** How the requests below a path are authenticated. */
export type SecurityScheme = "adminToken" | "backendToken";

/** Serves the description of the routes and a page to try them on. Comes before the routes. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
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
