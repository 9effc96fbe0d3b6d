import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createTextKind,
  InvalidValue,
  type SettingKind,
  showAddress,
} from "flags-server-kit/command-line";
import { parseRedisStore } from "./redis/redis-address.ts";
import { parseS3Store } from "./s3/s3-address.ts";
import type { StoreAddress } from "./store.ts";

/** The kinds of stores, by the schemes of their addresses. */
const PARSERS: Readonly<Record<string, (text: string) => StoreAddress | InvalidValue>> = {
  file: parseFileStore,
  s3: parseS3Store,
  redis: parseRedisStore,
  rediss: parseRedisStore,
  "redis+sentinel": parseRedisStore,
  "rediss+sentinel": parseRedisStore,
  "redis+cluster": parseRedisStore,
  "rediss+cluster": parseRedisStore,
};

const SCHEMES = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** The address of a store. Shown only in part, because it may contain a password. */
export const storeAddressKind: SettingKind<StoreAddress, string> = createTextKind(
  "the URL of a store, such as file:/var/lib/flags, redis://cache:6379 or s3://bucket/prefix",
  (text) => {
    const [, scheme = ""] = /^([a-z0-9+]+):/i.exec(text) ?? [];
    const parse = PARSERS[scheme.toLowerCase()];
    if (parse !== undefined) return parse(text);
    const schemes = SCHEMES.format(Object.keys(PARSERS).map((name) => `${name}:`));
    return new InvalidValue(`it must begin with ${schemes}, current value is ${showAddress(text)}`);
  },
);

/** Accepts `file:relative/path`, `file:/absolute/path` and `file:///absolute/path`. */
function parseFileStore(text: string): StoreAddress | InvalidValue {
  const path = text.slice("file:".length);
  if (/[?#]/.test(path)) {
    return new InvalidValue("a path in it must not contain ? or #: write %3F or %23");
  }
  let directory: string;
  try {
    directory = path.startsWith("//") ? fileURLToPath(text) : decodeURIComponent(path);
  } catch {
    return new InvalidValue(
      "its path must be file:relative/path, file:/absolute/path or file:///absolute/path, with % written as %25",
    );
  }
  // oxlint-disable-next-line no-control-regex -- paths must not contain them
  if (directory === "" || /[\0-\x1f]/.test(directory)) {
    return new InvalidValue("it contains no path");
  }
  return {
    text: `file:${resolve(directory)}`,
    secrets: [],
    login: "none",
    needsRegion: false,
    usesTls: false,
    canShareFlags: false,
    open: async () => {
      const { FileStore } = await import("./file-store.ts");
      return new FileStore(directory);
    },
  };
}
