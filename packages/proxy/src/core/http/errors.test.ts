import { expect, test } from "vitest";
import { badField, HttpError, toHttpError } from "./errors.ts";

test("toHttpError() returns an HttpError unchanged", () => {
  const error = badField("userId", "is odd");
  expect(toHttpError(error)).toBe(error);
  expect(error.toBody()).toEqual({
    error: "Bad request: `userId` is odd",
    validation: [{ path: "userId", message: "is odd" }],
  });
});

test.each([
  new Error("password is 1234"),
  Object.assign(new Error("password is 1234"), { statusCode: 502 }),
  Object.assign(new Error("password is 1234"), { code: "__proto__" }),
  Object.assign(new Error("password is 1234"), { statusCode: 200 }),
  "password is 1234",
  undefined,
])("toHttpError() converts %s to a 500 that does not reveal it", (thrown) => {
  const error = toHttpError(thrown);
  expect(error).toBeInstanceOf(HttpError);
  expect(error.statusCode).toBe(500);
  expect(JSON.stringify(error.toBody())).not.toContain("1234");
});
