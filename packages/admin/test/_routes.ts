import Fastify from "fastify";
import { registerAdminRoutes } from "../src/admin-routes.ts";
import type { Storage } from "../src/storage/storage.ts";

/** A JSON Schema, as far as tests look into it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
}

export interface Route {
  readonly method: string;
  /** Below `/api/admin`, with parameters as `:name`. */
  readonly path: string;
  readonly body: Schema | undefined;
  readonly query: Schema | undefined;
  /** Largest body that is read. @default 1 MiB */
  readonly bodyLimitBytes?: number;
  /** Statuses that its documentation lists. */
  readonly statuses: readonly string[];
}

/** Every route of the admin API, as it was registered. */
export async function listRoutes(storage: Storage): Promise<readonly Route[]> {
  const routes: Route[] = [];
  const app = Fastify({ ajv: { customOptions: { allowUnionTypes: true } } });
  app.addHook("onRoute", ({ method, url, schema, bodyLimit }) => {
    for (const name of [method].flat().filter((each) => each !== "HEAD")) {
      routes.push({
        method: name,
        path: url,
        ...(bodyLimit !== undefined && { bodyLimitBytes: bodyLimit }),
        body: schema?.body as Schema | undefined,
        query: schema?.querystring as Schema | undefined,
        statuses: Object.keys((schema?.response as object | undefined) ?? {}),
      });
    }
  });
  await app.register(async (scope) => {
    registerAdminRoutes(scope, storage);
  });
  await app.close();
  return routes;
}
