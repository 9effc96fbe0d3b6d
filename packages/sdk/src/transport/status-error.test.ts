import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { API_HINTS, MAX_RETRY_AFTER_MS, parseRetryAfterMs, toStatusError } from "./status-error.ts";

test("toStatusError() says how long the server asks to wait", () => {
  const messageOf = (status: number, retryAfter?: string): string => {
    const headers = new Headers(retryAfter === undefined ? {} : { "retry-after": retryAfter });
    const url = new URL("https://a.test/api?secret");
    return toStatusError({ status, headers }, { url, hints: API_HINTS }).message;
  };
  expect(messageOf(503, "30")).toBe(
    "https://a.test/api responded with 503: the server failed, and asks to wait 30 s",
  );
  expect(messageOf(503, "0")).toBe("https://a.test/api responded with 503: the server failed");
  expect(messageOf(407)).toContain("407: a forward proxy requires a user name and a password");
});

const NOW = Date.parse("2026-01-01T00:00:00Z");

describe("parseRetryAfterMs()", () => {
  it.each([
    ["0", 0],
    ["7", 7000],
    [" 7 ", 7000],
    ["999999999999999999999", MAX_RETRY_AFTER_MS],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    ["Wed, 31 Dec 2025 23:59:00 GMT", 0],
    ["Fri, 01 Jan 2027 00:00:00 GMT", MAX_RETRY_AFTER_MS],
    ["Thursday, 01-Jan-26 00:00:30 GMT", 30_000],
  ])("parses %j as %d ms", (header, expected) => {
    expect(parseRetryAfterMs(header, NOW)).toBe(expected);
  });

  it.each([null, "", " ", "soon", "-1", "1.5", "1e3", "0x10", "2026-01-01T00:00:30Z"])(
    "returns undefined for %j",
    (header) => {
      expect(parseRetryAfterMs(header, NOW)).toBeUndefined();
    },
  );

  it("returns undefined or a delay within bounds for any header", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.date().map(String), fc.nat().map(String)), (header) => {
        const delayMs = parseRetryAfterMs(header, NOW);
        if (delayMs === undefined) return;
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThanOrEqual(MAX_RETRY_AFTER_MS);
      }),
    );
  });

  it("reads any HTTP-date", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), (seconds) => {
        const header = new Date(NOW + seconds * 1000).toUTCString();
        expect(parseRetryAfterMs(header, NOW)).toBe(seconds * 1000);
      }),
    );
  });
});
