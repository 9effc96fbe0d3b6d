import { UpstreamError } from "flags-sdk";
import { FORWARD_PROXY_CODE } from "flags-sdk/neutral";
import { expect, test } from "vitest";
import { describeUpstreamFailure } from "./describe-upstream-failure.ts";

const OPTIONS = { url: "http://127.0.0.1:2/api", appName: "check", token: "token" };

const ORIGINS = new Map([
  ["flagsUrl", "UPSTREAM_URL"],
  ["flagsApiToken", "TOKENS"],
  ["upstreamCaFile", "UPSTREAM_CERTIFICATE_FILE"],
  ["upstreamCertFile", "PKCS8_CLIENT_CERTIFICATE_FILE"],
] as const);

const coded = (code: string, cause?: Error): Error =>
  Object.assign(new Error("failed", { cause }), { code });

test.each([
  [coded("ECONNREFUSED"), /nothing is listening there\. Check the host and port in UPSTREAM_URL/],
  [new AggregateError([coded("ECONNREFUSED"), coded("ENETUNREACH")]), /nothing is listening there/],
  [coded("ECONNRESET"), /closed without a response/],
  [coded("SELF_SIGNED_CERT_IN_CHAIN"), /Set UPSTREAM_CERTIFICATE_FILE to/],
  [
    coded("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"),
    /Set PKCS8_CLIENT_CERTIFICATE_FILE and FLAGS_UPSTREAM_KEY_FILE$/,
  ],
  [coded("CERT_HAS_EXPIRED"), /has expired/],
  [coded("ERR_TLS_CERT_ALTNAME_INVALID"), /for other host names/],
])("describeUpstreamFailure() says what to do about %s: %s", async (cause, hint) => {
  const error = new UpstreamError("Cannot reach it", { code: "NETWORK", cause });
  const text = await describeUpstreamFailure(error, OPTIONS, ORIGINS);
  expect(text).toMatch(/^Cannot reach the upstream http:\/\/127\.0\.0\.1:2\/api: /);
  expect(text).toMatch(hint);
});

test("describeUpstreamFailure() says which settings name a forward proxy that fails", async () => {
  const hint = "Check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY, or add the host in UPSTREAM_URL to";
  const details = { code: "NETWORK", cause: coded(FORWARD_PROXY_CODE) } as const;
  const broken = new UpstreamError("Cannot reach it: the forward proxy http://p is down", details);
  expect(await describeUpstreamFailure(broken, OPTIONS, ORIGINS)).toContain(hint);
  const refused = new UpstreamError("It responded with 407", { code: "STATUS", status: 407 });
  expect(await describeUpstreamFailure(refused, OPTIONS, ORIGINS)).toContain(hint);
});

test("describeUpstreamFailure() keeps other messages, and rethrows other errors", async () => {
  const timeout = new UpstreamError("No complete response within 10000 ms", { code: "TIMEOUT" });
  expect(await describeUpstreamFailure(timeout, OPTIONS, ORIGINS)).toMatch(
    /^No complete response within 10000 ms\. Check the host and port in UPSTREAM_URL/,
  );
  const status = new UpstreamError("It responded with 500", { code: "STATUS", status: 500 });
  expect(await describeUpstreamFailure(status, OPTIONS, ORIGINS)).toBe("It responded with 500");
  const rejected = new UpstreamError("Use a valid token", { code: "STATUS", status: 401 });
  expect(await describeUpstreamFailure(rejected, OPTIONS, ORIGINS)).toBe(
    "Use a valid token. Set it with TOKENS",
  );
  const bug = new TypeError("bug");
  await expect(describeUpstreamFailure(bug, OPTIONS, ORIGINS)).rejects.toBe(bug);
});
