import { expect, test } from "vitest";
import { badField, HttpError, notJson, notReady, unknownFlag } from "../../errors.ts";
import { toOfrepFailure } from "./failure.ts";

test.each([
  [badField("context.userId", "must be text"), "INVALID_CONTEXT"],
  [new HttpError(400, "The body is not valid JSON"), "PARSE_ERROR"],
  [new HttpError(400, "No number", { errorCode: "PARSE_ERROR" }), "PARSE_ERROR"],
  [new HttpError(401, "A valid client key is required"), "GENERAL"],
  [new HttpError(404, "There is nothing at this path"), "GENERAL"],
  [unknownFlag("a"), "FLAG_NOT_FOUND"],
  [notJson(), "GENERAL"],
  [notReady(), "GENERAL"],
])("toOfrepFailure() of `%s` has the code %s", (failure, errorCode) => {
  const errorDetails = failure.message;
  expect(toOfrepFailure(failure, undefined)).toEqual({ errorCode, errorDetails });
  expect(toOfrepFailure(failure, "a")).toEqual({ key: "a", errorCode, errorDetails });
});
