import { expect, test } from "vitest";
import {
  ALL_PROJECTS,
  type ImportSelection,
  NOTHING_CHOSEN,
  toImportBody,
} from "./import-selection.ts";

const FILE = { name: "a.json", content: {} };
const TARGET = { project: "shop", environments: ["development", "production"] };

const bodyOf = (
  contents: { projects: string[]; environments: string[] } | undefined,
  selection: Partial<ImportSelection> = {},
) => toImportBody(FILE, contents, { ...NOTHING_CHOSEN, ...selection }, TARGET);

test("flags of one project go into this one, and environments into those of the same name", () => {
  expect(bodyOf(undefined)).toEqual({ file: {}, project: "shop" });
  const contents = { projects: ["old"], environments: ["production"] };
  expect(bodyOf(contents)).toEqual({ file: {}, project: "shop" });
  expect(bodyOf(contents, { overwrites: true })).toMatchObject({ overwrite: true });
});

test("an environment that does not exist here has to be chosen", () => {
  const contents = { projects: ["old"], environments: ["staging", "production"] };
  expect(bodyOf(contents)).toBeUndefined();
  for (const staging of ["development", null]) {
    expect(bodyOf(contents, { environments: { staging } })).toEqual({
      file: {},
      project: "shop",
      environments: { staging },
    });
  }
  expect(bodyOf(contents, { environments: { staging: "staging" } })).toEqual({
    file: {},
    project: "shop",
  });
});

test("one of several projects, or all of them, are imported", () => {
  const contents = { projects: ["a", "b"], environments: [] };
  expect(bodyOf(contents)).toBeUndefined();
  expect(bodyOf(contents, { source: "b" })).toEqual({
    file: {},
    project: "shop",
    onlyProjects: ["b"],
  });
  expect(bodyOf(contents, { source: ALL_PROJECTS })).toEqual({ file: {} });
  expect(bodyOf({ ...contents, projects: ["a", "shop"] })).toMatchObject({
    onlyProjects: ["shop"],
  });
});
