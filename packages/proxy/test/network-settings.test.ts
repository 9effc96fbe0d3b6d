import { ConfigError, resolveSettings, showSettings } from "flags-server-kit";
import type { Environment } from "flags-server-kit/command-line";
import { describe, expect, test } from "vitest";
import { type ProxyConfig } from "../src/config/config.ts";
import { loadTranslatedConfig as loadConfig } from "../src/migrate/load-translated-config.ts";
import { SETTINGS } from "../src/config/settings.ts";
import { Authority, writeFiles } from "./_certificates.ts";
import { MemoryLogger } from "./_proxy.ts";

const REQUIRED: Environment = {
  FLAGS_URL: "https://upstream.test/api",
  FLAGS_API_TOKEN: "upstream-token",
  FLAGS_PROXY_CLIENT_KEYS: "some-key-of-16-characters",
  HOST: "127.0.0.1",
};

interface Loaded {
  readonly config: ProxyConfig;
  readonly warnings: readonly string[];
}

async function load(environment: Environment): Promise<Loaded> {
  const logger = new MemoryLogger();
  const config = await loadConfig({ logger }, { ...REQUIRED, ...environment });
  const warnings = logger.lines.filter(({ level }) => level === "warn");
  return { config, warnings: warnings.map(({ parts }) => String(parts[0])) };
}

async function problemsOf(environment: Environment): Promise<readonly string[]> {
  const error: unknown = await load(environment).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ConfigError ? error.problems : [];
}

const authority = () => new Authority();

describe("certificates", () => {
  test("certificates are read with their keys, and authorities are added to those known to Node", async () => {
    const ca = authority();
    const { cert, key } = ca.issue("proxy");
    const files = writeFiles({ cert, key, ca: ca.cert });
    const { config, warnings } = await load({
      FLAGS_TLS_CERT_FILE: files.cert,
      FLAGS_TLS_KEY_FILE: files.key,
      FLAGS_TLS_PORT: "8443",
      FLAGS_TLS_REDIRECT: "true",
      FLAGS_TLS_CLIENT_CA_FILE: files.ca,
      FLAGS_UPSTREAM_CA_FILE: files.ca,
      FLAGS_UPSTREAM_CERT_FILE: files.cert,
      FLAGS_UPSTREAM_KEY_FILE: files.key,
      FLAGS_MANAGEMENT_PORT: "9000",
      FLAGS_MANAGEMENT_HOST: "127.0.0.2",
    });
    expect(warnings).toEqual([]);
    const { tls, upstream, management } = config.network;
    expect(tls).toMatchObject({ port: 8443, redirects: true });
    expect(tls?.material).toMatchObject({ key, clientCa: ca.cert });
    expect(upstream).toMatchObject({ key });
    expect(upstream.ca?.at(-1)).toBe(ca.cert);
    expect(upstream.ca?.length).toBeGreaterThan(50);
    expect(management).toEqual({ port: 9000, host: "127.0.0.2" });
  });

  test("certificates that cannot be used are problems, all reported at once", async () => {
    const ca = authority();
    const { cert, key } = ca.issue("one");
    const other = ca.issue("two");
    const files = writeFiles({
      cert,
      key,
      otherKey: other.key,
      empty: "nothing",
      damaged: cert.replace(/\n.{20}/, "\nAAAAAAAAAAAAAAAAAAAA"),
      encrypted:
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n",
    });
    const mismatch = await problemsOf({
      FLAGS_TLS_CERT_FILE: files.cert,
      FLAGS_TLS_KEY_FILE: files.otherKey,
      FLAGS_TLS_CLIENT_CA_FILE: "/does/not/exist.pem",
      FLAGS_UPSTREAM_CA_FILE: files.empty,
      FLAGS_UPSTREAM_CERT_FILE: files.damaged,
      FLAGS_UPSTREAM_KEY_FILE: files.encrypted,
    });
    expect(mismatch).toEqual([
      expect.stringMatching(
        /^FLAGS_TLS_KEY_FILE: the key in .* does not belong to .*FLAGS_TLS_CERT_FILE/,
      ),
      expect.stringMatching(/^FLAGS_TLS_CLIENT_CA_FILE: .*there is no such file$/),
      expect.stringMatching(/^FLAGS_UPSTREAM_CERT_FILE: .*a certificate in it is damaged/),
      expect.stringMatching(/^FLAGS_UPSTREAM_KEY_FILE: .*the key is encrypted/),
      expect.stringMatching(/^FLAGS_UPSTREAM_CA_FILE: .*no certificate in PEM format$/),
    ]);
  });

  test("certificates that are not valid now cause warnings, because they may be renewed while the proxy runs", async () => {
    const { cert, key } = authority().issue("proxy", -1);
    const files = writeFiles({ cert, key });
    const { warnings } = await load({
      FLAGS_TLS_CERT_FILE: files.cert,
      FLAGS_TLS_KEY_FILE: files.key,
    });
    expect(warnings).toEqual([
      expect.stringMatching(/^FLAGS_TLS_CERT_FILE: the certificate expired at 2/),
    ]);
  });
});

describe("settings that contradict each other are problems", () => {
  test.each([
    [{ FLAGS_TLS_CERT_FILE: "/a" }, [/^FLAGS_TLS_CERT_FILE requires FLAGS_TLS_KEY_FILE/]],
    [{ FLAGS_UPSTREAM_KEY_FILE: "/a" }, [/^FLAGS_UPSTREAM_KEY_FILE requires FLAGS_UPSTREAM_CERT/]],
    [
      { FLAGS_TLS_PORT: "1", FLAGS_TLS_REDIRECT: "true", FLAGS_TLS_CLIENT_CA_FILE: "/a" },
      [
        /^FLAGS_TLS_PORT requires FLAGS_TLS_CERT_FILE/,
        /^FLAGS_TLS_REDIRECT requires FLAGS_TLS_CERT_FILE/,
        /^FLAGS_TLS_CLIENT_CA_FILE requires FLAGS_TLS_CERT_FILE/,
      ],
    ],
    [
      { PORT: "9", FLAGS_MANAGEMENT_PORT: "9" },
      [/^FLAGS_MANAGEMENT_PORT must differ from PORT \(option port\): both are 9/],
    ],
  ])("the settings contradict each other: %o", async (environment, expected) => {
    expect(await problemsOf(environment as Environment)).toEqual(
      expected.map((pattern) => expect.stringMatching(pattern)),
    );
  });

  test("a redirect requires a port to redirect to", async () => {
    const { cert, key } = authority().issue("proxy");
    const files = writeFiles({ cert, key });
    const environment = { FLAGS_TLS_CERT_FILE: files.cert, FLAGS_TLS_KEY_FILE: files.key };
    expect(await problemsOf({ ...environment, FLAGS_TLS_REDIRECT: "true" })).toEqual([
      expect.stringMatching(/^FLAGS_TLS_REDIRECT requires FLAGS_TLS_PORT/),
    ]);
  });
});

test.each([
  [{ FLAGS_MANAGEMENT_HOST: "::1" }, /^FLAGS_MANAGEMENT_HOST has no effect/],
  [
    { FLAGS_ALLOW_LIST: "10.0.0.0/8", TRUST_PROXY: "true" },
    /^FLAGS_ALLOW_LIST gives no protection while TRUST_PROXY is true/,
  ],
  [
    { HTTP_OPTIONS_REJECT_UNAUTHORIZED: "false" },
    /^HTTP_OPTIONS_REJECT_UNAUTHORIZED accepts any certificate .* set FLAGS_UPSTREAM_CA_FILE/,
  ],
])(
  "settings that have no effect or are risky cause warnings: %o",
  async (environment, expected) => {
    const { warnings } = await load(environment);
    expect(warnings).toEqual([expect.stringMatching(expected)]);
  },
);

test("an unverified upstream causes no warning with http://, and one that names the option of Edge", async () => {
  const environment = { HTTP_OPTIONS_REJECT_UNAUTHORIZED: "false" };
  const plain = await load({ ...environment, FLAGS_URL: "http://upstream.test/api" });
  expect(plain.warnings).toEqual([]);
  const ofEdge = await load({
    FLAGS_URL: undefined,
    UPSTREAM_URL: "https://upstream.test",
    SKIP_SSL_VERIFICATION: "true",
  });
  expect(ofEdge.warnings).toContainEqual(
    expect.stringMatching(/^SKIP_SSL_VERIFICATION accepts any certificate/),
  );
});

test("headers for the upstream are secrets", async () => {
  const environment = { FLAGS_UPSTREAM_HEADERS: "X-Gateway: Bearer hidden-value" };
  const { values } = resolveSettings(SETTINGS, { environment });
  expect(JSON.stringify(showSettings(SETTINGS, values))).not.toContain("hidden-value");
  const [problem] = await problemsOf({ FLAGS_UPSTREAM_HEADERS: "hidden-value" });
  expect(problem).toBe(
    "FLAGS_UPSTREAM_HEADERS must be a list of headers such as Name: value, separated by commas or line breaks, or in code an object: entry 1 is not of the form Name: value",
  );
});
