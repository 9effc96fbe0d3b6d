import { expect, test } from "vitest";
import { field } from "./_actions.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";
import { createProject, readFlags, waitForMessage } from "./_flags.ts";

/** Browsers log that the service has refused something. */
const BAD_REQUEST = /status of 400/;

describeConsole("how flags of a project are named and linked", (console) => {
  test.each(SIZES)("is set in the project settings (%s)", async (size) => {
    const project = `shape-${size}`;
    await createProject(console, project, []);
    const page = await console.open(`/projects/${project}/settings`, {
      size,
      expected: BAD_REQUEST,
    });
    const section = page.getByRole("region", { name: "Names and links of flags" });
    await section.getByRole("button", { name: "Set a pattern for names" }).click();
    const dialog = page.getByRole("dialog");
    await field(dialog, "Pattern").fill(String.raw`web\.[a-z-]+`);
    await field(dialog, "Example").fill("checkout");
    await field(dialog, "Explanation").fill("Begin with the application.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("The example must match the pattern").waitFor();
    await expectAccessible(page);
    const name = `web.checkout-${size}`;
    await field(dialog, "Example").fill(name);
    await dialog.getByRole("button", { name: "Save" }).click();
    await section.getByText("Begin with the application.").waitFor();

    await section.getByRole("button", { name: "Add links" }).click();
    await dialog.getByRole("button", { name: "Add link" }).click();
    await field(dialog, "Title").fill("Code");
    await field(dialog, "Address").fill("https://{{feature}}.example.com/");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("The address must have placeholders only after the host").waitFor();
    await field(dialog, "Address").fill("https://git.example.com/?q={{feature}}");
    await dialog.getByRole("button", { name: "Save" }).click();
    await waitForMessage(page, "Saved the links of flags");
    await section.getByText("https://git.example.com/?q={{feature}}").waitFor();
    await expectAccessible(page);
    expect(await console.admin("GET", `/projects/${project}`)).toMatchObject({
      featureNaming: { pattern: String.raw`web\.[a-z-]+`, example: name },
      linkTemplates: [{ title: "Code", urlTemplate: "https://git.example.com/?q={{feature}}" }],
    });

    await page.goto(`${console.url}/projects/${project}/flags`);
    await page.getByRole("button", { name: "Create the first flag" }).click();
    await dialog.getByText("Begin with the application.").waitFor();
    await field(dialog, "Name").fill("checkout");
    await dialog.getByRole("button", { name: "Create flag" }).click();
    await dialog.getByText("The name must match").waitFor();
    await expectAccessible(page);
    await field(dialog, "Name").fill(name);
    await dialog.getByRole("button", { name: "Create flag" }).click();
    const link = page.getByRole("link", { name: "Code" });
    expect(await link.getAttribute("href")).toBe(`https://git.example.com/?q=${name}`);
    expect((await readFlags(console, project)).map((flag) => flag.name)).toEqual([name]);
  });

  test.each(SIZES)(
    "a default strategy says what flags get that are turned on (%s)",
    async (size) => {
      const [project, flag] = [`start-${size}`, `started-${size}`];
      await createProject(console, project, [{ name: flag }]);
      const page = await console.open(`/projects/${project}/settings`, { size });
      const section = page.getByRole("region", { name: "Environments" });
      await section.getByText("turned on is on for everyone").first().waitFor();
      await section.getByRole("button", { name: "Default strategy in development" }).click();
      const dialog = page.getByRole("dialog");
      await field(dialog, "Percentage").fill("10");
      await field(dialog, "Percentage").blur();
      await dialog.getByText("is on for 10% of users").waitFor();
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Save" }).click();
      await section.getByText("turned on is on for 10% of users").waitFor();
      await expectAccessible(page);

      await page.goto(`${console.url}/projects/${project}/flags/${flag}`);
      const development = page.getByRole("region", { name: "development" });
      await development.getByText("Turning it on adds a strategy for 10% of users.").waitFor();
      await development.getByRole("button", { name: "Add strategy" }).click();
      await dialog.getByText("On for 10% of users").waitFor();
      expect(await field(dialog, "Group id").inputValue()).toBe(flag);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await development.getByRole("switch").press("Space");
      await development.getByText("10% of users").first().waitFor();
      const stored = await console.admin("GET", `/projects/${project}/features/${flag}`);
      expect(stored).toMatchObject({
        environments: [
          {
            name: "development",
            strategies: [{ name: "flexibleRollout", parameters: { rollout: "10", groupId: flag } }],
          },
          { name: "production", strategies: [] },
        ],
      });
    },
  );
});
