import { describe, expect, it } from "vitest";
import { redirectTarget, sharesCredentials } from "./redirect.ts";

const base = new URL("http://a.test/api/client/features");

const redirect = (
  status: number,
  location: string | undefined,
  method: "GET" | "POST",
): string | undefined => {
  const headers = new Headers(location === undefined ? {} : { location });
  return redirectTarget({ status, headers }, method, base)?.href;
};

describe("redirectTarget()", () => {
  it.each([301, 302, 303, 307, 308])("follows %d for a GET, relative to where it is", (status) => {
    expect(redirect(status, "/other", "GET")).toBe("http://a.test/other");
  });

  it.each([
    [301, undefined],
    [302, undefined],
    [303, undefined],
    [307, "http://a.test/other"],
    [308, "http://a.test/other"],
  ])("for a POST, %d leads to %s", (status, expected) => {
    expect(redirect(status, "/other", "POST")).toBe(expected);
  });

  it.each([
    [304, "/other"],
    [200, "/other"],
    [302, undefined],
    [302, "http://"],
    [302, "file:///etc/passwd"],
  ])("follows nothing when the status is %d and the location %s", (status, location) => {
    expect(redirect(status, location, "GET")).toBeUndefined();
  });
});

describe("sharesCredentials()", () => {
  it.each([
    ["http://a.test/x", "http://a.test/y", true],
    ["http://a.test/x", "https://a.test/x", true],
    ["https://a.test/x", "http://a.test/x", false],
    ["http://a.test:8080/x", "https://a.test/x", false],
    ["http://a.test/x", "http://a.test:81/x", false],
    ["http://a.test/x", "http://b.test/x", false],
    ["http://a.test/x", "http://a.test.evil.test/x", false],
  ])("from %s to %s is %s", (from, to, expected) => {
    expect(sharesCredentials(new URL(from), new URL(to))).toBe(expected);
  });
});
