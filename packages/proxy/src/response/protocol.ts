import type { CompiledFlag, Outcome } from "flags-engine";

/** How one client protocol writes flags. It never evaluates by itself. */
export interface Protocol {
  /** What comes before the first flag and after the last one. */
  readonly prefix: string;
  readonly suffix: string;
  /** A flag with one of its possible answers, as JSON. */
  writeFlag(feature: CompiledFlag, outcome: Outcome): string;
  /** A flag that was asked for by name and does not exist, as JSON. */
  writeUnknownFlag(name: string): string;
}
