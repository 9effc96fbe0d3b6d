import { isRecord } from "flags-engine";
import { MAX_DELAY_MS } from "../scheduling/backoff.ts";
import { SYNCHRONIZATIONS } from "../sync/synchronizer.ts";
import { isUnleashClient } from "../sync/unleash-synchronizer.ts";
import { isHeaderName, isHeaderValue } from "../transport/headers.ts";
import type { BootstrapOptions, FlagsClientOptions, HttpOptions } from "./flags-client-options.ts";

/** Which values an option may have; the text completes a sentence that begins with its name. */
type Rule = readonly [allows: (value: unknown) => boolean, says: string];

type RulesOf<Options> = { readonly [Name in keyof Options]-?: Rule };

interface Rules extends Omit<RulesOf<FlagsClientOptions>, "bootstrap" | "httpOptions"> {
  readonly bootstrap: RulesOf<BootstrapOptions>;
  readonly httpOptions: RulesOf<HttpOptions>;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFunction = (value: unknown): boolean => typeof value === "function";
const isListOf = (value: unknown, isEntry: (entry: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isEntry);

const hasTypes = (value: unknown, types: Readonly<Record<string, string>>): boolean =>
  isRecord(value) && Object.entries(types).every(([name, type]) => typeof value[name] === type);

const delayFrom = (minimum: number): Rule => [
  (value) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= MAX_DELAY_MS,
  `must be a whole number of milliseconds from ${minimum} to ${MAX_DELAY_MS}`,
];

function isHttpUrl(value: unknown): boolean {
  if (!isText(value) || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

const HTTP_URL = "an http or https URL without user name and password";
const DELAY = delayFrom(0);
const TEXT: Rule = [isText, "must be a string"];
const BOOLEAN: Rule = [(value) => typeof value === "boolean", "must be true or false"];
const HEADERS: Rule = [
  (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, text]) => isHeaderName(name) && isHeaderValue(text)),
  "must be an object of header names and values that HTTP allows",
];
/** May contain a user name and a password. */
const PROXY_URL: Rule = [
  (value) => value === "" || (isText(value) && URL.canParse(value) && /^https?:/i.test(value)),
  "must be an http or https URL, or empty",
];

const RULES: Rules = {
  url: [isHttpUrl, `is required and must be ${HTTP_URL}`],
  appName: [(value) => isText(value) && value !== "", "is required and must be a string"],
  token: [isHeaderValue, "must be a string of printable ASCII characters"],
  instanceId: TEXT,
  environment: TEXT,
  synchronization: [
    (value) => SYNCHRONIZATIONS.some((name) => name === value),
    `must be one of ${SYNCHRONIZATIONS.join(", ")}`,
  ],
  unleash: [isUnleashClient, "must be a client of unleash-client 5.5 or later"],
  refreshIntervalMs: DELAY,
  metricsIntervalMs: DELAY,
  metricsJitterMs: DELAY,
  disableMetrics: BOOLEAN,
  disableRegistration: BOOLEAN,
  projectName: TEXT,
  namePrefix: TEXT,
  tags: [
    (value) => isListOf(value, (tag) => hasTypes(tag, { name: "string", value: "string" })),
    "must be a list of { name, value }",
  ],
  customHeaders: HEADERS,
  customHeadersFunction: [isFunction, "must be a function"],
  timeoutMs: delayFrom(1),
  httpOptions: {
    rejectUnauthorized: BOOLEAN,
    ca: [(value) => isListOf([value].flat(), isText), "must be a string or a list of strings"],
    cert: TEXT,
    key: TEXT,
  },
  httpProxy: PROXY_URL,
  httpsProxy: PROXY_URL,
  noProxy: TEXT,
  bootstrap: {
    data: [Array.isArray, "must be a list of flags"],
    segments: [Array.isArray, "must be a list of segments"],
    url: [isHttpUrl, `must be ${HTTP_URL}`],
    urlHeaders: HEADERS,
    filePath: TEXT,
    override: BOOLEAN,
  },
  storageProvider: [
    (value) => hasTypes(value, { get: "function", set: "function" }),
    "must have the methods get and set",
  ],
  strategies: [
    (value) => isListOf(value, (one) => hasTypes(one, { name: "string", isEnabled: "function" })),
    "must be a list of objects with a name and an isEnabled function",
  ],
};

/** @throws {TypeError} with all problems; they name the option, never its value, which may be a secret */
export function checkOptions(options: FlagsClientOptions): void {
  const problems = isRecord(options)
    ? findProblems({ ...options, url: options.url ?? "", appName: options.appName ?? "" }, RULES)
    : ["options must be an object"];
  if (problems.length === 0) return;
  throw new TypeError(`Cannot create a flags client: ${problems.join("; ")}`);
}

function findProblems(options: object, rules: object, prefix = ""): readonly string[] {
  const known = new Map<string, Rule | object>(Object.entries(rules));
  return Object.entries(options).flatMap(([option, value]: [string, unknown]) => {
    const name = `${prefix}${option}`;
    const rule = known.get(option);
    if (rule === undefined) return `${name} is not an option`;
    if (value === undefined) return [];
    if (isRule(rule)) return rule[0](value) ? [] : `${name} ${rule[1]}`;
    return isRecord(value) ? findProblems(value, rule, `${name}.`) : `${name} must be an object`;
  });
}

function isRule(rule: Rule | object): rule is Rule {
  return Array.isArray(rule);
}
