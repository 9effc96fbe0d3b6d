import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { strategies } from "../src/storage/schema/strategies.ts";
import { useAdmin } from "./_admin.ts";
import type { Named, SegmentResponse, StrategyResponse } from "./_responses.ts";
import { PRODUCTION_TOKEN } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

interface StrategyTypes {
  readonly strategies: readonly Named[];
}

describeAnyStorage("strategies", (source) => {
  const admin = useAdmin(source);
  const FEATURE = "/projects/default/features/flag";
  const STRATEGIES = `${FEATURE}/environments/production/strategies`;

  beforeAll(async () => {
    await admin.must(201, "POST", "/projects/default/features", { name: "flag" });
    await admin.must(201, "POST", "/context", {
      name: "plan",
      legalValues: [{ value: "free" }, { value: "paid" }, { value: "1.0.0" }],
    });
  });

  const add = async (body: object) =>
    (await admin.must<StrategyResponse>(200, "POST", STRATEGIES, body)).body;
  const clear = async () => {
    const { body } = await admin.must<StrategyResponse[]>(200, "GET", STRATEGIES);
    for (const { id } of body) await admin.must(200, "DELETE", `${STRATEGIES}/${id}`);
  };

  const CONSTRAINT = { contextName: "userId", operator: "IN", values: ["1"] };
  const STORED_CONSTRAINT = { ...CONSTRAINT, inverted: false, caseInsensitive: false };

  describe("POST …/strategies", () => {
    test("adds a strategy with defaults, responds 200 with it, and records it", async () => {
      const recorded = await admin.eventsOf(async () => {
        const body = await add({
          name: "flexibleRollout",
          title: "Half",
          parameters: { rollout: 50 },
          constraints: [CONSTRAINT],
        });
        expect(body).toEqual({
          id: expect.any(String),
          name: "flexibleRollout",
          title: "Half",
          disabled: false,
          constraints: [STORED_CONSTRAINT],
          parameters: { rollout: "50", stickiness: "default", groupId: "flag" },
          variants: [],
          segments: [],
          sortOrder: 0,
        });
        expect((await admin.must(200, "GET", `${STRATEGIES}/${body.id}`)).body).toEqual(body);
        expect((await admin.must(200, "GET", STRATEGIES)).body).toEqual([body]);
      });
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "feature-strategy-add",
          project: "default",
          featureName: "flag",
          environment: "production",
          preData: null,
          data: expect.objectContaining({ title: "Half" }),
        }),
      ]);
      expect(await add({ name: "userWithId" })).toMatchObject({ sortOrder: 1 });
      await clear();
    });

    test.each([
      ["/body/name", {}],
      ["/body/name", { name: "none" }],
      ["/body/name", { name: "constructor" }],
      ["/body/parameters", { name: "default", parameters: [] }],
      ["/body/parameters/a", { name: "default", parameters: { a: {} } }],
      ["/body/parameters/rollout", { name: "flexibleRollout", parameters: { rollout: "101" } }],
      ["/body/parameters/rollout", { name: "flexibleRollout", parameters: { rollout: "abc" } }],
      ["/body/parameters/rollout", { name: "flexibleRollout", parameters: { rollout: "" } }],
      [
        "/body/parameters/percentage",
        { name: "gradualRolloutUserId", parameters: { percentage: -1 } },
      ],
      ["/body/segments/0", { name: "default", segments: ["1"] }],
      ["/body/segments", { name: "default", segments: [1, 2, 3, 4, 5, 6] }],
      ["/body/disabled", { name: "default", disabled: "no" }],
      ["/body/sortOrder", { name: "default", sortOrder: -1 }],
    ])("rejects an invalid body at %s: %j", async (path, body) => {
      await admin.refuse({ status: 400, name: "BadDataError", path }, "POST", STRATEGIES, body);
    });

    test("accepts values that can never match, as Unleash does, and warns of them", async () => {
      const IPs = "999.1.1.1, 10.0.0.0/99,2001:db8::/32";
      const warning = {
        path: "/parameters/IPs",
        message:
          'contains "999.1.1.1", "10.0.0.0/99", which no address matches: an entry must be an IP address or range',
      };
      const recorded = await admin.eventsOf(async () => {
        const added = await add({ name: "remoteAddress", parameters: { IPs } });
        expect(added).toMatchObject({ parameters: { IPs }, warnings: [warning] });
        const path = `${STRATEGIES}/${added.id}`;
        const { body, headers } = await admin.must<object>(200, "GET", path);
        expect(body).toEqual(added);
        expect((await admin.must(200, "GET", STRATEGIES)).body).toEqual([added]);
        // What was read can be written, with the entity tag that was read.
        const ifMatch = { "if-match": headers.get("etag") ?? "" };
        const put = await admin.call("PUT", path, body, { headers: ifMatch });
        expect(put).toMatchObject({ status: 200, body: added });
        const patch = [{ op: "replace", path: "/parameters/IPs", value: "::1" }];
        const patched = await admin.must<object>(200, "PATCH", path, patch);
        expect(patched.body).not.toHaveProperty("warnings");
        const host = await add({ name: "applicationHostname", parameters: { hostNames: "a b" } });
        expect(host).toMatchObject({ warnings: [{ path: "/parameters/hostNames" }] });
      });
      expect(JSON.stringify(recorded)).not.toContain("warnings");
      await clear();
    });

    test("rejects unknown flags, environments and segments", async () => {
      const missing = { status: 404, name: "NotFoundError" };
      const body = { name: "default" };
      await admin.refuse(missing, "POST", STRATEGIES, { ...body, segments: [99] });
      await admin.refuse(missing, "POST", `${FEATURE}/environments/none/strategies`, body);
      await admin.refuse(missing, "POST", STRATEGIES.replace("flag", "none"), body);
      await admin.refuse(missing, "POST", STRATEGIES.replace("default", "none"), body);
      await admin.refuse(missing, "GET", `${STRATEGIES}/none`);
      await admin.refuse(missing, "GET", STRATEGIES.replace("flag", "none"));
    });

    test("rejects more segments than a statement has parameters", async () => {
      const segments = Array.from({ length: 70_000 }, (_, index) => index + 1);
      await admin.refuse(
        { status: 400, name: "BadDataError", path: "/body/segments" },
        "POST",
        STRATEGIES,
        { name: "default", segments },
      );
    });

    test("rejects more than 30 strategies, 30 constraints or 250 values", async () => {
      const { db } = admin.storage;
      const others = Array.from({ length: 29 }, (_, index) => ({
        id: `one-of-many-${index}`,
        feature: "flag",
        environment: "production",
        name: "default",
      }));
      await db.insert(strategies).values(others);
      await add({ name: "default" });
      await admin.refuse({ status: 400, name: "ExceedsLimitError" }, "POST", STRATEGIES, {
        name: "default",
      });
      await db.delete(strategies).where(eq(strategies.feature, "flag"));
      const constraints = Array.from({ length: 31 }, () => CONSTRAINT);
      await admin.refuse({ status: 400, name: "ExceedsLimitError" }, "POST", STRATEGIES, {
        name: "default",
        constraints,
      });
      await admin.refuse({ status: 400, name: "ExceedsLimitError" }, "POST", STRATEGIES, {
        name: "default",
        constraints: [{ ...CONSTRAINT, values: Array.from({ length: 251 }, () => "v") }],
      });
    });
  });

  describe("constraints", () => {
    const one = (operator: string, value?: string, more = {}) => ({
      contextName: "userId",
      operator,
      ...(value !== undefined && { value }),
      ...more,
    });

    test.each([
      one("NUM_EQ", "5"),
      one("NUM_GT", "-1.5e3"),
      one("DATE_AFTER", "2026-01-31T12:00:00.000Z"),
      one("SEMVER_EQ", "1.2.3-beta.1"),
      one("SEMVER_LTE", "0.0.1"),
      one("REGEX", "^a.*b$"),
      one("IN", undefined, { values: ["a"], inverted: true }),
      one("STR_CONTAINS", undefined, { values: ["a"], caseInsensitive: true }),
      one("IN_CIDR", undefined, { values: ["10.0.0.0/8"] }),
      { contextName: "plan", operator: "IN", values: ["free", "paid"] },
      { contextName: "plan", operator: "SEMVER_EQ", value: "1.0.0" },
      { contextName: "unknown", operator: "NOT_IN", values: ["x"] },
    ])("the constraints are accepted: %j", async (constraint) => {
      const response = await admin.must(204, "POST", "/constraints/validate", constraint);
      expect(response.text).toBe("");
      const { constraints } = await add({ name: "default", constraints: [constraint] });
      expect(constraints).toEqual([
        { values: [], inverted: false, caseInsensitive: false, ...constraint },
      ]);
      await clear();
    });

    test.each([
      ["/contextName", { operator: "IN", values: ["a"] }],
      ["/operator", { contextName: "userId", values: ["a"] }],
      ["/operator", one("EQUALS", "a")],
      ["/values", one("IN")],
      ["/values", one("IN", undefined, { values: [] })],
      ["/values/0", one("IN", undefined, { values: [""] })],
      ["/values/0", one("IN", undefined, { values: [1] })],
      ["/values/0", one("IN", undefined, { values: ["x".repeat(101)] })],
      ["/value", one("NUM_EQ")],
      ["/value", one("NUM_EQ", "")],
      ["/value", one("NUM_EQ", "five")],
      ["/value", one("NUM_GT", "0x1F")],
      ["/value", one("DATE_AFTER", "tomorrow")],
      ["/value", one("DATE_AFTER", "2024-02-30T00:00:00Z")],
      ["/values/1", one("IN_CIDR", undefined, { values: ["10.0.0.0/8", "10.0.0.0/99"] })],
      ["/value", one("SEMVER_EQ", "v1.2.3")],
      ["/value", one("SEMVER_EQ", "1.2")],
      ["/value", one("SEMVER_EQ", " 1.2.3")],
      ["/value", one("REGEX", "(")],
      ["/value", one("REGEX", "(?=a)")],
      ["/inverted", one("REGEX", "a", { inverted: true })],
      ["/more", one("NUM_EQ", "5", { more: 1 })],
      ["/values/1", { contextName: "plan", operator: "IN", values: ["free", "gold"] }],
      ["/value", { contextName: "plan", operator: "SEMVER_EQ", value: "2.0.0" }],
    ])("the constraints are rejected at %s: %j", async (at, constraint) => {
      const bad = { status: 400, name: "BadDataError" };
      await admin.refuse(
        { ...bad, path: `/body${at}` },
        "POST",
        "/constraints/validate",
        constraint,
      );
      await admin.refuse({ ...bad, path: `/body/constraints/0${at}` }, "POST", STRATEGIES, {
        name: "default",
        constraints: [constraint],
      });
    });
  });

  test("values of constraints are stored in the form that all SDKs read", async () => {
    const { constraints, parameters } = await add({
      name: "flexibleRollout",
      parameters: { rollout: "50.0" },
      constraints: [
        { contextName: "currentTime", operator: "DATE_AFTER", value: "2026-01-31" },
        { contextName: "userId", operator: "NUM_GT", value: ".5" },
      ],
    });
    expect(constraints).toMatchObject([{ value: "2026-01-31T00:00:00.000Z" }, { value: "0.5" }]);
    expect(parameters).toMatchObject({ rollout: "50" });
    await clear();
  });

  test("stored constraints with values that are no longer valid do not prevent changes", async () => {
    const { id } = await add({ name: "default", constraints: [] });
    const constraints = [{ ...STORED_CONSTRAINT, operator: "IN_CIDR", values: ["foo"] }];
    await admin.storage.db.update(strategies).set({ constraints }).where(eq(strategies.id, id));
    const patch = [{ op: "add", path: "/title", value: "Renamed" }];
    const { body } = await admin.must(200, "PATCH", `${STRATEGIES}/${id}`, patch);
    expect(body).toMatchObject({ title: "Renamed", constraints });
    await clear();
  });

  describe("variants", () => {
    const variant = (name: string, more: object = {}) => ({
      name,
      weight: 0,
      weightType: "variable",
      stickiness: "default",
      ...more,
    });
    const weightsOf = async (variants: object[]) => {
      const body = await add({ name: "default", variants });
      await clear();
      return body.variants.map(({ name, weight }) => [name, weight]);
    };

    test("variants get weights that add up to 1000, with equal variable weights, and are sorted by name", async () => {
      expect(await weightsOf([variant("a")])).toEqual([["a", 1000]]);
      expect(await weightsOf([variant("c"), variant("b"), variant("a")])).toEqual([
        ["a", 333],
        ["b", 333],
        ["c", 334],
      ]);
      expect(
        await weightsOf([
          variant("x", { weightType: "fix", weight: 999 }),
          variant("y"),
          variant("z"),
        ]),
      ).toEqual([
        ["x", 999],
        ["y", 1],
        ["z", 0],
      ]);
    });

    test("variants keep their payloads", async () => {
      const payload = { type: "json", value: '{"a":1}' };
      const body = await add({ name: "default", variants: [variant("a", { payload })] });
      expect(body.variants[0]?.payload).toEqual(payload);
      await clear();
    });

    test.each([
      ["/0/name", [variant("a b")]],
      ["/1/name", [variant("a"), variant("a")]],
      ["/0/weight", [variant("a", { weight: 1001 })]],
      ["/0/weight", [variant("a", { weight: 0.5 })]],
      ["/0/weightType", [variant("a", { weightType: "other" })]],
      ["/0/stickiness", [{ name: "a", weight: 1, weightType: "variable" }]],
      ["", [variant("a", { weightType: "fix", weight: 1000 })]],
      [
        "",
        [
          variant("a", { weightType: "fix", weight: 600 }),
          variant("b", { weightType: "fix", weight: 401 }),
          variant("c"),
        ],
      ],
      ["/0/payload/type", [variant("a", { payload: { type: "xml", value: "" } })]],
      ["/0/payload/value", [variant("a", { payload: { type: "json", value: "{" } })]],
      ["/0/payload/value", [variant("a", { payload: { type: "number", value: "one" } })]],
    ])("variants are rejected at %s", async (at, variants) => {
      await admin.refuse(
        { status: 400, name: "BadDataError", path: `/body/variants${at}` },
        "POST",
        STRATEGIES,
        { name: "default", variants },
      );
    });
  });

  describe("PUT …/strategies/{id}", () => {
    test("replaces a strategy, but keeps its name, title, state and segments if they are absent", async () => {
      const segment = await admin.must<SegmentResponse>(201, "POST", "/segments", {
        name: "assigned",
        constraints: [],
      });
      const before = await add({
        name: "flexibleRollout",
        title: "t",
        disabled: true,
        segments: [segment.body.id],
        constraints: [CONSTRAINT],
        parameters: { rollout: "5" },
      });
      const recorded = await admin.eventsOf(async () => {
        const { body } = await admin.must(200, "PUT", `${STRATEGIES}/${before.id}`, {
          parameters: { rollout: "7", groupId: "g", stickiness: "userId" },
        });
        expect(body).toEqual({
          ...before,
          constraints: [],
          parameters: { rollout: "7", groupId: "g", stickiness: "userId" },
        });
      });
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "feature-strategy-update",
          preData: before,
          data: expect.objectContaining({ id: before.id, constraints: [] }),
        }),
      ]);
      await clear();
    });

    test("records nothing if nothing changes", async () => {
      const before = await add({ name: "default" });
      expect(
        await admin.eventsOf(() => admin.must(200, "PUT", `${STRATEGIES}/${before.id}`, before)),
      ).toEqual([]);
      await clear();
    });

    test("cannot change strategies of other environments, flags and projects", async () => {
      const { id } = await add({ name: "default" });
      const missing = { status: 404, name: "NotFoundError" };
      await admin.must(201, "POST", "/projects/default/features", { name: "other-flag" });
      for (const path of [
        STRATEGIES.replace("production", "development"),
        STRATEGIES.replace("flag", "other-flag"),
        STRATEGIES.replace("default", "none"),
      ]) {
        await admin.refuse(missing, "GET", `${path}/${id}`);
        await admin.refuse(missing, "PUT", `${path}/${id}`, { name: "default" });
        await admin.refuse(missing, "PATCH", `${path}/${id}`, []);
        await admin.refuse(missing, "DELETE", `${path}/${id}`);
      }
      await admin.must(200, "GET", `${STRATEGIES}/${id}`);
      await admin.refuse(missing, "PUT", `${STRATEGIES}/none`, {});
      await clear();
    });

    test("turns the flag off if no enabled strategy remains", async () => {
      const { id } = await add({ name: "default" });
      await admin.must(200, "POST", `${FEATURE}/environments/production/on`);
      const recorded = await admin.eventsOf(() =>
        admin.must(200, "PUT", `${STRATEGIES}/${id}`, { disabled: true }),
      );
      expect(recorded.map(({ type }) => type)).toEqual([
        "feature-strategy-update",
        "feature-environment-disabled",
      ]);
      await clear();
    });
  });

  describe("PATCH …/strategies/{id}", () => {
    test("applies a JSON Patch", async () => {
      const before = await add({ name: "flexibleRollout", title: "t", constraints: [CONSTRAINT] });
      const { body } = await admin.must(200, "PATCH", `${STRATEGIES}/${before.id}`, [
        { op: "remove", path: "/title" },
        { op: "replace", path: "/parameters/rollout", value: "20" },
        { op: "add", path: "/constraints/-", value: CONSTRAINT },
        { op: "move", from: "/constraints/1", path: "/constraints/0" },
      ]);
      expect(body).toEqual({
        ...before,
        title: null,
        parameters: { ...before.parameters, rollout: "20" },
        constraints: [STORED_CONSTRAINT, STORED_CONSTRAINT],
      });
      const bad = { status: 400, name: "BadDataError" };
      await admin.refuse(bad, "PATCH", `${STRATEGIES}/${before.id}`, [
        { op: "add", path: "/unknown", value: 1 },
      ]);
      await admin.refuse(bad, "PATCH", `${STRATEGIES}/${before.id}`, [
        { op: "replace", path: "/id", value: "x" },
      ]);
      await admin.refuse(bad, "PATCH", `${STRATEGIES}/${before.id}`, [
        { op: "replace", path: "/name", value: "none" },
      ]);
      await admin.refuse({ status: 404, name: "NotFoundError" }, "PATCH", `${STRATEGIES}/none`, []);
      await clear();
    });
  });

  describe("DELETE …/strategies/{id}", () => {
    test("deletes a strategy, and turns the flag off if it was the last one", async () => {
      const before = await add({ name: "default" });
      await admin.must(200, "POST", `${FEATURE}/environments/production/on`);
      const recorded = await admin.eventsOf(() =>
        admin.must(200, "DELETE", `${STRATEGIES}/${before.id}`),
      );
      expect(recorded).toEqual([
        expect.objectContaining({ type: "feature-strategy-remove", preData: before, data: null }),
        expect.objectContaining({ type: "feature-environment-disabled" }),
      ]);
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "DELETE", `${STRATEGIES}/${before.id}`);
    });
  });

  describe("POST …/strategies/set-sort-order", () => {
    test("changes the order of strategies, and rejects strategies of others", async () => {
      const ids: string[] = [];
      for (let index = 0; index < 3; index++) ids.push((await add({ name: "default" })).id);
      const order = ids.map((id, index) => ({ id, sortOrder: 10 - index }));
      const recorded = await admin.eventsOf(() =>
        admin.must(200, "POST", `${STRATEGIES}/set-sort-order`, order),
      );
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "strategy-order-changed",
          preData: {
            strategyIds: ids,
            strategies: ids.map((id, index) => ({ id, sortOrder: index })),
          },
          data: { strategyIds: ids.toReversed(), strategies: order.toReversed() },
        }),
      ]);
      const bad = { status: 400, name: "BadDataError" };
      const path = `${STRATEGIES}/set-sort-order`;
      await admin.refuse({ ...bad, path: "/body/1/id" }, "POST", path, [
        { id: ids[0], sortOrder: 0 },
        { id: "none", sortOrder: 1 },
      ]);
      await admin.refuse({ ...bad, path: "/body/0/sortOrder" }, "POST", path, [{ id: ids[0] }]);
      await admin.refuse(bad, "POST", path, {});
      await clear();
    });
  });

  test("strategies with the same sort order have the same order everywhere, and an event records each change to it", async () => {
    const readOrders = async () => {
      const { body } = await admin.must<StrategyResponse[]>(200, "GET", STRATEGIES);
      const headers = { authorization: PRODUCTION_TOKEN };
      const response = await admin.app.inject({ path: "/api/client/features/flag", headers });
      return {
        shown: body.map(({ parameters }) => parameters["rollout"]),
        served: response
          .json<{ strategies: StrategyResponse[] }>()
          .strategies.map(({ parameters }) => parameters["rollout"]),
      };
    };
    const ids: string[] = [];
    const rollouts = ["1", "2", "3", "4", "5", "6"];
    for (const rollout of rollouts) {
      const strategy = { name: "flexibleRollout", sortOrder: 0, parameters: { rollout } };
      ids.push((await add(strategy)).id);
    }
    expect(await readOrders()).toEqual({ shown: rollouts, served: rollouts });

    const order = ids.map((id, sortOrder) => ({ id, sortOrder }));
    const setOrder = () => admin.must(200, "POST", `${STRATEGIES}/set-sort-order`, order);
    expect(await admin.eventsOf(setOrder)).toHaveLength(1);
    expect(await admin.eventsOf(setOrder)).toEqual([]);
    expect(await readOrders()).toEqual({ shown: rollouts, served: rollouts });
    await clear();
  });

  describe("strategy types", () => {
    test("strategy types can be created for applications that implement them", async () => {
      const recorded = await admin.eventsOf(async () => {
        const { body } = await admin.must(201, "POST", "/strategies", {
          name: "byCountry",
          parameters: [{ name: "countries", type: "list" }],
        });
        expect(body).toMatchObject({ name: "byCountry", editable: true, deprecated: false });
        await admin.must(200, "PUT", "/strategies/byCountry", { description: "d" });
      });
      expect(recorded.map(({ type }) => type)).toEqual(["strategy-created", "strategy-updated"]);
      const strategy = await add({ name: "byCountry", parameters: { countries: "no,se" } });
      expect(strategy.parameters).toEqual({ countries: "no,se" });
      await admin.refuse({ status: 409, name: "ConflictError" }, "DELETE", "/strategies/byCountry");
      await clear();
      await admin.must(200, "DELETE", "/strategies/byCountry");
      const { body } = await admin.must<StrategyTypes>(200, "GET", "/strategies");
      expect(body.strategies.map(({ name }) => name)).toContain("userWithId");
      expect((await admin.must(200, "GET", "/strategies/default")).body).toMatchObject({
        editable: false,
      });
    });

    test("built-in types list the parameters that tools may send", async () => {
      const read = async (name: string) => {
        const { body } = await admin.must<{
          displayName: string;
          description: string;
          parameters: readonly { name: string; type: string }[];
        }>(200, "GET", `/strategies/${name}`);
        expect(body.displayName).not.toBe("");
        expect(body.description).not.toBe("");
        return body.parameters.map(({ name, type }) => [name, type]);
      };
      expect(await read("default")).toEqual([]);
      expect(await read("flexibleRollout")).toEqual([
        ["rollout", "percentage"],
        ["stickiness", "string"],
        ["groupId", "string"],
      ]);
      expect(await read("userWithId")).toEqual([["userIds", "list"]]);
      expect(await read("remoteAddress")).toEqual([["IPs", "list"]]);
      expect(await read("applicationHostname")).toEqual([["hostNames", "list"]]);
    });

    test("custom types can be deprecated and reactivated", async () => {
      await admin.must(201, "POST", "/strategies", { name: "old" });
      const recorded = await admin.eventsOf(() =>
        admin.must(200, "POST", "/strategies/old/deprecate"),
      );
      expect(recorded).toEqual([expect.objectContaining({ type: "strategy-updated" })]);
      const { body } = await admin.must(200, "GET", "/strategies/old");
      expect(body).toMatchObject({ deprecated: true });
      await admin.must(200, "POST", "/strategies/old/reactivate");
      expect((await admin.must(200, "GET", "/strategies/old")).body).toMatchObject({
        deprecated: false,
      });
      const fixed = { status: 403, name: "InvalidOperationError" };
      await admin.refuse(fixed, "POST", "/strategies/default/deprecate");
      const unknown = { name: "typed", parameters: [{ name: "p", type: "bogus" }] };
      await admin.refuse(
        { status: 400, name: "BadDataError", path: "/body/parameters/0/type" },
        "POST",
        "/strategies",
        unknown,
      );
    });

    test("taken names, changes to built-in types and unknown strategy types are rejected", async () => {
      await admin.refuse({ status: 409, name: "NameExistsError" }, "POST", "/strategies", {
        name: "default",
      });
      const fixed = { status: 403, name: "InvalidOperationError" };
      await admin.refuse(fixed, "PUT", "/strategies/default", {});
      await admin.refuse(fixed, "DELETE", "/strategies/default");
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "GET", "/strategies/none");
      await admin.refuse(missing, "PUT", "/strategies/none", {});
      await admin.refuse(missing, "DELETE", "/strategies/none");
      await admin.refuse({ status: 400, name: "BadDataError" }, "POST", "/strategies", {});
    });
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
