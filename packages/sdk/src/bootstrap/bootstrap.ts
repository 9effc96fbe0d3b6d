import type { FaultSink } from "../events/fault-log.ts";
import { PersistentTask } from "../schedule/persistent-task.ts";
import type { BootstrapSource } from "./bootstrap-source.ts";

export interface BootstrapLoading {
  readonly source: BootstrapSource;
  /** Takes the document; rejects when it is unusable, or the signal is aborted before it is in force. */
  readonly accept: (document: unknown, signal: AbortSignal) => Promise<void>;
  /** False once there is better data: then nothing is loaded any more. */
  readonly isWanted: () => boolean;
  /** What the waits between attempts are derived from. */
  readonly intervalMs: number;
  readonly faults: FaultSink;
  readonly random: () => number;
}

/** Loads a bootstrap once. One without flags is ignored: it would turn every flag off. */
export function createBootstrap(loading: BootstrapLoading): PersistentTask {
  const { source, accept, isWanted, intervalMs, faults, random } = loading;
  const load = async (signal: AbortSignal): Promise<void> => {
    const document = await source.load(signal);
    signal.throwIfAborted();
    if (hasFlags(document)) await accept(document, signal);
    else faults.warn(`The ${source.name} holds no flags and is ignored`);
  };
  return new PersistentTask({
    subject: `Loading the ${source.name}`,
    attempt: load,
    intervalMs,
    isRepeated: false,
    isRetried: source.isRetried,
    isWanted,
    faults,
    random,
  });
}

/** False only for an empty list; what is no document at all is left to those who say what is wrong. */
export function hasFlags(document: unknown): boolean {
  if (typeof document !== "object" || document === null || !("features" in document)) return true;
  return !Array.isArray(document.features) || document.features.length > 0;
}
