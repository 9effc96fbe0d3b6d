import type { Environment, SettingNames } from "flags-server-kit/command-line";

/** What is known about settings that the operator has set under the names of other products. */
export interface TranslationReport {
  /** The variable or option that the operator has set, by our name for it. */
  readonly origins: ReadonlyMap<string, string>;
  /** Other names of our variables that the operator may use, for messages about missing settings. */
  readonly otherNames: ReadonlyMap<string, readonly string[]>;
  /** Names that other products have, for messages about settings that do not exist. */
  readonly formerNames: Pick<SettingNames, "renamedPrefixes" | "replacements" | "otherVariables">;
  /** Whether a key gives only flags of the project that its text names. */
  readonly limitsKeysToProject: boolean;
  /** Reasons not to start. */
  readonly problems: readonly string[];
  readonly hints: readonly string[];
  /** What to log. Contains no values of settings. */
  readonly information: readonly string[];
  readonly warnings: readonly string[];
}

export const NOT_TRANSLATED: TranslationReport = {
  origins: new Map(),
  otherNames: new Map(),
  formerNames: { renamedPrefixes: [] },
  limitsKeysToProject: false,
  problems: [],
  hints: [],
  information: [],
  warnings: [],
};

export interface TranslatedEnvironment extends TranslationReport {
  readonly environment: Environment;
}
