import { expect, test } from "vitest";
import { proxyConfig } from "../../test/_proxy.ts";
import { toUpstreamClientOptions } from "./upstream-client-options.ts";

test("toUpstreamClientOptions() passes on every setting for the upstream", () => {
  const tags = [{ name: "team", value: "web" }];
  const strategies = [{ name: "weekday", isEnabled: () => true }];
  const storageProvider = { set: async () => {}, get: async () => undefined };
  const headers = { "x-team": "web" };
  const { network, ...others } = proxyConfig({
    upstreamUrl: "https://upstream.test/api",
    appName: "app",
    instanceId: "instance",
    synchronization: "delta",
    refreshIntervalMs: 1,
    metricsIntervalMs: 2,
    metricsJitterMs: 3,
    tags,
    customStrategies: strategies,
    rejectUnauthorized: false,
    httpProxy: "http://one.test",
    httpsProxy: "http://two.test",
    noProxy: "three.test",
    environment: "production",
    projectName: "shop",
    namePrefix: "shop.",
    storageProvider,
    bootstrap: { url: "https://bootstrap.test", headers: { authorization: "secret" } },
  });
  const upstream = { ca: ["ca"], cert: "cert", key: "key", headers, timeoutMs: 4 };
  expect(
    toUpstreamClientOptions({ ...others, network: { ...network, upstream } }, "token"),
  ).toEqual({
    url: "https://upstream.test/api",
    token: "token",
    appName: "app",
    instanceId: "instance",
    synchronization: "delta",
    refreshIntervalMs: 1,
    metricsIntervalMs: 2,
    metricsJitterMs: 3,
    tags,
    strategies,
    httpOptions: { rejectUnauthorized: false, ca: ["ca"], cert: "cert", key: "key" },
    customHeaders: headers,
    timeoutMs: 4,
    httpProxy: "http://one.test",
    httpsProxy: "http://two.test",
    noProxy: "three.test",
    environment: "production",
    projectName: "shop",
    namePrefix: "shop.",
    storageProvider,
    bootstrap: { url: "https://bootstrap.test", urlHeaders: { authorization: "secret" } },
  });
});
