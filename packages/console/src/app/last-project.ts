import { readStored, writeStored } from "./browser-storage.ts";

const KEY = "flags.project";

/** Returns the project that was opened last in this browser. */
export function rememberedProject(): string | null {
  return readStored(KEY);
}

export function rememberProject(project: string): void {
  writeStored(KEY, project);
}
