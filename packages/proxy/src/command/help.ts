import {
  describeFallback,
  type Setting,
  SETTING_GROUPS,
  type SettingGroup,
} from "../config/setting.ts";
import { SETTINGS } from "../config/settings.ts";

const LINE_WIDTH = 80;
const INDENT = "      ";

const settings: readonly Setting<unknown>[] = Object.values(SETTINGS);

/** The text of `--help`, with every variable that is read. */
export function formatHelp(version: string): string {
  return [
    `flags-proxy ${version}`,
    "",
    "Evaluates feature flags on the server for browsers and mobile apps.",
    "",
    "Usage: flags-proxy [--help | --version]",
    "",
    "Settings are variables of the environment. An empty one counts as not set.",
    ...SETTING_GROUPS.flatMap(formatGroup),
    "",
  ].join("\n");
}

function formatGroup(group: SettingGroup): readonly string[] {
  const members = settings.filter(
    (setting) => setting.group === group && setting.variables.length > 0,
  );
  return ["", group, ...members.flatMap(formatSetting)];
}

function formatSetting(setting: Setting<unknown>): readonly string[] {
  const { variables, required, meaning } = setting;
  // A variable in lower case is another spelling, not another name.
  const names = variables.filter((name) => name === name.toUpperCase()).join(", ");
  const note = required === true ? "required" : `default: ${describeFallback(setting)}`;
  return [`  ${names}  (${note})`, ...wrap(meaning)];
}

function wrap(text: string): readonly string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (INDENT.length + line.length + 1 + word.length > LINE_WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.map((line) => `${INDENT}${line}`);
}
