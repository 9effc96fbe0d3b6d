import { DocumentError } from "flags-engine";
import { describe, expect, it } from "vitest";
import { describeCause, toUpstreamError, UpstreamError } from "./upstream-error.ts";

const statusKind = (message: string, status: number): string =>
  new UpstreamError(message, { code: "STATUS", status }).kind;

describe("UpstreamError", () => {
  it.each([
    [{ code: "STATUS", status: 401 }, false],
    [{ code: "STATUS", status: 404 }, false],
    [{ code: "STATUS", status: 408 }, true],
    [{ code: "STATUS", status: 429 }, true],
    [{ code: "STATUS", status: 503 }, true],
    [{ code: "NETWORK" }, true],
    [{ code: "TIMEOUT" }, true],
    [{ code: "DOCUMENT" }, false],
    [{ code: "HEADERS" }, false],
  ] as const)("isTransient of %j is %s", (details, expected) => {
    expect(new UpstreamError("x", details).isTransient).toBe(expected);
  });

  it("kind depends on the status, not on the message", () => {
    expect(statusKind("a", 500)).toBe(statusKind("b", 500));
    expect(statusKind("a", 500)).not.toBe(statusKind("a", 503));
  });
});

describe("describeCause()", () => {
  it("returns the innermost message", () => {
    const inner = new Error("connect ECONNREFUSED");
    expect(describeCause(new TypeError("fetch failed", { cause: inner }))).toBe(inner.message);
  });

  it("explains network errors, and returns their message with the address, or their code if it is empty", () => {
    const code = "ECONNREFUSED";
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code });
    expect(describeCause(refused)).toBe(
      "nothing is listening there (connect ECONNREFUSED 127.0.0.1:1)",
    );
    const dualStack = Object.assign(new AggregateError([]), { code });
    expect(describeCause(dualStack)).toBe("nothing is listening there (ECONNREFUSED)");
  });

  it("explains servers with other protocols, and certificates that are not trusted", () => {
    const coded = (code: string): Error => Object.assign(new Error("raw words"), { code });
    expect(describeCause(coded("HPE_INVALID_CONSTANT"))).toBe(
      "the server does not speak HTTP on this port (raw words)",
    );
    expect(describeCause(coded("SELF_SIGNED_CERT_IN_CHAIN"))).toBe(
      "the certificate of the server is not signed by a CA that this process trusts (raw words)",
    );
  });

  it("returns the code if the message is empty", () => {
    expect(describeCause(Object.assign(new Error(), { code: "EMFILE" }))).toBe("EMFILE");
  });

  it("converts values that are not errors to strings", () => {
    expect(describeCause("odd")).toBe("odd");
    expect(describeCause(undefined)).toBe("undefined");
    expect(describeCause(Object.create(null))).toBe("unknown cause");
  });

  it("handles an error that is its own cause", () => {
    const error = new Error("circular");
    error.cause = error;
    expect(describeCause(error)).toBe("circular");
  });
});

describe("toUpstreamError()", () => {
  it("keeps an UpstreamError, and converts errors of parsing and all others", () => {
    const error = new UpstreamError("x", { code: "TIMEOUT" });
    expect(toUpstreamError(error)).toBe(error);
    expect(toUpstreamError(new SyntaxError("bad"))).toMatchObject({
      code: "DOCUMENT",
      message: "The document is not usable: bad",
    });
    expect(toUpstreamError(new DocumentError("bad")).code).toBe("DOCUMENT");
    expect(toUpstreamError(new TypeError("x is not a function"))).toMatchObject({
      code: "INTERNAL",
      message: "Unexpected error: x is not a function",
    });
  });
});
