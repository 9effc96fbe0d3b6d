import { expect, test } from "vitest";
import { completeOperations, nameSchemas } from "./openapi-document.ts";

const payload = { title: "payload", type: "object", properties: { type: { type: "string" } } };
const flag = { title: "flag", type: "object", properties: { payload } };

function documentWith(schema: object, components?: object) {
  const content = { "application/json": { schema } };
  return {
    paths: { "/flags": { get: { responses: { default: { description: "", content } } } } },
    ...(components && { components }),
  };
}

test("nameSchemas() moves titled schemas to the components, nested ones included", () => {
  const { components, paths } = nameSchemas(documentWith({ type: "array", items: flag }));
  expect(components).toEqual({
    schemas: {
      flag: { type: "object", properties: { payload: { $ref: "#/components/schemas/payload" } } },
      payload: { type: "object", properties: { type: { type: "string" } } },
    },
  });
  const schema = { type: "array", items: { $ref: "#/components/schemas/flag" } };
  expect(paths).toEqual(documentWith(schema).paths);
});

test("nameSchemas() changes neither its argument nor existing components", () => {
  const document = documentWith(flag, {
    schemas: { other: { type: "null" } },
    securitySchemes: {},
  });
  const before = structuredClone(document);
  const { components } = nameSchemas(document);
  expect(document).toEqual(before);
  expect(components).toMatchObject({ schemas: { other: { type: "null" } }, securitySchemes: {} });
});

test("nameSchemas() distinguishes titles of schemas from properties and data called title", () => {
  const schema = {
    type: "object",
    properties: { title: { type: "string" }, default: { title: "id", type: "integer" } },
    examples: [{ title: "Not a schema" }],
  };
  const { components, paths } = nameSchemas(documentWith(schema));
  expect(components).toEqual({ schemas: { id: { type: "integer" } } });
  const properties = { ...schema.properties, default: { $ref: "#/components/schemas/id" } };
  expect(paths).toEqual(documentWith({ ...schema, properties }).paths);
});

test("nameSchemas() throws when two different schemas have the same title", () => {
  const items = [flag, { ...flag, type: "array" }];
  expect(() => nameSchemas(documentWith({ prefixItems: items }))).toThrow(
    'Two different schemas have the title "flag"',
  );
});

function idsOf({ paths }: ReturnType<typeof completeOperations>): readonly unknown[] {
  return Object.values(paths ?? {}).flatMap((methods: object) =>
    Object.values(methods).map(({ operationId }: { operationId?: string }) => operationId),
  );
}

test("completeOperations() derives ids from method and path", () => {
  const paths = {
    "/flags": { get: {}, post: {} },
    "/flags/{name}": { get: {} },
    "/internal-backstage/prometheus": { get: {} },
  };
  expect(idsOf(completeOperations({ paths }, ""))).toEqual([
    "getFlags",
    "postFlags",
    "getFlagsByName",
    "getInternalBackstagePrometheus",
  ]);
});

test("completeOperations() omits the base path", () => {
  const paths = { "/base/path/flags": { get: {} } };
  expect(idsOf(completeOperations({ paths }, "/base/path"))).toEqual(["getFlags"]);
});

test("completeOperations() keeps existing ids and the rest of an operation", () => {
  const paths = { "/flags": { get: { operationId: "listFlags", summary: "All flags" } } };
  expect(completeOperations({ paths }, "")).toEqual({ paths });
});

test("completeOperations() throws when two operations have the same id", () => {
  const paths = { "/flags/all": { get: {} }, "/flags-all": { get: {} } };
  expect(() => completeOperations({ paths }, "")).toThrow(
    'Two operations have the id "getFlagsAll": set one of them explicitly',
  );
});
