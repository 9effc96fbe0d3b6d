import { beforeAll, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Strategy {
  readonly name: string;
  readonly segments: readonly number[];
  readonly parameters: Readonly<Record<string, string>>;
}

interface Environments {
  readonly environments: readonly { readonly defaultStrategy?: unknown }[];
}

const PATH = "/projects/default/environments/development/default-strategy";
const BETA = {
  name: "flexibleRollout",
  title: "Beta users",
  parameters: { rollout: "25", stickiness: "userId" },
  constraints: [{ contextName: "plan", operator: "IN", values: ["beta"] }],
};

describeAnyStorage("default strategies", (source) => {
  const admin = useAdmin(source);
  let segment = 0;
  let expected: object = {};

  const turnOn = async (name: string, environment = "development") => {
    await admin.must(201, "POST", "/projects/default/features", { name });
    const path = `/projects/default/features/${name}/environments/${environment}`;
    await admin.must(200, "POST", `${path}/on`);
    const { body } = await admin.must<readonly Strategy[]>(200, "GET", `${path}/strategies`);
    return body;
  };

  beforeAll(async () => {
    await admin.must(201, "POST", "/context", { name: "plan" });
    const { body } = await admin.must<{ id: number }>(201, "POST", "/segments", {
      name: "europe",
      constraints: [{ contextName: "country", operator: "IN", values: ["AT"] }],
    });
    segment = body.id;
    expected = {
      ...BETA,
      disabled: false,
      constraints: [{ ...BETA.constraints[0], inverted: false, caseInsensitive: false }],
      variants: [],
      segments: [segment],
    };
  });

  test("an invalid one is refused", async () => {
    const refuse = (status: number, name: string, path: string | undefined, body: object) =>
      admin.refuse({ status, name, ...(path !== undefined && { path }) }, "POST", PATH, body);
    await refuse(400, "BadDataError", "/body/name", { name: "lunar" });
    await refuse(404, "NotFoundError", undefined, { ...BETA, segments: [999] });
    await refuse(400, "BadDataError", "/body/disabled", { ...BETA, disabled: true });
    await refuse(400, "BadDataError", "/body/parameters/rollout", {
      ...BETA,
      parameters: { rollout: "101" },
    });
    await admin.refuse(
      { status: 404, name: "NotFoundError" },
      "POST",
      PATH.replace("development", "nowhere"),
      BETA,
    );
    await admin.must(201, "POST", "/projects", { id: "other", name: "Other" });
    const foreign = await admin.must<{ id: number }>(201, "POST", "/segments", {
      name: "foreign",
      project: "other",
      constraints: [],
    });
    await refuse(400, "BadDataError", "/body/segments", { ...BETA, segments: [foreign.body.id] });
  });

  test("it is stored, with an event, and shown", async () => {
    const body = { ...BETA, segments: [segment], sortOrder: 3 };
    const set = () => admin.must(200, "POST", PATH, body);
    const events = await admin.eventsOf(async () => expect((await set()).body).toEqual(expected));
    expect(events).toMatchObject([
      {
        type: "default-strategy-updated",
        project: "default",
        environment: "development",
        preData: null,
        data: { title: "Beta users", segments: [segment] },
      },
    ]);
    expect(await admin.eventsOf(set)).toEqual([]);
    for (const path of ["/environments/project/default", "/projects/default/overview"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const shown = await admin.must<Environments>(200, "GET", path);
      expect(shown.body.environments.map((one) => one.defaultStrategy)).toEqual([
        expected,
        undefined,
      ]);
    }
    // What GET returns can be sent back.
    expect(await admin.eventsOf(() => admin.must(200, "POST", PATH, expected))).toEqual([]);
  });

  test("flags that are turned on without strategies get it, in this environment only", async () => {
    const { id: _id, ...strategy } = (await turnOn("one"))[0] as Strategy & { id: string };
    expect(strategy).toEqual({
      ...expected,
      parameters: { ...BETA.parameters, groupId: "one" },
      sortOrder: 0,
    });
    expect(await turnOn("two", "production")).toMatchObject([
      { parameters: { rollout: "100", stickiness: "default", groupId: "two" }, segments: [] },
    ]);
    await admin.must(200, "POST", "/projects/default/bulk_features/environments/development/on", {
      features: ["one", "two"],
    });
    const path = "/projects/default/features/two/environments/development/strategies";
    const { body } = await admin.must<readonly Strategy[]>(200, "GET", path);
    expect(body).toMatchObject([{ title: "Beta users", parameters: { groupId: "two" } }]);
  });

  test("what it refers to cannot be deleted or moved to another project", async () => {
    const conflict = { status: 409, name: "ConflictError" };
    const custom = { name: "lunar", parameters: [] };
    await admin.must(201, "POST", "/strategies", custom);
    await admin.must(201, "POST", "/context", { name: "orbit" });
    await admin.must(201, "POST", "/segments", { name: "unused", constraints: [] });
    const { body } = await admin.must<{ segments: { id: number; name: string }[] }>(
      200,
      "GET",
      "/segments",
    );
    const id = body.segments.find(({ name }) => name === "unused")?.id;
    await admin.must(200, "POST", PATH.replace("development", "production"), {
      name: "lunar",
      segments: [id],
      constraints: [{ contextName: "orbit", operator: "IN", values: ["low"] }],
    });
    const refused = [
      await admin.refuse(conflict, "DELETE", `/segments/${id}`),
      await admin.refuse(conflict, "DELETE", "/context/orbit"),
      await admin.refuse(conflict, "PUT", "/context/orbit", { project: "other" }),
      await admin.refuse(conflict, "DELETE", "/strategies/lunar"),
      await admin.refuse({ status: 400, name: "BadDataError" }, "PUT", `/segments/${id}`, {
        name: "unused",
        project: "other",
        constraints: [],
      }),
    ];
    for (const { text } of refused) expect(JSON.parse(text).message).toContain("default strategy");
  });

  test("a clone of the environment, an export and an import contain it", async () => {
    await admin.must(200, "POST", "/environments/development/clone", {
      name: "staging",
      type: "test",
    });
    expect(await turnOn("cloned", "staging")).toMatchObject([{ title: "Beta users" }]);
    const { body: file } = await admin.must<{ defaultStrategies: object[]; features: object[] }>(
      200,
      "GET",
      "/projects/default/export",
    );
    expect(file.defaultStrategies).toHaveLength(3);
    expect(file.defaultStrategies).toContainEqual({
      environment: "development",
      ...BETA,
      constraints: [{ ...BETA.constraints[0], inverted: false, caseInsensitive: false }],
      variants: [],
      segments: ["europe"],
    });
    const imported = { ...file, features: [] };
    await admin.must(200, "POST", "/projects/other/import", imported);
    // Existing ones stay.
    await admin.must(200, "POST", PATH.replace("default", "other"), { name: "default" });
    await admin.must(200, "POST", "/projects/other/import", imported);
    const { body } = await admin.must<Environments>(200, "GET", "/projects/other/overview");
    expect(body.environments).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          environment: "development",
          defaultStrategy: expect.objectContaining({ name: "default" }),
        }),
        expect.objectContaining({ environment: "staging", defaultStrategy: expected }),
      ]),
    );
    await admin.must(201, "POST", "/projects", { id: "third", name: "Third" });
    const strategy = { environment: "staging", name: "default", segments: [] };
    for (const [path, defaultStrategies] of [
      ["/body/defaultStrategies/0/segments", [{ ...strategy, segments: ["none"] }]],
      ["/body/defaultStrategies/1/environment", [strategy, strategy]],
    ] as const) {
      const invalid = { version: 1, features: [], defaultStrategies };
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await admin.refuse(
        { status: 400, name: "BadDataError", path },
        "POST",
        "/projects/third/import",
        invalid,
      );
    }
  });

  test("many copies of a large one are refused", async () => {
    const values = Array.from({ length: 200 }, (_, index) => `${index}-${"x".repeat(90)}`);
    const constraints = Array.from({ length: 25 }, () => ({
      contextName: "plan",
      operator: "IN",
      values,
    }));
    await admin.must(200, "POST", PATH, { name: "default", constraints });
    const features = Array.from({ length: 80 }, (_, index) => `many-${index}`);
    await admin.must(200, "POST", "/projects/default/import", {
      version: 1,
      features: features.map((name) => ({ name })),
    });
    const path = "/projects/default/bulk_features/environments/development/on";
    const { body } = await admin.refuse({ status: 400, name: "ExceedsLimitError" }, "POST", path, {
      features,
    });
    expect(body.message).toContain("16 MiB");
  });

  test("a project can be deleted with default strategies that use its own segments", async () => {
    const { body } = await admin.must<{ id: number }>(201, "POST", "/segments", {
      name: "own",
      project: "other",
      constraints: [],
    });
    await admin.must(200, "POST", PATH.replace("default", "other"), {
      name: "default",
      segments: [body.id],
    });
    await admin.must(200, "DELETE", "/projects/other");
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
