import {
  compileSnapshot,
  type CustomStrategy,
  type FeatureDocument,
  parseDocument,
  type Snapshot,
} from "flags-engine";
import { type FlagFile, readFlagFile } from "../files/read-flag-file.ts";

interface FlagFileInspection {
  readonly document: FeatureDocument;
  readonly snapshot: Snapshot;
  readonly warnings: readonly string[];
  readonly sizeBytes: number;
}

/** Reads and compiles a file with flags, without following it. */
export async function inspectFlagFile(
  file: FlagFile,
  strategies: readonly CustomStrategy[],
): Promise<FlagFileInspection> {
  const { document: read, warnings, sizeBytes } = await readFlagFile(file);
  const document = parseDocument(read);
  const snapshot = compileSnapshot(document, {
    revision: "inspection",
    strategies,
    hostname: "",
    now: Date.now,
    random: Math.random,
  });
  return { document, snapshot, warnings, sizeBytes };
}
