import { beforeAll, describe, expect, test } from "vitest";
import { advancePlans } from "../src/rollout-plans/advance-plans.ts";
import { createUser, logIn } from "./_accounts.ts";
import { ADMIN_TOKEN, collectErrors, useService } from "./_service.ts";
import { describeStorages } from "./_storages.ts";

const MINUTE_MS = 60_000;

describeStorages("rollout plans", (source) => {
  const service = useService(source, { scheduling: { intervalMs: 3_600_000 } });
  const { admin, request } = {
    admin: (...call: Parameters<typeof service.admin>) => service.admin(...call),
    request: (method: string, path: string, body?: unknown) =>
      service.request(`/api/admin${path}`, { method, token: ADMIN_TOKEN, body }),
  };

  let count = 0;
  const createStrategy = async (environment = "production") => {
    const name = `flag-${++count}`;
    await admin("POST", "/projects/default/features", { name });
    const at = `/projects/default/features/${name}/environments/${environment}`;
    const { id } = (await admin("POST", `${at}/strategies`, {
      name: "flexibleRollout",
      parameters: { rollout: "0", stickiness: "default", groupId: name },
    })) as { id: string };
    await admin("POST", `${at}/on`);
    return {
      name,
      at,
      strategy: `${at}/strategies/${id}`,
      plan: `${at}/strategies/${id}/rollout-plan`,
    };
  };

  const rolloutOf = async (strategy: string): Promise<unknown> => {
    const { parameters } = (await admin("GET", strategy)) as {
      parameters: Readonly<Record<string, string>>;
    };
    return parameters;
  };

  /** Makes the steps that are due, with a clock that is ahead, as two replicas at the same time. */
  const advance = (aheadMs: number) => {
    const options = {
      storage: service.storage,
      logger: collectErrors([]),
      clock: async () => new Date(Date.now() + aheadMs),
    };
    return Promise.all([advancePlans(options), advancePlans(options)]);
  };

  const STEPS = [
    { rollout: 10, holdMinutes: 60 },
    { rollout: 50, holdMinutes: null },
    { rollout: 100, holdMinutes: null },
  ];

  test("raise the percentage by time and by hand, and keep the buckets", async () => {
    const { name, strategy, plan } = await createStrategy();
    expect(await admin("PUT", plan, { steps: STEPS })).toMatchObject({
      steps: STEPS,
      step: 0,
      state: "running",
      nextAt: expect.any(String),
    });
    const bucket = { stickiness: "default", groupId: name };
    expect(await rolloutOf(strategy)).toEqual({ ...bucket, rollout: "10" });
    const { features } = (await admin("GET", "/projects/default/features")) as {
      features: readonly { readonly name: string }[];
    };
    const next = { rollout: 50, state: "running", nextAt: expect.any(String) };
    expect(features.find((feature) => feature.name === name)).toMatchObject({
      environments: [{ name: "development" }, { name: "production", nextStep: next }],
    });
    await advance(59 * MINUTE_MS);
    expect(await rolloutOf(strategy)).toEqual({ ...bucket, rollout: "10" });
    await advance(61 * MINUTE_MS);
    expect(await rolloutOf(strategy)).toEqual({ ...bucket, rollout: "50" });
    expect(await admin("GET", plan)).toMatchObject({ step: 1, state: "waiting", nextAt: null });
    await advance(10_000 * MINUTE_MS);
    expect(await rolloutOf(strategy)).toEqual({ ...bucket, rollout: "50" });
    expect(await admin("POST", `${plan}/resume`)).toMatchObject({ step: 2, state: "completed" });
    expect(await rolloutOf(strategy)).toEqual({ ...bucket, rollout: "100" });
    expect((await request("POST", `${plan}/skip`)).status).toBe(403);
    expect(await admin("GET", `/projects/default/features/${name}/rollout-plans`)).toMatchObject({
      rolloutPlans: [{ environment: "production", state: "completed" }],
    });
  });

  test("are paused, continued, skipped and moved back", async () => {
    const { name, strategy, plan } = await createStrategy();
    const steps = [10, 20, 30].map((rollout) => ({ rollout, holdMinutes: 60 }));
    await admin("PUT", plan, { steps });
    expect(await admin("POST", `${plan}/pause`)).toMatchObject({ state: "paused", nextAt: null });
    await advance(61 * MINUTE_MS);
    expect(await rolloutOf(strategy)).toMatchObject({ rollout: "10" });
    expect(await admin("POST", `${plan}/resume`)).toMatchObject({ state: "running", step: 0 });
    expect(await admin("POST", `${plan}/skip`)).toMatchObject({ state: "running", step: 1 });
    expect(await rolloutOf(strategy)).toMatchObject({ rollout: "20" });
    expect(await admin("POST", `${plan}/back`)).toMatchObject({ state: "paused", step: 0 });
    expect(await rolloutOf(strategy)).toMatchObject({ rollout: "10" });
    expect((await request("POST", `${plan}/back`)).status).toBe(403);
    await admin("DELETE", plan);
    expect((await request("GET", plan)).status).toBe(404);
    const { events } = (await admin("GET", `/events/${name}`)) as {
      readonly events: readonly { readonly type: string; readonly data: unknown }[];
    };
    const isStep = ({ type }: { readonly type: string }) => type.startsWith("rollout-plan-");
    expect(events.filter(isStep).map(({ type, data }) => [type, data])).toMatchObject([
      ["rollout-plan-deleted", { step: 0, stepCount: 3, rollout: 10 }],
      ["rollout-plan-advanced", { step: 0, stepCount: 3, rollout: 10 }],
      ["rollout-plan-advanced", { step: 1, stepCount: 3, rollout: 20 }],
      ["rollout-plan-resumed", { step: 0, stepCount: 3, rollout: 10 }],
      ["rollout-plan-paused", { step: 0, stepCount: 3, rollout: 10 }],
      ["rollout-plan-set", { steps }],
    ]);
    expect(await rolloutOf(strategy)).toMatchObject({ rollout: "10" });
  });

  test("stop when somebody edits the strategy, and pause when the flag is off", async () => {
    const edited = await createStrategy();
    await admin("PUT", edited.plan, { steps: STEPS });
    await admin("PATCH", edited.strategy, [
      { op: "replace", path: "/parameters/rollout", value: "15" },
    ]);
    expect(await admin("GET", edited.plan)).toMatchObject({
      state: "stopped",
      reason: "Somebody has edited the strategy",
    });
    const off = await createStrategy();
    await admin("PUT", off.plan, { steps: STEPS });
    await admin("POST", `${off.at}/off`);
    await advance(61 * MINUTE_MS);
    expect(await rolloutOf(edited.strategy)).toMatchObject({ rollout: "15" });
    expect(await rolloutOf(off.strategy)).toMatchObject({ rollout: "10" });
    expect(await admin("GET", off.plan)).toMatchObject({
      state: "paused",
      reason: "The flag is off in production",
    });
  });

  test.each([
    ["/body/steps", []],
    [
      "/body/steps/1/rollout",
      [
        { rollout: 50, holdMinutes: 1 },
        { rollout: 50, holdMinutes: null },
      ],
    ],
    ["/body/steps/0/rollout", [{ rollout: 101, holdMinutes: null }]],
    ["/body/steps/0/holdMinutes", [{ rollout: 1, holdMinutes: 0 }]],
  ])("refuse bad steps at %s", async (path, steps) => {
    const { strategy, plan } = await createStrategy();
    const response = await request("PUT", plan, { steps });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ details: [expect.objectContaining({ path })] }),
    ]);
    expect((await request("GET", plan)).status).toBe(404);
    expect(await rolloutOf(strategy)).toMatchObject({ rollout: "0" });
  });

  describe("where approvals are required", () => {
    let headers: Readonly<Record<string, string>> = {};

    beforeAll(async () => {
      await createUser(service, "reviewer", "Editor");
      headers = await logIn(service, "reviewer");
    });

    test("are requested, and then need no more approvals, but cannot be sped up", async () => {
      const { name, strategy, plan } = await createStrategy();
      await admin("PUT", "/environments/update/production", { requiredApprovals: 1 });
      try {
        expect((await request("PUT", plan, { steps: STEPS })).status).toBe(403);
        const { id } = (await admin(
          "POST",
          "/projects/default/environments/production/change-requests",
          {
            feature: name,
            action: "setRolloutPlan",
            payload: { id: strategy.split("/").at(-1), steps: STEPS },
          },
        )) as { id: number };
        const state = `/projects/default/change-requests/${id}/state`;
        await admin("PUT", state, { state: "In review" });
        const approved = await service.request(`/api/admin${state}`, {
          method: "PUT",
          headers,
          body: { state: "Approved" },
        });
        expect(approved.status).toBe(200);
        await admin("PUT", state, { state: "Applied" });
        expect(await rolloutOf(strategy)).toMatchObject({ rollout: "10" });
        expect((await request("POST", `${plan}/skip`)).status).toBe(403);
        await advance(61 * MINUTE_MS);
        expect(await rolloutOf(strategy)).toMatchObject({ rollout: "50" });
        expect(await admin("POST", `${plan}/back`)).toMatchObject({ step: 0 });
      } finally {
        await admin("PUT", "/environments/update/production", { requiredApprovals: null });
      }
    });
  });
});
