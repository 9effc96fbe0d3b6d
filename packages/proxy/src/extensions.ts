// Custom strategies and context enrichers: their types, and loading them from options and files.

import { stat } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Context, CustomStrategy } from "flags-engine";
import { codeOf, isRecord, toErrorMessage } from "flags-server-kit/command-line";

/** The part of a request that a context enricher can read. */
export interface EnricherRequest {
  /** Names are in lower case. Contains the client key: do not log it. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The caller's address; forwarded addresses count as configured by `trustProxy`. */
  readonly remoteAddress: string;
}

interface EnricherMethod {
  enrich(context: Context, request: EnricherRequest): Context | Promise<Context>;
}

/**
 * Completes or corrects the context of a request before flags are evaluated.
 *
 * Receives the current context and returns the context to use, or a promise of it. All values in it
 * are strings, except `currentTime`, which is a `Date`. Enrichers run in order, each on the result of
 * the previous one.
 *
 * Derived from a method, whose parameters TypeScript compares bivariantly, so that an enricher can
 * declare a narrower context type, such as the one of the official SDK.
 */
export type ContextEnricher = EnricherMethod["enrich"];

/** Extensions of one kind, in order, and one sentence for each one that cannot be used. */
interface LoadedExtensions<T> {
  readonly extensions: readonly T[];
  readonly problems: readonly string[];
}

/** How to recognize an extension of one kind, and how messages describe it. */
interface ExtensionKind<T> {
  /** Name in the plural. */
  readonly displayName: string;
  /** Completes "must be …". */
  readonly allowed: string;
  isExtension(value: unknown): value is T;
}

const strategyKind: ExtensionKind<CustomStrategy> = {
  displayName: "strategies",
  allowed: "an object with a name and a method isEnabled(parameters, context)",
  isExtension: (value): value is CustomStrategy => {
    if (!isRecord(value)) return false;
    const { name, isEnabled }: Partial<Record<string, unknown>> = value;
    return typeof name === "string" && name !== "" && typeof isEnabled === "function";
  },
};

const enricherKind: ExtensionKind<ContextEnricher> = {
  displayName: "enrichers",
  allowed: "a function (context, request) that returns a context or a promise of it",
  isExtension: (value): value is ContextEnricher => typeof value === "function",
};

/** Custom strategies; `hints` are about mistakes that do not prevent their use. */
interface LoadedStrategies extends LoadedExtensions<CustomStrategy> {
  readonly hints: readonly string[];
}

/**
 * Loads custom strategies: objects are used as they are, strings are paths of files that export lists
 * of strategies. If several have the same name, only the first is used.
 *
 * @param origin name of the setting that contains the entries, for messages
 */
export async function loadStrategies(
  entries: readonly unknown[],
  origin: string,
): Promise<LoadedStrategies> {
  const { extensions, problems } = await loadExtensions(entries, origin, strategyKind);
  const byName = new Map<string, CustomStrategy>();
  const hints: string[] = [];
  for (const strategy of extensions) {
    if (byName.has(strategy.name)) {
      const name = JSON.stringify(strategy.name);
      hints.push(`${origin}: several strategies are named ${name}: the first one is used`);
    } else byName.set(strategy.name, strategy);
  }
  return { extensions: [...byName.values()], problems, hints };
}

/**
 * Loads context enrichers, in the order in which they run: functions are used as they are, strings
 * are paths of files that export lists of functions.
 *
 * @param origin name of the setting that contains the entries, for messages
 */
export function loadEnrichers(
  entries: readonly unknown[],
  origin: string,
): Promise<LoadedExtensions<ContextEnricher>> {
  return loadExtensions(entries, origin, enricherKind);
}

/** Files may be CommonJS or ESM. Relative paths are relative to the working directory. */
async function loadExtensions<T>(
  entries: readonly unknown[],
  origin: string,
  kind: ExtensionKind<T>,
): Promise<LoadedExtensions<T>> {
  const loaded = await Promise.all(
    entries.map(async (entry, index) =>
      typeof entry === "string"
        ? await loadFile(entry, origin, kind)
        : checkList([entry], kind, () => `${origin}: entry ${index + 1}`),
    ),
  );
  return {
    extensions: loaded.flatMap(({ extensions }) => extensions),
    problems: loaded.flatMap(({ problems }) => problems),
  };
}

async function loadFile<T>(
  path: string,
  origin: string,
  kind: ExtensionKind<T>,
): Promise<LoadedExtensions<T>> {
  const file = JSON.stringify(path);
  try {
    const list = await importList(path);
    if (Array.isArray(list)) {
      return checkList(list, kind, (position) => `${origin}: entry ${position} of ${file}`);
    }
    const syntax = "with module.exports = [...] or export default [...]";
    return fail(`${origin}: ${file} must export a list of ${kind.displayName}, ${syntax}`);
  } catch (error) {
    return fail(`${origin}: cannot load ${file}: ${describeError(error)}`);
  }
}

async function importList(path: string): Promise<unknown> {
  const absolutePath = resolve(path);
  const isFile = (await stat(absolutePath)).isFile();
  if (!isFile) throw new TypeError("it is not a file");
  const module: unknown = await import(pathToFileURL(absolutePath).href);
  // NOTE: in a file compiled from ESM to CommonJS, the default export is one level deeper.
  const exported = readDefault(module);
  return Array.isArray(exported) ? exported : readDefault(exported);
}

function readDefault(value: unknown): unknown {
  return typeof value === "object" && value !== null && "default" in value
    ? value.default
    : undefined;
}

function checkList<T>(
  list: readonly unknown[],
  kind: ExtensionKind<T>,
  nameEntry: (position: number) => string,
): LoadedExtensions<T> {
  const problems = list.flatMap((value, index) =>
    kind.isExtension(value)
      ? []
      : [`${nameEntry(index + 1)} must be ${kind.allowed}${hintAtClass(value)}`],
  );
  return { extensions: list.filter((value) => kind.isExtension(value)), problems };
}

function hintAtClass(value: unknown): string {
  const isClass = typeof value === "function" && /^class\b/.test(String(value));
  return isClass ? `: ${value.name} is a class, so export an instance of it` : "";
}

function fail(problem: string): LoadedExtensions<never> {
  return { extensions: [], problems: [problem] };
}

function describeError(error: unknown): string {
  if (isMissingFile(error)) return `there is no file ${error.path}`;
  const [message = ""] = toErrorMessage(error).split("\n", 1);
  return `${message}${hintAtSdk(message)}`;
}

/** NOTE: in the documentation of the old proxy, strategies extend a class of this package. */
function hintAtSdk(message: string): string {
  return /^Cannot find (?:module|package) 'unleash-client'/.test(message)
    ? ": replace each class that extends its Strategy with an object with name and isEnabled, or install unleash-client next to the file"
    : "";
}

function isMissingFile(error: unknown): error is Error & { readonly path: string } {
  return error instanceof Error && "path" in error && codeOf(error) === "ENOENT";
}
