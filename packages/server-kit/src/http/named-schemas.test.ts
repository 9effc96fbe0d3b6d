import { expect, test } from "vitest";
import { nameSchemas } from "./named-schemas.ts";

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

test("nameSchemas() leaves its argument and existing components alone", () => {
  const document = documentWith(flag, {
    schemas: { other: { type: "null" } },
    securitySchemes: {},
  });
  const before = structuredClone(document);
  const { components } = nameSchemas(document);
  expect(document).toEqual(before);
  expect(components).toMatchObject({ schemas: { other: { type: "null" } }, securitySchemes: {} });
});

test("nameSchemas() tells titles of schemas from properties and data called title", () => {
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

test("nameSchemas() throws when a title cannot be a component name", () => {
  expect(() => nameSchemas(documentWith({ ...flag, title: "a flag" }))).toThrow(
    'The schema title "a flag" cannot be the name of an OpenAPI component',
  );
});
