import { DrizzleQueryError } from "drizzle-orm/errors";
import { expect, test } from "vitest";
import { DiskFullError, isConnectionError, isDiskFull, isTimeout } from "./errors.ts";

const coded = (code: string): Error => Object.assign(new Error("x"), { code });

test.each([
  ["refused", coded("ECONNREFUSED")],
  ["reset", coded("ECONNRESET")],
  ["closed by an administrator", coded("57P01")],
  ["refused during startup", coded("57P03")],
  ["of SQLSTATE class 08", coded("08006")],
  ["refused because of the password", coded("28P01")],
  ["not permitted for the user", coded("28000")],
  ["to a database that does not exist", coded("3D000")],
  ["closed because the database was dropped", coded("57P04")],
  ["closed because it was idle", coded("57P05")],
  ["refused because of an expired certificate", coded("CERT_HAS_EXPIRED")],
  ["refused because of another host name", coded("ERR_TLS_CERT_ALTNAME_INVALID")],
  ["refused without TLS", new Error("The server does not support SSL connections")],
  ["refused for lack of memory", coded("53200")],
  ["lost during a statement", new Error("Connection terminated unexpectedly")],
  ["the cause of another error", new Error("Failed query", { cause: coded("ECONNREFUSED") })],
  ["to several addresses", new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")])],
])("isConnectionError() is true for a connection that is %s", (_name, error) => {
  expect(isConnectionError(error)).toBe(true);
});

test.each([
  ["a violated constraint", coded("23505")],
  ["wrong SQL", coded("42601")],
  ["a full disk", coded("53100")],
  ["a programming error", new TypeError("x")],
  ["a value that is not an error", "text"],
])("isConnectionError() is false for %s", (_name, error) => {
  expect(isConnectionError(error)).toBe(false);
});

test("isTimeout() is true for locks and statements that exceeded their timeout", () => {
  expect(isTimeout(new Error("x", { cause: coded("55P03") }))).toBe(true);
  expect(isTimeout(coded("57014"))).toBe(true);
  expect(isTimeout(coded("23505"))).toBe(false);
});

test.each([
  ["a rejected write", new DiskFullError("x"), true],
  ["SQLSTATE 53100", coded("53100"), true],
  ["a statement that failed with 53100", new DrizzleQueryError("insert", [], coded("53100")), true],
  ["out of memory", coded("53200"), false],
  ["a violated constraint", coded("23505"), false],
  ["a value that is not an error", "53100", false],
])("isDiskFull() for %s is %s", (_name, error, expected) => {
  expect(isDiskFull(error)).toBe(expected);
});
