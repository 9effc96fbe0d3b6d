import { expect, test } from "vitest";
import { Authority, writeFiles } from "./_certificates.ts";
import { report } from "./_check.ts";
import { startRecordingUpstream } from "./_recording-upstream.ts";

/** Starts an upstream that requires a client certificate. */
function startTlsUpstream(authority: Authority) {
  const tls = {
    ...authority.issue("upstream"),
    requestCert: true,
    rejectUnauthorized: true,
    ca: authority.cert,
  };
  return startRecordingUpstream(tls);
}

test("FLAGS_UPSTREAM_CA_FILE makes an upstream with a private authority trusted, FLAGS_UPSTREAM_CERT_FILE authenticates the proxy to it, and FLAGS_UPSTREAM_HEADERS are sent with every request", async () => {
  const authority = new Authority();
  const upstream = await startTlsUpstream(authority);
  const { url: FLAGS_URL } = upstream;
  const identity = authority.issue("proxy");
  const { cert: other } = new Authority();
  const files = writeFiles({ ca: authority.cert, other, ...identity });
  const untrusted = await report({ FLAGS_URL });
  expect(untrusted.problems).toEqual([
    expect.stringMatching(/Set FLAGS_UPSTREAM_CA_FILE to a file/),
  ]);
  expect((await report({ FLAGS_URL, FLAGS_UPSTREAM_CA_FILE: files.other })).problems).toHaveLength(
    1,
  );
  const trusting = { FLAGS_URL, FLAGS_UPSTREAM_CA_FILE: files.ca };
  const anonymous = await report(trusting);
  expect(anonymous.problems).toEqual([expect.stringMatching(/requires a client certificate/)]);
  expect(upstream.requests).toEqual([]);
  const { problems, upstreams } = await report({
    ...trusting,
    FLAGS_UPSTREAM_CERT_FILE: files.cert,
    FLAGS_UPSTREAM_KEY_FILE: files.key,
    FLAGS_UPSTREAM_HEADERS: "X-Gateway: abc, X-Team: web",
  });
  expect(problems).toEqual([]);
  expect(upstreams).toHaveLength(1);
  expect(upstream.requests.length).toBeGreaterThan(0);
  for (const { headers } of upstream.requests) {
    expect(headers).toMatchObject({ "x-gateway": "abc", "x-team": "web" });
    expect(headers.authorization).toContain("upstream-secret");
  }
});

test("FLAGS_UPSTREAM_TIMEOUT limits a request", async () => {
  const upstream = await startRecordingUpstream();
  upstream.hang();
  const { problems } = await report({ FLAGS_URL: upstream.url, FLAGS_UPSTREAM_TIMEOUT: "300" });
  expect(problems).toEqual([expect.stringMatching(/No complete response within 300 ms/)]);
});

test("flags-proxy check reports certificates that cannot be used", async () => {
  const { url: FLAGS_URL } = await startRecordingUpstream();
  const authority = new Authority();
  const { cert, key } = authority.issue("expired", -1);
  const files = writeFiles({ cert, key, other: authority.issue("other").key });
  const tls = { FLAGS_URL, FLAGS_TLS_CERT_FILE: files.cert };
  const expired = await report({ ...tls, FLAGS_TLS_KEY_FILE: files.key });
  expect(expired.warnings).toContainEqual(
    expect.stringMatching(/^FLAGS_TLS_CERT_FILE: the certificate expired at /),
  );
  const mismatch = await report({ ...tls, FLAGS_TLS_KEY_FILE: files.other });
  expect(mismatch.problems).toEqual([
    expect.stringMatching(/^FLAGS_TLS_KEY_FILE: .*does not belong/),
  ]);
});
