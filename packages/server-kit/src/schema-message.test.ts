import { Compile } from "typebox/compile";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { rewordSchemaMessage } from "./schema-message.ts";

test.each([
  [Type.Number({ exclusiveMinimum: 0 }), 0, "must be greater than 0"],
  [Type.Number({ minimum: 2 }), 0, "must be at least 2"],
  [Type.Number({ maximum: 2 }), 3, "must be at most 2"],
  [Type.Number({ exclusiveMaximum: 2 }), 2, "must be less than 2"],
  [Type.String({ maxLength: 3 }), "long", "must have at most 3 characters"],
  [Type.String({ minLength: 1 }), "", "must have at least 1 character"],
  [Type.Array(Type.Number(), { maxItems: 1 }), [1, 2], "must have at most 1 item"],
  [Type.Object({}, { maxProperties: 1 }), { a: 1, b: 2 }, /^must have at most 1 propert/],
  [Type.String(), 1, "must be a string"],
  [Type.Integer(), 1.5, "must be a whole number"],
  [Type.Object({}), [], "must be an object"],
  [Type.Boolean(), 1, "must be a boolean"],
  [Type.Array(Type.Number()), 1, "must be a list"],
  [Type.Unsafe({ type: ["string", "null"] }), 1, "must be a string or null"],
  [Type.Unsafe({ type: ["string", "number", "null"] }), [], "must be a string, a number or null"],
])("rewordSchemaMessage() makes plain English of the message for %j", (schema, value, message) => {
  const [error] = Compile(schema).Errors(value);
  const reworded = rewordSchemaMessage(error?.message ?? "");
  if (message instanceof RegExp) expect(reworded).toMatch(message);
  else expect(reworded).toBe(message);
});

test("rewordSchemaMessage() rewords the messages of Ajv", () => {
  expect(rewordSchemaMessage("must NOT have more than 100 characters")).toBe(
    "must have at most 100 characters",
  );
  expect(rewordSchemaMessage("must be array")).toBe("must be a list");
  expect(rewordSchemaMessage("must be string,null")).toBe("must be a string or null");
});
