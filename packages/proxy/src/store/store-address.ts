import { fileURLToPath } from "node:url";
import {
  createTextKind,
  InvalidValue,
  type SettingKind,
  showAddress,
} from "flags-server-kit/command-line";
import { parseRedisAddress, type RedisAddress } from "./redis/redis-address.ts";
import { parseS3Address, type S3Address } from "./s3/s3-address.ts";

/** A directory of this machine, absolute or relative to the working directory. */
export interface DirectoryAddress {
  readonly kind: "file";
  readonly directory: string;
}

/** The address of a store. Implementations are chosen by `kind` in `open-store.ts`. */
export type StoreAddress = DirectoryAddress | RedisAddress | S3Address;

type Parser = (text: string) => StoreAddress | InvalidValue;

/** How to parse the addresses of each scheme. Each kind is also a scheme. */
const PARSERS: Readonly<Record<string, Parser> & Record<StoreAddress["kind"], Parser>> = {
  file: parseDirectoryAddress,
  s3: parseS3Address,
  redis: parseRedisAddress,
  rediss: parseRedisAddress,
  "redis+sentinel": parseRedisAddress,
  "rediss+sentinel": parseRedisAddress,
  "redis+cluster": parseRedisAddress,
  "rediss+cluster": parseRedisAddress,
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

/** Returns the strings in the address of a store that must never be shown. */
export function secretsInStoreAddress(address: StoreAddress): readonly string[] {
  switch (address.kind) {
    case "file":
    case "s3":
      return [];
    case "redis": {
      const { password } = address;
      return password === undefined ? [] : [password, encodeURIComponent(password)];
    }
    default:
      return address satisfies never;
  }
}

/** Accepts `file:relative/path`, `file:/absolute/path` and `file:///absolute/path`. */
function parseDirectoryAddress(text: string): DirectoryAddress | InvalidValue {
  const path = text.slice("file:".length);
  if (/[?#]/.test(path)) {
    return new InvalidValue("a path in it must not contain ? or #: write %3F or %23");
  }
  try {
    const directory = path.startsWith("//") ? fileURLToPath(text) : decodeURIComponent(path);
    // oxlint-disable-next-line no-control-regex -- paths must not contain them
    return directory === "" || /[\0-\x1f]/.test(directory)
      ? new InvalidValue("it contains no path")
      : { kind: "file", directory };
  } catch {
    return new InvalidValue(
      "its path must be file:relative/path, file:/absolute/path or file:///absolute/path, with % written as %25",
    );
  }
}
