import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { rowNames } from "./_actions.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { choose, createProject, readFlags, waitForMessage } from "./_flags.ts";

/** Chooses a file with the content, as the dialog of the browser does. */
async function chooseFile(page: Page, content: string): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Choose a file" }).click(),
  ]);
  await chooser.setFiles({
    name: "flags.json",
    mimeType: "application/json",
    buffer: Buffer.from(content),
  });
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
      expect(await rowNames(page, "Flags in the file")).toEqual([created, changed, kept]);
      await choose(page, "Effect", "Changed flags");
      await expect.poll(() => rowNames(page, "Flags in the file")).toEqual([changed]);
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

  test("says in words where a file is wrong, and imports nothing", async () => {
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
      ["{}", "This is not a file with flags"],
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

  test("imports a file with 2,000 flags, and shows only the visible ones", async () => {
    await createProject(console, "large", []);
    const features = Array.from({ length: 2000 }, (_, index) => ({ name: `large-${index}` }));
    const page = await console.open("/projects/large/transfer");
    await chooseFile(page, JSON.stringify({ version: 1, features }));
    await page.getByText("2,000 new flags").waitFor();
    const rows = await rowNames(page, "Flags in the file");
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
