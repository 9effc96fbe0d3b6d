import { beforeAll, expect, test } from "vitest";
import { applyDue } from "../src/change-requests/apply-scheduled.ts";
import { createUser, logIn } from "./_accounts.ts";
import { ADMIN_TOKEN, collectErrors, useService } from "./_service.ts";
import { describeStorages } from "./_storages.ts";

/** What the tests read of answers. */
interface Body {
  readonly id: number;
  readonly message: string;
  readonly secret: string;
  readonly total: number;
  readonly changeRequests: readonly unknown[];
  readonly events: readonly { readonly type: string }[];
  readonly features: readonly { readonly changes: readonly Change[] }[];
}

interface Change {
  readonly id: number;
  readonly payload: object;
}

interface Answer {
  readonly status: number;
  readonly body: Body;
}

const ROLLOUT = (rollout: string) => ({
  name: "flexibleRollout",
  parameters: { rollout, stickiness: "default", groupId: "g" },
});

describeStorages("change requests", (source) => {
  const service = useService(source, { scheduling: { intervalMs: 3_600_000 } });
  const LIST = "/projects/default/change-requests";
  const NEW = "/projects/default/environments/production/change-requests";
  const headers = new Map<string, Readonly<Record<string, string>>>();
  const ids = new Map<string, number>();

  const as = async (who: string, method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await service.request(`/api/admin${path}`, {
      method,
      headers: headers.get(who) ?? {},
      body,
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text === "" ? "null" : text) as Body };
  };

  const succeed = async (...call: Parameters<typeof as>): Promise<Body> => {
    const { status, body } = await as(...call);
    if (status >= 300) throw new Error(`${call.join(" ")}: ${status} ${JSON.stringify(body)}`);
    return body;
  };

  beforeAll(async () => {
    for (const [name, role] of [
      ["ann", "Editor"],
      ["bob", "Editor"],
      ["cid", "Editor"],
      ["vic", "Viewer"],
      ["root", "Admin"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      ids.set(name, (await createUser(service, name, role)).id);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      headers.set(name, await logIn(service, name));
    }
    headers.set("token", { authorization: ADMIN_TOKEN });
    await service.admin("PUT", "/environments/update/production", { requiredApprovals: 1 });
  });

  const firstChange = (features: Body["features"]): Change => {
    const change = features[0]?.changes[0];
    if (change === undefined) throw new Error("The request has no change");
    return change;
  };

  let count = 0;
  /** Creates a flag with a strategy in production, which is off. */
  const createFlag = async () => {
    const name = `flag-${++count}`;
    await service.admin("POST", "/projects/default/features", { name });
    const at = `/projects/default/features/${name}/environments/production`;
    await setApprovals(null);
    const { id } = (await service.admin("POST", `${at}/strategies`, ROLLOUT("25"))) as {
      id: string;
    };
    await setApprovals(1);
    return { name, at, strategy: id };
  };
  const setApprovals = (requiredApprovals: number | null) =>
    service.admin("PUT", "/environments/update/production", { requiredApprovals });

  const request = async (who: string, changes: unknown): Promise<number> => {
    const { id } = await succeed(who, "POST", NEW, changes);
    await succeed(who, "PUT", `${LIST}/${id}/state`, { state: "In review" });
    return id;
  };
  const setState = (who: string, id: number, state: string, more = {}) =>
    as(who, "PUT", `${LIST}/${id}/state`, { state, ...more });

  test("are drafted, reviewed, commented on, approved and applied in one step", async () => {
    const { name, at, strategy } = await createFlag();
    const draft = await succeed("ann", "POST", NEW, {
      feature: name,
      action: "updateStrategy",
      payload: { id: strategy, ...ROLLOUT("50") },
    });
    expect(draft).toMatchObject({
      state: "Draft",
      minApprovals: 1,
      environment: "production",
      createdBy: { id: ids.get("ann"), username: "ann" },
      features: [
        {
          name,
          changes: [
            {
              action: "updateStrategy",
              events: [
                {
                  type: "feature-strategy-update",
                  preData: { parameters: { rollout: "25" } },
                  data: { parameters: { rollout: "50" } },
                },
              ],
            },
          ],
        },
      ],
    });
    const joined = await succeed("ann", "POST", NEW, [
      { feature: name, action: "updateEnabled", payload: { enabled: true } },
    ]);
    expect(joined).toMatchObject({ id: draft.id, features: [{ changes: [{}, {}] }] });
    expect(await succeed("bob", "GET", `${LIST}/pending`)).toEqual([]);
    expect(await setState("bob", draft.id, "In review")).toMatchObject({ status: 403 });

    await succeed("ann", "PUT", `${LIST}/${draft.id}/title`, { title: "Half of all users" });
    await succeed("ann", "PUT", `${LIST}/${draft.id}/approvers`, { reviewers: [ids.get("bob")] });
    await succeed("ann", "PUT", `${LIST}/${draft.id}/state`, { state: "In review" });
    expect(
      await succeed("bob", "GET", "/search/change-requests?awaitsMe=true&state=IS:open"),
    ).toMatchObject({ total: 1, changeRequests: [{ id: draft.id, title: "Half of all users" }] });
    await succeed("bob", "POST", `${LIST}/${draft.id}/comments`, { text: "Why half?" });
    expect(await setState("ann", draft.id, "Approved")).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("Nobody reviews what they have requested") },
    });
    expect(await setState("vic", draft.id, "Approved")).toMatchObject({ status: 403 });
    expect(await setState("ann", draft.id, "Applied")).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("has 0 of 1 approvals") },
    });
    expect(await setState("bob", draft.id, "Approved")).toMatchObject({
      status: 200,
      body: { state: "Approved", approvals: [{ createdBy: { username: "bob" } }] },
    });
    expect(await setState("ann", draft.id, "Applied")).toMatchObject({
      status: 200,
      body: {
        state: "Applied",
        comments: [{ text: "Why half?", createdBy: { username: "bob" } }],
        appliedBy: { username: "ann" },
        requiredApprovals: 1,
      },
    });
    expect(await service.admin("GET", at)).toMatchObject({
      enabled: true,
      strategies: [{ id: strategy, parameters: { rollout: "50" } }],
    });
    const { events } = (await service.admin("GET", "/search/events?limit=9")) as Body;
    expect(events.map(({ type }) => type)).toEqual([
      "change-request-applied",
      "feature-environment-enabled",
      "feature-strategy-update",
      "change-request-approved",
      "change-request-approval-added",
      "change-request-comment-added",
      "change-request-sent-to-review",
      "change-request-requested-approvers-updated",
      "change-added",
    ]);
    for (const event of events) expect(event).toMatchObject({ changeRequestId: draft.id });
    expect(await succeed("ann", "GET", `${LIST}/count`)).toMatchObject({ total: 1, applied: 1 });
    const search = (project: string) =>
      succeed("ann", "GET", `/search/change-requests?state=IS:closed&project=${project}`);
    expect(await search("IS:default")).toMatchObject({ total: 1 });
    expect(await search("IS_ANY_OF:other,none")).toMatchObject({ total: 0 });
    expect(await search("IS:default&environment=IS:production")).toMatchObject({ total: 1 });
    expect(await search("IS:default&environment=IS:development")).toMatchObject({ total: 0 });
    // What it required then is kept.
    await setApprovals(3);
    expect(await succeed("ann", "GET", `${LIST}/${draft.id}`)).toMatchObject({
      minApprovals: 3,
      requiredApprovals: 1,
    });
    await setApprovals(1);
  });

  test("an edit voids the approvals, and only the author edits", async () => {
    const { name } = await createFlag();
    const id = await request("ann", {
      feature: name,
      action: "updateEnabled",
      payload: { enabled: true },
    });
    await setState("bob", id, "Approved");
    const { features } = await succeed("ann", "GET", `${LIST}/${id}`);
    const change = firstChange(features).id;
    const edit = { payload: { enabled: true, shouldActivateDisabledStrategies: true } };
    expect(await as("bob", "PUT", `${LIST}/${id}/changes/${change}`, edit)).toMatchObject({
      status: 403,
    });
    await succeed("ann", "PUT", `${LIST}/${id}/changes/${change}`, edit);
    expect(await succeed("ann", "GET", `${LIST}/${id}`)).toMatchObject({
      state: "In review",
      approvals: [],
    });
    expect(await setState("ann", id, "Applied")).toMatchObject({ status: 403 });
  });

  test("nobody approves with a token, or what a token of theirs has requested", async () => {
    const { name } = await createFlag();
    const { secret } = await succeed("root", "POST", "/api-tokens", {
      tokenName: "script",
      type: "admin",
    });
    headers.set("script", { authorization: secret });
    const second = await succeed("script", "POST", "/api-tokens", {
      tokenName: "second",
      type: "admin",
    });
    headers.set("second", { authorization: second.secret });
    const id = await request("second", {
      feature: name,
      action: "updateEnabled",
      payload: { enabled: true },
    });
    for (const who of ["script", "second", "token", "root"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect([who, (await setState(who, id, "Approved")).status]).toEqual([who, 403]);
    }
    const personal = await succeed("root", "POST", "/user/tokens", {
      description: "mine",
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    headers.set("personal", { authorization: personal.secret });
    expect(await setState("personal", id, "Approved")).toMatchObject({ status: 403 });
    expect(await setState("bob", id, "Approved")).toMatchObject({ body: { state: "Approved" } });
  });

  test("a conflict with a later change is a 409 with both versions, and other fields do not conflict", async () => {
    const { name, at, strategy } = await createFlag();
    const id = await request("ann", {
      feature: name,
      action: "updateStrategy",
      payload: { id: strategy, ...ROLLOUT("75") },
    });
    await setState("bob", id, "Approved");
    await setApprovals(null);
    await service.admin("PATCH", `${at}/strategies/${strategy}`, [
      { op: "replace", path: "/title", value: "New title" },
    ]);
    expect(await succeed("ann", "POST", `${LIST}/${id}/check`)).not.toHaveProperty(
      "features.0.changes.0.conflict",
    );
    await service.admin("PATCH", `${at}/strategies/${strategy}`, [
      { op: "replace", path: "/parameters/rollout", value: "30" },
    ]);
    await setApprovals(1);
    const refused = await setState("ann", id, "Applied");
    expect(refused).toMatchObject({
      status: 409,
      body: {
        name: "ConflictError",
        message: `Somebody has changed what this request changes: parameters.rollout of the flag "${name}" was "25" when the change was requested, and is "30" now. Edit the change, or create a new request`,
        details: [{ conflict: { was: "25", now: "30" } }],
      },
    });
    expect(await service.admin("GET", at)).toMatchObject({
      strategies: [{ title: "New title", parameters: { rollout: "30" } }],
    });
    const { features } = await succeed("ann", "POST", `${LIST}/${id}/check`);
    const change = firstChange(features);
    expect(change).toMatchObject({ conflicts: [{ field: "parameters.rollout" }] });
    await succeed("ann", "PUT", `${LIST}/${id}/changes/${change.id}`, {
      payload: { ...change.payload, title: "New title" },
    });
    await setState("bob", id, "Approved");
    expect(await setState("ann", id, "Applied")).toMatchObject({ status: 200 });
    expect(await service.admin("GET", at)).toMatchObject({
      strategies: [{ title: "New title", parameters: { rollout: "75" } }],
    });
  });

  test("all changes of a request are made, or none", async () => {
    const one = await createFlag();
    const other = await createFlag();
    const id = await request("ann", [
      { feature: one.name, action: "updateEnabled", payload: { enabled: true } },
      { feature: other.name, action: "archiveFeature" },
    ]);
    await setState("bob", id, "Approved");
    await setApprovals(null);
    await service.admin("DELETE", `/projects/default/features/${other.name}`);
    await setApprovals(1);
    expect(await setState("ann", id, "Applied")).toMatchObject({ status: 409 });
    expect(await service.admin("GET", one.at)).toMatchObject({ enabled: false });
  });

  test("an owner applies a request without approvals only with a reason, which stays visible", async () => {
    const { name, at } = await createFlag();
    const id = await request("ann", {
      feature: name,
      action: "updateEnabled",
      payload: { enabled: true },
    });
    expect(await setState("ann", id, "Applied", { comment: "I want to" })).toMatchObject({
      status: 403,
    });
    expect(await setState("root", id, "Applied")).toMatchObject({ status: 400 });
    expect(await setState("root", id, "Applied", { comment: "Outage" })).toMatchObject({
      status: 200,
      body: { state: "Applied", appliedWithoutApproval: { reason: "Outage" } },
    });
    expect(await service.admin("GET", at)).toMatchObject({ enabled: true });
    const { events } = (await service.admin(
      "GET",
      "/search/events?type=IS:change-request-applied-without-approval&limit=1",
    )) as Body;
    expect(events[0]).toMatchObject({ createdBy: "root", data: { reason: "Outage" } });
  });

  test.each([
    [{ feature: "flag-1", action: "explode" }, /body\/action must be one of updateEnabled/],
    [{ action: "updateEnabled", payload: { enabled: true } }, /body\/feature is missing/],
    [
      { feature: "flag-1", action: "updateEnabled", payload: { enabled: "yes" } },
      /body\/payload\/enabled must be a boolean|body\/payload\/enabled must be boolean/,
    ],
    [
      {
        feature: "flag-1",
        action: "addStrategy",
        payload: { name: "flexibleRollout", parameters: { rollout: "101" } },
      },
      /body\/payload\/parameters\/rollout/,
    ],
    [{ feature: "no-such-flag", action: "archiveFeature" }, /no flag "no-such-flag"/],
    [[], /body/],
  ])("%j is an error, and makes no draft", async (body, message) => {
    const { total } = await succeed("cid", "GET", "/search/change-requests");
    const answer = await as("cid", "POST", NEW, body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body.message).toMatch(message);
    expect(await succeed("cid", "GET", "/search/change-requests")).toMatchObject({ total });
  });

  test("a schedule applies once, in the name of who scheduled it", async () => {
    const { name, at } = await createFlag();
    const id = await request("ann", {
      feature: name,
      action: "updateEnabled",
      payload: { enabled: true },
    });
    const scheduledAt = new Date(Date.now() + 60_000).toISOString();
    expect(await setState("ann", id, "Scheduled", { scheduledAt })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("cannot be scheduled yet") },
    });
    await setState("bob", id, "Approved");
    expect(
      await setState("ann", id, "Scheduled", { scheduledAt: "2020-01-01T00:00:00Z" }),
    ).toMatchObject({ status: 400, body: { message: expect.stringContaining("in the future") } });
    expect(await setState("ann", id, "Scheduled", { scheduledAt })).toMatchObject({
      status: 200,
      body: { state: "Scheduled", schedule: { scheduledAt, status: "pending" } },
    });
    expect(await applyAt(0)).toBe(0);
    // Two replicas at the same time.
    await Promise.all([applyAt(61_000), applyAt(61_000)]);
    expect(await succeed("ann", "GET", `${LIST}/${id}`)).toMatchObject({ state: "Applied" });
    expect(await service.admin("GET", at)).toMatchObject({ enabled: true });
    const { events } = (await service.admin(
      "GET",
      "/search/events?type=IS:change-request-scheduled-application-success",
    )) as Body;
    expect(events).toMatchObject([{ createdBy: "ann", data: { changeRequestId: id } }]);
  });

  /** Applies what is due, with a clock that is ahead. */
  const applyAt = (aheadMs: number) =>
    applyDue({
      storage: service.storage,
      logger: collectErrors([]),
      clock: async () => new Date(Date.now() + aheadMs),
    });

  const scheduleIn = async (delayMs: number) => {
    const flag = await createFlag();
    const id = await request("ann", {
      feature: flag.name,
      action: "updateEnabled",
      payload: { enabled: true },
    });
    await setState("bob", id, "Approved");
    const scheduledAt = new Date(Date.now() + delayMs).toISOString();
    expect(await setState("ann", id, "Scheduled", { scheduledAt })).toMatchObject({ status: 200 });
    return { ...flag, id };
  };

  test("a schedule is suspended with a reason if the flag has changed, or it is an hour late", async () => {
    const changed = await scheduleIn(60_000);
    await setApprovals(null);
    await service.admin("POST", `${changed.at}/on`);
    await setApprovals(1);
    await applyAt(61_000);
    expect(await succeed("ann", "GET", `${LIST}/${changed.id}`)).toMatchObject({
      state: "Scheduled",
      schedule: { status: "suspended", reason: expect.stringContaining("Somebody has changed") },
    });
    const late = await scheduleIn(60_000);
    await applyAt(60_000 + 61 * 60_000);
    expect(await succeed("ann", "GET", `${LIST}/${late.id}`)).toMatchObject({
      schedule: { status: "suspended", reason: expect.stringContaining("61 minutes later") },
    });
    expect(await service.admin("GET", late.at)).toMatchObject({ enabled: false });
    // Somebody applies it after all.
    expect(await setState("ann", late.id, "Applied")).toMatchObject({ status: 200 });
  });

  test("a schedule is suspended where approvals have been turned on since, and sent to review", async () => {
    const { name, at } = await createFlag();
    await setApprovals(null);
    const { id } = await succeed("ann", "POST", NEW, {
      feature: name,
      action: "updateEnabled",
      payload: { enabled: true },
    });
    const scheduledAt = new Date(Date.now() + 60_000).toISOString();
    await setState("ann", id, "Scheduled", { scheduledAt });
    await setApprovals(1);
    await applyAt(61_000);
    expect(await succeed("ann", "GET", `${LIST}/${id}`)).toMatchObject({
      state: "Scheduled",
      schedule: {
        status: "suspended",
        reason: "Changes in production now require 1 approval: send the request to review",
      },
    });
    expect(await service.admin("GET", at)).toMatchObject({ enabled: false });
    expect(await setState("ann", id, "In review")).toMatchObject({ body: { state: "In review" } });
    expect(await service.admin("GET", "/search/events?limit=2")).toMatchObject({
      events: [{ type: "change-request-sent-to-review" }, { type: "change-request-unscheduled" }],
    });
    expect(await setState("bob", id, "Approved")).toMatchObject({ body: { state: "Approved" } });
  });

  test("a schedule is moved and ended", async () => {
    const { id, at } = await scheduleIn(60_000);
    const later = new Date(Date.now() + 600_000).toISOString();
    await setState("ann", id, "Scheduled", { scheduledAt: later });
    await applyAt(61_000);
    expect(await succeed("ann", "GET", `${LIST}/${id}`)).toMatchObject({
      state: "Scheduled",
      schedule: { scheduledAt: later },
    });
    expect(await setState("ann", id, "In review")).toMatchObject({ body: { state: "Approved" } });
    await applyAt(601_000);
    expect(await service.admin("GET", at)).toMatchObject({ enabled: false });
  });

  test("a schedule is suspended if who scheduled it is disabled", async () => {
    const { id } = await scheduleIn(60_000);
    await service.admin("PUT", `/user-admin/${ids.get("ann")}`, { rootRole: 3 });
    await applyAt(61_000);
    expect(await succeed("bob", "GET", `${LIST}/${id}`)).toMatchObject({
      schedule: { status: "suspended", reason: expect.stringContaining('"ann"') },
    });
    await service.admin("PUT", `/user-admin/${ids.get("ann")}`, { rootRole: 2 });
    await setState("root", id, "Cancelled");
  });

  test("where nobody must approve, a draft is scheduled or applied as it is", async () => {
    const { name } = await createFlag();
    const { id } = await succeed(
      "ann",
      "POST",
      "/projects/default/environments/development/change-requests",
      {
        feature: name,
        action: "updateEnabled",
        payload: { enabled: true },
      },
    );
    expect(await setState("ann", id, "Applied")).toMatchObject({ body: { state: "Applied" } });
  });

  test("requests of a private project do not exist for others", async () => {
    await service.admin("POST", "/projects", { id: "secret", name: "Secret", mode: "private" });
    await service.admin("POST", "/projects/secret/features", { name: "hidden-flag" });
    const { id } = await succeed(
      "root",
      "POST",
      "/projects/secret/environments/production/change-requests",
      { feature: "hidden-flag", action: "updateEnabled", payload: { enabled: true } },
    );
    await succeed("root", "PUT", `/projects/secret/change-requests/${id}/state`, {
      state: "In review",
    });
    for (const path of [
      `/projects/secret/change-requests/${id}`,
      "/projects/secret/change-requests",
      "/projects/secret/change-requests/count",
      `/projects/default/change-requests/${id}`,
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect([path, (await as("bob", "GET", path)).status]).toEqual([path, 404]);
    }
    const { id: segment } = (await service.admin("POST", "/segments", {
      name: "secret-segment",
      project: "secret",
      constraints: [],
    })) as Body;
    for (const [project, number] of [
      ["secret", segment],
      ["no-such-project", 999_999],
    ] as const) {
      const moved = {
        feature: "flag-1",
        action: "moveFeature",
        payload: { newProjectId: project },
      };
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await as("bob", "POST", NEW, moved)).toMatchObject({
        status: 404,
        body: { message: `There is no project ${JSON.stringify(project)}` },
      });
      const deleted = { action: "deleteSegment", payload: { id: number } };
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await as("bob", "POST", NEW, deleted)).toMatchObject({
        status: 404,
        body: { message: `There is no segment ${number}` },
      });
    }
    const { changeRequests } = await succeed("bob", "GET", "/search/change-requests?limit=100");
    expect(JSON.stringify(changeRequests)).not.toContain("secret");
  });
});
