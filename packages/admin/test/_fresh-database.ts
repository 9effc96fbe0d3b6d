import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "../src/storage/open-storage.ts";
import { MIGRATIONS } from "../src/storage/migrate.ts";

/**
 * Puts a fresh embedded database into a directory. Making one takes seconds, so it is made once for
 * all test files that have the same migrations, and copied.
 */
export async function copyFreshDatabase(directory: string): Promise<void> {
  const template = await ensureTemplate();
  for (const name of ["database", "database.complete"]) {
    cpSync(join(template, name), join(directory, name), { recursive: true });
  }
}

async function ensureTemplate(): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(MIGRATIONS)).digest("hex");
  const template = join(tmpdir(), `flags-admin-template-${hash.slice(0, 16)}`);
  if (existsSync(template)) return template;

  const draft = mkdtempSync(join(tmpdir(), "flags-admin-draft-"));
  const logger = { info: () => undefined, warn: () => undefined, fatal: () => undefined };
  const storage = await openStorage({ dataDir: draft, logger });
  await storage.close();
  try {
    renameSync(draft, template);
  } catch {
    // Another test file was faster.
    rmSync(draft, { recursive: true, force: true });
  }
  return template;
}
