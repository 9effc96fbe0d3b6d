import { StartError } from "flags-server-kit";
import { expect, test } from "vitest";
import { DiskFullError } from "./storage/errors.ts";
import { SchemaTooNewError } from "./storage/migrate.ts";
import { EmbeddedStartError } from "./storage/pglite/durable-pglite.ts";
import { toStartError } from "./start-error.ts";

const SERVER = { databaseUrl: "postgres://flags:hidden@db.test:5432/flags", dataDir: ".flags" };
const DIRECTORY = { databaseUrl: undefined, dataDir: ".flags" };

const coded = (code: string): Error => Object.assign(new Error("driver message"), { code });
const failedQuery = (cause: Error): Error => new Error("Failed query: select 1", { cause });

test.each([
  [coded("ECONNREFUSED"), "no server is listening there"],
  [
    new AggregateError([coded("ECONNREFUSED"), coded("ENETUNREACH")]),
    "no server is listening there",
  ],
  [failedQuery(coded("28P01")), "the user name or the password is wrong"],
  [failedQuery(coded("53100")), "its disk is full"],
  [failedQuery(coded("3D000")), "there is no database with that name"],
  [failedQuery(new Error("The server does not support SSL connections")), "The server does not"],
  [failedQuery(new Error("timeout exceeded when trying to connect")), "timeout exceeded"],
])("toStartError() explains %s: %s", (error, reason) => {
  const failure = toStartError(error, SERVER);
  expect(failure).toBeInstanceOf(StartError);
  const { message } = failure as StartError;
  expect(message).toContain(`Cannot use the database db.test:5432/flags: ${reason}`);
  expect(message).not.toMatch(/hidden|select|\n/);
});

test.each([
  ["EACCES", "this user has no write permission"],
  ["EROFS", "it is read-only"],
])("toStartError() explains %s for the directory", (code, reason) => {
  expect(toStartError(coded(code), DIRECTORY)).toMatchObject({
    name: "StartError",
    message: `Cannot use the directory .flags: ${reason}. Choose another directory with DATA_DIR`,
  });
});

test.each([
  [
    new DiskFullError("12 MB are free"),
    "Cannot use the directory .flags: 12 MB are free. Free some space, or choose another directory with DATA_DIR",
  ],
  [
    new EmbeddedStartError("could not read a file"),
    "Cannot open the embedded database in .flags: could not read a file",
  ],
])("toStartError() explains in one line why the embedded database cannot start: %s", (...row) => {
  const [error, message] = row;
  expect(toStartError(error, DIRECTORY)).toMatchObject({ name: "StartError", message });
});

test("toStartError() keeps the messages of storage errors", () => {
  const error = new SchemaTooNewError(9, 3);
  expect(toStartError(error, DIRECTORY)).toMatchObject({
    name: "StartError",
    message: error.message,
    cause: error,
  });
});

test.each([new TypeError("a programming error"), "odd", undefined])(
  "toStartError() returns unknown errors unchanged: %s",
  (error) => {
    expect(toStartError(error, SERVER)).toBe(error);
    expect(toStartError(error, DIRECTORY)).toBe(error);
  },
);
