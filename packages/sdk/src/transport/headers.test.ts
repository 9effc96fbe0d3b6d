import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../../scripts/any-character.ts";
import {
  credentialHeaders,
  definitionHeaders,
  identityHeaders,
  isHeaderName,
  isHeaderValue,
  toHeaderMap,
  toHeaderValue,
} from "./headers.ts";

describe("toHeaderValue()", () => {
  it.each([
    ["shop", "shop"],
    ["Søren's 店", "S%C3%B8ren's %E5%BA%97"],
    ["a\r\nx-evil: 1", "a%0D%0Ax-evil: 1"],
    ["\ud800", "%EF%BF%BD"],
    [" padded ", "padded"],
  ])("converts %j to %j", (text, expected) => {
    expect(toHeaderValue(text)).toBe(expected);
  });

  it("always returns a valid header value", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => isHeaderValue(toHeaderValue(text))),
    );
  });
});

describe("toHeaderMap()", () => {
  it("lower-cases names, so that a later map overrides an earlier one", () => {
    expect(toHeaderMap({ Authorization: "x", "X-A": "" })).toEqual({
      authorization: "x",
      "x-a": "",
    });
  });

  it("never includes the value of an invalid header in the error", () => {
    const headers = { Authorization: "secret\nvalue" };
    expect(() => toHeaderMap(headers)).toThrow(/^Header Authorization has a value/);
    expect(() => toHeaderMap(headers)).not.toThrow(/secret/);
  });

  it("throws if a name is not a token or a value is not a string", () => {
    expect(() => toHeaderMap({ "a b": "x" })).toThrow(TypeError);
    expect(() => toHeaderMap({ a: 1 })).toThrow(TypeError);
    expect(isHeaderName("")).toBe(false);
  });
});

const identity = { appName: "café", instanceId: "i", connectionId: "c" };

describe("identityHeaders()", () => {
  it("returns valid header values", () => {
    expect(identityHeaders(identity, 0)).toEqual({
      accept: "application/json",
      "user-agent": "caf%C3%A9",
      "unleash-appname": "caf%C3%A9",
      "unleash-instanceid": "i",
      "unleash-connection-id": "c",
      "unleash-interval": "0",
      "unleash-sdk": expect.stringMatching(/^flags-sdk:\d+\.\d+\.\d+$/) as string,
    });
  });
});

describe("definitionHeaders()", () => {
  it("makes the request conditional only if there is an ETag", () => {
    expect(definitionHeaders(undefined)).toEqual({ "unleash-client-spec": "5.2.0" });
    expect(definitionHeaders('"1"')).toMatchObject({ "if-none-match": '"1"' });
  });
});

describe("credentialHeaders()", () => {
  it("gives the function precedence over fixed headers, and these over the token", async () => {
    const headers = await credentialHeaders({
      token: "token",
      customHeaders: { authorization: "fixed", "x-a": "fixed" },
      customHeadersFunction: async () => ({ "X-A": "made" }),
    });
    expect(headers).toEqual({ authorization: "fixed", "x-a": "made" });
  });

  it("does not let the application override the connection id and the interval", async () => {
    const headers = await credentialHeaders({
      token: undefined,
      customHeaders: { "unleash-interval": "x", "unleash-connection-id": "x" },
      customHeadersFunction: undefined,
    });
    expect(headers).toEqual({});
  });

  it("rejects an invalid header value", async () => {
    const headers = credentialHeaders({
      token: undefined,
      customHeaders: {},
      customHeadersFunction: async () => ({ "x-a": "é" }),
    });
    await expect(headers).rejects.toThrow("Header x-a has a value");
  });
});
