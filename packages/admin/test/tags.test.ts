import { beforeAll, describe, expect, test } from "vitest";
import { featureTags, tags as storedTags } from "../src/storage/schema/features.ts";
import { useAdmin } from "./_admin.ts";
import type { Named } from "./_responses.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Tags {
  readonly version: number;
  readonly tags: readonly unknown[];
}

interface TagTypes {
  readonly tagTypes: readonly Named[];
}

describeAnyStorage("tags", (source) => {
  const admin = useAdmin(source);

  beforeAll(async () => {
    await admin.must(201, "POST", "/projects/default/features", { name: "flag" });
    await admin.must(201, "POST", "/projects/default/features", { name: "flag-2" });
    await admin.must(201, "POST", "/projects", { id: "other", name: "Other" });
    await admin.must(201, "POST", "/projects/other/features", { name: "foreign" });
  });

  const tagsOf = async (name: string) => {
    const { body } = await admin.must<Tags>(200, "GET", `/features/${name}/tags`);
    expect(body.version).toBe(1);
    return body.tags;
  };

  describe("tags of flags", () => {
    test("tags are added to a flag once, and created if they do not exist", async () => {
      const tag = { type: "simple", value: "first", color: "#ff0000" };
      const recorded = await admin.eventsOf(async () => {
        const response = await admin.must(201, "POST", "/features/flag/tags", tag);
        expect(response.body).toEqual({ type: "simple", value: "first" });
        expect(response.headers.get("location")).toBe("flag/tags");
      });
      expect(recorded).toEqual([
        expect.objectContaining({ type: "tag-created", data: tag }),
        expect.objectContaining({
          type: "feature-tagged",
          project: "default",
          featureName: "flag",
          data: { type: "simple", value: "first" },
        }),
      ]);
      expect(
        await admin.eventsOf(() => admin.must(201, "POST", "/features/flag/tags", tag)),
      ).toEqual([]);
      expect(await tagsOf("flag")).toEqual([tag]);
    });

    test("tags of a flag are added and removed together", async () => {
      const { body } = await admin.must(200, "PUT", "/features/flag/tags", {
        addedTags: [{ type: "simple", value: "second" }],
        removedTags: [{ type: "simple", value: "first" }],
      });
      expect(body).toEqual({
        version: 1,
        tags: [{ type: "simple", value: "second", color: null }],
      });
    });

    test("tags of a flag are removed once", async () => {
      const path = "/features/flag/tags/simple/second";
      const recorded = await admin.eventsOf(() => admin.must(200, "DELETE", path));
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "feature-untagged",
          featureName: "flag",
          preData: { type: "simple", value: "second" },
          data: null,
        }),
      ]);
      expect(await admin.eventsOf(() => admin.must(200, "DELETE", path))).toEqual([]);
    });

    test("tags are changed for all of several flags, or for none", async () => {
      const tags = { addedTags: [{ type: "simple", value: "both" }], removedTags: [] };
      await admin.refuse(
        { status: 400, name: "BadDataError", path: "/body/features" },
        "PUT",
        "/projects/default/tags",
        { features: ["flag", "foreign"], tags },
      );
      await admin.must(200, "PUT", "/projects/default/tags", {
        features: ["flag", "flag-2", "none"],
        tags,
      });
      expect(await tagsOf("flag")).toHaveLength(1);
      expect(await tagsOf("flag-2")).toHaveLength(1);
      await admin.refuse({ status: 404, name: "NotFoundError" }, "PUT", "/projects/none/tags", {
        features: [],
        tags,
      });
    });

    test("a change to the tags of several flags is recorded for each flag that changes", async () => {
      const simple = (value: string) => ({ type: "simple", value });
      await admin.must(201, "POST", "/features/flag-2/tags", simple("bulk-old"));
      await admin.must(201, "POST", "/features/flag-2/tags", simple("bulk-new"));
      const recorded = await admin.eventsOf(() =>
        admin.must(200, "PUT", "/projects/default/tags", {
          features: ["flag", "flag-2"],
          tags: {
            addedTags: [simple("bulk-new"), simple("bulk-new"), simple("bulk-third")],
            removedTags: [simple("bulk-old"), simple("bulk-old"), simple("bulk-none")],
          },
        }),
      );
      const view = recorded.map(({ type, project, featureName, preData, data }) => {
        return [type, project, featureName, preData, data];
      });
      expect(view).toEqual([
        ["tag-created", null, null, null, { ...simple("bulk-third"), color: null }],
        ["feature-tagged", "default", "flag", null, simple("bulk-new")],
        ["feature-tagged", "default", "flag", null, simple("bulk-third")],
        ["feature-tagged", "default", "flag-2", null, simple("bulk-third")],
        ["feature-untagged", "default", "flag-2", simple("bulk-old"), null],
      ]);
    });

    test("one request cannot make 10,001 changes to tags", async () => {
      const names = Array.from({ length: 101 }, (_, index) => `many-${index}`);
      await admin.must(200, "POST", "/projects/default/import", {
        version: 1,
        features: names.map((name) => ({ name })),
      });
      const addedTags = Array.from({ length: 100 }, (_, index) => ({
        type: "simple",
        value: `many-${index}`,
      }));
      const change = (features: readonly string[]) => ({
        features,
        tags: { addedTags, removedTags: [] },
      });
      const path = "/projects/default/tags";
      const tooMany = { status: 400, name: "BadDataError", path: "/body/tags" };
      await admin.refuse(tooMany, "PUT", path, change(names));
      await admin.must(200, "PUT", path, change(names.slice(0, 3)));
      expect(await tagsOf("many-2")).toHaveLength(100);
    });

    test("invalid bodies, unknown types and unknown flags are rejected", async () => {
      const bad = { status: 400, name: "BadDataError" };
      for (const body of [
        { type: "simple" },
        { type: "simple", value: "x" },
        { type: "simple", value: "x".repeat(51) },
        { type: "simple", value: "ok", more: 1 },
        { type: "nope", value: "ok" },
      ]) {
        await admin.refuse(bad, "POST", "/features/flag/tags", body);
      }
      await admin.refuse(bad, "PUT", "/features/flag/tags", { addedTags: [] });
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "GET", "/features/none/tags");
      await admin.refuse(missing, "DELETE", "/features/none/tags/simple/both");
      await admin.refuse(missing, "POST", "/features/none/tags", { type: "simple", value: "ok" });
      await admin.refuse(missing, "PUT", "/features/none/tags", { addedTags: [], removedTags: [] });
    });
  });

  describe("tags", () => {
    test("tags are created, listed, shown, and deleted from every flag", async () => {
      const tag = { type: "simple", value: "a/b ü" };
      const created = await admin.must(201, "POST", "/tags", tag);
      expect(created.body).toEqual({ version: 1, tag: { ...tag, color: null } });
      const path = `/tags/simple/${encodeURIComponent(tag.value)}`;
      expect(created.headers.get("location")).toBe(path.slice(1));
      expect((await admin.must(200, "GET", path)).body).toEqual(created.body);
      expect((await admin.must<Tags>(200, "GET", "/tags")).body.tags).toContainEqual({
        ...tag,
        color: null,
      });
      expect((await admin.must<Tags>(200, "GET", "/tags/none")).body.tags).toEqual([]);
      await admin.must(201, "POST", "/features/flag-2/tags", tag);
      await admin.refuse({ status: 409, name: "NameExistsError" }, "POST", "/tags", tag);
      const recorded = await admin.eventsOf(() => admin.must(200, "DELETE", path));
      expect(recorded.map(({ type }) => type)).toEqual(["tag-deleted"]);
      expect(await tagsOf("flag-2")).not.toContainEqual(expect.objectContaining(tag));
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "GET", path);
      expect(await admin.eventsOf(() => admin.must(200, "DELETE", path))).toEqual([]);
      const bad = { status: 400, name: "BadDataError" };
      await admin.refuse(bad, "POST", "/tags", { type: "simple" });
      await admin.refuse(bad, "POST", "/tags", { type: "nope", value: "ok" });
    });
  });

  describe("white space around values", () => {
    const FEATURES = "/projects/default/features";
    const NO_CHANGE = { addedTags: [], removedTags: [] };
    const tagged = (value: string) => ({
      version: 1,
      project: "default",
      features: [{ name: "imported", tags: [{ type: "simple", value }] }],
    });
    const exported = (tagValue: string) => ({
      project: "default",
      environment: "production",
      data: {
        features: [{ name: "imported" }],
        featureStrategies: [],
        featureTags: [{ featureName: "imported", tagValue }],
      },
    });

    test("white space around values is removed, so that no two tags look the same", async () => {
      const spaced = (value: string) => ({ type: "simple", value });
      const created = await admin.must(201, "POST", "/tags", spaced("  mobile "));
      expect(created.body).toEqual({ version: 1, tag: { ...spaced("mobile"), color: null } });
      const added = await admin.must(201, "POST", "/features/flag/tags", spaced("\tweb team\n"));
      expect(added.body).toEqual(spaced("web team"));
      await admin.must(200, "PUT", "/features/flag/tags", {
        ...NO_CHANGE,
        addedTags: [spaced(" mobile"), spaced("mobile ")],
      });
      await admin.must(200, "PUT", "/projects/default/tags", {
        features: ["flag-2"],
        tags: { ...NO_CHANGE, addedTags: [spaced(" mobile")] },
      });
      await admin.must(201, "POST", FEATURES, { name: "spaced", tags: [spaced(" mobile ")] });
      for (const name of ["flag", "flag-2", "spaced"]) {
        expect(await tagsOf(name)).toContainEqual({ ...spaced("mobile"), color: null });
      }
      const { body } = await admin.must<Tags>(200, "GET", "/tags/simple");
      const values = body.tags.map((tag) => (tag as { value: string }).value);
      expect(values.filter((value) => value.includes("mobile"))).toEqual(["mobile"]);
      expect(values.filter((value) => value.includes("team"))).toEqual(["web team"]);
    });

    test("white space is removed from the tags of imported flags", async () => {
      await admin.must(200, "POST", "/projects/default/import", tagged(" mobile"));
      expect(await tagsOf("imported")).toEqual([{ type: "simple", value: "mobile", color: null }]);
      const again = () => admin.must(200, "POST", "/features-batch/import", exported("mobile\n"));
      const recorded = await admin.eventsOf(again);
      expect(recorded.map(({ type }) => type)).not.toContain("feature-tagged");
      expect(await tagsOf("imported")).toEqual([{ type: "simple", value: "mobile", color: null }]);
    });

    test("white space does not count towards the minimum length of a tag", async () => {
      for (const value of ["  ", " x ", "\u00a0\u00a0\n"]) {
        const refuse = async (method: string, path: string, at: string, body: unknown) => {
          const expected = { status: 400, name: "BadDataError", path: at };
          const response = await admin.refuse(expected, method, path, body);
          expect(response.body.message).toContain("at least 2 characters");
        };
        const tag = { type: "simple", value };
        const changes = { ...NO_CHANGE, addedTags: [tag] };
        await refuse("POST", "/tags", "/body/value", tag);
        await refuse("POST", "/features/flag/tags", "/body/value", tag);
        await refuse("POST", FEATURES, "/body/tags/0/value", { name: "blank", tags: [tag] });
        await refuse("PUT", "/features/flag/tags", "/body/addedTags/0/value", changes);
        await refuse("PUT", "/projects/default/tags", "/body/tags/addedTags/0/value", {
          features: ["flag"],
          tags: changes,
        });
        const inFile = "/body/features/0/tags/0/value";
        await refuse("POST", "/projects/default/import", inFile, tagged(value));
        const inExport = "/body/data/featureTags/0/tagValue";
        await refuse("POST", "/features-batch/import", inExport, exported(value));
      }
    });

    test("stored tags keep their white space, and can be read, cloned and removed", async () => {
      const stored = ["", "  ", " old"].map((value) => ({ type: "simple", value }));
      await admin.must(201, "POST", FEATURES, { name: "old" });
      await admin.storage.db.insert(storedTags).values(stored);
      const link = (feature: string) =>
        admin.storage.db.insert(featureTags).values(stored.map((tag) => ({ ...tag, feature })));
      await link("old");
      const views = stored.map((tag) => expect.objectContaining(tag));
      expect(await tagsOf("old")).toEqual(views);
      await admin.must(201, "POST", `${FEATURES}/old/clone`, { name: "old-copy" });
      expect(await tagsOf("old-copy")).toEqual(views);

      await admin.must(200, "PUT", "/features/old/tags", { addedTags: [], removedTags: stored });
      expect(await tagsOf("old")).toEqual([]);
      // A path cannot contain an empty value.
      for (const { value } of stored.slice(1)) {
        const path = `/tags/simple/${encodeURIComponent(value)}`;
        await admin.must(200, "DELETE", `/features/old-copy${path}`);
        await admin.must(200, "GET", path);
        await admin.must(200, "DELETE", path);
      }
      expect(await tagsOf("old-copy")).toEqual(views.slice(0, 1));
      const { body } = await admin.must<Tags>(200, "GET", "/tags/simple");
      for (const view of views.slice(1)) expect(body.tags).not.toContainEqual(view);
    });
  });

  describe("tag types", () => {
    test("tag types are created, changed, and deleted unless a flag has a tag of the type", async () => {
      const recorded = await admin.eventsOf(async () => {
        const created = await admin.must(201, "POST", "/tag-types", { name: "team", icon: "i" });
        expect(created.body).toEqual({
          name: "team",
          description: null,
          icon: "i",
          color: null,
        });
        await admin.must(200, "PUT", "/tag-types/team", { description: "d", color: "#AbCdEf" });
        await admin.must(200, "PUT", "/tag-types/team", { description: "d" });
      });
      expect(recorded.map(({ type }) => type)).toEqual(["tag-type-created", "tag-type-updated"]);
      expect((await admin.must(200, "GET", "/tag-types/team")).body).toEqual({
        version: 1,
        tagType: { name: "team", description: "d", icon: "i", color: "#AbCdEf" },
      });
      await admin.must(201, "POST", "/features/flag/tags", { type: "team", value: "web" });
      await admin.refuse({ status: 409, name: "ConflictError" }, "DELETE", "/tag-types/team");
      await admin.must(200, "DELETE", "/features/flag/tags/team/web");
      await admin.must(200, "DELETE", "/tag-types/team");
      expect((await admin.must<TagTypes>(200, "GET", "/tag-types")).body.tagTypes).toMatchObject([
        { name: "owner" },
        { name: "simple" },
      ]);
    });

    test("invalid names, taken names and unknown tag types are rejected", async () => {
      const bad = { status: 400, name: "BadDataError" };
      await admin.refuse(bad, "POST", "/tag-types", { name: "a b" });
      await admin.refuse(bad, "POST", "/tag-types", { name: "a" });
      await admin.refuse(bad, "POST", "/tag-types/validate", {});
      for (const color of ["red", "#fff", "#1234567"]) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await admin.refuse({ ...bad, path: "/body/color" }, "POST", "/tag-types", {
          name: "colored",
          color,
        });
      }
      const taken = { status: 409, name: "NameExistsError" };
      await admin.refuse(taken, "POST", "/tag-types", { name: "simple" });
      await admin.refuse(taken, "POST", "/tag-types/validate", { name: "simple" });
      const described = { name: "described", description: "d", icon: null };
      await admin.must(200, "POST", "/tag-types/validate", described);
      await admin.must(200, "POST", "/tag-types/validate", { name: "available" });
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "GET", "/tag-types/none");
      await admin.refuse(missing, "PUT", "/tag-types/none", {});
      await admin.refuse(missing, "DELETE", "/tag-types/none");
    });
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
