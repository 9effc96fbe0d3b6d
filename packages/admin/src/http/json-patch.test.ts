import { Type } from "typebox";
import { expect, test } from "vitest";
import { compilePatch, type PatchOperation } from "./json-patch.ts";
import { closedObject } from "./schemas.ts";

const applyPatch = compilePatch(Type.Unknown());

test.each<[string, unknown, PatchOperation[], unknown]>([
  ["adds a member", { a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
  ["adds over a member", { a: 1 }, [{ op: "add", path: "/a", value: 2 }], { a: 2 }],
  ["adds into a list", [1, 3], [{ op: "add", path: "/1", value: 2 }], [1, 2, 3]],
  ["adds at the end", [1], [{ op: "add", path: "/-", value: 2 }], [1, 2]],
  ["removes", { a: 1, b: [1, 2] }, [{ op: "remove", path: "/b/0" }], { a: 1, b: [2] }],
  ["replaces", { a: { b: 1 } }, [{ op: "replace", path: "/a/b", value: null }], { a: { b: null } }],
  ["replaces the whole", { a: 1 }, [{ op: "replace", path: "", value: 5 }], 5],
  ["moves", { a: 1 }, [{ op: "move", from: "/a", path: "/b" }], { b: 1 }],
  ["copies", { a: [1] }, [{ op: "copy", from: "/a", path: "/b" }], { a: [1], b: [1] }],
  ["tests", { a: [1] }, [{ op: "test", path: "/a", value: [1] }], { a: [1] }],
  ["unescapes", { "a/b~c": 1 }, [{ op: "remove", path: "/a~1b~0c" }], {}],
  ["accepts an empty name", { "": 1 }, [{ op: "replace", path: "/", value: 2 }], { "": 2 }],
])("applyPatch() %s", (_title, document, patch, expected) => {
  expect(applyPatch(document, patch)).toEqual(expected);
});

test("applyPatch() copies by value", () => {
  const patch: PatchOperation[] = [
    { op: "copy", from: "/a", path: "/b" },
    { op: "add", path: "/b/-", value: 2 },
  ];
  expect(applyPatch({ a: [1] }, patch)).toEqual({ a: [1], b: [1, 2] });
});

test.each<[string, unknown, PatchOperation]>([
  ["removes a missing member", {}, { op: "remove", path: "/a" }],
  ["replaces a missing member", {}, { op: "replace", path: "/a", value: 1 }],
  ["adds to a missing object", {}, { op: "add", path: "/a/b", value: 1 }],
  ["adds beyond the end", [1], { op: "add", path: "/3", value: 1 }],
  ["uses 01 as an index", [1, 2], { op: "remove", path: "/01" }],
  ["adds to a string", { a: "x" }, { op: "add", path: "/a/0", value: 1 }],
  ["tests for another value", { a: 1 }, { op: "test", path: "/a", value: "1" }],
  ["has no value", { a: 1 }, { op: "add", path: "/b" }],
  ["has no source path", { a: 1 }, { op: "move", path: "/b" }],
  ["has a path without a slash", { a: 1 }, { op: "remove", path: "a" }],
  ["has an invalid escape sequence", { "a~": 1 }, { op: "remove", path: "/a~" }],
])("applyPatch() rejects an operation that %s", (_title, document, operation) => {
  expect(() => applyPatch(document, [operation])).toThrow("/body/0");
});

test("applyPatch() limits the size of repeated copies", () => {
  const patch = Array.from({ length: 1000 }, (_, index) => {
    return { op: "copy", from: "", path: `/${index}` } as const;
  });
  expect(() => applyPatch({ a: 1 }, patch)).toThrow("/from makes the copies too large");
});

test("applyPatch() limits the depth that repeated moves can reach", () => {
  const patch = Array.from({ length: 500 }, () => [
    { op: "add", path: "/b", value: { x: { x: {} } } } as const,
    { op: "move", from: "/a", path: "/b/x/x/x" } as const,
    { op: "move", from: "/b", path: "/a" } as const,
  ]);
  expect(() => applyPatch({ a: {} }, patch.flat())).toThrow("/path nests values too deeply");
  const path = "/x".repeat(101);
  expect(() => applyPatch({}, [{ op: "add", path, value: 1 }])).toThrow("nests values too deeply");
});

test("applyPatch() changes neither the document nor a prototype", () => {
  const document = { a: [1] };
  applyPatch(document, [{ op: "add", path: "/a/-", value: 2 }]);
  expect(document).toEqual({ a: [1] });
  const patched = applyPatch({}, [{ op: "add", path: "/__proto__", value: { polluted: true } }]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(Object.keys(patched as object)).toEqual(["__proto__"]);
  expect(() =>
    applyPatch({}, [{ op: "add", path: "/constructor/prototype/polluted", value: 1 }]),
  ).toThrow("does not exist");
});

test.each<[PatchOperation, string]>([
  [{ op: "add", path: "/none", value: 1 }, "Bad request: /patched/none is unknown"],
  [{ op: "remove", path: "/type" }, "Bad request: /patched/type is missing"],
  [{ op: "replace", path: "/type", value: 1 }, "Bad request: /patched/type must be a string"],
  [{ op: "replace", path: "/type", value: "c" }, "Bad request: /patched/type must be one of a, b"],
])("describes the result of %j as a body that does not match the schema", (operation, message) => {
  const type = Type.Unsafe<string>({ type: "string", enum: ["a", "b"] });
  const applyTo = compilePatch(closedObject("testSchema", { type }));
  expect(() => applyTo({ type: "a" }, [operation])).toThrow(message);
});
