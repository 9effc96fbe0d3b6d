import { describeDefault, type Setting } from "../config/setting.ts";
import { COMMON_OPTIONS } from "./parse-command-line.ts";
import type { Program, OptionDefinition, Subcommand } from "./program.ts";

/** Formats text for a terminal; returns it unchanged where colours are not wanted. */
export type Paint = (style: "bold" | "cyan" | "dim", text: string) => string;

const LINE_WIDTH = 80;
const SETTING_INDENT = 6;

const SECRETS_FROM_FILES =
  "A secret can also be read from a file, so that it is not in the environment: append _FILE to the name and set the variable to a path, for example";

/** Formats the text of `--help`, which lists every environment variable that the program reads. */
export function formatHelp(
  { name, version, tagline, settings }: Program,
  subcommands: readonly Pick<Subcommand, "name" | "summary">[],
  paint: Paint,
): string {
  const readable = Object.values(settings).filter(({ variables }) => variables.length > 0);
  const groups = new Set(readable.map(({ group }) => group));
  const commands = subcommands.map((each) => [each.name, `${each.summary}.`] as const);
  const exampleSecret = readable.find(({ secret }) => secret === true)?.variables[0];
  return toText([
    `${paint("bold", name)} ${version}`,
    "",
    ...wrap(tagline),
    "",
    paint("bold", "Usage"),
    `  ${name} [--env-file FILE]...`,
    ...(commands.length === 0 ? [] : [`  ${name} COMMAND [OPTION]...`]),
    ...formatList("Commands", commands, paint),
    ...formatList("Options", toOptionRows(COMMON_OPTIONS), paint),
    "",
    paint("bold", "Settings"),
    ...wrap("Settings are environment variables. An empty variable counts as not set.", 2),
    ...(exampleSecret === undefined
      ? []
      : wrap(`${SECRETS_FROM_FILES} ${exampleSecret}_FILE=/run/secrets/name.`, 2)),
    ...[...groups].flatMap((group) => [
      "",
      paint("bold", group),
      ...readable
        .filter((setting) => setting.group === group)
        .flatMap((setting) => formatSetting(setting, paint)),
    ]),
    "",
  ]);
}

export function formatSubcommandHelp(
  { name: programName }: Program,
  { name, description, argument, options, exitCodes }: Omit<Subcommand, "run">,
  paint: Paint,
): string {
  const { version: _version, ...common } = COMMON_OPTIONS;
  const [success, failure, invalid = "The command line is invalid."] = exitCodes;
  return toText([
    paint("bold", `${programName} ${name}`),
    ...description.flatMap((paragraph) => ["", ...wrap(paragraph)]),
    "",
    paint("bold", "Usage"),
    `  ${programName} ${name} ${argument === undefined ? "" : `[${argument}] `}[OPTION]...`,
    ...formatList("Options", toOptionRows({ ...options, ...common }), paint),
    ...formatList(
      "Exit codes",
      [
        ["0", success],
        ["1", failure],
        ["2", invalid],
      ],
      paint,
    ),
    "",
  ]);
}

function toText(lines: readonly string[]): string {
  return lines.join("\n");
}

type Row = readonly [term: string, description: string];

function toOptionRows(options: Readonly<Record<string, OptionDefinition>>): readonly Row[] {
  return Object.entries(options).map(([name, { short, value, description }]) => {
    const shortForm = short === undefined ? "" : `-${short}, `;
    return [`${shortForm}--${name}${value === undefined ? "" : ` ${value}`}`, description];
  });
}

/** With longer terms, two columns leave too little space for what they mean. */
const MAX_TERM_LENGTH = 32;

function formatList(heading: string, rows: readonly Row[], paint: Paint): readonly string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([term]) => term.length));
  if (width > MAX_TERM_LENGTH) {
    const entries = rows.flatMap(([term, meaning]) => [
      `  ${paint("cyan", term)}`,
      ...wrap(meaning, SETTING_INDENT),
    ]);
    return ["", paint("bold", heading), ...entries];
  }
  const indent = width + 4;
  const lines = rows.flatMap(([term, description]) => {
    const [first = "", ...rest] = wrap(description, indent);
    return [`  ${paint("cyan", term.padEnd(width))}  ${first.trimStart()}`, ...rest];
  });
  return ["", paint("bold", heading), ...lines];
}

function formatSetting(setting: Setting<unknown>, paint: Paint): readonly string[] {
  const { variables, required, description, secret } = setting;
  // A variable in lower case is another spelling of the same name.
  const names = variables.filter((name) => name === name.toUpperCase());
  const notes = [
    required === true ? "required" : `default: ${describeDefault(setting)}`,
    ...(secret === true ? ["secret"] : []),
  ];
  return [
    `  ${names.map((name) => paint("cyan", name)).join(", ")}  ${paint("dim", `(${notes.join("; ")})`)}`,
    ...wrap(description, SETTING_INDENT),
  ];
}

function wrap(text: string, indent = 0): readonly string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (indent + line.length + 1 + word.length > LINE_WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.map((line) => `${" ".repeat(indent)}${line}`);
}
