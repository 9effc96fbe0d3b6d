import {
  compileSnapshot,
  type CustomStrategy,
  type FeatureDocument,
  parseDocument,
  type Snapshot,
} from "flags-engine";
import { HOST_NAME } from "flags-sdk/internal";
import { inspectUpstream } from "../upstream/inspect-upstream.ts";
import type { ProxyConfig } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import type { TranslatedEnvironment } from "../config/translation-report.ts";
import { type FlagFile, readFlagFile } from "../files/read-flag-file.ts";
import { toUpstreamClientOptions } from "../config/upstream-client-options.ts";
import { SILENT } from "./silent-logger.ts";

/** Loads the configuration for a subcommand that only reads flags, without logging anything. */
export function loadForReading(given: TranslatedEnvironment): Promise<ProxyConfig> {
  return loadConfig({ logger: SILENT }, given.environment, { needsKeys: false, report: given });
}

interface SourceInspection {
  readonly document: FeatureDocument;
  readonly snapshot: Snapshot;
}

/** Reads the flags of a source, by its position in the configuration, without following it. */
export function inspectSource(config: ProxyConfig, index: number): Promise<SourceInspection> {
  const file = config.files?.[index];
  return file === undefined
    ? inspectUpstream(toUpstreamClientOptions(config, config.upstreamTokens[index] ?? ""))
    : inspectFlagFile(file, config.customStrategies);
}

interface FlagFileInspection extends SourceInspection {
  readonly warnings: readonly string[];
  readonly sizeBytes: number;
}

export async function inspectFlagFile(
  file: FlagFile,
  strategies: readonly CustomStrategy[],
): Promise<FlagFileInspection> {
  const { document: read, warnings, sizeBytes } = await readFlagFile(file);
  const document = parseDocument(read);
  const snapshot = compileSnapshot(document, {
    revision: "inspection",
    strategies,
    hostname: HOST_NAME,
    now: Date.now,
    random: Math.random,
  });
  return { document, snapshot, warnings, sizeBytes };
}
