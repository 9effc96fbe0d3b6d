import { expect, test } from "vitest";
import { ProjectAccess } from "./project-access.ts";
import type { Level, Role } from "./role.ts";

const MODES = new Map([
  ["protected", "protected"],
  ["private", "private"],
] as const);

const PROJECTS = ["open", "protected", "private"] as const;

const levels = (role: Role, own?: Level): readonly (Level | undefined)[] => {
  const memberships = new Map(own === undefined ? [] : PROJECTS.map((project) => [project, own]));
  const access = ProjectAccess.of(role, MODES, memberships);
  return PROJECTS.map((project) => access.levelIn(project));
};

test("without a role in a project, the mode of the project decides", () => {
  expect(levels("viewer")).toEqual(["viewer", "viewer", undefined]);
  expect(levels("editor")).toEqual(["editor", "viewer", undefined]);
  expect(levels("admin")).toEqual(["admin", "admin", "admin"]);
});

test("members change flags, and owners the project", () => {
  expect(levels("viewer", "editor")).toEqual(["editor", "editor", "editor"]);
  expect(levels("editor", "owner")).toEqual(["owner", "owner", "owner"]);
  expect(levels("admin", "editor")).toEqual(["admin", "admin", "admin"]);
});

test("private projects are hidden, apart from one's own", () => {
  const access = ProjectAccess.of("editor", MODES, new Map());
  expect(access.hidden).toEqual(["private"]);
  expect([access.sees("private"), access.sees("protected"), access.sees(null)]).toEqual([
    false,
    true,
    true,
  ]);
  expect(ProjectAccess.of("viewer", MODES, new Map([["private", "editor"]])).hidden).toEqual([]);
  expect(ProjectAccess.everywhere("viewer").sees("private")).toBe(true);
});
