import { isRecord } from "../json.ts";

type JsonObject = Readonly<Record<string, unknown>>;

interface OpenApiDocument {
  readonly paths?: object | undefined;
  readonly components?: object | undefined;
}

/** Members that contain data rather than schemas: a `title` in them is not the title of a schema. */
const DATA_KEYS: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);

/** Members whose own members have arbitrary names, such as `default`. */
const NAME_MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "responses"]);

/**
 * Moves every schema with a `title` to `components.schemas`, under its title, and replaces it with a
 * reference. Clients generated from the document then have one named type per schema.
 *
 * @throws {TypeError} if two different schemas have the same title
 */
export function nameSchemas<Document extends OpenApiDocument>(document: Document): Document {
  const existing: JsonObject = { ...document.components };
  const schemas = new Map(Object.entries({ ...(existing["schemas"] as JsonObject | undefined) }));
  const paths = nameIn(document.paths, schemas);
  const sorted = [...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, paths, components: { ...existing, schemas: Object.fromEntries(sorted) } };
}

function nameIn(value: unknown, schemas: Map<string, unknown>, isNameMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => nameIn(item, schemas));
  if (!isRecord(value)) return value;

  const copy = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      !isNameMap && DATA_KEYS.has(key)
        ? member
        : nameIn(member, schemas, !isNameMap && NAME_MAPS.has(key)),
    ]),
  );
  const { title, ...schema } = copy;
  return !isNameMap && typeof title === "string" ? addSchema(schemas, title, schema) : copy;
}

function addSchema(schemas: Map<string, unknown>, title: string, schema: JsonObject): JsonObject {
  if (schemas.has(title) && JSON.stringify(schemas.get(title)) !== JSON.stringify(schema)) {
    throw new TypeError(`Two different schemas have the title "${title}": choose different titles`);
  }
  schemas.set(title, schema);
  return { $ref: `#/components/schemas/${title}` };
}

interface Operation {
  readonly operationId?: string | undefined;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/**
 * Adds an `operationId` to every operation without one, derived from its method and path:
 * `GET <basePath>/flags/{name}` becomes `getFlagsByName`.
 *
 * @throws {TypeError} if two operations have the same id
 */
export function completeOperations<Document extends OpenApiDocument>(
  document: Document,
  basePath: string,
): Document {
  const seen = new Set<string>();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [path, methods] of Object.entries((document.paths ?? {}) as Paths)) {
    paths[path] = {};
    for (const [method, operation] of Object.entries(methods)) {
      const operationId = operation.operationId ?? toOperationId(method, path, basePath);
      if (seen.has(operationId)) {
        throw new TypeError(
          `Two operations have the id "${operationId}": set one of them explicitly`,
        );
      }
      seen.add(operationId);
      paths[path][method] = { ...operation, operationId };
    }
  }
  return { ...document, paths };
}

function toOperationId(method: string, path: string, basePath: string): string {
  const ownPath = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
  const words = ownPath.replaceAll("{", "by-").split(/[^\dA-Za-z]+/);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
