import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createUser, logIn } from "./_accounts.ts";
import { useAdmin } from "./_admin.ts";
import { openStream } from "./_event-stream.ts";
import { createFlag, createToken } from "./_flags.ts";
import { skipsPostgres, startPostgres } from "./_postgres.ts";
import type { ErrorResponse, FeatureResponse, SegmentResponse } from "./_responses.ts";
import { ADMIN_TOKEN, KNOWS_SEGMENTS, type Service, startService, useService } from "./_service.ts";
import { describeAnyStorage, describeStorages, openDatabase } from "./_storages.ts";

const REFUSED = { status: 403, name: "InvalidOperationError", path: "/body/newProjectId" };

describeStorages("moving a flag to another project", (source) => {
  const admin = useAdmin(source);
  let count = 0;
  /** A flag of the project "shop", with a name of its own for each test. */
  let name = "";
  const move = (flag = name) => `/projects/shop/features/${flag}/changeProject`;
  const inShop = (path = "") => `/projects/shop/features${path}`;
  const read = async (project: string, flag = name) =>
    (await admin.must<FeatureResponse>(200, "GET", `/projects/${project}/features/${flag}`)).body;

  beforeAll(async () => {
    await admin.must(201, "POST", "/environments", { name: "staging", type: "test" });
    for (const [id, environments] of [
      ["shop", ["development", "production"]],
      ["blog", ["development", "production"]],
      ["lean", ["development", "staging"]],
    ] as const) {
      await admin.must(201, "POST", "/projects", { id, name: id, environments });
    }
  });

  beforeEach(async () => {
    name = `flag-${++count}`;
    await admin.must(201, "POST", inShop(), {
      name,
      description: "What it is for",
      tags: [{ type: "simple", value: "kept" }],
    });
    for (const environment of ["development", "production"]) {
      await admin.must(200, "POST", inShop(`/${name}/environments/${environment}/strategies`), {
        name: "flexibleRollout",
        parameters: { rollout: "50", stickiness: "userId" },
      });
    }
    await admin.must(200, "POST", inShop(`/${name}/environments/development/on`));
  });

  test("keeps everything but the project, and records where it came from", async () => {
    const before = await read("shop");
    const events = await admin.eventsOf(async () => {
      const { body } = await admin.must(200, "POST", move(), { newProjectId: "blog" });
      expect(body).toEqual({
        oldProject: "shop",
        newProject: "blog",
        features: [name],
        removed: [],
        addedEnvironments: [],
      });
    });
    expect(await read("blog")).toEqual({ ...before, project: "blog" });
    expect(events).toEqual([
      {
        type: "feature-project-change",
        createdBy: "init-admin",
        actorKind: "token",
        project: "blog",
        featureName: name,
        environment: null,
        changeRequestId: null,
        preData: null,
        data: { oldProject: "shop", newProject: "blog" },
        tags: [{ type: "simple", value: "kept" }],
      },
    ]);
    await admin.refuse({ status: 404, name: "NotFoundError" }, "GET", inShop(`/${name}`));
  });

  test("flags that dependencies connect move together", async () => {
    for (const child of [`${name}-a`, `${name}-b`]) {
      await admin.must(201, "POST", inShop(), { name: child });
      await admin.must(200, "POST", inShop(`/${child}/dependencies`), { feature: name });
    }
    const together = [name, `${name}-a`, `${name}-b`];
    const events = await admin.eventsOf(async () => {
      const body = { newProjectId: "blog" };
      const { body: moved } = await admin.must(200, "POST", move(`${name}-a`), body);
      expect(moved).toMatchObject({ features: together });
    });
    expect(events.map(({ type, featureName }) => [type, featureName])).toEqual(
      together.map((flag) => ["feature-project-change", flag]),
    );
    expect(await read("blog")).toMatchObject({ children: together.slice(1) });
    expect(await read("blog", `${name}-b`)).toMatchObject({ dependencies: [{ feature: name }] });
  });

  test("an environment that the project lacks is no obstacle where the flag is off", async () => {
    await admin.must(200, "PUT", inShop(`/${name}/environments/production/variants`), [
      { name: "blue", weight: 1000, weightType: "variable", stickiness: "userId" },
    ]);
    const planned = {
      oldProject: "shop",
      newProject: "lean",
      features: [name],
      removed: [{ feature: name, environment: "production", strategies: 1, variants: 1 }],
      addedEnvironments: ["staging"],
    };
    const preview = await admin.eventsOf(async () => {
      const { body } = await admin.must(200, "POST", `${move()}/validate`, {
        newProjectId: "lean",
      });
      expect(body).toEqual({ ...planned, problems: [] });
    });
    expect(preview).toEqual([]);
    const events = await admin.eventsOf(async () => {
      const { body } = await admin.must(200, "POST", move(), { newProjectId: "lean" });
      expect(body).toEqual(planned);
    });
    // What is deleted stays in the history of the flag.
    expect(events).toMatchObject([
      { type: "feature-strategy-remove", project: "shop", preData: { name: "flexibleRollout" } },
      { type: "feature-environment-variants-updated", project: "shop", data: { variants: [] } },
      { type: "feature-project-change", project: "lean" },
    ]);
    expect((await read("lean")).environments).toMatchObject([
      { name: "development", enabled: true, strategies: [{ name: "flexibleRollout" }] },
      { name: "staging", enabled: false, strategies: [] },
    ]);
  });

  test("where the flag is on, the project must have the environment", async () => {
    await admin.must(200, "POST", inShop(`/${name}/environments/production/on`));
    const { body } = await admin.refuse(REFUSED, "POST", move(), { newProjectId: "lean" });
    expect(body.message).toBe(
      `The project "lean" does not have the environment "production", in which "${name}" is on: turn off what moves, or add the environment to the project`,
    );
    const { body: preview } = await admin.must<{ problems: string[] }>(
      200,
      "POST",
      `${move()}/validate`,
      { newProjectId: "lean" },
    );
    expect(preview.problems).toEqual([body.message]);
  });

  test("what only the old project may use stands in the way, where the flag keeps it", async () => {
    const field = `${name}-field`;
    await admin.must(201, "POST", "/context", { name: field, project: "shop" });
    const { body: segment } = await admin.must<SegmentResponse>(201, "POST", "/segments", {
      name: `${name}-segment`,
      project: "shop",
      constraints: [],
    });
    const strategies = inShop(`/${name}/environments/production/strategies`);
    const { body: strategy } = await admin.must<{ id: string }>(200, "POST", strategies, {
      name: "flexibleRollout",
      parameters: { stickiness: field },
      segments: [segment.id],
    });
    const { body } = await admin.must<ErrorResponse>(403, "POST", move(), { newProjectId: "blog" });
    expect(body.details).toEqual(
      [`The segment "${name}-segment"`, `The context field "${field}"`].map((used) => ({
        message: `${used}, which "${name}" uses, is only for the project "shop": remove it from the strategies, or make it available to all projects`,
        path: "/body/newProjectId",
      })),
    );
    // The strategies in production do not move to a project without it.
    const { body: preview } = await admin.must(200, "POST", `${move()}/validate`, {
      newProjectId: "lean",
    });
    expect(preview).toMatchObject({ problems: [] });
    await admin.must(200, "DELETE", `${strategies}/${strategy.id}`);
    await admin.must(200, "POST", move(), { newProjectId: "blog" });
  });

  test.each([
    [{}, 400, "BadDataError", "/body/newProjectId"],
    [{ newProjectId: "" }, 400, "BadDataError", "/body/newProjectId"],
    [{ newProjectId: 7 }, 400, "BadDataError", "/body/newProjectId"],
    [{ newProjectId: "blog", force: true }, 400, "BadDataError", "/body/force"],
    [{ newProjectId: "shop" }, 400, "BadDataError", "/body/newProjectId"],
    [{ newProjectId: "nowhere" }, 404, "NotFoundError", undefined],
  ])("the body %j is refused", async (body, status, error, path) => {
    const expected = { status, name: error, ...(path !== undefined && { path }) };
    await admin.refuse(expected, "POST", move(), body);
    await admin.refuse(expected, "POST", `${move()}/validate`, body);
  });

  test("archived flags and projects are refused", async () => {
    await admin.must(201, "POST", "/projects", { id: `${name}-old`, name: "Old" });
    await admin.must(200, "POST", `/projects/archive/${name}-old`);
    const missing = { status: 404, name: "NotFoundError" };
    await admin.refuse(missing, "POST", move(), { newProjectId: `${name}-old` });
    await admin.refuse(missing, "POST", move("none"), { newProjectId: "blog" });
    await admin.must(202, "DELETE", inShop(`/${name}`));
    const archived = { status: 400, name: "ArchivedFeatureError" };
    await admin.refuse(archived, "POST", move(), { newProjectId: "blog" });
  });
});

describeAnyStorage("moving a flag, for those who may not see both projects", (source) => {
  const service = useService(source);
  const sessions = new Map<string, Readonly<Record<string, string>>>();

  const as = async (who: string, method: string, path: string, body?: unknown) => {
    const response = await service.request(`/api/admin${path}`, {
      method,
      headers: { ...sessions.get(who), "content-type": "application/json" },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, text: await response.text() };
  };
  const moveTo = (newProjectId: string) =>
    ["POST", "/projects/open/features/traveller/changeProject", { newProjectId }] as const;

  beforeAll(async () => {
    for (const [id, mode] of [
      ["open", "open"],
      ["walled", "protected"],
      ["hidden", "private"],
    ] as const) {
      await service.admin("POST", "/projects", { id, name: id, mode });
    }
    await createFlag(service, "traveller", { project: "open" });
    for (const [who, role] of [
      ["editor", "Editor"],
      ["viewer", "Viewer"],
      ["member", "Editor"],
    ] as const) {
      const { id } = await createUser(service, who, role);
      if (who === "member") {
        const members = { roles: [5], users: [id] };
        await service.admin("POST", "/projects/hidden/access", members);
      }
      sessions.set(who, await logIn(service, who));
    }
  });

  test("the role is required in both projects, and a hidden one does not exist", async () => {
    const message = async (who: string, to: string) => {
      const { status, text } = await as(who, ...moveTo(to));
      return [status, (JSON.parse(text) as { message: string }).message];
    };
    expect(await message("editor", "hidden")).toEqual([404, 'There is no project "hidden"']);
    expect(await message("editor", "nowhere")).toEqual([404, 'There is no project "nowhere"']);
    expect(await message("editor", "walled")).toEqual([
      403,
      expect.stringContaining("requires the role editor in the project"),
    ]);
    expect(await message("viewer", "default")).toEqual([
      403,
      expect.stringContaining("requires the role editor"),
    ]);
  });

  test("the history names no project that somebody cannot see", async () => {
    const history = async (who: string, project: string) => {
      const path = `/search/events?type=IS:feature-project-change&project=IS:${project}`;
      return (JSON.parse((await as(who, "GET", path)).text) as { total: number }).total;
    };
    expect((await as("member", ...moveTo("hidden"))).status).toBe(200);
    expect(await history("member", "open")).toBe(1);
    expect(await history("member", "hidden")).toBe(1);
    expect(await history("editor", "open")).toBe(0);
    const back = "/projects/hidden/features/traveller/changeProject";
    expect((await as("member", "POST", back, { newProjectId: "open" })).status).toBe(200);
    expect(await history("member", "open")).toBe(2);
    expect(await history("editor", "open")).toBe(0);
    const { text } = await as("editor", "GET", "/search/events?query=hidden");
    expect(JSON.parse(text)).toMatchObject({ total: 0 });
  });
});

/** What SDKs with a token for one project read, from a document, a delta and a stream. */
async function followProject(service: Service, project: string) {
  const { secret } = await createToken(service, {
    projects: [project],
    environment: "development",
  });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    service.request(`/api/client/${path}`, {
      token: secret,
      headers: { ...KNOWS_SEGMENTS, ...headers },
    });
  const document = await get("features");
  const delta = await get("delta");
  const tags = [document, delta].map((response) => response.headers.get("etag") ?? "");
  await Promise.all([document.text(), delta.text()]);
  const stream = await openStream(service, { token: secret });
  await stream.next();
  return {
    stream,
    since: async (path: "delta" | "features") => {
      const response = await get(path, { "if-none-match": tags[path === "delta" ? 1 : 0] ?? "" });
      return { status: response.status, text: await response.text() };
    },
  };
}

describeAnyStorage("a moved flag for SDKs", (source) => {
  const service = useService(source);

  test("tokens for one project see it disappear, those for the other see it appear", async () => {
    for (const id of ["from", "to"]) {
      await service.admin("POST", "/projects", { id, name: id });
      await createFlag(service, `stays-${id}`, { project: id });
    }
    await createFlag(service, "moves", { project: "from" });
    const [left, joined] = [
      await followProject(service, "from"),
      await followProject(service, "to"),
    ];
    const next = Promise.all([left.stream.next(), joined.stream.next()]);
    await service.admin("POST", "/projects/from/features/moves/changeProject", {
      newProjectId: "to",
    });
    const [removed, added] = (await next).map(({ data }) => data.events);
    expect(removed).toMatchObject([{ type: "feature-removed", featureName: "moves" }]);
    expect(added).toMatchObject([
      { type: "feature-updated", feature: { name: "moves", project: "to", enabled: true } },
    ]);
    expect(JSON.parse((await left.since("delta")).text)).toMatchObject({ events: removed });
    expect(JSON.parse((await joined.since("delta")).text)).toMatchObject({ events: added });
    const documents = await Promise.all([left.since("features"), joined.since("features")]);
    expect(documents.map(({ status }) => status)).toEqual([200, 200]);
    expect(documents.map(({ text }) => text.includes('"moves"'))).toEqual([false, true]);
  });
});

describe.skipIf(skipsPostgres)("moving at two replicas", () => {
  test("only one of two concurrent moves succeeds, and both replicas serve the same", async () => {
    const server = await startPostgres();
    try {
      const databaseUrl = await server.createDatabase();
      const [one, two] = await Promise.all(
        [1, 2].map(async () => startService(await openDatabase(databaseUrl))),
      );
      if (one === undefined || two === undefined) throw new TypeError("Two replicas were started");
      for (const id of ["a", "b"]) await one.admin("POST", "/projects", { id, name: id });
      await createFlag(one, "contested");
      const move = (service: Service, newProjectId: string) =>
        service.request("/api/admin/projects/default/features/contested/changeProject", {
          method: "POST",
          token: ADMIN_TOKEN,
          body: { newProjectId },
        });
      const answers = await Promise.all([move(one, "a"), move(two, "b")]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
      const project = answers[0].status === 200 ? "a" : "b";
      for (const service of [one, two]) {
        const { secret } = await createToken(service, {
          projects: [project],
          environment: "development",
        });
        const response = await service.request("/api/client/features/contested", { token: secret });
        expect(await response.json()).toMatchObject({ name: "contested", project });
      }
    } finally {
      await server.close();
    }
  });
});
