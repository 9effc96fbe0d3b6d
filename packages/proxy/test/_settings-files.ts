import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Writes files for the duration of a test. Returns a function from their names to their paths. */
export function makeFiles(files: Readonly<Record<string, string>>): (name: string) => string {
  const directory = mkdtempSync(join(tmpdir(), "flags-settings-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(directory, name), content);
  }
  return (name) => join(directory, name);
}
