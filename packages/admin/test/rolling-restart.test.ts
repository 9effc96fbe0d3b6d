import { expect, test } from "vitest";
import { findFreePorts } from "../../../scripts/free-ports.mjs";
import { Load } from "../../server-kit/test/_load.ts";
import { LoadBalancer } from "../../server-kit/test/_load-balancer.ts";
import { type Command, makeDatabase, startCommand } from "./_command.ts";
import { skipsPostgres } from "./_postgres.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN } from "./_service.ts";

const sdk = { authorization: BACKEND_TOKEN };
const admin = { authorization: ADMIN_TOKEN };
const FLAGS = "/api/admin/projects/default/features";
const POLL = { path: "/api/client/features", headers: sdk };
const LIST = { path: FLAGS, headers: admin };
const CHANGE = {
  path: `${FLAGS}/on`,
  method: "PUT",
  headers: admin,
  body: { name: "on", type: "release", description: "changed" },
};
const STREAM = { path: "/api/client/streaming", headers: sdk };
const CHANGES = { path: "/api/admin/changes", headers: admin };

test.skipIf(skipsPostgres)(
  "no request fails when two replicas of flags-admin behind a TCP load balancer are restarted one after the other",
  async () => {
    const database = await makeDatabase();
    const ports = await findFreePorts(2);
    const startReplica = (index: number): Command =>
      startCommand({
        ...database,
        PORT: String(ports[index]),
        INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
        INIT_CLIENT_API_TOKENS: BACKEND_TOKEN,
        SHUTDOWN_DELAY: "2500",
      });
    const replicas = ports.map((_port, index) => startReplica(index));
    const [origin = ""] = await Promise.all(replicas.map((replica) => replica.listening()));
    const created = await fetch(`${origin}${FLAGS}`, {
      method: "POST",
      headers: { ...admin, "content-type": "application/json" },
      body: JSON.stringify({ name: "on" }),
    });
    expect(created.status).toBe(201);
    const { balancer, url } = await LoadBalancer.start(ports);

    const load = new Load(url);
    for (let count = 0; count < 4; count += 1) load.addPoller(50, [POLL, LIST, CHANGE]);
    for (let count = 0; count < 40; count += 1) load.addPoller(700, [POLL]);
    for (let count = 0; count < 3; count += 1) {
      load.addStream(STREAM);
      load.addStream(CHANGES);
    }
    const useIdle = await load.addIdle(20, POLL);

    for (const [index, replica] of replicas.entries()) {
      const port = ports[index] ?? 0;
      replica.child.kill("SIGTERM");
      const { code, stderr } = await replica.finished();
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(balancer.isHealthy(port)).toBe(false);
      replicas[index] = startReplica(index);
      await expect.poll(() => balancer.isHealthy(port), { timeout: 60_000 }).toBe(true);
    }
    await useIdle();
    await load.stop();

    expect(load.failures).toEqual([]);
    for (const sent of [POLL, LIST, CHANGE]) expect(load.successesOf(sent)).toBeGreaterThan(20);
    expect(load.reconnects).toBeGreaterThan(5);
  },
);

test("after SIGTERM, flags-admin is not ready at once, and stays alive and serves for SHUTDOWN_DELAY", async () => {
  const command = startCommand({
    ...(await makeDatabase()),
    INIT_CLIENT_API_TOKENS: BACKEND_TOKEN,
    SHUTDOWN_DELAY: "3000",
  });
  const url = await command.listening();
  const get = async (path: string): Promise<Response> => {
    const response = await fetch(`${url}${path}`, { headers: sdk });
    await response.text();
    return response;
  };
  expect((await get("/ready")).status).toBe(200);
  command.child.kill("SIGTERM");
  await expect.poll(async () => (await get("/ready")).status).toBe(503);
  expect((await get("/health")).status).toBe(200);
  const response = await get("/api/client/features");
  expect(response.status).toBe(200);
  expect(response.headers.get("connection")).toBe("close");
  expect((await command.finished()).code).toBe(0);
});
