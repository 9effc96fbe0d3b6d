import fc from "fast-check";
import { anyCharacter } from "../../../scripts/any-character.ts";
import type { Route, Schema } from "./_routes.ts";

type RouteInput = Pick<Route, "body" | "method" | "path" | "query">;

interface ArbitraryRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Generates requests that match the schema of a route, almost match it, or do not match it. */
export function arbitraryRequest(route: RouteInput): fc.Arbitrary<ArbitraryRequest> {
  return fc
    .record({
      path: arbitraryPath(route.path),
      query: route.query === undefined ? fc.constant("") : arbitraryQuery(route.query),
      body: route.body === undefined ? fc.constant(undefined) : arbitraryValue(route.body),
    })
    .map(({ path, query, body }) => ({
      method: route.method,
      path: `${path}${query === "" ? "" : `?${query}`}`,
      // A text is sent unchanged, so it is converted to JSON here.
      body: typeof body === "string" ? JSON.stringify(body) : body,
    }));
}

const HOSTILE_TEXTS = [
  "",
  " ",
  "\0",
  "\ud800",
  "'; drop table features; --",
  "%",
  "__proto__",
  "constructor",
  "toString",
  "9".repeat(30),
  "x".repeat(3000),
  "ünïcödé 🚩",
  "..",
  "*",
];

const KNOWN_TEXTS = [
  "a",
  "b",
  "default",
  "development",
  "production",
  "userId",
  "simple",
  "flexibleRollout",
  "1",
  "IN",
  "IS:a",
  "IS_ANY_OF:a,b",
  "string",
  "/constraints/-",
  "admin",
];

const arbitraryText = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...KNOWN_TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
);

const arbitraryNumber = fc.oneof(
  fc.integer({ min: -1, max: 1001 }),
  fc.constantFrom(2 ** 31, 2 ** 53, -(2 ** 31), 1e300, 0.5),
);

const anything = fc.oneof(arbitraryText, arbitraryNumber, fc.jsonValue({ maxDepth: 3 }));

/** Generates mostly values that match the schema. */
function arbitraryValue(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 14, arbitrary: matchingValue(schema) },
    { weight: 1, arbitrary: anything },
  );
}

function matchingValue(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.allOf?.[0] !== undefined) return matchingValue(schema.allOf[0]);
  const [type] = [schema.type].flat();
  return VALUES_BY_TYPE[type ?? ""]?.(schema) ?? anything;
}

const VALUES_BY_TYPE: Readonly<Record<string, (schema: Schema) => fc.Arbitrary<unknown>>> = {
  object: arbitraryObject,
  array: (schema) => fc.array(arbitraryValue(schema.items ?? {}), { maxLength: 4 }),
  string: () => arbitraryText,
  integer: () => arbitraryNumber,
  number: () => arbitraryNumber,
  boolean: () => fc.boolean(),
};

function arbitraryObject(schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, patternProperties = {}, required = [] } = schema;
  const [anyProperty] = Object.values(patternProperties);
  if (anyProperty !== undefined) {
    return fc.dictionary(fc.string({ maxLength: 10 }), arbitraryValue(anyProperty), { maxKeys: 3 });
  }
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, arbitraryValue(member)]),
  );
  return fc.record(members, { requiredKeys: [...required] });
}

function arbitraryPath(path: string): fc.Arbitrary<string> {
  const parts = path
    .split("/")
    .map((part) =>
      part.startsWith(":")
        ? arbitraryText.map((text) => encodeURIComponent(wellFormed(text)) || "%20")
        : fc.constant(part),
    );
  return fc.tuple(...parts).map((texts) => texts.join("/"));
}

function arbitraryQuery({ properties = {} }: Schema): fc.Arbitrary<string> {
  const names = Object.keys(properties);
  if (names.length === 0) return fc.constant("");
  const pair = fc
    .tuple(fc.constantFrom(...names), arbitraryText)
    .map(([name, value]) => `${name}=${encodeURIComponent(wellFormed(value))}`);
  return fc.array(pair, { maxLength: 3 }).map((pairs) => pairs.join("&"));
}

/** Lone surrogates cannot be encoded in a path. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
