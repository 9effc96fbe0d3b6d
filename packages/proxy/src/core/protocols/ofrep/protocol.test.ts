import { expect, test } from "vitest";
import { badField, HttpError, notReady, unknownFlag } from "../../http/errors.ts";
import { toOfrepError } from "./protocol.ts";

test.each([
  [badField("context.userId", "must be a string"), "INVALID_CONTEXT"],
  [new HttpError(400, "The body is not valid JSON"), "PARSE_ERROR"],
  [new HttpError(400, "No number", { errorCode: "PARSE_ERROR" }), "PARSE_ERROR"],
  [new HttpError(401, "A valid client key is required"), "GENERAL"],
  [new HttpError(404, "No such path"), "GENERAL"],
  [unknownFlag("a"), "FLAG_NOT_FOUND"],
  [new HttpError(415, "The body is not JSON"), "GENERAL"],
  [notReady(), "GENERAL"],
])("toOfrepError() of `%s` has the code %s", (error, errorCode) => {
  const errorDetails = error.message;
  expect(toOfrepError(error, undefined)).toEqual({ errorCode, errorDetails });
  expect(toOfrepError(error, "a")).toEqual({ key: "a", errorCode, errorDetails });
});
