import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { choose, rowNames } from "./_actions.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject, readFlags, waitForMessage } from "./_flags.ts";

/** Chooses a file with the content, as the dialog of the browser does. */
async function chooseFile(page: Page, content: string, name = "flags.json"): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Choose a file" }).click(),
  ]);
  await chooser.setFiles({
    name,
    mimeType: "application/json",
    buffer: Buffer.from(content),
  });
}

/** An export of Unleash 7, with names of its own for each test. */
async function readUnleashExport(suffix: string): Promise<string> {
  const file = new URL("unleash-export.json", import.meta.url);
  return (await readFile(file, "utf8")).replaceAll("-NAME", `-${suffix}`);
}

describeConsole("import and export", (console) => {
  test.each(SIZES)(
    "a project is downloaded, and imported after a preview, on a %s",
    async (size) => {
      const project = `transfer-${size}`;
      const [kept, changed, created] = [
        `${project}-kept`,
        `${project}-changed`,
        `${project}-created`,
      ];
      await createProject(console, project, [{ name: kept }, { name: changed }]);
      const page = await console.open(`/projects/${project}/transfer`, { size });
      await expectAccessible(page);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download the flags" }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(
        new RegExp(String.raw`^${project}-flags-\d{4}-\d\d-\d\d\.json$`),
      );
      const file = JSON.parse(await readFile(await download.path(), "utf8")) as {
        readonly features: readonly { readonly name: string }[];
      };
      expect(file.features.map(({ name }) => name)).toEqual([changed, kept]);

      const features = file.features.map((flag) =>
        flag.name === changed ? { ...flag, description: "New text" } : flag,
      );
      await chooseFile(
        page,
        JSON.stringify({ ...file, features: [...features, { name: created }] }),
      );
      await page.getByText("1 new flag, 1 changed flag, 1 unchanged flag.").waitFor();
      const rows = () => rowNames(page, "Contents of the file");
      expect((await rows()).slice(0, 2)).toEqual([created, changed]);
      await choose(page, "Effect", "Changed");
      await expect.poll(rows).toEqual([changed]);
      await expectAccessible(page);
      expect(await readFlags(console, project)).toHaveLength(2);

      await page.getByRole("button", { name: "Import 2 flags" }).click();
      await waitForMessage(page, "Imported 2 flags");
      const flags = await readFlags(console, project);
      expect(flags.map(({ name, description }) => [name, description])).toEqual([
        [changed, "New text"],
        [created, null],
        [kept, null],
      ]);
    },
  );

  test("the long name of a file fits on a phone", async () => {
    const page = await console.open("/projects/default/transfer", { size: "phone" });
    const file = { version: 1, features: [{ name: "of-a-long-file" }] };
    await chooseFile(page, JSON.stringify(file), `${"n".repeat(150)}.json`);
    await page.getByText("1 new flag").waitFor();
    const hidden = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(hidden).toBeLessThanOrEqual(0);
  });

  test("describes where a file is invalid, and imports nothing", async () => {
    await createProject(console, "wrong-files", []);
    const page = await console.open("/projects/wrong-files/transfer", {
      expected: /status of 400/,
    });
    const strategies = [
      { name: "default", constraints: [{ contextName: "userId", operator: "NEAR" }] },
    ];
    const environments = [{ name: "production", enabled: true, strategies }];
    const invalid = { version: 1, features: [{ name: "checkout", environments }] };
    for (const [content, message] of [
      ["{", "The file is not valid JSON"],
      ["{}", "The file must contain flags"],
      [
        JSON.stringify(invalid),
        'In flag "checkout", environment "production", strategy 1, constraint 1, operator: must be one of',
      ],
    ] as const) {
      await chooseFile(page, content);
      await page.getByRole("alert").filter({ hasText: message }).waitFor();
    }
    await page.getByText("Nothing was imported.").waitFor();
    await expectAccessible(page);
    expect(await readFlags(console, "wrong-files")).toEqual([]);
  });

  test.each(SIZES)("a file of Unleash is imported into an environment on a %s", async (size) => {
    const project = `unleash-${size}`;
    const [created, changed, segment] = ["banner", "menu", "martians"].map(
      (name) => `${name}-${size}`,
    );
    const file = await readUnleashExport(size);
    await createProject(console, project, [{ name: `menu-${size}` }]);
    await console.admin("PUT", `/projects/${project}/features/${changed}`, { description: "Own" });
    const page = await console.open(`/projects/${project}/transfer`, { size });
    const chooseEnvironment = async () => {
      await chooseFile(page, file);
      await page.getByText("(export of the environment staging)").waitFor();
      expect(await page.getByRole("button", { name: /^Import/ }).count()).toBe(0);
      await choose(page, "Import staging into", "production");
    };
    await chooseEnvironment();
    await page.getByText("uses the segment").waitFor();
    await expectAccessible(page);

    await console.admin("POST", "/segments", { name: segment, constraints: [] });
    await chooseEnvironment();
    await page
      .getByText(/1 new flag, 0 changed flags, 0 unchanged flags\..* 1 conflict, /)
      .waitFor();
    expect((await rowNames(page, "Contents of the file")).slice(0, 2)).toEqual([changed, created]);
    await page.getByText(/was changed here by .* on \d{4}/).waitFor();
    await page.getByText("Also replace what was changed here").click();
    await page.getByText("1 new flag, 1 changed flag, 0 unchanged flags.").waitFor();
    await expectAccessible(page);
    expect(await readFlags(console, project)).toHaveLength(1);

    await page.getByRole("button", { name: "Import 2 flags" }).click();
    await waitForMessage(page, "Imported 2 flags");
    await page.getByRole("region", { name: "Preview" }).waitFor({ state: "detached" });
    const flags = await readFlags(console, project);
    expect(flags).toMatchObject([
      {
        name: created,
        description: "Shows a banner",
        type: "experiment",
        environments: [
          { name: "development", enabled: false },
          { name: "production", enabled: true },
        ],
      },
      {
        name: changed,
        stale: true,
        environments: [
          { name: "development", enabled: false },
          { name: "production", enabled: false },
        ],
      },
    ]);
    const strategies = await console.admin(
      "GET",
      `/projects/${project}/features/${created}/environments/production/strategies`,
    );
    expect(strategies).toMatchObject([
      { title: "Half", parameters: { rollout: "50" }, constraints: [{ values: ["mars"] }] },
    ]);
  });

  test("a state file in YAML is imported, one of its projects or all", async () => {
    await createProject(console, "from-state", []);
    const page = await console.open("/projects/from-state/transfer");
    const state = `version: 1
features:
  - { name: state-a, project: one, enabled: true, strategies: [{ name: default }] }
  - { name: state-b, project: two, enabled: false, strategies: [{ name: default }] }
`;
    await chooseFile(page, state, "state.yaml");
    await page.getByText("(state file, version 1)").waitFor();
    await choose(page, "Import default into", "production");
    await choose(page, "Flags to import", "All projects");
    await page.getByText(/^2 new flags/).waitFor();
    await page.getByText("Also 2 new projects.").waitFor();
    await choose(page, "Flags to import", "Project one");
    await page.getByText("1 new flag, 0 changed flags, 0 unchanged flags.").waitFor();
    await page.getByRole("button", { name: "Import 1 flag" }).click();
    await waitForMessage(page, "Imported 1 flag");
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("project two: was not selected").waitFor();
    await expectAccessible(page);
    await result.getByRole("button", { name: "Close" }).click();
    await result.waitFor({ state: "detached" });
    expect(await readFlags(console, "from-state")).toMatchObject([
      {
        name: "state-a",
        environments: [{ enabled: false }, { name: "production", enabled: true }],
      },
    ]);
  });

  test("describes where a file of Unleash is invalid", async () => {
    await createProject(console, "wrong-exports", []);
    const page = await console.open("/projects/wrong-exports/transfer", {
      expected: /status of 400/,
    });
    const strategy = { name: "default", featureName: "checkout" };
    const constraint = { contextName: "userId", values: ["7"] };
    const contentOf = (operator: string, variants: readonly object[] = []) =>
      JSON.stringify({
        features: [{ name: "checkout" }],
        featureStrategies: [{ ...strategy, constraints: [{ ...constraint, operator }] }],
        featureEnvironments: [
          { featureName: "checkout", environment: "production", enabled: true, variants },
        ],
      });
    const fixed = { name: "red", weight: 500, weightType: "fix" };
    for (const [content, message] of [
      [contentOf("NEAR"), 'In flag "checkout", strategy 1, constraint 1, operator: must be one of'],
      [
        contentOf("IN", [fixed]),
        'In flag "checkout", environment "production", variants: must contain at least one variant',
      ],
    ] as const) {
      await chooseFile(page, content);
      await page.getByRole("alert").filter({ hasText: message }).waitFor();
    }
    expect(await page.getByRole("button", { name: /^Import \d/ }).count()).toBe(0);
    expect(await readFlags(console, "wrong-exports")).toEqual([]);
  });

  test("imports a file with 2,000 flags, and shows only the visible ones", async () => {
    await createProject(console, "large", []);
    const features = Array.from({ length: 2000 }, (_, index) => ({ name: `large-${index}` }));
    const page = await console.open("/projects/large/transfer");
    await chooseFile(page, JSON.stringify({ version: 1, features }));
    await page.getByText("2,000 new flags").waitFor();
    const rows = await rowNames(page, "Contents of the file");
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThan(100);
    await page.getByRole("button", { name: "Import 2,000 flags" }).click();
    await waitForMessage(page, "Imported 2,000 flags");
    expect(await readFlags(console, "large")).toHaveLength(2000);
  });

  test("viewers can only export", async () => {
    const page = await console.open("/projects/default/transfer", { role: "viewer" });
    await page.getByRole("button", { name: "Download the flags" }).waitFor();
    expect(await page.getByRole("button", { name: "Choose a file" }).count()).toBe(0);
  });
});
