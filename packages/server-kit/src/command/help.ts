import { describeFallback, type Setting } from "../config/setting.ts";
import type { Program } from "../program.ts";

const LINE_WIDTH = 80;
const INDENT = "      ";

/** The text of `--help`, with every variable that is read. */
export function formatHelp({ name, version, tagline, groups, settings }: Program): string {
  const readable = Object.values(settings).filter(({ variables }) => variables.length > 0);
  return [
    `${name} ${version}`,
    "",
    tagline,
    "",
    `Usage: ${name} [--help | --version]`,
    "",
    "Settings are variables of the environment. An empty one counts as not set.",
    ...groups.flatMap((group) => formatGroup(group, readable)),
    "",
  ].join("\n");
}

function formatGroup(group: string, settings: readonly Setting<unknown>[]): readonly string[] {
  const members = settings.filter((setting) => setting.group === group);
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
