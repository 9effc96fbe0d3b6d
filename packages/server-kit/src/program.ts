import type { SettingsTable } from "./config/setting.ts";

/** A beginning of names that was given up for another one. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
}

/** A command that is configured by the environment: all that the others here need to know of it. */
export interface Program<Table extends SettingsTable = SettingsTable> {
  /** What it is called by those who start it. */
  readonly name: string;
  readonly version: string;
  /** What it does, in one sentence. */
  readonly tagline: string;
  /** What messages call it once it runs, such as `the proxy`. */
  readonly displayName: string;
  /** Headings under which settings are shown, in order. */
  readonly groups: readonly string[];
  readonly settings: Table;
  /** How the names of its variables begin: one that begins so and is never read is a slip. */
  readonly variablePrefixes: readonly string[];
  /** How names of variables and options began in the programs that people come from. */
  readonly renamings: readonly Renaming[];
}
