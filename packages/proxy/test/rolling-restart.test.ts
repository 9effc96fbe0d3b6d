import { expect, test } from "vitest";
import { findFreePorts } from "../../../scripts/free-ports.mjs";
import { Load } from "../../server-kit/test/_load.ts";
import { LoadBalancer } from "../../server-kit/test/_load-balancer.ts";
import { type Command, eventually, startCommand, untilReady } from "./_command.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { deliveredTo, KEY, toFlag, USAGE } from "./_workers.ts";

const SDK_TOKEN = "*:development.token-of-sdks";

const headers = { authorization: KEY };
const context = { context: { userId: "7" } };
const GET = { path: "/proxy?userId=7", headers };
const POST = { path: "/proxy", headers, body: context };
const REPORT = { path: "/proxy/client/metrics", headers, body: USAGE };
const STREAM = {
  path: "/proxy/stream",
  headers: { ...headers, accept: "text/event-stream" },
  body: context,
};
const SDK_STREAM = { path: "/api/client/streaming", headers: { authorization: SDK_TOKEN } };

test("no request fails and no usage is lost when three replicas of flags-proxy behind a TCP load balancer are restarted one after the other", async () => {
  const upstream = await startFeatureServer({ features: [toFlag("on")] });
  const ports = await findFreePorts(3);
  const startReplica = (index: number): Command =>
    startCommand({
      PORT: String(ports[index]),
      FLAGS_URL: upstream.url,
      FLAGS_API_TOKEN: "upstream-token",
      FLAGS_PROXY_CLIENT_KEYS: KEY,
      EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: SDK_TOKEN,
      FLAGS_METRICS_INTERVAL: "1000000",
      SHUTDOWN_DELAY: "2500",
      ...(index === 2 && { FLAGS_PROXY_WORKERS: "2" }),
    });
  const replicas = ports.map((_port, index) => startReplica(index));
  await Promise.all(ports.map((port) => untilReady(`http://127.0.0.1:${port}`)));
  const { balancer, url } = await LoadBalancer.start(ports);

  const load = new Load(url);
  for (let count = 0; count < 12; count += 1) load.addPoller(20, [GET, POST, REPORT]);
  for (let count = 0; count < 60; count += 1) load.addPoller(700, [GET, REPORT]);
  for (let count = 0; count < 6; count += 1) {
    load.addStream(STREAM);
    load.addStream(SDK_STREAM);
  }
  const useIdle = await load.addIdle(20, GET);

  for (const [index, replica] of replicas.entries()) {
    const port = ports[index] ?? 0;
    replica.signal("SIGTERM");
    const { code, stderr } = await replica.finished();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(balancer.isHealthy(port)).toBe(false);
    replicas[index] = startReplica(index);
    await eventually(() => balancer.isHealthy(port)).toBe(true);
  }
  await useIdle();
  await load.stop();
  for (const replica of replicas) replica.signal("SIGTERM");
  await Promise.all(replicas.map((replica) => replica.finished()));

  expect(load.failures).toEqual([]);
  for (const sent of [GET, POST]) expect(load.successesOf(sent)).toBeGreaterThan(100);
  expect(load.reconnects).toBeGreaterThan(10);
  expect(deliveredTo(upstream)).toBe(load.successesOf(REPORT));
});
