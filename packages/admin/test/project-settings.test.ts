import { beforeAll, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import type { ErrorResponse } from "./_responses.ts";
import { describeStorages } from "./_storages.ts";

const SETTINGS = "/projects/shop/settings";
const FEATURES = "/projects/shop/features";
const NAMING = {
  pattern: String.raw`(?i)(web|app)\.[a-z-]+`,
  example: "web.new-checkout",
  description: "Where it is used, a dot, and what it turns on",
};
const LINKS = [
  { title: "Code", urlTemplate: "https://git.example.com/search?q={{feature}}&in={{project}}" },
  { title: null, urlTemplate: "http://wiki/{{project}}/{{feature}}" },
];

describeStorages("the settings of a project", (source) => {
  const admin = useAdmin(source);
  const bad = (path: string) => ({ status: 400, name: "BadDataError", path });

  beforeAll(async () => {
    await admin.must(201, "POST", "/projects", { id: "shop", name: "Shop" });
    await admin.must(201, "POST", FEATURES, { name: "old" });
  });

  test("a rule for names applies to new flags, and is part of the project", async () => {
    const events = await admin.eventsOf(async () => {
      await admin.must(200, "PUT", SETTINGS, { featureNaming: NAMING });
      // The same again is no change.
      await admin.must(200, "PUT", SETTINGS, { featureNaming: NAMING });
    });
    expect(events).toMatchObject([
      {
        type: "project-updated",
        preData: { featureNaming: null },
        data: { featureNaming: NAMING },
      },
    ]);
    for (const path of ["/projects/shop", "/projects/shop/overview"]) {
      const { body } = await admin.must(200, "GET", path);
      expect(body).toMatchObject({ featureNaming: NAMING, mode: "open", linkTemplates: [] });
    }
    const refused = bad("/body/name");
    const { body } = await admin.refuse(refused, "POST", FEATURES, { name: "checkout" });
    expect(body.message).toBe(
      String.raw`Bad request: /body/name must match "(?i)(web|app)\\.[a-z-]+", the pattern for names in the project, for example "web.new-checkout" (Where it is used, a dot, and what it turns on)`,
    );
    // The whole name has to match.
    await admin.refuse(refused, "POST", FEATURES, { name: "x-web.checkout" });
    await admin.refuse(refused, "POST", `${FEATURES}/old/clone`, { name: "newer" });
    for (const projectId of ["shop", null]) {
      const validation = ["POST", "/features/validate", { name: "checkout", projectId }] as const;
      if (projectId === null) await admin.must(200, ...validation);
      else await admin.refuse(refused, ...validation);
    }
    await admin.must(201, "POST", FEATURES, { name: "Web.checkout" });
    await admin.must(201, "POST", `${FEATURES}/old/clone`, { name: "app.old" });
    await admin.must(200, "PUT", `${FEATURES}/old`, { description: "Keeps its name" });
    await admin.must(201, "POST", "/projects/default/features", { name: "checkout" });
    // A flag that moves keeps its name.
    const move = "/projects/default/features/checkout/changeProject";
    await admin.must(200, "POST", move, { newProjectId: "shop" });
  });

  test("the rule applies to imported flags that are new", async () => {
    const file = (name: string) => ({ version: 1, features: [{ name: "old" }, { name }] });
    const path = "/projects/shop/import";
    await admin.refuse(bad("/body/features/1/name"), "POST", path, file("imported"));
    await admin.must(200, "POST", path, file("app.imported"));
    const unleash = {
      project: "shop",
      environment: "development",
      data: { features: [{ name: "old" }, { name: "other" }], featureStrategies: [] },
    };
    const { body } = await admin.must(200, "POST", "/features-batch/validate", unleash);
    expect(body).toMatchObject({
      errors: [
        {
          message: expect.stringContaining('In flag "other", name: must match'),
          affectedItems: [],
        },
      ],
    });
    const { status } = await admin.call("POST", "/features-batch/import", unleash);
    expect(status).toBe(400);
  });

  test.each([
    [{ pattern: "(" }, "pattern", "RE2 syntax"],
    [{ pattern: "(?!a)b" }, "pattern", "RE2 syntax"],
    [{ pattern: "(a{1,999}){1,999}" }, "pattern", "do not repeat"],
    [{ pattern: "[a-z]+", example: "A" }, "example", "must match the pattern"],
    [{ pattern: "[a-z]+", example: "a1" }, "example", "from the first to the last character"],
    [{ example: "a" }, "pattern", "example"],
    [{ pattern: "", description: "Short" }, "pattern", "description"],
    [{ pattern: 7 }, "pattern", "must be a string or null"],
    [{ regex: "a" }, "regex", "unknown"],
  ])("the rule %j is refused", async (featureNaming, property, message) => {
    const expected = { status: 400, name: "BadDataError" };
    const { body } = await admin.refuse(expected, "PUT", SETTINGS, { featureNaming });
    expect([property, body.message]).toEqual([property, expect.stringContaining(message)]);
    expect(body.details).toMatchObject([{ path: `/body/featureNaming/${property}` }]);
  });

  test.each([{ featureNaming: null }, { featureNaming: { pattern: "", example: null } }])(
    "%j removes the rule",
    async (removal) => {
      await admin.must(200, "PUT", SETTINGS, { featureNaming: { pattern: "[a-z]+" } });
      await admin.must(200, "PUT", SETTINGS, removal);
      const { body } = await admin.must(200, "GET", "/projects/shop");
      expect(body).toMatchObject({ featureNaming: null });
    },
  );

  test("links of a project are part of each of its flags, with the name of the flag", async () => {
    await admin.must(200, "PUT", SETTINGS, { linkTemplates: LINKS });
    const { body: project } = await admin.must(200, "GET", "/projects/shop");
    expect(project).toMatchObject({ linkTemplates: LINKS, featureNaming: null });
    const name = "it's(new)";
    await admin.must(201, "POST", FEATURES, { name });
    const { body: flag } = await admin.must(200, "GET", `${FEATURES}/${name}`);
    expect(flag).toMatchObject({
      projectLinks: [
        { title: "Code", url: "https://git.example.com/search?q=it's(new)&in=shop" },
        { title: null, url: "http://wiki/shop/it's(new)" },
      ],
    });
    await admin.must(200, "PUT", SETTINGS, { linkTemplates: [] });
    const { body: later } = await admin.must(200, "GET", `${FEATURES}/${name}`);
    expect(later).toMatchObject({ projectLinks: [] });
  });

  test.each([
    ["javascript:alert(1)//{{feature}}", "address of a web page"],
    ["ftp://example.com/{{feature}}", "address of a web page"],
    ["/flags/{{feature}}", "address of a web page"],
    [
      "https://example.com/{{flag}}",
      'no other placeholders than {{project}} and {{feature}}: "{{flag}}"',
    ],
    ["https://example.com/{{feature", "no other placeholders"],
    ["https://{{feature}}.example.com/", "after the host name"],
    ["https://example.com{{feature}}/", "after the host name"],
    ["https://{{feature}}@example.com/", "user name or a password"],
    ["https://me:secret@example.com/", "user name or a password"],
    ["https://example.com/ {{feature}}", "spaces"],
    ["https:\\\\example.com/{{feature}}", "backslashes"],
  ])("the link %s is refused", async (urlTemplate, message) => {
    const expected = bad("/body/linkTemplates/0/urlTemplate");
    const body = { linkTemplates: [{ title: "Link", urlTemplate }] };
    const { body: error } = await admin.refuse(expected, "PUT", SETTINGS, body);
    expect(error.message).toContain(message);
  });

  test("there are at most ten links", async () => {
    const linkTemplates = Array.from({ length: 11 }, () => LINKS[0]);
    await admin.refuse(bad("/body/linkTemplates"), "PUT", SETTINGS, { linkTemplates });
  });

  test("settings of a version that somebody else has changed are refused", async () => {
    const { headers } = await admin.must(200, "GET", "/projects/shop");
    await admin.must(200, "PUT", SETTINGS, { linkTemplates: LINKS.slice(1) });
    const { status, body } = await admin.call<ErrorResponse>(
      "PUT",
      SETTINGS,
      { linkTemplates: [] },
      { headers: { "if-match": headers.get("etag") ?? "" } },
    );
    expect([status, body.message]).toEqual([
      412,
      expect.stringContaining("The project has changed"),
    ]);
  });

  test("what a project is read as can be sent back", async () => {
    const { body } = await admin.must<object>(200, "GET", "/projects/shop");
    await admin.must(200, "PUT", "/projects/shop", { ...body, description: "Sent back" });
    const { body: after } = await admin.must(200, "GET", "/projects/shop");
    expect(after).toMatchObject({ description: "Sent back", linkTemplates: LINKS.slice(1) });
  });
});
