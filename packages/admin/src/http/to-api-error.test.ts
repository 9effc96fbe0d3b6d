import { DrizzleQueryError } from "drizzle-orm/errors";
import { expect, test } from "vitest";
import { DiskFullError } from "../storage/errors.ts";
import { toApiError } from "./to-api-error.ts";

const failedWith = (code: string): Error =>
  new DrizzleQueryError("insert", ["private"], Object.assign(new Error("of the server"), { code }));

test.each([
  ["53100", "InsufficientStorageError", "10"],
  ["53200", "ServiceUnavailableError", "1"],
  ["53300", "ServiceUnavailableError", "1"],
  ["53400", "ServiceUnavailableError", "1"],
])("toApiError() maps SQLSTATE %s to a 503 %s without the message of the server", (...row) => {
  const [code, name, retryAfter] = row;
  const cause = failedWith(code);
  const error = toApiError(cause);
  expect(error).toMatchObject({ name, statusCode: 503, cause });
  expect(error.headers).toEqual({ "retry-after": retryAfter });
  expect(JSON.stringify([error.message, error.details])).not.toMatch(/insert|private|server/);
});

test("toApiError() sets no cause for a rejected write, because rejections are logged once", () => {
  const error = toApiError(new DiskFullError("12 MB of disk space is free"));
  expect(error).toMatchObject({ name: "InsufficientStorageError", statusCode: 503 });
  expect(error.cause).toBeUndefined();
  expect(error.message).not.toContain("12 MB");
});
