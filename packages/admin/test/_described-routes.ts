import type { FastifyInstance } from "fastify";
import type { Route, Schema } from "./_routes.ts";

interface Operation {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

/** A route, as the description of the service tells of it. */
export interface DescribedRoute extends Pick<
  Route,
  "body" | "method" | "path" | "query" | "statuses"
> {
  /** Name of the token that it takes; undefined for none. */
  readonly token: string | undefined;
}

/** Every route of the service, from the description that it serves. */
export async function readDescribedRoutes(
  app: FastifyInstance,
): Promise<readonly DescribedRoute[]> {
  const document = (await app.inject("/docs/openapi.json")).json<{
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
    readonly paths: unknown;
  }>();
  const paths = resolveReferences(document.paths, document.components.schemas) as Readonly<
    Record<string, Readonly<Record<string, Operation>>>
  >;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, ":$1"),
      body: operation.requestBody?.content["application/json"]?.schema,
      query: querySchema(operation),
      statuses: Object.keys(operation.responses),
      token: Object.keys(operation.security?.[0] ?? {})[0],
    })),
  );
}

function querySchema({ parameters = [] }: Operation): Schema | undefined {
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  if (inQuery.length === 0) return undefined;
  return { properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])) };
}

const REFERENCE_PREFIX = "#/components/schemas/";

/** A copy with the components in place of references to them. No component contains itself. */
function resolveReferences(value: unknown, schemas: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, schemas));
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value && typeof value.$ref === "string") {
    return resolveReferences(schemas[value.$ref.slice(REFERENCE_PREFIX.length)], schemas);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, resolveReferences(member, schemas)]),
  );
}
