import type { SettingsTable } from "../config/setting.ts";
import type { SettingNames } from "../config/unknown-names.ts";

/** A command-line program that is configured by environment variables. */
export interface Program<Table extends SettingsTable = SettingsTable> extends SettingNames {
  /** The name of the command. */
  readonly name: string;
  readonly version: string;
  /** What the program does, in one sentence. */
  readonly tagline: string;
  /** What messages call the running program, such as `the proxy`. */
  readonly displayName: string;
  /** Headings of the settings in `--help`, in order. */
  readonly groups: readonly string[];
  readonly settings: Table;
}
