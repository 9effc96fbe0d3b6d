import { expect, onTestFinished, test } from "vitest";
import pg from "pg";
import { withExplicitSslMode } from "./postgres-storage.ts";

test.each([
  ["?sslmode=require", "?sslmode=verify-full"],
  [
    "?a=b&sslmode=verify-ca&sslrootcert=%2Fca.pem",
    "?a=b&sslmode=verify-full&sslrootcert=%2Fca.pem",
  ],
  ["?sslmode=prefer", "?sslmode=verify-full"],
  ["?sslmode=verify-full", "?sslmode=verify-full"],
  ["?sslmode=no-verify", "?sslmode=no-verify"],
  ["?sslmode=require&uselibpqcompat=true", "?sslmode=require&uselibpqcompat=true"],
  ["", ""],
])("withExplicitSslMode() converts %j to %j", (given, expected) => {
  const url = "postgres://flags:p%40ss@db.test/flags";
  expect(withExplicitSslMode(url + given)).toBe(url + expected);
});

test("withExplicitSslMode() prevents the warning of the driver", async () => {
  const warnings: Error[] = [];
  const listener = (warning: Error) => warnings.push(warning);
  process.on("warning", listener);
  onTestFinished(() => void process.off("warning", listener));
  const client = (url: string) => new pg.Client({ connectionString: url });
  expect(client(withExplicitSslMode("postgres://db.test/flags?sslmode=require")).ssl).toEqual({});
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});
