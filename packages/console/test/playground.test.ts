import { expect, test } from "vitest";
import { choose } from "./_actions.ts";
import { createFlag } from "../../admin/test/_flags.ts";
import { describeConsole, expectAccessible, SIZES } from "./_console.ts";

const half = {
  name: "flexibleRollout",
  parameters: { rollout: "50", stickiness: "userId", groupId: "g" },
};

interface Played {
  readonly features: readonly {
    readonly name: string;
    readonly environments: Readonly<Record<string, readonly { readonly isEnabled: boolean }[]>>;
  }[];
}

describeConsole("the playground", (console) => {
  test.each(SIZES)("shows the results of all flags on a %s", async (size) => {
    const project = `play-${size}`;
    await console.admin("POST", "/projects", { id: project, name: `Project ${project}` });
    await createFlag(console, `${project}-everyone`, { project });
    await createFlag(console, `${project}-half`, { project, strategies: [half] });
    await createFlag(console, `${project}-off`, { project, enabled: false });

    const page = await console.open("/playground", { size });
    await page.getByRole("heading", { name: "Choose a context" }).waitFor();
    await expectAccessible(page);
    await page.getByText(`Project ${project}`, { exact: true }).last().click();
    await page.getByRole("textbox", { name: "userId" }).fill("1,2,3,4");
    await page.getByRole("button", { name: "Evaluate" }).click();
    await page.getByText("3 flags", { exact: true }).waitFor();
    const rowOf = (name: string) =>
      page
        .getByRole("row")
        .filter({ has: page.getByRole("button", { name: `${project}-${name}` }) });
    expect(await rowOf("everyone").innerText()).toMatch(/\bon\b[^]*\boff\b/);

    const { features } = (await console.admin("POST", "/playground/advanced", {
      environments: ["development"],
      projects: [project],
      features: [`${project}-half`],
      context: { userId: "1,2,3,4" },
    })) as Played;
    const on = features[0]?.environments["development"]?.filter(({ isEnabled }) => isEnabled);
    expect(await rowOf("half").innerText()).toContain(`on: ${on?.length} of 4 contexts`);
    await expectAccessible(page);

    await page.getByRole("button", { name: `${project}-half` }).click();
    await page.getByText("userId 3", { exact: true }).first().waitFor();
    await page
      .getByText(/userId "3" is in bucket \d+ of 100/)
      .first()
      .waitFor();
    await expectAccessible(page);

    await choose(page, "Result", "Different results");
    await page.getByText("2 of 3 flags").waitFor();
    await page.getByRole("searchbox").fill("half");
    await page.getByText("1 of 3 flags").waitFor();
    await page.getByRole("searchbox").fill("nothing");
    await page.getByRole("button", { name: "Show all flags" }).click();
    await page.getByText("3 flags", { exact: true }).waitFor();

    await page.reload();
    await page.getByText("3 flags", { exact: true }).waitFor();
    await page.getByRole("button", { name: `${project}-off` }).click();
    const link = page.getByRole("link", { name: "Open the flag" });
    expect(await link.getAttribute("href")).toBe(`/projects/${project}/flags/${project}-off`);
  });

  test("explains that there are too many combinations", async () => {
    const many = Array.from({ length: 200 }, (_, index) => index).join();
    await createFlag(console, "combined");
    const page = await console.open("/playground", { expected: /status of 400/ });
    await page.getByRole("textbox", { name: "userId" }).fill(many);
    await page.getByRole("combobox", { name: "Another field" }).fill("sess");
    await page.getByRole("option", { name: "sessionId" }).click();
    await page.getByRole("textbox", { name: "sessionId" }).fill(many);
    await page.getByRole("button", { name: "Evaluate" }).click();
    await page.getByRole("alert").getByText("too many combinations").waitFor();
  });

  test("viewers can use the playground", async () => {
    await createFlag(console, "for-viewers");
    const page = await console.open('/playground?context={"userId":"1"}', { role: "viewer" });
    await page.getByRole("button", { name: "for-viewers" }).waitFor();
  });
});
