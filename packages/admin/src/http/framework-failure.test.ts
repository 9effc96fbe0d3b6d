import { expect, test } from "vitest";
import { explainFrameworkFailure } from "./framework-failure.ts";

const coded = (code: unknown): Error => Object.assign(new Error("internal words"), { code });

test.each([
  ["FST_ERR_CTP_BODY_TOO_LARGE", 413, "at most 1024 KiB"],
  ["FST_ERR_CTP_INVALID_MEDIA_TYPE", 415, "must be JSON"],
  ["FST_ERR_CTP_INVALID_JSON_BODY", 400, "not valid JSON"],
  ["FST_ERR_BAD_URL", 400, "percent-encoding"],
  ["FST_ERR_MAX_PARAM_LENGTH", 414, "too long"],
])("explainFrameworkFailure() explains %s", (code, statusCode, words) => {
  const failure = explainFrameworkFailure(coded(code));
  expect(failure?.statusCode).toBe(statusCode);
  expect(failure?.message).toContain(words);
  expect(failure?.message).not.toContain("internal");
});

test("explainFrameworkFailure() names the limit of the route", () => {
  const failure = explainFrameworkFailure(coded("FST_ERR_CTP_BODY_TOO_LARGE"), 16 * 1024 * 1024);
  expect(failure?.message).toContain("at most 16384 KiB");
});

test.each(["EPIPE", "__proto__", "toString", 413, undefined])(
  "explainFrameworkFailure() returns undefined for the code %s",
  (code) => {
    expect(explainFrameworkFailure(coded(code))).toBeUndefined();
  },
);
