import { describe, expect, it } from "vitest";
import { credentialHeaders, definitionHeaders, identityHeaders } from "./wire-headers.ts";

const identity = { appName: "café", instanceId: "i", connectionId: "c" };

describe("identityHeaders()", () => {
  it("names the client with values that HTTP allows", () => {
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
  it("asks conditionally only when there is an ETag", () => {
    expect(definitionHeaders(undefined)).toEqual({ "unleash-client-spec": "5.2.0" });
    expect(definitionHeaders('"1"')).toMatchObject({ "if-none-match": '"1"' });
  });
});

describe("credentialHeaders()", () => {
  it("lets the function override the fixed headers and those override the token", async () => {
    const headers = await credentialHeaders({
      token: "token",
      customHeaders: { authorization: "fixed", "x-a": "fixed" },
      customHeadersFunction: async () => ({ "X-A": "made" }),
    });
    expect(headers).toEqual({ authorization: "fixed", "x-a": "made" });
  });

  it("does not let the application change the connection id and the interval", async () => {
    const headers = await credentialHeaders({
      token: undefined,
      customHeaders: { "unleash-interval": "x", "unleash-connection-id": "x" },
      customHeadersFunction: undefined,
    });
    expect(headers).toEqual({});
  });

  it("rejects a value that HTTP does not allow", async () => {
    const headers = credentialHeaders({
      token: undefined,
      customHeaders: {},
      customHeadersFunction: async () => ({ "x-a": "é" }),
    });
    await expect(headers).rejects.toThrow("Header x-a has a value");
  });
});
