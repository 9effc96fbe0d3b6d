import { parseArgs } from "node:util";
import { variablesOf } from "../config/setting.ts";
import { findNearest } from "../config/unknown-names.ts";
import type { Program, OptionDefinition, Subcommand } from "./program.ts";

type CommandLine<Env> =
  | {
      readonly kind: "run";
      readonly subcommand: Subcommand<Env> | undefined;
      readonly argument: string | undefined;
      readonly options: Readonly<Record<string, string | true>>;
    }
  | { readonly kind: "help"; readonly subcommand: Subcommand<Env> | undefined }
  | { readonly kind: "version" }
  | { readonly kind: "invalid"; readonly problem: string };

export const COMMON_OPTIONS: Readonly<Record<"env-file" | "help" | "version", OptionDefinition>> = {
  "env-file": {
    value: "FILE",
    description:
      "Reads environment variables from a file with lines such as NAME=value. Can be repeated; a later file takes precedence over an earlier one, and the environment over all files.",
  },
  help: { short: "h", description: "Prints this help." },
  version: { short: "v", description: "Prints the version." },
};

/** Finds the files of `--env-file`, before the arguments are checked. Empty if they request the help or the version. */
export function findEnvFiles(args: readonly string[]): readonly string[] {
  const tokens = tokenize([], args).filter((token) => token.kind === "option");
  if (tokens.some(({ name }) => name === "help" || name === "version")) return [];
  return tokens.flatMap((token) =>
    token.name === "env-file" && !isMissing(token) ? [token.value ?? ""] : [],
  );
}

type Subcommands = readonly Pick<Subcommand, "name" | "options">[];
type Token = NonNullable<ReturnType<typeof tokenize>>[number];
type OptionToken = Extract<Token, { kind: "option" }>;

/** Parses the arguments after the name of the program. Settings are not read from arguments. */
export function parseCommandLine<Env>(
  program: Program,
  subcommands: readonly Subcommand<Env>[],
  args: readonly string[],
): CommandLine<Env> {
  const [first, ...rest] = args;
  if (first === "help") return parseCommandLine(program, subcommands, [...rest, "--help"]);
  const tokens = tokenize(subcommands, args);
  const [name, ...others] = tokens.flatMap((token) =>
    token.kind === "positional" ? [token.value] : [],
  );
  const subcommand = subcommands.find((candidate) => candidate.name === name);
  const surplus = others[subcommand?.argument === undefined ? 0 : 1];
  const usage = `see ${[program.name, ...(subcommand ? [subcommand.name] : [])].join(" ")} --help`;
  const isUnknown = name !== undefined && subcommand === undefined;
  // Whoever asks for help is not told first what is wrong with the other arguments.
  const asksForHelp = tokens.some(
    (token) => token.kind === "option" && token.name === "help" && token.value === undefined,
  );
  if (subcommand !== undefined && asksForHelp) return { kind: "help", subcommand };
  const problem =
    // An unknown option before it may be the reason for an unknown command: `--port 3000`.
    (isUnknown && findOptionProblem(program, undefined, tokensBefore(tokens, name))) ||
    (isUnknown && explainCommand(name, subcommands)) ||
    // NOTE: first, since the argument after an unknown option may be its value, which may be a secret.
    findOptionProblem(program, subcommand, tokens) ||
    (surplus !== undefined && `Unexpected argument ${surplus}`);
  if (problem) return { kind: "invalid", problem: `${problem}${separatorAfter(problem)}${usage}` };
  return interpret(subcommand, others[0], tokens);
}

function tokensBefore(tokens: readonly Token[], positional: string): readonly Token[] {
  const end = tokens.findIndex(
    (token) => token.kind === "positional" && token.value === positional,
  );
  return tokens.slice(0, end);
}

function separatorAfter(problem: string): string {
  return problem.endsWith("?") ? " If not, " : ": ";
}

/** Splits the arguments. An option that does not exist counts as one without a value. */
function tokenize(subcommands: Subcommands, args: readonly string[]) {
  const options = Object.assign({}, ...subcommands.map((each) => each.options), COMMON_OPTIONS);
  const definitions = Object.entries(options as Record<string, OptionDefinition>);
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      definitions.map(([name, { short, value }]) => {
        const type = value === undefined ? ("boolean" as const) : ("string" as const);
        return [name, { type, ...(short !== undefined && { short }) }];
      }),
    ),
  });
  return tokens;
}

function explainCommand(name: string, subcommands: Subcommands): string {
  const nearest = findNearest(
    name,
    subcommands.map((each) => each.name),
  );
  const suggestion = nearest === undefined ? "" : `: did you mean ${nearest}?`;
  return `Unknown command ${name}${suggestion}`;
}

function findOptionProblem(
  program: Program,
  subcommand: Subcommands[number] | undefined,
  tokens: readonly Token[],
): string | undefined {
  const known: Readonly<Record<string, OptionDefinition>> = {
    ...subcommand?.options,
    ...COMMON_OPTIONS,
  };
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined) return explainOption(program, token, Object.keys(known));
    if (option.value === undefined && value !== undefined) return `${rawName} takes no value`;
    if (option.value !== undefined && isMissing(token)) return `${rawName} needs a value`;
  }
  return undefined;
}

/** The next option may have been taken for the value. A negative number and a single dash are values. */
function isMissing({ value, inlineValue }: OptionToken): boolean {
  return value === undefined || value === "" || (!inlineValue && /^-(?!\d|$)/.test(value));
}

function explainOption(
  program: Program,
  { name, rawName }: OptionToken,
  known: readonly string[],
): string {
  const variable = name.toUpperCase().replaceAll("-", "_");
  const isVariable = Object.values(program.settings).some((setting) =>
    variablesOf(setting).includes(variable),
  );
  if (isVariable)
    return `Unknown option ${rawName}. Set the environment variable ${variable} instead`;
  const nearest = findNearest(name, known);
  return `Unknown option ${rawName}${nearest === undefined ? "" : `: did you mean --${nearest}?`}`;
}

function interpret<Env>(
  subcommand: Subcommand<Env> | undefined,
  argument: string | undefined,
  tokens: readonly Token[],
): CommandLine<Env> {
  const given = tokens.filter((token) => token.kind === "option");
  const has = (name: string): boolean => given.some((token) => token.name === name);
  if (has("help")) return { kind: "help", subcommand };
  if (has("version")) return { kind: "version" };
  const own = given.filter(({ name }) => !Object.hasOwn(COMMON_OPTIONS, name));
  return {
    kind: "run",
    subcommand,
    argument,
    options: Object.fromEntries(own.map(({ name, value }) => [name, value ?? true])),
  };
}
