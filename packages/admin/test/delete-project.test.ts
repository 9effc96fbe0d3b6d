import { expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

const REFUSED = { status: 403, name: "InvalidOperationError" };
const MISSING = { status: 404, name: "NotFoundError" };

interface TokenResponse {
  readonly id: string;
  readonly projects: readonly string[];
}

describeAnyStorage("deleting projects", (source) => {
  const admin = useAdmin(source);

  test("DELETE /projects/{id} takes along what only the project has", async () => {
    await admin.must(201, "POST", "/projects", { id: "old", name: "Old" });
    await admin.must(201, "POST", "/projects", { id: "other", name: "Other" });
    await admin.must(201, "POST", "/projects/old/features", { name: "old-flag" });
    await admin.must(201, "POST", "/segments", { name: "s", project: "old", constraints: [] });
    await admin.must(201, "POST", "/projects/old/context", { name: "old-field" });
    const createToken = async (projects: readonly string[]) => {
      const token = { tokenName: "t", type: "client", environment: "development", projects };
      return (await admin.must<TokenResponse>(201, "POST", "/api-tokens", token)).body.id;
    };
    const own = await createToken(["old"]);
    const shared = await createToken(["old", "other"]);

    await admin.refuse(REFUSED, "DELETE", "/projects/old");
    await admin.must(202, "DELETE", "/projects/old/features/old-flag");
    const recorded = await admin.eventsOf(() => admin.must(200, "DELETE", "/projects/old"));
    expect(recorded.map(({ type }) => type)).toEqual([
      "feature-deleted",
      "segment-deleted",
      "context-field-deleted",
      "api-token-deleted",
      "api-token-updated",
      "project-deleted",
    ]);
    await admin.refuse(MISSING, "GET", "/projects/old");
    await admin.refuse(MISSING, "DELETE", "/projects/old");
    const { body } = await admin.must<{ tokens: readonly TokenResponse[] }>(
      200,
      "GET",
      "/api-tokens/t",
    );
    expect(body.tokens.map(({ id, projects }) => [id, projects])).toEqual([[shared, ["other"]]]);
    expect(body.tokens.some(({ id }) => id === own)).toBe(false);
    await admin.must(201, "POST", "/projects/other/features", { name: "old-flag" });
  });

  test("DELETE /projects/default is refused", async () => {
    await admin.refuse(REFUSED, "DELETE", "/projects/default");
  });

  test("PUT /projects/{id}/settings accepts a known mode only", async () => {
    const path = "/projects/default/settings";
    await admin.must(200, "PUT", path, { mode: "open", featureNaming: null, linkTemplates: [] });
    const bad = { status: 400, name: "BadDataError" };
    await admin.refuse({ ...bad, path: "/body/mode" }, "PUT", path, { mode: "closed" });
    await admin.refuse(MISSING, "PUT", "/projects/none/settings", { mode: "open" });
    for (const [method, target] of [
      ["POST", "/projects"],
      ["PUT", "/projects/default"],
    ] as const) {
      const body = { name: "Shop", mode: "closed" };
      // oxlint-disable-next-line no-await-in-loop -- one after the other, to compare the tables
      await admin.refuse({ ...bad, path: "/body/mode" }, method, target, body);
    }
  });
});
