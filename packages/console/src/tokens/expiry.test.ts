import { expect, test } from "vitest";
import { describeExpiryProblem, expiryState, fromExpiry, toExpiry } from "./expiry.ts";

const NOW = new Date("2026-03-01T12:00:00.000Z");

test("a choice of days counts from now, and a date is a local time", () => {
  expect(toExpiry({ choice: "never", localTime: "" }, NOW)).toBeNull();
  expect(toExpiry({ choice: "30", localTime: "" }, NOW)).toBe("2026-03-31T12:00:00.000Z");
  const date = { choice: "date", localTime: "2026-05-01T08:30" } as const;
  expect(toExpiry(date, NOW)).toBe(new Date(2026, 4, 1, 8, 30).toISOString());
});

test("the time of a token is edited as a local time", () => {
  expect(fromExpiry(null)).toEqual({ choice: "never", localTime: "" });
  const expiry = fromExpiry(new Date(2026, 6, 1, 8, 30, 12).toISOString());
  expect(expiry).toEqual({ choice: "date", localTime: "2026-07-01T08:30:12" });
});

test("a token cannot expire in the past or at a date that does not exist", () => {
  expect(describeExpiryProblem("", NOW)).toBe("Choose a date and a time");
  expect(describeExpiryProblem("2026-02-31T99:00", NOW)).toBe("This date does not exist");
  expect(describeExpiryProblem("2020-01-01T00:00", NOW)).toBe("Choose a time in the future");
  expect(describeExpiryProblem("2027-01-01T00:00", NOW)).toBeUndefined();
});

test("tokens that expire within two weeks are recognized", () => {
  expect(expiryState(null, NOW)).toBe("never");
  expect(expiryState("2026-03-01T12:00:00.000Z", NOW)).toBe("expired");
  expect(expiryState("2026-03-14T12:00:00.000Z", NOW)).toBe("soon");
  expect(expiryState("2026-03-16T12:00:00.000Z", NOW)).toBe("later");
});
