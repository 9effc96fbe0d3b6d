import { describe, expect, it } from "vitest";
import type { FlagsClientOptions } from "./flags-client-options.ts";
import { resolveOptions } from "./resolve-options.ts";

const minimal = { url: "http://localhost:4242/api", appName: "app" };

const resolve = (options: object): ReturnType<typeof resolveOptions> =>
  resolveOptions({ ...minimal, ...options });

describe("resolveOptions()", () => {
  it("treats an option that is undefined as not set", () => {
    const options: FlagsClientOptions = {
      ...minimal,
      token: process.env["NO_SUCH_TOKEN"],
      refreshIntervalMs: undefined,
      httpOptions: { ca: undefined },
    };
    const { credentials, refreshIntervalMs } = resolveOptions(options);
    expect(credentials.token).toBeUndefined();
    expect(refreshIntervalMs).toBe(15_000);
  });

  it("applies the defaults", () => {
    expect(resolve({})).toMatchObject({
      url: new URL("http://localhost:4242/api/"),
      appName: "app",
      synchronization: "polling",
      instanceId: expect.stringMatching(/-[0-9a-f]{8}$/) as string,
      environment: "default",
      refreshIntervalMs: 15_000,
      metricsIntervalMs: 60_000,
      metricsJitterMs: 0,
      isMetricsEnabled: true,
      isRegistrationEnabled: true,
      filters: { projectName: undefined, namePrefix: undefined, tags: [] },
      credentials: { token: undefined, customHeaders: {}, customHeadersFunction: undefined },
      connection: {
        timeoutMs: 10_000,
        httpProxy: undefined,
        httpsProxy: undefined,
        noProxy: undefined,
      },
      bootstrap: undefined,
      bootstrapOverrides: true,
      strategies: [],
    });
  });

  it("accepts 0, false and empty strings as values", () => {
    const settings = resolve({
      refreshIntervalMs: 0,
      metricsJitterMs: 0,
      httpOptions: { rejectUnauthorized: false },
      httpProxy: "",
      bootstrap: { override: false },
    });
    expect(settings.refreshIntervalMs).toBe(0);
    expect(settings.connection).toMatchObject({ rejectUnauthorized: false, httpProxy: "" });
    expect(settings.bootstrapOverrides).toBe(false);
  });

  it.each([
    [{ metricsIntervalMs: 0 }, false, false],
    [{ disableMetrics: true }, false, false],
    [{ disableRegistration: true }, true, false],
    [{}, true, true],
  ])("with %j, metrics are %s and registration is %s", (options, metrics, registration) => {
    const settings = resolve(options);
    expect(settings.isMetricsEnabled).toBe(metrics);
    expect(settings.isRegistrationEnabled).toBe(registration);
  });

  it.each([
    ["https://a.test/api", "https://a.test/api/"],
    ["https://a.test/api/", "https://a.test/api/"],
    ["https://a.test", "https://a.test/"],
    ["https://a.test/api?x=1#y", "https://a.test/api/"],
  ])("resolves the URL %s to %s", (url, expected) => {
    expect(resolve({ url }).url.href).toBe(expected);
  });

  it.each([
    [{ data: [], url: "http://b.test", filePath: "f" }, "data"],
    [{ url: "http://b.test", filePath: "f" }, "url"],
    [{ filePath: "f" }, "file"],
    [{}, undefined],
  ])("with the bootstrap sources %j, %s is used", (bootstrap, kind) => {
    expect(resolve({ bootstrap }).bootstrap?.kind).toBe(kind);
  });

  it.each([
    [{ url: undefined }, "url is required"],
    [{ url: "" }, "url is required"],
    [{ url: "localhost:4242" }, "url is required and must be an http or https URL"],
    [{ url: "http://user:pass@a.test" }, "must be an http or https URL without user name"],
    [{ appName: undefined }, "appName is required"],
    [{ appName: 7 }, "appName is required and must be a string"],
    [{ token: "a\n" }, "token must be a string of printable ASCII"],
    [{ synchronization: "push" }, "synchronization must be one of polling, delta, streaming"],
    [{ refreshIntervalMs: "soon" }, "refreshIntervalMs must be a whole number of milliseconds"],
    [{ refreshIntervalMs: -1 }, "refreshIntervalMs must be a whole number"],
    [{ refreshIntervalMs: 1.5 }, "refreshIntervalMs must be a whole number"],
    [{ metricsIntervalMs: Number.NaN }, "metricsIntervalMs must be a whole number"],
    [{ metricsJitterMs: 2 ** 31 }, "metricsJitterMs must be a whole number"],
    [{ timeoutMs: 0 }, "timeoutMs must be a whole number of milliseconds from 1"],
    [{ disableMetrics: "no" }, "disableMetrics must be true or false"],
    [{ tags: ["a:b"] }, "tags must be a list of { name, value }"],
    [{ customHeaders: { a: "é" } }, "customHeaders must be an object of header names"],
    [{ customHeadersFunction: {} }, "customHeadersFunction must be a function"],
    [{ httpOptions: { ca: 1 } }, "httpOptions.ca must be a string or a list of strings"],
    [{ httpOptions: true }, "httpOptions must be an object"],
    [{ httpsProxy: "proxy:3128" }, "httpsProxy must be an http or https URL"],
    [{ bootstrap: { data: {} } }, "bootstrap.data must be a list"],
    [{ bootstrap: { url: "x" } }, "bootstrap.url must be an http or https URL"],
    [{ storageProvider: {} }, "storageProvider must have the methods get and set"],
    [{ strategies: [{ name: "x" }] }, "strategies must be a list of objects with a name"],
    [{ refreshInterval: 5 }, "refreshInterval is not an option"],
    [{ bootstrap: { file: "x" } }, "bootstrap.file is not an option"],
  ])("rejects %j", (options, message) => {
    expect(() => resolve(options)).toThrow(TypeError);
    expect(() => resolve(options)).toThrow(message);
  });

  it("names every invalid option once, without its value", () => {
    const options = { url: 1, appName: "", token: "secret\u0000", refreshIntervalMs: "secret" };
    expect(() => resolve(options)).toThrow(
      /^Cannot create a flags client: url [^;]+; appName [^;]+; token [^;]+; refreshIntervalMs [^;]+$/,
    );
    expect(() => resolve(options)).not.toThrow(/secret/);
  });

  it("rejects options that are not an object", () => {
    expect(() => resolveOptions(undefined as unknown as FlagsClientOptions)).toThrow(
      "options must be an object",
    );
  });
});
