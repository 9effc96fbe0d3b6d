import {
  baseUrlKind,
  createListKind,
  createTextKind,
  InvalidValue,
  type ListKind,
  type SettingKind,
  toHttpUrl,
  toTexts,
} from "flags-server-kit/settings";
import { tryDecode } from "flags-server-kit/neutral";
import { parseFlagFilesAddress } from "./flag-files-address.ts";

/** Decides whether an origin is allowed, as in `@fastify/cors`: through a callback or a promise. */
export type OriginFunction = (
  origin: string | undefined,
  callback: (error: Error | null, allowed: string | boolean | RegExp | (string | RegExp)[]) => void,
) => void;

/** In code also: true to allow the origin of each request, and false for no CORS headers. */
export type CorsOrigin = "*" | boolean | RegExp | OriginFunction | readonly (string | RegExp)[];

/** Like `baseUrlKind`, or the address of a file or a directory. */
export const upstreamKind: SettingKind<string> = createTextKind(
  "a URL that starts with http:// or https:// and contains no user name, password, ? or #; or file: followed by a path",
  (text) => {
    const file = parseFlagFilesAddress(text);
    if (file === undefined) return baseUrlKind.parse(text);
    return typeof file === "string" ? new InvalidValue(file) : text;
  },
);

export const forwardProxyKind: SettingKind<string> = createTextKind(
  "the URL of a proxy server that starts with http:// or https://, without a path, ? or #",
  (text) => {
    const url = toHttpUrl(text);
    if (url === undefined || url.pathname !== "/" || /[?#]/.test(text)) return new InvalidValue();
    return [url.username, url.password].some((part) => tryDecode(part) === undefined)
      ? new InvalidValue("its user name or password is not percent-encoded: write % as %25")
      : text;
  },
);

/** A path that becomes empty, or has a leading slash and no trailing slash. */
export const basePathKind: SettingKind<string> = createTextKind(
  "a path of letters, digits and any of - . _ ~, such as base/path",
  (text) => {
    const segments = text.split("/").filter((segment) => segment !== "");
    const valid = segments.every((segment) => /^(?!\.{1,2}$)[\w.~-]+$/.test(segment));
    return valid ? segments.map((segment) => `/${segment}`).join("") : new InvalidValue();
  },
);

/** `*`, or origins as browsers send them; in code also regular expressions, booleans or a function. */
export const originsKind = createOriginsKind();

function createOriginsKind(): SettingKind<CorsOrigin, Exclude<CorsOrigin, "*"> | string> {
  const list = createListKind({
    of: "origins such as https://app.example.com",
    atLeastOne: true,
    parseEntry: parseOrigin,
  });
  return {
    allowed: `*, ${list.allowed}, or in code regular expressions, true, false or a function`,
    parse: (value) => {
      if (isWildcard(value)) return "*";
      if (typeof value === "boolean" || value instanceof RegExp) return value;
      if (typeof value === "function") return value as OriginFunction;
      return Array.isArray(value) && value.some((entry) => entry instanceof RegExp)
        ? parseMixedOrigins(value, list)
        : list.parse(value);
    },
  };
}

function parseMixedOrigins(entries: readonly unknown[], list: ListKind): CorsOrigin | InvalidValue {
  const patterns = entries.filter((entry) => entry instanceof RegExp);
  const rest = entries.filter((entry) => !(entry instanceof RegExp));
  const origins = rest.length === 0 ? [] : list.parse(rest);
  return origins instanceof InvalidValue ? origins : [...origins, ...patterns];
}

function isWildcard(value: unknown): boolean {
  const texts = toTexts(value);
  return texts?.length === 1 && texts[0]?.trim() === "*";
}

function parseOrigin(text: string): string | InvalidValue {
  if (text === "*")
    return new InvalidValue("allows every origin and cannot be combined with others");
  const url = toHttpUrl(text);
  // NOTE: native applications use origins with other schemes, such as capacitor://localhost.
  if (url === undefined) {
    return /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/i.test(text)
      ? text.toLowerCase()
      : new InvalidValue("is not an origin");
  }
  const bare = url.href === `${url.origin}/`;
  return bare ? url.origin : new InvalidValue(`is more than an origin: use ${url.origin}`);
}
