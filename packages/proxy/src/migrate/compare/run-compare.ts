import { readFileSync } from "node:fs";
import { ConfigError, explainUnreadable } from "flags-server-kit";
import { isRecord, toErrorMessage, tryParseJson } from "flags-server-kit/neutral";
import { findLocalUrl, SubcommandError } from "flags-server-kit/command-line";
import type { Translation } from "../translate-environment.ts";
import type { ProxyConfig } from "../../config/config.ts";
import { describeSources } from "../../sources/describe-sources.ts";
import { findSource } from "../../sources/token-scope.ts";
import { removeClientPath, LISTEN_SETTINGS } from "../../cli/proxy-address.ts";
import { inspectSource, loadForReading } from "../../cli/inspect-source.ts";
import { compareFlags, type FlagComparison } from "./compare-flags.ts";
import { type ComparedProxy, toFlagsUrl } from "./fetch-results.ts";
import { collectFields, createContext, type RuleFields, RANDOM_FIELDS } from "./random-contexts.ts";
import { readKeyOption, readKeySettings } from "../../cli/proxy-request.ts";

export interface Comparison extends FlagComparison {
  readonly urls: readonly [string, string];
  readonly contexts: number;
  readonly fields: readonly string[];
  /** Why the fields are not those that the rules read. */
  readonly unknownRules: string | undefined;
}

type Options = Readonly<Record<string, string | true>>;

const DEFAULT_COUNT = 1000;
const MAX_COUNT = 10_000_000;

/**
 * Compares the proxies that the options and the settings name.
 *
 * @throws {SubcommandError} if that is not possible
 */
export async function runCompare(options: Options, given: Translation): Promise<Comparison> {
  const config = await tryLoadConfig(given);
  const proxies = chooseProxies(options, given);
  const contexts = readContexts(options["contexts"]);
  const count = readCount(options["count"]);
  if (contexts.length + count === 0) {
    throw new SubcommandError("There are no contexts to compare: raise --count, or add --contexts");
  }
  const rules = await readRules(config, proxies[0].key);
  const fields = typeof rules === "string" ? RANDOM_FIELDS : rules;
  const comparison = await compareFlags(proxies, generate(contexts, count, fields));
  return {
    ...comparison,
    urls: [proxies[0].url, proxies[1].url],
    contexts: contexts.length + count,
    fields: count === 0 ? [] : [...fields.keys()],
    unknownRules: typeof rules === "string" && count > 0 ? rules : undefined,
  };
}

function* generate(
  given: readonly object[],
  count: number,
  fields: RuleFields,
): Generator<object, void> {
  yield* given;
  for (let index = 0; index < count; index += 1) yield createContext(fields, Math.random);
}

/** NOTE: the settings are not required: all that they say can be given as options. */
function tryLoadConfig(given: Translation): Promise<ProxyConfig | ConfigError> {
  return loadForReading(given).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
}

function chooseProxies(
  options: Options,
  given: Translation,
): readonly [ComparedProxy, ComparedProxy] {
  const all = options["all"] === true;
  const { with: other, url = `${findLocalUrl(LISTEN_SETTINGS, given)}/proxy` } = options;
  if (typeof other !== "string") {
    throw new SubcommandError("--with is required: the address of the other proxy");
  }
  const { clientKeys, clientKeysHeaderName: keyHeaderName } = readKeySettings(given);
  const key = readKeyOption(options, "key") ?? clientKeys[0];
  if (key === undefined) {
    throw new SubcommandError(
      "--key-file is required: a file with a client key. You can omit it if FLAGS_PROXY_CLIENT_KEYS is set",
    );
  }
  const otherKey = readKeyOption(options, "with-key") ?? key;
  const ourUrl = toFlagsUrl("--url", addClientPath(String(url)), all);
  const otherUrl = toFlagsUrl("--with", other, all);
  const [own, others] = [ourUrl, otherUrl].map((each) =>
    each.replace("://localhost", "://127.0.0.1"),
  );
  // NOTE: without PORT, this proxy is expected at the default port, where the other one may still run.
  if (own === others && key === otherKey) {
    throw new SubcommandError(
      `--with and --url are the same proxy, ${ourUrl}: set PORT or --url for this one`,
    );
  }
  return [
    { url: ourUrl, key, keyOption: "--key-file", keyHeaderName },
    { url: otherUrl, key: otherKey, keyOption: "--with-key-file", keyHeaderName },
  ];
}

/** NOTE: only for this proxy. The other one may have fewer paths for clients. */
function addClientPath(address: string): string {
  const url = address.replace(/\/+$/, "");
  return removeClientPath(url) === url ? `${url}/proxy` : url;
}

function readCount(text: string | true | undefined): number {
  if (text === undefined) return DEFAULT_COUNT;
  const count = Number(text);
  if (typeof text === "string" && /^\d+$/.test(text) && count <= MAX_COUNT) return count;
  throw new SubcommandError(`--count must be a whole number from 0 to ${MAX_COUNT}`);
}

function readContexts(path: string | true | undefined): readonly object[] {
  if (typeof path !== "string") return [];
  return readLines(path).flatMap((line, index) => {
    if (line.trim() === "") return [];
    const context = tryParseJson(line);
    if (isRecord(context)) return [context];
    throw new SubcommandError(
      `--contexts: line ${index + 1} of ${path} is not a context as a JSON object, such as {"userId":"7"}`,
    );
  });
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch (error) {
    throw new SubcommandError(
      `--contexts: cannot read the file ${JSON.stringify(path)}: ${explainUnreadable(error)}`,
    );
  }
}

/** Returns the fields that rules read, or the reason why they are not known. */
async function readRules(
  config: ProxyConfig | ConfigError,
  key: string,
): Promise<RuleFields | string> {
  if (config instanceof ConfigError) return config.problems[0] ?? "";
  const sources = describeSources(config).map(({ scope }, index) => ({ scope, index }));
  try {
    const { document, snapshot } = await inspectSource(
      config,
      findSource(key, sources)?.index ?? 0,
    );
    return collectFields(document, snapshot.contextDependencies.fields);
  } catch (error) {
    return toErrorMessage(error);
  }
}
