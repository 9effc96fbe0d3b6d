import { expect, test } from "vitest";
import { checkProjectId, findAvailableId, toSlug } from "./project-id.ts";

test.each([
  ["My Project", "my-project"],
  ["  Ärger & Co.  ", "arger-co"],
  ["日本", "project"],
  ["--", "project"],
  ["x".repeat(200), "x".repeat(90)],
])("toSlug(%j) is %s", (name, slug) => {
  expect(toSlug(name)).toBe(slug);
});

test("findAvailableId() counts up while an id is taken or reserved", () => {
  const taken = new Set(["a", "a-1"]);
  expect(findAvailableId("a", (id) => taken.has(id))).toBe("a-2");
  expect(findAvailableId("revive", () => false)).toBe("revive-1");
});

test("checkProjectId() rejects reserved ids and ids that need encoding in a path", () => {
  for (const id of ["archive", "*"]) expect(() => checkProjectId(id)).toThrow("/body/id");
  expect(() => checkProjectId("a b")).toThrow("/body/id");
  expect(() => checkProjectId("a-b")).not.toThrow();
});
