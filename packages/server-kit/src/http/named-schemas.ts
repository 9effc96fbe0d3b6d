import { isDeepStrictEqual } from "node:util";

type JsonObject = Readonly<Record<string, unknown>>;

/** The parts of an OpenAPI 3.1 document that `nameSchemas()` reads and replaces. */
interface OpenApiDocument {
  readonly paths?: object | undefined;
  readonly components?: object | undefined;
}

/** Members that hold data rather than schemas. A `title` in there is not the title of a schema. */
const DATA_KEYS: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);

/** Members whose own member names are chosen freely, so that `default` is no keyword there. */
const NAME_MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "responses"]);

/** What the OpenAPI specification allows as the name of a component. */
const COMPONENT_NAME = /^[\w.-]+$/;

/**
 * Moves every schema with a `title` to `components.schemas`, under its title, and refers to it from
 * where it was. Clients generated from the document then have one type per schema, with its name.
 * Returns a new document. Existing components stay.
 *
 * @throws {TypeError} when two different schemas have the same title, or a title cannot be a name
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
  if (typeof value !== "object" || value === null) return value;

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
  if (!COMPONENT_NAME.test(title)) {
    throw new TypeError(
      `The schema title "${title}" cannot be the name of an OpenAPI component: use letters, digits, ".", "_" and "-"`,
    );
  }
  if (schemas.has(title) && !isDeepStrictEqual(schemas.get(title), schema)) {
    throw new TypeError(`Two different schemas have the title "${title}": give each its own`);
  }
  schemas.set(title, schema);
  return { $ref: `#/components/schemas/${title}` };
}
