import { expect, test } from "vitest";
import { ApiError } from "../api/request.ts";
import { describeImportError, FileProblem, parseProjectFile, toFileName } from "./project-file.ts";

test("files without flags and files of other products are rejected with the reason", () => {
  expect(parseProjectFile('{ "version": 1, "features": [] }')).toEqual({
    version: 1,
    features: [],
  });
  for (const [text, message] of [
    ["{", /^The file is not valid JSON: .*JSON/],
    ["[]", /^This is not a file with flags/],
    ["null", /^This is not a file with flags/],
    ['{ "features": [], "featureStrategies": [] }', /exported by Unleash: import it with/],
  ] as const) {
    expect(() => parseProjectFile(text)).toThrow(FileProblem);
    expect(() => parseProjectFile(text)).toThrow(message);
  }
});

test("an error of the service names the place in the file", () => {
  const file = { features: [{ name: "checkout" }] };
  const error = new ApiError(400, {
    message: "Bad request: /body/features/0/type must be string",
    details: [{ path: "/body/features/0/type", message: "must be string" }],
  });
  expect(describeImportError(error, file)).toBe('In flag "checkout", type: must be string.');
});

test("an error without a place in the file is explained like any other", () => {
  const message = 'Revive or delete these archived features first: "a"';
  const error = new ApiError(400, { message, details: [{ message }] });
  expect(describeImportError(error, {})).toBe(`${message}.`);
  expect(describeImportError(new ApiError(500, {}), {})).toMatch(/^The service failed/);
});

test("a downloaded file is named after the project and the day", () => {
  expect(toFileName("shop", new Date("2026-03-01T12:00:00Z"))).toBe("shop-flags-2026-03-01.json");
});
