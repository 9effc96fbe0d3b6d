import { parseArgs } from "node:util";
import { findNearest } from "flags-server-kit/command-line";
import { EDGE_ALIASES } from "./aliases/edge-aliases.ts";

/** The modes of Edge, which are subcommands. */
export const EDGE_MODES = ["edge", "offline"] as const;

type Mode = (typeof EDGE_MODES)[number];

/** The settings that the command line of Edge sets. */
export interface EdgeCommandLine {
  readonly mode: Mode;
  readonly variables: Readonly<Record<string, string>>;
}

/** Settings whose options have no value. NOTE: some are true or false only in Edge, so their alias does not say so. */
const SWITCHES: ReadonlySet<string> = new Set([
  "TLS_ENABLE",
  "REDIRECT_HTTP_TO_HTTPS",
  "TRUST_PROXY",
  "STRICT",
  "DYNAMIC",
  "STREAMING",
  "DELTA",
  "DISABLE_ALL_ENDPOINT",
  "DISABLE_METRICS_ENDPOINT",
  "DISABLE_METRICS_BATCH_ENDPOINT",
  "DISABLE_FEATURES_ENDPOINT",
  "DISABLE_TOKENS_ENDPOINT",
  "DISABLE_INSTANCE_DATA_ENDPOINT",
  "SKIP_SSL_VERIFICATION",
  "REDIS_SECURE",
  "S3_FORCE_PATH_STYLE",
  "SENTRY_DEBUG",
  "SENTRY_ENABLE_LOGS",
  "CONSUMPTION",
]);

/** Short options before the mode. After it, they work unless they have another meaning there. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  p: "PORT",
  i: "INTERFACE",
  w: "WORKERS",
  a: "APP_NAME",
  l: "LOG_FORMAT",
};

/** NOTE: after `edge`, `-p` is not the port. */
const SHORT_NAMES_OF_MODE: Readonly<Record<Mode, Readonly<Record<string, string>>>> = {
  edge: {
    u: "UPSTREAM_URL",
    b: "BACKUP_FOLDER",
    m: "METRICS_INTERVAL_SECONDS",
    f: "FEATURES_REFRESH_INTERVAL_SECONDS",
    t: "TOKENS",
    p: "PRETRUSTED_TOKENS",
    H: "CUSTOM_CLIENT_HEADERS",
    s: "SKIP_SSL_VERIFICATION",
  },
  offline: {
    b: "BOOTSTRAP_FILE",
    t: "TOKENS",
    c: "CLIENT_TOKENS",
    f: "FRONTEND_TOKENS",
    r: "RELOAD_INTERVAL",
  },
};

/** Settings of Edge that have no option, or that do not configure the service. */
const VARIABLES_ONLY: ReadonlySet<string> = new Set([
  "RUST_LOG",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "EDGE_DEFER_TOKEN_VALIDATION",
  "EDGE_URL",
  "CA_CERTIFICATE_FILE",
]);

/** Option of our own commands. */
const ENV_FILE = "env-file";

/** Option names, without the leading dashes, and the variables that they set. */
const VARIABLES: ReadonlyMap<string, string> = new Map(
  EDGE_ALIASES.filter(({ name }) => !VARIABLES_ONLY.has(name)).map(({ name }) => [
    name.toLowerCase().replaceAll("_", "-"),
    name,
  ]),
);

/** An option of Edge, for the help. */
interface EdgeOption {
  readonly name: string;
  readonly variable: string;
  readonly hasValue: boolean;
}

/** Lists the long options of a mode. */
export function listEdgeOptions(mode: Mode): readonly EdgeOption[] {
  const others = mode === "edge" ? SHORT_NAMES_OF_MODE.offline : SHORT_NAMES_OF_MODE.edge;
  const own = new Set(Object.values(SHORT_NAMES_OF_MODE[mode]));
  const foreign = new Set(Object.values(others).filter((variable) => !own.has(variable)));
  return [...VARIABLES]
    .filter(([, variable]) => !foreign.has(variable))
    .map(([name, variable]) => ({ name, variable, hasValue: !SWITCHES.has(variable) }));
}

/**
 * Parses the arguments of Edge. Returns undefined if they contain none of its modes or request the
 * help, and a problem as text if they are invalid.
 */
export function parseEdgeCommandLine(
  args: readonly string[],
): EdgeCommandLine | string | undefined {
  const [first] = tokenize(args, SHORT_NAMES).filter(({ kind }) => kind === "positional");
  const mode = EDGE_MODES.find((each) => first?.kind === "positional" && each === first.value);
  if (mode === undefined || first === undefined) return undefined;
  if (args.some((arg) => ["-h", "--help", "-v", "-V", "--version"].includes(arg))) return undefined;
  const shortNames = { ...SHORT_NAMES, ...SHORT_NAMES_OF_MODE[mode] };
  const tokens = [
    ...tokenize(args.slice(0, first.index), SHORT_NAMES),
    ...tokenize(args.slice(first.index + 1), shortNames),
  ];
  return interpret(mode, tokens);
}

type Token = NonNullable<ReturnType<typeof tokenize>>[number];

function tokenize(args: readonly string[], shortNames: Readonly<Record<string, string>>) {
  const shorts = new Map(Object.entries(shortNames).map(([short, name]) => [name, short]));
  const options = [...VARIABLES].map(([option, variable]) => {
    const short = shorts.get(variable);
    const type = SWITCHES.has(variable) ? ("boolean" as const) : ("string" as const);
    return [option, { type, ...(short !== undefined && { short }) }] as const;
  });
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries([...options, [ENV_FILE, { type: "string" as const }]]),
  });
  return tokens;
}

function interpret(mode: Mode, tokens: readonly Token[]): EdgeCommandLine | string {
  const variables: Record<string, string> = {};
  for (const token of tokens) {
    const problem = findProblem(mode, token);
    if (problem !== undefined) return problem;
    if (token.kind !== "option") continue;
    const variable = VARIABLES.get(token.name);
    // The files of --env-file are part of the environment already.
    if (variable === undefined) continue;
    const text = token.value ?? "true";
    // Options of lists can be repeated.
    const previous = variables[variable];
    variables[variable] = previous === undefined ? text : `${previous},${text}`;
  }
  return { mode, variables };
}

function findProblem(mode: Mode, token: Token): string | undefined {
  if (token.kind === "positional")
    return `Unexpected argument after ${mode}: see flags-proxy ${mode} --help`;
  if (token.kind !== "option") return undefined;
  const { name, rawName, value = "", inlineValue } = token;
  const variable = VARIABLES.get(name);
  if (variable === undefined && name !== ENV_FILE) {
    const names = [...listEdgeOptions(mode).map((option) => option.name), ENV_FILE];
    const nearest = findNearest(name, names);
    const suggestion = nearest === undefined ? ":" : `: did you mean --${nearest}? If not,`;
    return `Unknown option ${rawName}${suggestion} see flags-proxy ${mode} --help`;
  }
  if (variable !== undefined && SWITCHES.has(variable)) return undefined;
  // The next option may have been taken for the value.
  const isMissing = value === "" || (inlineValue !== true && value.startsWith("-"));
  return isMissing ? `${rawName} needs a value: see flags-proxy ${mode} --help` : undefined;
}
