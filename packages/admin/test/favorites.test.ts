import { beforeAll, expect, test } from "vitest";
import { favoriteFeatures, favoriteProjects } from "../src/storage/schema/favorites.ts";
import { createUser, logIn } from "./_accounts.ts";
import { ADMIN_TOKEN, useService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Marked {
  readonly name: string;
  readonly id: string;
  readonly favorite: boolean;
}

describeAnyStorage("favorites", (source) => {
  const service = useService(source);
  const users = new Map<string, Readonly<Record<string, string>>>();
  const ids = new Map<string, number>();

  const as = async (who: string, method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await service.request(`/api/admin${path}`, {
      method,
      headers: { ...users.get(who), "content-type": "application/json" },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  const flagPath = (name: string, project = "default") =>
    `/projects/${project}/features/${name}/favorites`;
  /** Returns the names of the favorites in a list, and of the others, in its order. */
  const listAs = async (who: string, path: string, member = "features") => {
    const { body } = await as(who, "GET", path);
    const list = (body as Readonly<Record<string, readonly Marked[]>>)[member] ?? [];
    return list.map(({ name, id, favorite }) => `${favorite ? "*" : ""}${id ?? name}`);
  };
  const eventsOf = async (type: string) => {
    const events = await service.admin("GET", `/search/events?type=IS:${type}`);
    return (events as { readonly events: readonly unknown[] }).events;
  };

  beforeAll(async () => {
    for (const name of ["ann", "ben"]) {
      ids.set(name, (await createUser(service, name)).id);
      users.set(name, await logIn(service, name));
    }
    for (const name of ["alpha", "beta", "gamma"]) {
      await service.admin("POST", "/projects/default/features", { name });
    }
  });

  test("a user marks a flag, only for this user, and once", async () => {
    expect((await as("ann", "POST", flagPath("beta"))).status).toBe(200);
    expect((await as("ann", "POST", flagPath("beta"))).status).toBe(200);
    const list = "/projects/default/features";
    expect(await listAs("ann", list)).toEqual(["alpha", "*beta", "gamma"]);
    expect(await listAs("ann", `${list}?favoritesFirst=true`)).toEqual(["*beta", "alpha", "gamma"]);
    expect(await listAs("ben", `${list}?favoritesFirst=true`)).toEqual(["alpha", "beta", "gamma"]);
    const search = "/search/features?sortBy=name&query=a&project=IS:default";
    expect(await listAs("ann", `${search}&favoritesFirst=true`)).toEqual([
      "*beta",
      "alpha",
      "gamma",
    ]);
    expect(await listAs("ann", `${search}&favorite=IS:true`)).toEqual(["*beta"]);
    expect(await listAs("ann", `${search}&favorite=IS:false`)).toEqual(["alpha", "gamma"]);
    expect(await listAs("ben", `${search}&favorite=IS:true`)).toEqual([]);
    expect((await as("ann", "GET", `${list}/beta`)).body).toMatchObject({ favorite: true });
    expect((await as("ben", "GET", `${list}/beta`)).body).toMatchObject({ favorite: false });
    expect(await eventsOf("feature-favorited")).toMatchObject([
      { createdBy: "ann", project: "default", featureName: "beta", data: { feature: "beta" } },
    ]);

    expect((await as("ann", "DELETE", flagPath("beta"))).status).toBe(200);
    expect((await as("ann", "DELETE", flagPath("beta"))).status).toBe(200);
    expect(await listAs("ann", list)).toEqual(["alpha", "beta", "gamma"]);
    expect(await eventsOf("feature-unfavorited")).toHaveLength(1);
  });

  test("a user marks a project", async () => {
    await service.admin("POST", "/projects", { id: "marked", name: "Marked" });
    expect((await as("ann", "POST", "/projects/marked/favorites")).status).toBe(200);
    expect(await listAs("ann", "/projects", "projects")).toEqual(["default", "*marked"]);
    expect(await listAs("ben", "/projects", "projects")).toEqual(["default", "marked"]);
    for (const path of ["/projects/marked", "/projects/marked/overview"]) {
      expect((await as("ann", "GET", path)).body).toMatchObject({ favorite: true });
    }
    expect(await eventsOf("project-favorited")).toMatchObject([
      { createdBy: "ann", project: "marked", data: { project: "marked" } },
    ]);
    expect((await as("ann", "DELETE", "/projects/marked/favorites")).status).toBe(200);
    expect(await listAs("ann", "/projects", "projects")).toEqual(["default", "marked"]);
    expect(await eventsOf("project-unfavorited")).toHaveLength(1);
  });

  test("an API token has no favorites", async () => {
    const response = await service.request(`/api/admin${flagPath("alpha")}`, {
      method: "POST",
      token: ADMIN_TOKEN,
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      message: expect.stringContaining("sign in, or send a personal token") as string,
    });
    expect(await eventsOf("feature-favorited")).toHaveLength(1);
  });

  test("what does not exist for a user cannot be marked", async () => {
    await service.admin("POST", "/projects", { id: "hidden", name: "Hidden", mode: "private" });
    await service.admin("POST", "/projects/hidden/features", { name: "hidden-flag" });
    for (const path of [
      flagPath("hidden-flag", "hidden"),
      flagPath("hidden-flag"),
      flagPath("unknown"),
      "/projects/hidden/favorites",
      "/projects/unknown/favorites",
    ]) {
      expect([path, (await as("ann", "POST", path)).status]).toEqual([path, 404]);
      expect([path, (await as("ann", "DELETE", path)).status]).toEqual([path, 404]);
    }
  });

  test("favorites follow a flag to another project, and end with the flag, the project or the user", async () => {
    await service.admin("POST", "/projects", { id: "target", name: "Target" });
    for (const who of ["ann", "ben"]) {
      await as(who, "POST", flagPath("alpha"));
      await as(who, "POST", flagPath("gamma"));
      await as(who, "POST", "/projects/target/favorites");
    }
    await service.admin("POST", "/projects/default/features/alpha/changeProject", {
      newProjectId: "target",
    });
    expect(await listAs("ann", "/projects/target/features")).toEqual(["*alpha"]);

    await service.admin("DELETE", "/projects/default/features/gamma");
    await service.admin("POST", "/projects/default/delete", { features: ["gamma"] });
    await service.admin("POST", "/projects/default/features", { name: "gamma" });
    expect(await listAs("ann", "/projects/default/features")).toEqual(["beta", "gamma"]);

    await service.admin("DELETE", `/user-admin/${ids.get("ben") ?? 0}`);
    await service.admin("DELETE", "/projects/target/features/alpha");
    await service.admin("DELETE", "/projects/target");
    const { db } = service.storage;
    expect(await db.select().from(favoriteFeatures)).toEqual([]);
    expect(await db.select().from(favoriteProjects)).toEqual([]);
  });
});
