import { expect, test } from "vitest";
import { ADMIN_TOKEN, useService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Flag {
  readonly description: string;
  readonly archived: boolean;
  readonly dependencies: readonly unknown[];
  readonly environments: readonly {
    readonly name: string;
    readonly enabled: boolean;
    readonly variants: readonly unknown[];
    readonly strategies: readonly Readonly<Record<string, unknown>>[];
  }[];
}

describeAnyStorage("restoring a flag", (source) => {
  const service = useService(source);
  const FLAG = "/projects/default/features/restored";
  const AT = `${FLAG}/environments/production`;
  const admin: typeof service.admin = (...call) => service.admin(...call);

  /** The parts that are restored. A strategy that was deleted gets another id. */
  const read = async () => {
    const { description, archived, dependencies, environments } = (await admin(
      "GET",
      FLAG,
    )) as Flag;
    return {
      description,
      archived,
      dependencies,
      environments: environments.map(({ name, enabled, variants, strategies }) => ({
        name,
        enabled,
        variants,
        strategies: strategies.map(({ id: _id, ...strategy }) => strategy),
      })),
    };
  };
  const latestEvent = async (): Promise<number> => {
    const { events } = (await admin("GET", "/search/events?feature=IS:restored&limit=1")) as {
      events: readonly { readonly id: number }[];
    };
    return events[0]?.id ?? 0;
  };
  const post = (path: string, body: unknown) =>
    service.request(`/api/admin${FLAG}${path}`, { method: "POST", token: ADMIN_TOKEN, body });

  test("restores every part of any earlier state, and shows it first", async () => {
    await admin("POST", "/projects/default/features", { name: "parent" });
    await admin("POST", "/projects/default/features", { name: "restored", description: "First" });
    const { id: kept } = (await admin("POST", `${AT}/strategies`, {
      name: "flexibleRollout",
      parameters: { rollout: "10", stickiness: "default", groupId: "g" },
    })) as { id: string };
    const { id: deleted } = (await admin("POST", `${AT}/strategies`, {
      name: "userWithId",
      title: "Testers",
      parameters: { userIds: "1,2" },
    })) as { id: string };
    const steps: readonly (() => Promise<unknown>)[] = [
      () => admin("POST", `${AT}/on`),
      () => admin("PUT", `${AT}/variants`, [{ name: "blue", weight: 1000 }]),
      () => admin("POST", `${FLAG}/dependencies`, { feature: "parent", variants: ["a"] }),
      () =>
        admin("PATCH", `${AT}/strategies/${kept}`, [
          { op: "replace", path: "/parameters/rollout", value: "60" },
        ]),
      () =>
        admin("POST", `${AT}/strategies/set-sort-order`, [
          { id: kept, sortOrder: 5 },
          { id: deleted, sortOrder: 1 },
        ]),
      () => admin("DELETE", `${AT}/strategies/${deleted}`),
      () => admin("PUT", FLAG, { description: "Second", type: "experiment" }),
      () => admin("DELETE", `${FLAG}/dependencies/parent`),
      () => admin("POST", `${FLAG}/environments/development/on`),
      () => admin("DELETE", FLAG),
      () => admin("POST", "/archive/revive/restored"),
    ];
    const past: { readonly eventId: number; readonly state: unknown }[] = [];
    for (const step of steps) {
      // oxlint-disable no-await-in-loop -- one after the other
      const state = await read().catch(() => undefined);
      if (state !== undefined) past.push({ eventId: await latestEvent(), state });
      await step();
      // oxlint-enable no-await-in-loop
    }
    expect(past.length).toBeGreaterThan(8);
    for (const { eventId, state } of past.toReversed()) {
      // oxlint-disable no-await-in-loop -- one after the other
      const before = await read();
      const preview = await post("/restore?dryRun=true", { eventId });
      expect([preview.status, await read()]).toEqual([200, before]);
      await admin("POST", `${FLAG}/restore`, { eventId });
      expect([eventId, await read()]).toEqual([eventId, state]);
      // oxlint-enable no-await-in-loop
    }
    const unchanged = await latestEvent();
    await admin("POST", `${FLAG}/restore`, { eventId: unchanged });
    expect(await latestEvent()).toBe(unchanged);
  });

  test("restores one environment only", async () => {
    const eventId = await latestEvent();
    await admin("PUT", `${AT}/variants`, [{ name: "red", weight: 1000 }]);
    await admin("PUT", `${FLAG}/environments/development/variants`, [
      { name: "red", weight: 1000 },
    ]);
    await admin("POST", `${FLAG}/restore`, { eventId, environment: "production" });
    const { environments } = await read();
    expect(environments).toEqual([
      expect.objectContaining({ name: "development", variants: [expect.anything()] }),
      expect.objectContaining({ name: "production", variants: [] }),
    ]);
  });

  test("revives an archived flag as it was", async () => {
    await admin("POST", `${AT}/on`);
    const before = await read();
    await admin("DELETE", FLAG);
    await admin("POST", `${FLAG}/restore`, { eventId: await latestEvent(), before: true });
    expect(await read()).toEqual(before);
  });

  test("restores the state before an event", async () => {
    const before = await read();
    await admin("PUT", `${AT}/variants`, [{ name: "blue", weight: 1000 }]);
    const eventId = await latestEvent();
    await admin("PUT", `${AT}/variants`, []);
    await admin("POST", `${FLAG}/restore`, { eventId });
    expect(await read()).not.toEqual(before);
    await admin("POST", `${FLAG}/restore`, { eventId, before: true });
    expect(await read()).toEqual(before);
  });

  test("names segments that no longer exist, and events that are not of the flag", async () => {
    const { id: segment } = (await admin("POST", "/segments", {
      name: "gone",
      constraints: [],
    })) as { id: number };
    const { id } = (await admin("POST", `${AT}/strategies`, {
      name: "default",
      segments: [segment],
    })) as { id: string };
    const eventId = await latestEvent();
    await admin("DELETE", `${AT}/strategies/${id}`);
    await admin("DELETE", `/segments/${segment}`);
    const refused = await post("/restore", { eventId });
    expect([refused.status, await refused.json()]).toEqual([
      409,
      expect.objectContaining({
        message: `Strategies at that time used segments that no longer exist, with these ids: ${segment}. Create the strategies again by hand`,
      }),
    ]);
    expect((await post("/restore", { eventId: 1 })).status).toBe(404);
    const { events } = (await admin(
      "GET",
      "/search/events?feature=IS:restored&type=IS:feature-created",
    )) as { events: readonly { readonly id: number }[] };
    const tooEarly = await post("/restore", { eventId: events[0]?.id, before: true });
    expect([tooEarly.status, await tooEarly.json()]).toEqual([
      403,
      expect.objectContaining({
        message: 'The flag "restored" did not exist before it was created',
      }),
    ]);
    const elsewhere = { eventId: await latestEvent(), environment: "none" };
    expect((await post("/restore", elsewhere)).status).toBe(404);
  });

  test("requires the approvals of a direct change", async () => {
    const eventId = await latestEvent();
    await admin("PUT", `${AT}/variants`, [{ name: "green", weight: 1000 }]);
    await admin("PUT", "/environments/update/production", { requiredApprovals: 1 });
    const refused = await post("/restore", { eventId });
    expect(refused.status).toBe(403);
    const { changes } = (await (await post("/restore?dryRun=true", { eventId })).json()) as {
      changes: readonly Readonly<Record<string, unknown>>[];
    };
    expect(changes).toMatchObject([
      { environment: "production", action: "patchVariant", payload: { variants: [] } },
    ]);
    const [{ feature, action, payload } = {}] = changes;
    const requested = await service.request(
      "/api/admin/projects/default/environments/production/change-requests",
      { method: "POST", token: ADMIN_TOKEN, body: { feature, action, payload } },
    );
    expect(requested.status).toBe(200);
  });
});
