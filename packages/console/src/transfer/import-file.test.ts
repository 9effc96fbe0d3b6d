import { expect, test } from "vitest";
import { ApiError } from "../api/request.ts";
import {
  describeImportError,
  describeImportProblem,
  FileProblem,
  parseImportFile,
  sourceEnvironment,
  toFileName,
} from "./import-file.ts";

const fileOf = (content: object) => parseImportFile("a.json", JSON.stringify(content));

test("files that were exported here are distinguished from those of Unleash, and others are rejected", () => {
  expect(fileOf({ version: 1, features: [] })).toEqual({
    name: "a.json",
    content: { version: 1, features: [] },
    isOfUnleash: false,
  });
  expect(fileOf({ features: [], featureStrategies: [] }).isOfUnleash).toBe(true);
  for (const [text, message] of [
    ["{", /^The file is not valid JSON: .*JSON/],
    ["[]", /^This is not a file with flags/],
    ["null", /^This is not a file with flags/],
  ] as const) {
    expect(() => parseImportFile("a.json", text)).toThrow(FileProblem);
    expect(() => parseImportFile("a.json", text)).toThrow(message);
  }
});

test("an error of the service names the place in the file", () => {
  const file = fileOf({ features: [{ name: "checkout" }] });
  const error = new ApiError(400, {
    message: "Bad request: /body/features/0/type must be string",
    details: [{ path: "/body/features/0/type", message: "must be string" }],
  });
  expect(describeImportError(error, file)).toBe('In flag "checkout", type: must be string.');
});

test("problems of a file of Unleash, which is a part of the request, also name the place", () => {
  const file = fileOf({ features: [], featureStrategies: [{ featureName: "checkout" }] });
  const path = "/body/data/featureStrategies/0/name";
  const words = 'In flag "checkout", strategy 1, name: must be string.';
  const error = new ApiError(400, { message: "", details: [{ path, message: "must be string" }] });
  expect(describeImportError(error, file)).toBe(words);
  expect(describeImportProblem(`Bad request: ${path} must be string`, file)).toBe(words);
  expect(describeImportProblem("There can be no more flags", file)).toBe(
    "There can be no more flags",
  );
});

test("the environment of a file of Unleash is known if the file says so", () => {
  const environmentOf = (featureEnvironments: unknown) =>
    sourceEnvironment(fileOf({ features: [], featureStrategies: [], featureEnvironments }));
  expect(environmentOf([{ featureName: "a", environment: "staging" }])).toBe("staging");
  for (const other of [[], [{}], [null], "staging", [{ environment: 1 }], undefined]) {
    expect(environmentOf(other)).toBeUndefined();
  }
});

test("an error without a place in the file is explained like any other", () => {
  const message = 'Revive or delete these archived features first: "a"';
  const error = new ApiError(400, { message, details: [{ message }] });
  expect(describeImportError(error, undefined)).toBe(`${message}.`);
  expect(describeImportError(new ApiError(500, {}), undefined)).toMatch(/^The service failed/);
});

test("a downloaded file is named after the project and the day", () => {
  expect(toFileName("shop", new Date("2026-03-01T12:00:00Z"))).toBe("shop-flags-2026-03-01.json");
});
