import { describeFallback, type Setting } from "../config/setting.ts";
import type { Program } from "./program.ts";

/** The parsed command-line arguments. */
type CommandLine =
  | { readonly kind: "run" | "help" | "version" }
  | { readonly kind: "unknown"; readonly argument: string };

/** Parses the arguments after the name of the command. Settings are not read from arguments. */
export function parseArguments(args: readonly string[]): CommandLine {
  const [argument, ...rest] = args;
  if (argument === undefined) return { kind: "run" };
  if (rest.length === 0 && ["--help", "-h"].includes(argument)) return { kind: "help" };
  if (rest.length === 0 && ["--version", "-v"].includes(argument)) return { kind: "version" };
  const known = /^(?:--help|-h|--version|-v)$/;
  return { kind: "unknown", argument: args.find((text) => !known.test(text)) ?? args.join(" ") };
}

const LINE_WIDTH = 80;
const INDENT = "      ";

/** Formats the text of `--help`, which lists every environment variable that the program reads. */
export function formatHelp({ name, version, tagline, groups, settings }: Program): string {
  const readable = Object.values(settings).filter(({ variables }) => variables.length > 0);
  return [
    `${name} ${version}`,
    "",
    tagline,
    "",
    `Usage: ${name} [--help | --version]`,
    "",
    "Settings are environment variables. An empty variable counts as not set.",
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
  // A variable in lower case is another spelling of the same name.
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
