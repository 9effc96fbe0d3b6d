import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { stringify } from "yaml";

export const ALERTS_FILE = fileURLToPath(new URL("alerts.yaml", import.meta.url));

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}

/** A file of rules, as far as the tests read it. */
export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
}

/** Writes YAML to a file that is deleted at the end of the test. */
export async function writeTemporary(name: string, content: unknown): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "flags-promtool-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, name);
  await writeFile(file, stringify(content));
  return file;
}
