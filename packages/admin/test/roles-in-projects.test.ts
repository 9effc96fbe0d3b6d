import { beforeAll, expect, test } from "vitest";
import { isComplete } from "../../../scripts/test-size.ts";
import { includesLevel, type Level } from "../src/access/role.ts";
import { digestTables } from "./_admin.ts";
import { createUser, logIn } from "./_accounts.ts";
import { type DescribedRoute, readDescribedRoutes } from "./_routes.ts";
import { useService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

const MODES = ["open", "protected", "private"] as const;
type Mode = (typeof MODES)[number];

/** Roles in the whole service, and in the projects of the test. */
const PEOPLE = {
  viewer: { root: "viewer", inProject: undefined },
  editor: { root: "editor", inProject: undefined },
  member: { root: "viewer", inProject: "editor" },
  owner: { root: "viewer", inProject: "owner" },
  admin: { root: "admin", inProject: undefined },
} as const satisfies Record<string, { root: Level; inProject: Level | undefined }>;
type Person = keyof typeof PEOPLE;

const ROLE_NAMES = { viewer: "Viewer", editor: "Editor", admin: "Admin" } as const;
const CREDENTIALS = isComplete ? (["session", "personal token"] as const) : (["session"] as const);

/** What somebody may do in a project of a mode, as docs/reference/admin.md says; undefined: it does not exist for them. */
function levelOf(person: Person, mode: Mode): Level | undefined {
  const { root, inProject } = PEOPLE[person];
  if (root === "admin") return root;
  if (inProject !== undefined) return inProject;
  if (mode === "private") return undefined;
  return mode === "open" ? root : "viewer";
}

describeAnyStorage("roles in projects", (source) => {
  const service = useService(source);
  let routes: readonly (DescribedRoute & { readonly required: Level })[];
  const headers = new Map<string, Readonly<Record<string, string>>>();

  const call = (
    { method, path }: DescribedRoute,
    mode: Mode,
    credentials: Readonly<Record<string, string>>,
  ): Promise<Response> =>
    service.request(path.replace(":projectId", `p-${mode}`).replaceAll(/:\w+/g, "1"), {
      method,
      headers: { ...credentials, "content-type": "application/json" },
      // Is not JSON, so that nothing changes.
      ...(method !== "GET" && { body: "{" }),
    });

  beforeAll(async () => {
    for (const mode of MODES) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await service.admin("POST", "/projects", { id: `p-${mode}`, name: mode, mode });
    }
    // oxlint-disable no-await-in-loop -- one after the other
    for (const [name, { root, inProject }] of Object.entries(PEOPLE)) {
      const { id } = await createUser(service, name, ROLE_NAMES[root]);
      const session = await logIn(service, name);
      headers.set(`session of ${name}`, session);
      const created = await service.request("/api/admin/user/tokens", {
        method: "POST",
        headers: session,
        body: { description: "x", expiresAt: new Date(Date.now() + 3.6e6).toISOString() },
      });
      const { secret } = (await created.json()) as { secret: string };
      headers.set(`personal token of ${name}`, { authorization: secret });
      if (inProject === undefined) continue;
      for (const mode of MODES) {
        const body = { roles: [inProject === "owner" ? 4 : 5], users: [id] };
        await service.admin("POST", `/projects/p-${mode}/access`, body);
      }
    }
    const described = (await readDescribedRoutes(service.app)).filter(({ path }) =>
      path.includes("/:projectId"),
    );
    routes = await Promise.all(
      described.map(async (route) => ({ ...route, required: await readRequired(route) })),
    );
    // oxlint-enable no-await-in-loop
  });

  /** Returns what a route requires, according to its response to a viewer. */
  const readRequired = async (route: DescribedRoute): Promise<Level> => {
    const response = await call(route, "open", headers.get("session of viewer") ?? {});
    return (/This requires the role (\w+)/.exec(await response.text())?.[1] ?? "viewer") as Level;
  };

  test("operations require each of the levels", () => {
    expect(new Set(routes.map(({ required }) => required))).toEqual(
      new Set(["viewer", "editor", "owner", "admin"]),
    );
  });

  test.each(CREDENTIALS)(
    "every operation accepts or rejects every role with a %s",
    async (kind) => {
      const before = await digestTables(service.storage);
      for (const mode of MODES) {
        for (const person of Object.keys(PEOPLE) as Person[]) {
          const level = levelOf(person, mode);
          const credentials = headers.get(`${kind} of ${person}`) ?? {};
          // oxlint-disable-next-line no-await-in-loop -- not too many at a time
          const seen = await Promise.all(
            routes.map(async (route) => {
              const { status } = await call(route, mode, credentials);
              expect([route.id, status]).not.toEqual([route.id, 401]);
              return [route.id, status === 403 ? "rejected" : "accepted"];
            }),
          );
          // `private-projects.test.ts` checks that what is hidden looks as if it did not exist.
          const expected = routes.map(({ id, required }) => [
            id,
            level === undefined || includesLevel(level, required) ? "accepted" : "rejected",
          ]);
          expect([mode, person, seen]).toEqual([mode, person, expected]);
        }
      }
      expect(await digestTables(service.storage)).toEqual(before);
    },
  );
});
