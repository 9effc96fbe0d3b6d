import { describe, expect, it } from "vitest";
import { redirectTarget } from "./redirect.ts";

const redirect = (
  status: number,
  location: string | undefined,
  { method = "GET", from = "http://a.test/api/client/features" } = {},
): string | undefined => {
  const headers = new Headers(location === undefined ? {} : { location });
  const url = new URL(from);
  const request = { method: method as "GET" | "POST", url, urlSetting: "FLAGS_URL" };
  return redirectTarget({ status, headers }, request)?.href;
};

describe("redirectTarget()", () => {
  it.each([301, 302, 303, 307, 308])("follows %d for a GET, relative to the request", (status) => {
    expect(redirect(status, "/other")).toBe("http://a.test/other");
  });

  it.each([
    [301, undefined],
    [302, undefined],
    [303, undefined],
    [307, "http://a.test/other"],
    [308, "http://a.test/other"],
  ])("for a POST, %d redirects to %s", (status, expected) => {
    expect(redirect(status, "/other", { method: "POST" })).toBe(expected);
  });

  it.each([
    [304, "/other"],
    [200, "http://b.test/"],
    [302, undefined],
    [302, "http://"],
    [302, "file:///etc/passwd"],
  ])("does not follow a response with status %d and location %s", (status, location) => {
    expect(redirect(status, location)).toBeUndefined();
  });

  it.each([
    ["http://a.test/x", "http://a.test:80/y"],
    ["https://a.test/x", "https://a.test:443/y"],
    ["http://a.test:81/x", "//A.TEST:81/y"],
  ])("follows a redirect from %s to %s, which is the same origin", (from, location) => {
    expect(redirect(302, location, { from })).toMatch(/\/y$/);
  });

  it.each([
    ["http://a.test/x", "https://a.test/x"],
    ["https://a.test/x", "http://a.test/x"],
    ["http://a.test/x", "http://a.test:81/x"],
    ["http://a.test/x", "http://b.test/x"],
    ["http://a.test/x", "//b.test/x"],
    ["http://a.test/x", "http://a.test.evil.test/x"],
    ["http://a.test/x", "http://a.test@evil.test/x"],
  ])("rejects a redirect from %s to %s, with GET and with POST", (from, location) => {
    for (const method of ["GET", "POST"]) {
      expect(() => redirect(302, location, { from, method })).toThrow(
        expect.objectContaining({
          code: "REDIRECT",
          message: `${from} redirects to another origin, ${new URL(location, from).origin}: only redirects within ${new URL(from).origin} are followed; if the server has moved, change FLAGS_URL`,
        }),
      );
    }
  });
});
