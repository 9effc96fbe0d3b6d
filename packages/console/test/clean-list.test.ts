import { expect, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { switchFlag } from "../../admin/test/_flags.ts";
import { confirm } from "./_actions.ts";
import { clickControl, describeConsole, expectAccessible } from "./_console.ts";
import { createProject, flagsOn, shownFlags, waitForMessage } from "./_flags.ts";

/** Widths of the screens in pixels. */
const WIDTHS: readonly number[] = sized([1024], [390, 1024, 1440]);

interface StoredFlag {
  readonly name: string;
  readonly tags: readonly { readonly type: string; readonly value: string }[];
}

describeConsole("cleaning a list of flags", (console) => {
  const readTags = async (project: string) => {
    const { features } = (await console.admin("GET", `/projects/${project}/features`)) as {
      readonly features: readonly StoredFlag[];
    };
    return Object.fromEntries(
      features.map(({ name, tags }) => [name, tags.map(({ type, value }) => `${type}:${value}`)]),
    );
  };

  test.each(WIDTHS)(
    "tags many flags, and archives those that are no longer needed, at %d px",
    async (width) => {
      const project = `clean-${width}`;
      const names = ["old-banner", "old-search", "new-search"].map((name) => `${name}-${width}`);
      const [banner = "", search = "", kept = ""] = names;
      await createProject(console, project, [
        { name: banner },
        { name: search, tags: [{ type: "simple", value: "legacy" }] },
        { name: kept },
      ]);
      await switchFlag(console, banner, { project, environment: "production", on: true });
      const page = await console.open(`/projects/${project}/flags?query=old`, {
        size: width < 600 ? "phone" : "desktop",
      });
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => shownFlags(page)).toEqual([banner, search]);
      for (const name of [banner, search]) {
        await clickControl(page.getByRole("checkbox", { name: `Select ${name}` }));
      }
      const run = async (action: string): Promise<void> => {
        await page.getByRole("button", { name: "Change 2 flags" }).click();
        await page.getByRole("menuitem", { name: action, exact: true }).click();
      };
      await page.getByRole("button", { name: "Change 2 flags" }).click();
      await page.getByRole("menuitem", { name: "Archive…" }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press("Escape");

      await run("Add a tag…");
      const tagging = page.getByRole("dialog", { name: "Add a tag to 2 flags" });
      await tagging.getByRole("combobox", { name: "Tag" }).fill("legacy");
      await page.keyboard.press("Tab");
      await expectAccessible(page);
      await tagging.getByRole("button", { name: "Add tag" }).click();
      // The other one has it already.
      const tagged = await waitForMessage(page, "Added the tag simple:legacy to 1 flag");
      await tagging.waitFor({ state: "detached" });
      expect(await readTags(project)).toEqual({
        [banner]: ["simple:legacy"],
        [search]: ["simple:legacy"],
        [kept]: [],
      });
      await tagged.getByRole("button", { name: "Undo" }).click();
      await expect.poll(async () => (await readTags(project))[banner]).toEqual([]);
      expect((await readTags(project))[search]).toEqual(["simple:legacy"]);

      await run("Add an owner…");
      const owning = page.getByRole("dialog", { name: "Add an owner to 2 flags" });
      await owning.getByRole("combobox", { name: "Owner" }).fill("team search");
      await page.keyboard.press("Tab");
      await owning.getByRole("button", { name: "Add owner" }).click();
      await waitForMessage(page, "Added the tag owner:team search to 2 flags");
      expect((await readTags(project))[banner]).toEqual(["owner:team search"]);

      await run("Remove a tag…");
      const removing = page.getByRole("dialog", { name: "Remove a tag from 2 flags" });
      await removing.getByRole("button", { name: /^owner:/ }).press("Enter");
      await page.getByRole("option", { name: "simple:legacy", exact: true }).click();
      await removing.getByRole("button", { name: "Remove tag" }).click();
      await waitForMessage(page, "Removed the tag simple:legacy from 1 flag");
      expect((await readTags(project))[search]).toEqual(["owner:team search"]);

      await page.getByRole("button", { name: "Change 2 flags" }).click();
      const production = page.getByRole("group", { name: "production" });
      await production.getByRole("menuitem", { name: "Turn off" }).click();
      await confirm(page, "This turns the flag off for everyone in production.", "Turn off");
      const off = await waitForMessage(page, "Turned off 1 flag in production");
      expect(await flagsOn(console, project, "production")).toEqual([]);
      await off.getByRole("button", { name: "Undo" }).click();
      await expect.poll(() => flagsOn(console, project, "production")).toEqual([banner]);

      await run("Archive…");
      await confirm(page, "This turns 1 flag off for everyone in production.", "Archive");
      await waitForMessage(page, "Archived 2 flags");
      expect(Object.keys(await readTags(project))).toEqual([kept]);
      await page.getByText("No flag matches").waitFor();
      await expectAccessible(page);
    },
  );
});
