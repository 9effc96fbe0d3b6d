import { expect, test } from "vitest";
import { ApiError } from "../api/request.ts";
import { describeImportError, FileProblem, parseImportFile, toFileName } from "./import-file.ts";

test("JSON is parsed, and other texts are left to the service", () => {
  expect(parseImportFile("a", ' {"version": 1}')).toEqual({ name: "a", content: { version: 1 } });
  expect(parseImportFile("a", "version: 4")).toEqual({ name: "a", content: "version: 4" });
  expect(() => parseImportFile("a.json", "{")).toThrow(FileProblem);
  expect(() => parseImportFile("a.json", "{")).toThrow(/^The file is not valid JSON: .*JSON/);
});

test("an error of the service about the file is shown as it is, and others are explained", () => {
  const place = 'In flag "checkout", type: must be string';
  expect(describeImportError(new ApiError(400, { message: place }))).toBe(`${place}.`);
  expect(describeImportError(new ApiError(500, {}))).toMatch(/^The service failed/);
});

test("a downloaded file is named after the project and the day", () => {
  expect(toFileName("shop", new Date("2026-03-01T12:00:00Z"))).toBe("shop-flags-2026-03-01.json");
});
