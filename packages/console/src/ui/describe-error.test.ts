import { expect, test } from "vitest";
import { ApiError } from "../api/request.ts";
import { describeError } from "./describe-error.ts";

test("a conflict says who made the other change and when", () => {
  const time = new Date(Date.now() - 5 * 60_000).toISOString();
  const message = `The segment has changed since it was read, last by "Ann \\"A\\" Lee" at ${time}: read it again and repeat your change`;
  expect(describeError(new ApiError(412, { message }))).toBe(
    'Nothing was saved, because this was changed in the meantime: by Ann "A" Lee, 5 minutes ago.',
  );
});

test("a conflict without an author is explained as well", () => {
  expect(describeError(new ApiError(412, { message: "The segment has changed" }))).toBe(
    "Nothing was saved, because this was changed in the meantime.",
  );
});
