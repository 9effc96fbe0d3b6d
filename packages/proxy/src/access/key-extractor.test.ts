import { expect, test } from "vitest";
import { inAnyHeader, inHeader } from "./key-extractor.ts";

test("inHeader() takes the value of one header as it is", () => {
  const place = inHeader("Authorization");
  expect(place.headers).toEqual(["authorization"]);
  expect(place.candidates({ authorization: "Bearer a", "x-api-key": "b" })).toEqual(["Bearer a"]);
  expect(place.candidates({ "x-api-key": "b" })).toEqual([]);
  expect(place.advice).toBe("in the `authorization` header");
});

test("inAnyHeader() takes each header bare, and as a bearer token", () => {
  const place = inAnyHeader(["authorization", "X-API-Key", "Authorization"]);
  expect(place.headers).toEqual(["authorization", "x-api-key"]);
  const candidates = place.candidates({ authorization: "bearer  a", "x-api-key": "b" });
  expect(candidates).toEqual(["bearer  a", "a", "b", "b"]);
  expect(place.candidates({})).toEqual([]);
  expect(place.advice).toContain("`authorization` or `x-api-key`");
});
