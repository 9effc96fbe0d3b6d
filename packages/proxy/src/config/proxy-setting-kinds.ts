// Kinds of setting values, apart from addresses: how to read them from the environment and from code.

import type { CustomStrategy } from "flags-engine";
import type { StorageProvider, Tag } from "flags-sdk";
import {
  createListKind,
  createTextKind,
  headerValueKind,
  InvalidValue,
  type ListKind,
  pathKind,
  type SettingKind,
} from "flags-server-kit/settings";
import { type CustomLogger, isRecord } from "flags-server-kit/neutral";
import type { ContextEnricher } from "../core/context/enrichers.ts";

const MAX_APPLICATION_CHARACTERS = 100;

/** A `token` of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const headerNameKind: SettingKind<string> = createTextKind(
  "the name of an HTTP header",
  (text) => (TOKEN.test(text) ? text.toLowerCase() : new InvalidValue()),
);

export const headerNamesKind: ListKind = createListKind({
  of: "names of HTTP headers",
  parseEntry: (text) => (TOKEN.test(text) ? text : new InvalidValue("is not the name of a header")),
});

export const applicationsKind: ListKind = createListKind({
  of: "names of applications",
  parseEntry: (text) =>
    text.length > MAX_APPLICATION_CHARACTERS || /\p{Cc}/u.test(text)
      ? new InvalidValue("is not the name of an application")
      : text,
});

export const methodsKind: ListKind = createListKind({
  of: "HTTP methods",
  atLeastOne: true,
  parseEntry: (text) =>
    TOKEN.test(text) ? text.toUpperCase() : new InvalidValue("is not a method"),
});

export const headersKind: SettingKind<Readonly<Record<string, string>>> = {
  allowed: "an object of header names and values",
  parse: (value) => {
    if (!isRecord(value)) return new InvalidValue();
    for (const [name, text] of Object.entries(value)) {
      const shownName = JSON.stringify(name);
      if (!TOKEN.test(name)) return new InvalidValue(`${shownName} is not the name of a header`);
      if (headerValueKind.parse(text) instanceof InvalidValue) {
        return new InvalidValue(`the value of ${shownName} cannot be sent in a header`);
      }
    }
    return { ...(value as Record<string, string>) };
  },
};

const tagTexts = createListKind({
  of: "tags such as name:value",
  parseEntry: (text) => parseTag(text) ?? new InvalidValue("is not of the form name:value"),
});

/** Tags; in code as objects or as strings. */
export const tagsKind: SettingKind<readonly Tag[], string | readonly Tag[]> = {
  allowed: "a list of tags such as name:value, separated by commas, or in code of { name, value }",
  parse: (value) => {
    if (typeof value === "string") return tagTexts.parse(value);
    if (!Array.isArray(value)) return new InvalidValue();
    const tags = value.map(toTag);
    const invalid = tags.indexOf(undefined);
    return invalid === -1
      ? tags.filter((tag) => tag !== undefined)
      : new InvalidValue(`entry ${invalid + 1} has no name or no value`);
  },
};

function parseTag(text: string): Tag | undefined {
  const colon = text.indexOf(":");
  const name = text.slice(0, Math.max(colon, 0)).trim();
  const value = text.slice(colon + 1).trim();
  return name === "" || value === "" ? undefined : { name, value };
}

function toTag(entry: unknown): Tag | undefined {
  if (typeof entry === "string") return parseTag(entry);
  if (!isRecord(entry)) return undefined;
  const { name, value } = entry;
  return isNonEmpty(name) && isNonEmpty(value) ? { name, value } : undefined;
}

function isNonEmpty(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

const pathsKind = createListKind({ of: "paths", parseEntry: (text) => pathKind.parse(text) });

/** Strategies, and paths of files with strategies. Strategies are checked when they are loaded. */
export const strategiesKind: SettingKind<readonly unknown[], readonly (CustomStrategy | string)[]> =
  {
    allowed:
      "a list of paths, or in code of strategies and paths of files that export lists of them",
    parse: (value) => (Array.isArray(value) ? value : pathsKind.parse(value)),
  };

/** One path, or functions and paths in code. Functions are checked when they are loaded. */
export const enrichersKind: SettingKind<readonly unknown[], readonly (ContextEnricher | string)[]> =
  {
    allowed:
      "the path of a file, or in code a list of functions and paths of files that export them",
    parse: (value) => {
      if (Array.isArray(value)) return value;
      const path = pathKind.parse(value);
      return path instanceof InvalidValue ? path : [path];
    },
  };

export const loggerKind: SettingKind<CustomLogger> = createObjectKind<CustomLogger>([
  "debug",
  "info",
  "warn",
  "error",
]);

export const storageKind: SettingKind<StorageProvider> = createObjectKind<StorageProvider>([
  "get",
  "set",
]);

export function createObjectKind<T extends object>(
  methods: readonly (keyof T & string)[],
): SettingKind<T> {
  return {
    allowed: `an object with the methods ${methods.join(", ")}`,
    parse: (value) => {
      if (typeof value !== "object" || value === null) return new InvalidValue();
      const missing = methods.filter((method) => typeof Reflect.get(value, method) !== "function");
      return missing.length === 0
        ? (value as T)
        : new InvalidValue(`it does not have ${missing.join(", ")}`);
    },
  };
}

type UpstreamHeaders = Readonly<Record<string, string>>;

/** Headers that the connection or the upstream protocol determines. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "if-none-match",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

/** Text is a list of `Name: value`, separated by commas, or by line breaks if values contain commas. */
export const upstreamHeadersKind: SettingKind<
  UpstreamHeaders,
  UpstreamHeaders | string | readonly string[]
> = {
  allowed:
    "a list of headers such as Name: value, separated by commas or line breaks, or in code an object",
  parse: (value) => {
    if (typeof value === "string") {
      return parseHeaderLines(value.split(/[\r\n]/.test(value) ? /[\r\n]+/ : ","));
    }
    if (Array.isArray(value)) return parseHeaderLines(value);
    return isRecord(value) ? checkUpstreamHeaders(Object.entries(value)) : new InvalidValue();
  },
};

function parseHeaderLines(lines: readonly unknown[]): UpstreamHeaders | InvalidValue {
  const headers: [name: string, value: string][] = [];
  for (const [index, line] of lines.entries()) {
    if (typeof line !== "string") return new InvalidValue();
    if (line.trim() === "") continue;
    const [name = "", ...rest] = line.split(":");
    // NOTE: the text is not shown, because it may be a secret.
    if (rest.length === 0 || !TOKEN.test(name.trim())) {
      return new InvalidValue(`entry ${index + 1} is not of the form Name: value`);
    }
    headers.push([name.trim(), rest.join(":").trim()]);
  }
  return checkUpstreamHeaders(headers);
}

function checkUpstreamHeaders(
  headers: readonly (readonly [name: string, value: unknown])[],
): UpstreamHeaders | InvalidValue {
  const names = headers.map(([name]) => name.toLowerCase());
  const reserved = names.find((name) => RESERVED_HEADERS.has(name));
  if (reserved !== undefined) return new InvalidValue(`"${reserved}" is set by the proxy itself`);
  return new Set(names).size === names.length
    ? headersKind.parse(Object.fromEntries(headers))
    : new InvalidValue("a name is repeated");
}
