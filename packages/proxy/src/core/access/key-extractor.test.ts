import { expect, test } from "vitest";
import { inAnyHeader, inHeader } from "./key-extractor.ts";

test("inHeader() returns the unchanged value of one header", () => {
  const extractor = inHeader("Authorization");
  expect(extractor.headers).toEqual(["authorization"]);
  const candidates = extractor.candidates({ authorization: "Bearer a", "x-api-key": "b" });
  expect(candidates).toEqual(["Bearer a"]);
  expect(extractor.candidates({ "x-api-key": "b" })).toEqual([]);
  expect(extractor.place).toBe("in the `authorization` header");
});

test("inAnyHeader() returns the value of each header, as a bearer token and unchanged", () => {
  const extractor = inAnyHeader(["authorization", "X-API-Key", "Authorization"]);
  expect(extractor.headers).toEqual(["authorization", "x-api-key"]);
  const candidates = extractor.candidates({ authorization: "bearer  a", "x-api-key": "b" });
  expect(candidates).toEqual(["a", "bearer  a", "b", "b"]);
  expect(extractor.candidates({})).toEqual([]);
  expect(extractor.place).toBe("in the `authorization` or `x-api-key` header");
});
