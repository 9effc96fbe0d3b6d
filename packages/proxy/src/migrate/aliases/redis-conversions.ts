import type { Environment } from "flags-server-kit/command-line";
import { type Alias, InvalidAlias } from "./alias.ts";
import { isTrue } from "./conversions.ts";

// Edge describes Redis with several settings, which together are one address here. The translation of each of
// them is this address.

type Details = Pick<Alias, "conversion" | "isActive">;

/** The schemes of Edge without those for Unix sockets. */
const SCHEMES: Readonly<Record<string, "redis" | "rediss">> = {
  redis: "redis",
  tcp: "redis",
  rediss: "rediss",
  tls: "rediss",
};

const MAX_PORT = 65_535;

function asPart(problem = "", isValid: (text: string) => boolean = () => true): Details {
  return {
    isActive: (_, { REDIS_URL = "", REDIS_HOST = "" }) => (REDIS_URL + REDIS_HOST).trim() !== "",
    conversion: {
      description: "as part of the address",
      convert: (text, environment) => {
        if (!isValid(text)) throw new InvalidAlias(problem);
        return toAddress(environment);
      },
    },
  };
}

/** The settings of Edge that become an address of Redis. */
export const REDIS_SETTINGS: Readonly<Record<string, Details>> = {
  REDIS_URL: {
    conversion: {
      description:
        "with the values of the other settings; several addresses as `redis+cluster://` and all hosts",
      convert: (_, environment) => toAddress(environment),
    },
  },
  REDIS_HOST: {
    isActive: (_, { REDIS_URL = "" }) => REDIS_URL.trim() === "",
    conversion: {
      description:
        "as `redis://`, `rediss://` or `redis+cluster://` with the values of the other settings",
      convert: (_, environment) => toAddress(environment),
    },
  },
  REDIS_PORT: asPart(`must be a port, from 1 to ${MAX_PORT}`, (text) => {
    return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PORT;
  }),
  REDIS_USERNAME: asPart(),
  REDIS_PASSWORD: asPart(),
  REDIS_SCHEME: asPart(
    "must be redis, rediss, tcp or tls: Unix sockets are not supported",
    (text) => SCHEMES[text.toLowerCase()] !== undefined,
  ),
  REDIS_SECURE: asPart(),
  REDIS_MODE: asPart("must be single or cluster", (text) => /^(?:single|cluster)$/i.test(text)),
};

function toAddress(environment: Environment): string {
  const read = (name: string): string => environment[`REDIS_${name}`]?.trim() ?? "";
  const scheme = SCHEMES[read("SCHEME").toLowerCase()] ?? "redis";
  const text = read("URL") || `${scheme}://${read("HOST")}`;
  const texts = text.split(",").map((each) => each.trim());
  // Any other text: FLAGS_STORE rejects it, with a message that names the problem.
  if (!texts.every(isRedisAddress)) return text;
  const addresses = texts.map((each) => new URL(each));
  const [first = new URL(text)] = addresses;
  const isCluster = addresses.length > 1 || read("MODE").toLowerCase() === "cluster";
  // NOTE: Edge ignores the parts of the address if REDIS_URL is that of a cluster.
  if (read("URL") === "" || !isCluster) {
    if (isTrue(read("SECURE"))) first.protocol = "rediss:";
    first.port = read("PORT") || first.port;
    first.username = encodeURIComponent(read("USERNAME")) || first.username;
    first.password = encodeURIComponent(read("PASSWORD")) || first.password;
  }
  if (!isCluster) return first.href;
  const { protocol, username, password } = first;
  const credentials = password === "" ? username : `${username}:${password}`;
  const hosts = addresses.map(({ host }) => host).join(",");
  return `${protocol.slice(0, -1)}+cluster://${credentials === "" ? "" : `${credentials}@`}${hosts}`;
}

function isRedisAddress(text: string): boolean {
  return URL.canParse(text) && /^rediss?:\/\/[^/]/i.test(text);
}
