import { StartError } from "flags-server-kit";
import { expect, test } from "vitest";
import { DiskFullError } from "./storage/errors.ts";
import { SchemaTooNewError } from "./storage/migrate.ts";
import { EmbeddedStartError } from "./storage/durable-pglite.ts";
import { toStartFailure } from "./to-start-failure.ts";

const SERVER = { databaseUrl: "postgres://flags:hidden@db.test:5432/flags", dataDir: ".flags" };
const DIRECTORY = { databaseUrl: undefined, dataDir: ".flags" };

const coded = (code: string): Error => Object.assign(new Error("driver words"), { code });
const query = (cause: Error): Error => new Error("Failed query: select 1", { cause });

test.each([
  [coded("ECONNREFUSED"), "nobody listens there"],
  [new AggregateError([coded("ECONNREFUSED"), coded("ENETUNREACH")]), "nobody listens there"],
  [query(coded("28P01")), "the user name or the password is wrong"],
  [query(coded("53100")), "its disk is full"],
  [query(coded("3D000")), "there is no database of that name"],
  [query(new Error("The server does not support SSL connections")), "The server does not"],
  [query(new Error("timeout exceeded when trying to connect")), "timeout exceeded"],
])("toStartFailure() puts %s into words: %s", (error, words) => {
  const failure = toStartFailure(error, SERVER);
  expect(failure).toBeInstanceOf(StartError);
  const { message } = failure as StartError;
  expect(message).toContain(`Cannot use the database db.test:5432/flags: ${words}`);
  expect(message).not.toMatch(/hidden|select|\n/);
});

test.each([
  ["EACCES", "this user may not write there"],
  ["EROFS", "nothing can be written there"],
])("toStartFailure() puts %s of the directory into words", (code, words) => {
  expect(toStartFailure(coded(code), DIRECTORY)).toMatchObject({
    name: "StartError",
    message: `Cannot use the directory .flags: ${words}, choose another one with DATA_DIR`,
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
])("toStartFailure() explains in one line why the embedded database cannot start: %s", (...row) => {
  const [error, message] = row;
  expect(toStartFailure(error, DIRECTORY)).toMatchObject({ name: "StartError", message });
});

test("toStartFailure() passes on what the storage itself says", () => {
  const error = new SchemaTooNewError(9, 3);
  expect(toStartFailure(error, DIRECTORY)).toMatchObject({
    name: "StartError",
    message: error.message,
    cause: error,
  });
});

test.each([new TypeError("a fault of ours"), "odd", undefined])(
  "toStartFailure() leaves the unforeseen as it is: %s",
  (error) => {
    expect(toStartFailure(error, SERVER)).toBe(error);
    expect(toStartFailure(error, DIRECTORY)).toBe(error);
  },
);
