import { beforeEach, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Link {
  readonly id: string;
  readonly url: string;
  readonly title: string | null;
}

describeAnyStorage("links of a flag", (source) => {
  const admin = useAdmin(source);
  let count = 0;
  let path = "";
  const read = async () =>
    (await admin.must<{ readonly links: readonly Link[] }>(200, "GET", path)).body.links;

  beforeEach(async () => {
    const name = `linked-${++count}`;
    await admin.must(201, "POST", "/projects/default/features", { name });
    path = `/projects/default/features/${name}`;
  });

  test("are added, changed and removed, with an event each", async () => {
    const url = "https://example.com/task?id=1";
    const events = await admin.eventsOf(async () => {
      await admin.must(204, "POST", `${path}/link`, { url, title: " The task " });
      await admin.must(204, "POST", `${path}/link`, { url: "http://wiki/page" });
      const [first, second] = await read();
      expect(first).toMatchObject({ url, title: "The task" });
      expect(second).toMatchObject({ url: "http://wiki/page", title: null });
      const changed = { url: "https://example.com/", title: null };
      await admin.must(204, "PUT", `${path}/link/${first?.id ?? ""}`, changed);
      await admin.must(204, "DELETE", `${path}/link/${second?.id ?? ""}`);
      expect(await read()).toEqual([{ id: first?.id, ...changed }]);
    });
    expect(events.map(({ type }) => type)).toEqual([
      "feature-link-added",
      "feature-link-added",
      "feature-link-updated",
      "feature-link-removed",
    ]);
    expect(events[2]).toMatchObject({
      project: "default",
      preData: { url, title: "The task" },
      data: { url: "https://example.com/", title: null },
    });
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "example.com",
    "",
    `https://example.com/${"a".repeat(2000)}`,
  ])("an address must be one of a page: %s", async (url) => {
    const refused = { status: 400, name: "BadDataError", path: "/body/url" };
    await admin.refuse(refused, "POST", `${path}/link`, { url });
    expect(await read()).toEqual([]);
  });

  test("a flag has up to 10, and an archived one cannot be changed", async () => {
    for (let index = 0; index < 10; index++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await admin.must(204, "POST", `${path}/link`, { url: `https://example.com/${index}` });
    }
    const [first] = await read();
    const more = { url: "https://example.com/more" };
    await admin.refuse({ status: 400, name: "ExceedsLimitError" }, "POST", `${path}/link`, more);
    await admin.refuse({ status: 404, name: "NotFoundError" }, "PUT", `${path}/link/other`, more);
    await admin.refuse({ status: 404, name: "NotFoundError" }, "DELETE", `${path}/link/other`);
    await admin.must(202, "DELETE", path);
    const one = `${path}/link/${first?.id ?? ""}`;
    const archived = { status: 400, name: "ArchivedFeatureError" };
    await admin.refuse(archived, "PUT", one, more);
    await admin.refuse(archived, "DELETE", one);
  });
});
