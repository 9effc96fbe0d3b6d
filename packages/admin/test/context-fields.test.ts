import { like } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { contextFields } from "../src/storage/schema/projects.ts";
import { useAdmin } from "./_admin.ts";
import type { ContextFieldResponse, ErrorResponse, SegmentResponse } from "./_responses.ts";
import { describeStorages } from "./_storages.ts";

describeStorages("context fields", (source) => {
  const admin = useAdmin(source);

  const field = async (name: string) =>
    (await admin.must<ContextFieldResponse>(200, "GET", `/context/${name}`)).body;

  const FULL = {
    description: "Where the user is",
    stickiness: true,
    sortOrder: 7,
    legalValues: [{ value: "eu", description: "Europe" }, { value: "us" }],
  };

  describe("GET /api/admin/context", () => {
    test("lists the built-in fields by sort order, with their usage", async () => {
      const { body } = await admin.must<ContextFieldResponse[]>(200, "GET", "/context");
      expect(body.map(({ name }) => name)).toEqual([
        "environment",
        "userId",
        "appName",
        "currentTime",
        "sessionId",
      ]);
      expect(body[4]).toEqual({
        name: "sessionId",
        description: expect.any(String),
        stickiness: true,
        sortOrder: 4,
        legalValues: [],
        createdAt: expect.any(String),
        usedInFeatures: 0,
        usedInProjects: 0,
      });
    });

    test("lists fields with the same sort order by name", async () => {
      for (const [name, sortOrder] of [
        ["y", 1],
        ["x", 1],
        ["Z", 1],
        ["first", -1],
      ] as const) {
        await admin.must(201, "POST", "/context", { name, sortOrder });
      }
      const { body } = await admin.must<ContextFieldResponse[]>(200, "GET", "/context");
      const names = body.map(({ name }) => name);
      expect(names.slice(0, 6)).toEqual(["first", "environment", "Z", "userId", "x", "y"]);
      for (const name of ["first", "Z", "x", "y"]) {
        await admin.must(200, "DELETE", `/context/${name}`);
      }
    });
  });

  describe("POST /api/admin/context", () => {
    test("creates a field, returns it and records it", async () => {
      const recorded = await admin.eventsOf(async () => {
        const { body, headers } = await admin.must(201, "POST", "/context", {
          name: "region",
          ...FULL,
        });
        expect(body).toEqual({ name: "region", ...FULL, createdAt: expect.any(String) });
        expect(headers.get("location")).toBe("context/region");
      });
      expect(recorded).toEqual([
        {
          type: "context-field-created",
          createdBy: "init-admin",
          actorKind: "token",
          project: null,
          featureName: null,
          environment: null,
          changeRequestId: null,
          preData: null,
          data: { name: "region", ...FULL, createdAt: expect.any(String) },
          tags: [],
        },
      ]);
      expect(await field("region")).toMatchObject(FULL);
    });

    test("applies defaults to absent properties", async () => {
      const { body } = await admin.must(201, "POST", "/context", { name: "plain" });
      expect(body).toMatchObject({
        description: null,
        stickiness: false,
        sortOrder: 0,
        legalValues: [],
      });
    });

    test("rejects a name that is taken", async () => {
      await admin.refuse({ status: 409, name: "NameExistsError" }, "POST", "/context", {
        name: "userId",
      });
    });

    test.each([
      ["/body/name", {}],
      ["/body/name", { name: "" }],
      ["/body/name", { name: "a b" }],
      ["/body/name", { name: ".." }],
      ["/body/name", { name: "ü" }],
      ["/body/name", { name: "x".repeat(101) }],
      ["/body/name", { name: 5 }],
      ["/body/stickiness", { name: "x", stickiness: "true" }],
      ["/body/legalValues/1/value", { name: "x", legalValues: [{ value: "a" }, { value: "a" }] }],
      ["/body", []],
      ["/body", "null"],
    ])("rejects an invalid body at %s", async (path, body) => {
      await admin.refuse({ status: 400, name: "BadDataError", path }, "POST", "/context", body);
    });
  });

  describe("the limit of legal values", () => {
    const values = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ value: `v${index}` }));
    const tooMany = { status: 400, name: "ExceedsLimitError" };

    test("the limit of legal values applies to new fields, added values and imports", async () => {
      const body = (count: number) => ({ name: "limited", legalValues: values(count) });
      await admin.refuse(tooMany, "POST", "/context", body(10_001));
      const file = { version: 1, contextFields: [body(10_001)], features: [] };
      const path = "/body/contextFields/0";
      await admin.refuse({ ...tooMany, path }, "POST", "/projects/default/import", file);
      await admin.must(201, "POST", "/context", body(10_000));
      await admin.refuse(tooMany, "PUT", "/context/limited", { legalValues: values(10_001) });
      const add = "/context/limited/legal-values";
      await admin.refuse(tooMany, "POST", add, { value: "another" });
      await admin.must(200, "POST", add, { value: "v7", description: "Seven" });
      await admin.must(200, "DELETE", "/context/limited");
    });

    test("a list of legal values that exceeds the limit cannot grow", async () => {
      const legalValues = values(10_002);
      await admin.storage.db.insert(contextFields).values({ name: "long", legalValues });
      await admin.must(200, "PUT", "/context/long", await field("long"));
      expect(await field("long")).toMatchObject({ legalValues });
      await admin.refuse(tooMany, "PUT", "/context/long", { legalValues: values(10_003) });
      await admin.refuse(tooMany, "POST", "/context/long/legal-values", { value: "another" });
      await admin.must(200, "DELETE", "/context/long/legal-values/v10001");
      await admin.refuse(tooMany, "PUT", "/context/long", { legalValues });
      await admin.must(200, "PUT", "/context/long", { legalValues: values(10_001) });
      await admin.must(200, "DELETE", "/context/long");
    });
  });

  describe("the limits of all context fields together", () => {
    const tooMany = { status: 400, name: "ExceedsLimitError" };
    const names = (count: number) => Array.from({ length: count }, (_, index) => `filler${index}`);
    const insert = async (added: readonly (typeof contextFields.$inferInsert)[]) => {
      await admin.storage.db.insert(contextFields).values([...added]);
    };
    const remove = () =>
      admin.storage.db.delete(contextFields).where(like(contextFields.name, "filler%"));
    const refuseImport = (contextField: { readonly name: string }) =>
      admin.refuse(
        { ...tooMany, path: "/body/contextFields" },
        "POST",
        "/projects/default/import",
        { version: 1, contextFields: [contextField], features: [] },
      );

    test("there can be 500 fields", async () => {
      const { body } = await admin.must<ContextFieldResponse[]>(200, "GET", "/context");
      await insert(names(499 - body.length).map((name) => ({ name })));
      await admin.must(201, "POST", "/context", { name: "last" });
      await admin.refuse(tooMany, "POST", "/context", { name: "another" });
      await refuseImport({ name: "another" });
      await admin.must(200, "DELETE", "/context/last");
      await remove();
    });

    test("they can have 100,000 legal values", async () => {
      const { body: fields } = await admin.must<ContextFieldResponse[]>(200, "GET", "/context");
      const existing = fields.flatMap((other) => other.legalValues).length;
      const legalValues = Array.from({ length: 10_000 }, (_, index) => ({ value: `v${index}` }));
      await insert(names(9).map((name) => ({ name, legalValues })));
      const body = { name: "last", legalValues: legalValues.slice(existing + 1) };
      await admin.must(201, "POST", "/context", body);
      await admin.must(201, "POST", "/context", { name: "one", legalValues: [{ value: "a" }] });
      const another = { legalValues: [{ value: "a" }, { value: "b" }] };
      await admin.refuse(tooMany, "PUT", "/context/one", another);
      await admin.refuse(tooMany, "POST", "/context/one/legal-values", { value: "b" });
      await admin.refuse(tooMany, "POST", "/context", { name: "another", ...another });
      await refuseImport({ name: "another", ...another });
      await admin.must(200, "PUT", "/context/one", { legalValues: [{ value: "c" }] });
      await admin.must(201, "POST", "/context", { name: "empty" });
      for (const name of ["last", "one", "empty"]) {
        await admin.must(200, "DELETE", `/context/${name}`);
      }
      await remove();
    });
  });

  describe("PUT /api/admin/context/{contextField}", () => {
    test("replaces the given properties, responds 200 without a body, and records the previous and new state", async () => {
      await admin.must(201, "POST", "/context", { name: "plan" });
      const before = await field("plan");
      const recorded = await admin.eventsOf(async () => {
        const response = await admin.must(200, "PUT", "/context/plan", FULL);
        expect(response.text).toBe("");
        expect(response.headers.get("content-length")).toBe("0");
      });
      expect(await field("plan")).toEqual({ ...before, ...FULL });
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "context-field-updated",
          createdBy: "init-admin",
          preData: before,
          data: { ...before, ...FULL },
        }),
      ]);
    });

    test.each([
      [{ description: "Other" }],
      [{ description: "" }],
      [{ description: null }],
      [{ stickiness: false }],
      [{ sortOrder: -3 }],
      [{ legalValues: [] }],
      [{ legalValues: [{ value: "x" }] }],
    ])("does not change absent properties: %j", async (part) => {
      await admin.must(200, "PUT", "/context/plan", FULL);
      const before = await field("plan");
      await admin.must(200, "PUT", "/context/plan", part);
      expect(await field("plan")).toEqual({ ...before, ...part });
    });

    test("records nothing if nothing changes", async () => {
      await admin.must(200, "PUT", "/context/plan", FULL);
      const recorded = await admin.eventsOf(async () => {
        await admin.must(200, "PUT", "/context/plan", FULL);
        await admin.must(200, "PUT", "/context/plan", {});
        await admin.must(200, "PUT", "/context/plan", { name: "other", project: null });
      });
      expect(recorded).toEqual([]);
      expect(await field("plan")).toMatchObject({ name: "plan", ...FULL });
    });

    test("stores no description for a legal value whose description is null", async () => {
      await admin.must(200, "PUT", "/context/plan", {
        legalValues: [{ value: "a", description: null }, { value: "b" }],
      });
      expect((await field("plan")).legalValues).toEqual([{ value: "a" }, { value: "b" }]);
    });

    test("updates built-in fields too", async () => {
      await admin.must(200, "PUT", "/context/appName", { stickiness: true });
      expect(await field("appName")).toMatchObject({ stickiness: true, sortOrder: 2 });
    });

    test.each([
      ["/body/description", { description: 5 }],
      ["/body/description", { description: "x".repeat(251) }],
      ["/body/stickiness", { stickiness: "true" }],
      ["/body/stickiness", { stickiness: 1 }],
      ["/body/stickiness", { stickiness: null }],
      ["/body/sortOrder", { sortOrder: "3" }],
      ["/body/sortOrder", { sortOrder: 1.5 }],
      ["/body/sortOrder", { sortOrder: null }],
      ["/body/sortOrder", { sortOrder: 2 ** 40 }],
      ["/body/legalValues", { legalValues: null }],
      ["/body/legalValues", { legalValues: "a" }],
      ["/body/legalValues/0", { legalValues: ["a"] }],
      ["/body/legalValues/0/value", { legalValues: [{}] }],
      ["/body/legalValues/0/value", { legalValues: [{ value: "" }] }],
      ["/body/legalValues/0/value", { legalValues: [{ value: 5 }] }],
      ["/body/legalValues/0/value", { legalValues: [{ value: "x".repeat(101) }] }],
      ["/body/legalValues/0/color", { legalValues: [{ value: "a", color: "red" }] }],
      ["/body/legalValues/0/description", { legalValues: [{ value: "a", description: 1 }] }],
      ["/body/legalValues/1/value", { legalValues: [{ value: "a" }, { value: "a" }] }],
      ["/body", [FULL]],
      ["/body", "null"],
      ["/body", '"text"'],
      ["/body", "5"],
      ["/body", undefined],
    ])("rejects an invalid body at %s: %j", async (path, body) => {
      await admin.refuse({ status: 400, name: "BadDataError", path }, "PUT", "/context/plan", body);
    });

    test.each([
      [{ description: 5 }, "must be a string or null"],
      [{ sortOrder: 1.5 }, "must be a whole number"],
      [{ legalValues: "a" }, "must be a list"],
    ])("says which type %j must have", async (body, message) => {
      const response = await admin.call<ErrorResponse>("PUT", "/context/plan", body);
      expect(response.body.details).toMatchObject([{ message }]);
    });

    test("rejects an unknown field and does not create it", async () => {
      await admin.refuse({ status: 404, name: "NotFoundError" }, "PUT", "/context/none", FULL);
    });

    test("rejects an invalid body for an unknown field with a 400", async () => {
      await admin.refuse({ status: 400, name: "BadDataError" }, "PUT", "/context/none", {
        stickiness: 1,
      });
    });

    test("rejects text that the database cannot store", async () => {
      for (const text of ["a\0b", "\ud800"]) {
        await admin.refuse(
          { status: 400, name: "BadDataError", path: "/body/description" },
          "PUT",
          "/context/plan",
          { description: text },
        );
      }
    });

    test("applies all of several concurrent updates", async () => {
      await admin.must(201, "POST", "/context", { name: "busy" });
      const parts = [
        { description: "d" },
        { stickiness: true },
        { sortOrder: 9 },
        { legalValues: [{ value: "v" }] },
      ];
      const recorded = await admin.eventsOf(() =>
        Promise.all(parts.map((part) => admin.must(200, "PUT", "/context/busy", part))),
      );
      expect(await field("busy")).toMatchObject(Object.assign({}, ...parts));
      // The previous state in each event is the new state of the event before it.
      expect(recorded).toHaveLength(4);
      for (const [index, { preData }] of recorded.entries()) {
        if (index > 0) expect(preData).toEqual(recorded[index - 1]?.data);
      }
    });

    test("accepts names that need encoding in a path", async () => {
      await admin.must(201, "POST", "/context", { name: "it's(!)*~" });
      await admin.must(200, "PUT", `/context/${encodeURIComponent("it's(!)*~")}`, FULL);
      expect(await field("it's(!)*~")).toMatchObject(FULL);
    });
  });

  describe("legal values", () => {
    test("POST adds a value or replaces an existing one", async () => {
      await admin.must(201, "POST", "/context", { name: "tier", sortOrder: 3 });
      const path = "/context/tier/legal-values";
      await admin.must(200, "POST", path, { value: "free", description: "d" });
      await admin.must(200, "POST", path, { value: "paid" });
      const recorded = await admin.eventsOf(() => admin.must(200, "POST", path, { value: "free" }));
      const { legalValues, sortOrder } = await field("tier");
      expect(legalValues).toEqual([{ value: "free" }, { value: "paid" }]);
      expect(sortOrder).toBe(3);
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "context-field-updated",
          preData: expect.objectContaining({
            legalValues: [{ value: "free", description: "d" }, { value: "paid" }],
          }),
          data: expect.objectContaining({ legalValues }),
        }),
      ]);
    });

    test("DELETE removes a value and ignores an unknown one", async () => {
      const path = "/context/tier/legal-values/free";
      await admin.must(200, "DELETE", path);
      expect((await field("tier")).legalValues).toEqual([{ value: "paid" }]);
      expect(await admin.eventsOf(() => admin.must(200, "DELETE", path))).toEqual([]);
    });

    test("requests for legal values reject invalid bodies and unknown fields", async () => {
      const bad = { status: 400, name: "BadDataError" };
      await admin.refuse(bad, "POST", "/context/tier/legal-values", { value: "" });
      await admin.refuse(bad, "POST", "/context/tier/legal-values", { value: "a", more: 1 });
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "POST", "/context/none/legal-values", { value: "a" });
      await admin.refuse(missing, "DELETE", "/context/none/legal-values/a");
    });
  });

  describe("POST /api/admin/context/validate", () => {
    test("checks whether a name is available", async () => {
      await admin.must(200, "POST", "/context/validate", { name: "available-name" });
      await admin.refuse({ status: 409, name: "NameExistsError" }, "POST", "/context/validate", {
        name: "userId",
      });
      const bad = { status: 400, name: "BadDataError" };
      await admin.refuse(bad, "POST", "/context/validate", { name: "a/b" });
      await admin.refuse(bad, "POST", "/context/validate", { name: "a", more: true });
    });
  });

  describe("DELETE /api/admin/context/{contextField}", () => {
    test("deletes a field and records its previous state", async () => {
      await admin.must(201, "POST", "/context", { name: "gone" });
      const before = await field("gone");
      const recorded = await admin.eventsOf(() => admin.must(200, "DELETE", "/context/gone"));
      expect(recorded).toEqual([
        expect.objectContaining({ type: "context-field-deleted", preData: before, data: null }),
      ]);
      await admin.refuse({ status: 404, name: "NotFoundError" }, "DELETE", "/context/gone");
      await admin.refuse({ status: 404, name: "NotFoundError" }, "GET", "/context/gone");
    });

    test("rejects the deletion while a strategy of an active flag or a segment uses the field", async () => {
      const conflict = { status: 409, name: "ConflictError" };
      const constraint = { contextName: "used", operator: "IN", values: ["a"] };
      await admin.must(201, "POST", "/context", { name: "used" });
      await admin.must(201, "POST", "/projects/default/features", { name: "user" });
      await admin.must(
        200,
        "POST",
        "/projects/default/features/user/environments/development/strategies",
        { name: "default", constraints: [constraint] },
      );
      await admin.refuse(conflict, "DELETE", "/context/used");
      const none = await admin.must(200, "GET", "/context/no-such-field/strategies");
      expect(none.body).toEqual({ strategies: [] });
      const { body } = await admin.must(200, "GET", "/context/used/strategies");
      expect(body).toEqual({
        strategies: [
          {
            id: expect.any(String),
            projectId: "default",
            featureName: "user",
            strategyName: "default",
            environment: "development",
          },
        ],
      });
      const all = await admin.must<ContextFieldResponse[]>(200, "GET", "/context");
      expect(all.body.find(({ name }) => name === "used")).toMatchObject({
        usedInFeatures: 1,
        usedInProjects: 1,
      });

      await admin.must(202, "DELETE", "/projects/default/features/user");
      const segment = await admin.must<SegmentResponse>(201, "POST", "/segments", {
        name: "s",
        constraints: [constraint],
      });
      await admin.refuse(conflict, "DELETE", "/context/used");
      await admin.must(204, "DELETE", `/segments/${segment.body.id}`);
      await admin.must(200, "DELETE", "/context/used");
    });
  });

  describe("stickiness and overrides", () => {
    const variant = { name: "a", weight: 1000, weightType: "variable", stickiness: "default" };
    const environment = "/projects/default/features/sticky/environments/development";
    const rollout = { name: "flexibleRollout", parameters: { stickiness: "teamId" } };
    const strategies = `${environment}/strategies`;
    const variants = `${environment}/variants`;

    test.each([
      ["of a strategy", "POST", strategies, rollout, 1],
      [
        "of a variant of a strategy",
        "POST",
        strategies,
        { name: "default", variants: [{ ...variant, stickiness: "teamId" }] },
        1,
      ],
      ["of a variant", "PUT", variants, [{ ...variant, stickiness: "teamId" }], 0],
      [
        "in an override",
        "PUT",
        variants,
        [{ ...variant, overrides: [{ contextName: "teamId", values: ["1"] }] }],
        0,
      ],
    ])(
      "a field that is used for stickiness or an override counts as used: %s",
      async (_, method, path, body, strategyCount) => {
        await admin.must(201, "POST", "/context", { name: "teamId", stickiness: true });
        await admin.must(201, "POST", "/projects/default/features", { name: "sticky" });
        await admin.must(200, method, path, body);
        const all = await admin.must<ContextFieldResponse[]>(200, "GET", "/context");
        expect(all.body.find(({ name }) => name === "teamId")).toMatchObject({
          usedInFeatures: 1,
          usedInProjects: 1,
        });
        const uses = await admin.must<{ strategies: unknown[] }>(
          200,
          "GET",
          "/context/teamId/strategies",
        );
        expect(uses.body.strategies).toHaveLength(strategyCount);
        const conflict = { status: 409, name: "ConflictError" };
        const refused = await admin.refuse(conflict, "DELETE", "/context/teamId");
        expect(refused.body.message).toContain('is used by the flag "sticky"');

        await admin.must(202, "DELETE", "/projects/default/features/sticky");
        await admin.must(200, "DELETE", "/archive/sticky");
        await admin.must(200, "DELETE", "/context/teamId");
      },
    );
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
