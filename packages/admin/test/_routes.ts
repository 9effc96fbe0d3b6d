import type { FastifyInstance } from "fastify";

/** The parts of a JSON schema that tests read. */
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
  /** Path without `/api/admin`, with parameters as `:name`. */
  readonly path: string;
  readonly body: Schema | undefined;
  readonly query: Schema | undefined;
  /** Documented statuses. */
  readonly statuses: readonly string[];
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly [string];
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

/** A route in the OpenAPI document. */
export interface DescribedRoute extends Pick<
  Route,
  "body" | "method" | "path" | "query" | "statuses"
> {
  /** The id of the operation. */
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  /** Security scheme of the required token; undefined if no token is required. */
  readonly token: string | undefined;
}

/** Lists every route in the OpenAPI document. */
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
      id: operation.operationId,
      summary: operation.summary,
      tag: operation.tags[0],
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

/** Returns a copy in which references are replaced with their components, which are not recursive. */
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
