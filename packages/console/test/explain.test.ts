import { expect, test } from "vitest";
import { createFlag, createSegment } from "../../admin/test/_flags.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";

const constraint = (contextName: string, ...values: readonly string[]) => ({
  contextName,
  operator: "IN",
  values,
});

const variant = (name: string) => ({
  name,
  weight: 500,
  weightType: "variable",
  stickiness: "default",
});

describeConsole("the explanation of a flag", (console) => {
  test.each(SIZES)(
    "the explanation follows the context, and its URL can be shared, on a %s",
    async (size) => {
      const name = `explained-${size}`;
      const segment = await createSegment(console, `testers-${size}`, ["42"]);
      await createFlag(console, name, {
        strategies: [
          { constraints: [constraint("plan", "pro")], variants: [variant("red"), variant("blue")] },
          { segments: [segment] },
          { disabled: true },
        ],
      });
      const page = await console.open(`/projects/default/flags/${name}?tab=explain`, { size });
      const development = page.getByRole("region", { name: "development" });
      await development.getByText("The flag is off because no strategy matches").waitFor();
      await development.getByText("It is disabled, so it is skipped.").waitFor();
      await page
        .getByRole("region", { name: "production" })
        .getByText("The flag is off because it is turned off in this environment.")
        .waitFor();
      await page.getByText("For an empty context, as if the application knew nothing").waitFor();
      await expectAccessible(page);

      // The fields are those that the rules of the flag read.
      await page.getByRole("textbox", { name: "userId" }).fill("7");
      await page.getByLabel("plan", { exact: true }).fill("pro");
      await page.getByRole("button", { name: "Explain", exact: true }).click();
      await development.getByText(/^The flag is on because strategy 1 matches/).waitFor();
      await page.getByText("For userId = 7 and plan = pro.", { exact: true }).waitFor();
      const [played] = (
        (await console.admin("POST", "/playground", {
          environment: "development",
          features: [name],
          context: { userId: "7", properties: { plan: "pro" } },
        })) as { features: { explanation: string; variant: { name: string } }[] }
      ).features;
      await development.getByText(played?.explanation ?? "none").waitFor();
      await development.getByText(`on · ${played?.variant.name}`).waitFor();
      const deciding = development.locator(".step-deciding");
      expect(await deciding.innerText()).toContain("Strategy 1");
      expect(await deciding.innerText()).toContain('plan is "pro"');
      await expectAccessible(page);

      const link = page.url();
      expect(new URL(link).searchParams.get("context")).toBe('{"userId":"7","plan":"pro"}');
      await page.reload();
      await development.getByText(/^The flag is on because strategy 1 matches/).waitFor();
      expect(await page.getByLabel("plan", { exact: true }).inputValue()).toBe("pro");
    },
  );

  test("any field can be added and removed", async () => {
    await createFlag(console, "any-field", {
      strategies: [{ constraints: [constraint("region", "north")] }],
    });
    const page = await console.open("/projects/default/flags/any-field?tab=explain");
    await page.getByRole("combobox", { name: "Another field" }).fill("team");
    await page.getByRole("button", { name: "Add the field" }).click();
    await page.getByRole("textbox", { name: "team" }).fill("blue");
    await page.getByRole("textbox", { name: "region" }).fill("north");
    await page.getByRole("button", { name: "Explain", exact: true }).click();
    await page.getByText('The flag is on because region is "north".').waitFor();
    expect(page.url()).toContain("blue");
    await page.getByRole("button", { name: "Remove region" }).click();
    await page.getByRole("button", { name: "Explain", exact: true }).click();
    await page.getByText("The flag is off because region is absent").waitFor();
    expect(page.url()).not.toContain("north");
  });

  test("long names of fields fit on a phone", async () => {
    await createFlag(console, "long-fields", {
      strategies: [{ constraints: [constraint("a".repeat(60), "pro")] }],
    });
    const page = await console.open("/projects/default/flags/long-fields?tab=explain", {
      size: "phone",
    });
    await page.getByRole("textbox", { name: "a".repeat(60) }).waitFor();
    const hidden = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(hidden).toBeLessThanOrEqual(0);
  });

  test("shows a change by somebody else at once", async () => {
    await createFlag(console, "changing", { enabled: false });
    const page = await console.open("/projects/default/flags/changing?tab=explain");
    const development = page.getByRole("region", { name: "development" });
    await development.getByText("The flag is off because it is turned off").waitFor();
    await console.admin("POST", "/projects/default/features/changing/environments/development/on");
    await development.getByText("The flag is on for everyone.").waitFor();
  });

  test("a forged address shows only text", async () => {
    await createFlag(console, "forged", {
      strategies: [{ constraints: [constraint("plan", "pro")] }],
    });
    const context = JSON.stringify({ plan: "<img src=x onerror=alert(1)>", list: ["a"] });
    const page = await console.open(
      `/projects/default/flags/forged?tab=explain&context=${encodeURIComponent(context)}&in=5`,
    );
    await page.getByText('plan is "<img src=x onerror=alert(1)>"').first().waitFor();
    expect(await page.locator("main img").count()).toBe(0);
  });
});
