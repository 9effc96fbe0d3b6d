import { expect, test } from "vitest";
import { checkProjectId, freeId, toSlug } from "./project-id.ts";

test.each([
  ["My Project", "my-project"],
  ["  Ärger & Co.  ", "arger-co"],
  ["日本", "project"],
  ["--", "project"],
  ["x".repeat(200), "x".repeat(90)],
])("toSlug(%j) is %s", (name, slug) => {
  expect(toSlug(name)).toBe(slug);
});

test("freeId() counts up while an id is taken or has a meaning in paths", () => {
  const taken = new Set(["a", "a-1"]);
  expect(freeId("a", (id) => taken.has(id))).toBe("a-2");
  expect(freeId("revive", () => false)).toBe("revive-1");
});

test("checkProjectId() refuses words of paths and names that need encoding", () => {
  expect(() => checkProjectId("archive")).toThrow("/body/id");
  expect(() => checkProjectId("a b")).toThrow("/body/id");
  expect(() => checkProjectId("a-b")).not.toThrow();
});
