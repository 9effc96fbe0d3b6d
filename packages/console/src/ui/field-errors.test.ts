import { expect, test } from "vitest";
import { ApiError } from "../api/request.ts";
import { findFieldErrors } from "./field-errors.ts";

const SUBJECTS = { username: "The user name" };

test("errors about fields of the form are sentences by the name of the field", () => {
  const details = [
    { path: "/body/username", message: "is taken: choose another one" },
    { path: "/body/constructor", message: "is unknown" },
    { message: "something else" },
  ];
  expect(findFieldErrors(new ApiError(400, { details }), SUBJECTS)).toEqual({
    username: "The user name is taken: choose another one.",
  });
});

test.each([undefined, null, new TypeError("failed"), new ApiError(503, {})])(
  "%s is about no field",
  (error) => {
    expect(findFieldErrors(error, SUBJECTS)).toEqual({});
  },
);
