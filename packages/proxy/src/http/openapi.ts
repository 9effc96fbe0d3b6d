import type { FastifyInstance } from "fastify";
import { registerOpenApi as register } from "flags-server-kit/http";
import type { ProxyConfig } from "../config/config.ts";
import { PROGRAM } from "../config/program.ts";
import { HttpError } from "../errors.ts";

type OpenApiOptions = Parameters<typeof register>[1];

/** Descriptions of ways to authenticate, by their names in the OpenAPI document. */
export type SecuritySchemes = NonNullable<OpenApiOptions["securitySchemes"]>;

/** Serves the OpenAPI document and its UI. Must be registered before the routes. */
export async function registerOpenApi(
  app: FastifyInstance,
  { basePath, clientKeysHeaderName: name }: Pick<ProxyConfig, "basePath" | "clientKeysHeaderName">,
  securitySchemes: SecuritySchemes,
): Promise<void> {
  const key = (description: string) =>
    ({ type: "apiKey", in: "header", name, description }) as const;

  await register(app, {
    title: "Flags proxy",
    version: PROGRAM.version,
    description: "Evaluates feature flags for client applications",
    securitySchemes: {
      clientKey: key("One of the client keys"),
      serverToken: key("One of the tokens for server SDKs"),
      ...securitySchemes,
    },
    basePath,
  });
}

/** Says, at the paths of the OpenAPI document and its UI, that they are not enabled. */
export function rejectOpenApi(
  app: FastifyInstance,
  { basePath }: Pick<ProxyConfig, "basePath">,
): void {
  for (const path of ["/docs/openapi", "/docs/openapi.json"]) {
    app.get(basePath + path, { schema: { hide: true } }, () => {
      throw new HttpError(
        404,
        "The OpenAPI document is not enabled: set `enableOAS` (ENABLE_OAS) to true",
      );
    });
  }
}
