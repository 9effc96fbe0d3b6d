import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { toProblems } from "./validation.ts";

const validator = Compile(
  Type.Object({
    name: Type.String({ minLength: 1 }),
    "a/b~c": Type.Optional(Type.Array(Type.Integer())),
    any: Type.Optional(Type.Unsafe({ type: ["string", "number", "null"] })),
  }),
);

test.each([
  [[], { path: "", message: "must be an object" }],
  [{}, { path: "name", message: "is required" }],
  [{ name: 1 }, { path: "name", message: "must be a string" }],
  [
    { name: "n", "a/b~c": [0, "1"] },
    { path: "a/b~c.1", message: "must be a whole number" },
  ],
  [
    { name: "n", any: [] },
    { path: "any", message: "must be a string, a number or null" },
  ],
])("toProblems() describes the problem of %j and where it is", (value, problem) => {
  expect(toProblems(validator.Errors(value))).toEqual([problem]);
});

test("toProblems() shortens names of any length", () => {
  const lists = Compile(Type.Record(Type.String(), Type.Array(Type.Integer())));
  const errors = lists.Errors({ ["x".repeat(100_000)]: ["a", "b"] });
  expect(toProblems(errors).map(({ path }) => path)).toEqual(
    [0, 1].map((index) => `${"x".repeat(100)}….${index}`),
  );
});

test("toProblems() keeps other messages of the validator", () => {
  const [problem] = toProblems(validator.Errors({ name: "" }));
  expect(problem?.path).toBe("name");
  expect(problem?.message).toMatch(/1/);
});
