import { expect, test } from "vitest";
import { explainFrameworkFailure } from "./framework-failure.ts";

const coded = (code: unknown): Error => Object.assign(new Error("internal words"), { code });

test.each([
  ["FST_ERR_CTP_BODY_TOO_LARGE", 413, "at most 1024 KiB"],
  ["FST_ERR_CTP_INVALID_MEDIA_TYPE", 415, "must be JSON"],
  ["FST_ERR_BAD_URL", 400, "percent-encoding"],
  ["FST_ERR_MAX_PARAM_LENGTH", 414, "too long"],
])("explainFrameworkFailure() says what %s means", (code, statusCode, words) => {
  const failure = explainFrameworkFailure(coded(code));
  expect(failure?.statusCode).toBe(statusCode);
  expect(failure?.message).toContain(words);
  expect(failure?.message).not.toContain("internal");
});

test.each(["EPIPE", "__proto__", "toString", 413, undefined])(
  "explainFrameworkFailure() knows nothing of the code %s",
  (code) => {
    expect(explainFrameworkFailure(coded(code))).toBeUndefined();
  },
);
