import type { Locator, Page } from "playwright-core";
import type { Console } from "./_console.ts";

export interface StoredStrategy {
  readonly id: string;
  readonly name: string;
  readonly title: string | null;
  readonly disabled: boolean;
  readonly parameters: Readonly<Record<string, string>>;
  readonly constraints: readonly Readonly<Record<string, unknown>>[];
  readonly segments: readonly number[];
  readonly variants: readonly Readonly<Record<string, unknown>>[];
}

function pathOf(flag: string, environment: string): string {
  return `/projects/default/features/${flag}/environments/${environment}/strategies`;
}

/** Creates a flag in the default project, with strategies in an environment. */
export async function createFlag(
  console: Console,
  name: string,
  strategies: readonly Readonly<Record<string, unknown>>[] = [],
  environment = "development",
): Promise<void> {
  await console.admin("POST", "/projects/default/features", { name });
  for (const strategy of strategies) {
    await console.admin("POST", pathOf(name, environment), strategy);
  }
}

/** Returns the strategies of a flag of the default project in their order. */
export async function readStrategies(
  console: Console,
  flag: string,
  environment = "development",
): Promise<readonly StoredStrategy[]> {
  return (await console.admin("GET", pathOf(flag, environment))) as readonly StoredStrategy[];
}

/** Returns the titles of the strategies of a flag in their order. */
export async function readTitles(
  console: Console,
  flag: string,
  environment = "development",
): Promise<readonly (string | null)[]> {
  return (await readStrategies(console, flag, environment)).map(({ title }) => title);
}

/** Changes a strategy as another user would. */
export async function patchStrategy(
  console: Console,
  flag: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const [strategy] = await readStrategies(console, flag);
  await console.admin(
    "PATCH",
    `${pathOf(flag, "development")}/${strategy?.id ?? ""}`,
    Object.entries(changes).map(([name, value]) => ({ op: "replace", path: `/${name}`, value })),
  );
}

/** Returns the part of the page about an environment. */
export function environmentOf(page: Page, name = "development"): Locator {
  return page.getByRole("region", { name, exact: true });
}

/**
 * Chooses an entry of the menu of a strategy.
 *
 * NOTE: with the click that assistive technology sends. A mouse would choose the entry above which it is released, on a small
 * screen, and a key would get lost while a dialog that closes takes the focus back.
 */
export async function runAction(page: Page, strategy: string, action: string): Promise<void> {
  await page
    .getByRole("button", { name: `More actions for ${strategy}`, exact: true })
    .dispatchEvent("click");
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

/** Types a text into a field with suggestions, and closes the list. */
export async function type(page: Page, field: Locator, text: string): Promise<void> {
  await field.fill(text);
  await page.keyboard.press("Tab");
}
