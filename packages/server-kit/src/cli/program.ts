import type { SettingsTable } from "../config/setting.ts";
import type { SettingNames } from "../config/unknown-names.ts";

/** A command-line program that is configured by environment variables. */
export interface Program<Table extends SettingsTable = SettingsTable> extends SettingNames {
  /** The name of the command. */
  readonly name: string;
  readonly version: string;
  /** One sentence that says what the program does. */
  readonly tagline: string;
  /** Name of the running program in messages, such as `the proxy`. */
  readonly displayName: string;
  /** Headings of the settings in `--help`, in order. */
  readonly groups: readonly string[];
  readonly settings: Table;
}
