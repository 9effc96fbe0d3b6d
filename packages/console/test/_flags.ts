import type { Locator, Page } from "playwright-core";
import type { Console } from "./_console.ts";

/** A flag in the file that the service imports. */
export interface FlagInFile {
  readonly name: string;
  readonly description?: string;
  readonly type?: string;
  readonly stale?: boolean;
  readonly tags?: readonly { readonly type: string; readonly value: string }[];
  readonly environments?: readonly {
    readonly name: string;
    readonly enabled: boolean;
    readonly strategies: readonly { readonly name: string }[];
  }[];
}

/** Creates a project with flags, whose names must not exist in another project. */
export async function createProject(
  console: Console,
  id: string,
  features: readonly FlagInFile[],
): Promise<void> {
  await console.admin("POST", "/projects", { id, name: `Project ${id}` });
  await console.admin("POST", `/projects/${id}/import`, { version: 1, features });
}

interface StoredFlag {
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
  readonly stale: boolean;
  readonly environments: readonly { readonly name: string; readonly enabled: boolean }[];
}

/** Returns the flags of a project in the order of their names. */
export async function readFlags(console: Console, project: string): Promise<readonly StoredFlag[]> {
  const list = await console.admin("GET", `/projects/${project}/features`);
  const { features } = list as { readonly features: readonly StoredFlag[] };
  return features.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the names of the flags that are on in an environment. */
export async function flagsOn(
  console: Console,
  project: string,
  environment = "development",
): Promise<readonly string[]> {
  const flags = await readFlags(console, project);
  return flags
    .filter(({ environments }) =>
      environments.some(({ name, enabled }) => enabled && name === environment),
    )
    .map(({ name }) => name);
}

/** Returns the names of the rows of the list of flags, in their order on the page. */
export async function shownFlags(page: Page): Promise<readonly string[]> {
  const rows = page.locator(".flag-body .flag-row");
  const entries = await rows.evaluateAll((elements) =>
    elements.map((element): [number, string] => [
      Number(element.getAttribute("aria-rowindex")),
      element.querySelector("a")?.textContent ?? "",
    ]),
  );
  return entries.toSorted(([a], [b]) => a - b).map(([, name]) => name);
}

export function switchOf(page: Page, flag: string, environment = "development"): Locator {
  return page.getByRole("switch", { name: `${flag} in ${environment}`, exact: true });
}

/** Waits for a message at the edge of the page, and returns it. */
export async function waitForMessage(page: Page, text: string): Promise<Locator> {
  const message = page.getByRole("alertdialog").filter({ hasText: text });
  await message.waitFor();
  return message;
}
