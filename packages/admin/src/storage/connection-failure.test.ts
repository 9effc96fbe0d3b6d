import { expect, test } from "vitest";
import { isConnectionFailure, isTimeout } from "./connection-failure.ts";

const coded = (code: string): Error => Object.assign(new Error("x"), { code });

test.each([
  ["refused", coded("ECONNREFUSED")],
  ["reset", coded("ECONNRESET")],
  ["shut down by its administrator", coded("57P01")],
  ["starting", coded("57P03")],
  ["class 08", coded("08006")],
  ["refused for lack of memory", coded("53200")],
  ["ended in the middle", new Error("Connection terminated unexpectedly")],
  ["the cause of another error", new Error("Failed query", { cause: coded("ECONNREFUSED") })],
  ["several addresses", new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")])],
])("isConnectionFailure() is true for a connection that is %s", (_name, error) => {
  expect(isConnectionFailure(error)).toBe(true);
});

test.each([
  ["a violated constraint", coded("23505")],
  ["wrong SQL", coded("42601")],
  ["a full disk", coded("53100")],
  ["our own mistake", new TypeError("x")],
  ["no error", "text"],
])("isConnectionFailure() is false for %s", (_name, error) => {
  expect(isConnectionFailure(error)).toBe(false);
});

test("isTimeout() is true for locks and statements that took too long", () => {
  expect(isTimeout(new Error("x", { cause: coded("55P03") }))).toBe(true);
  expect(isTimeout(coded("57014"))).toBe(true);
  expect(isTimeout(coded("23505"))).toBe(false);
});
