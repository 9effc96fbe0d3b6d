import type { Environment } from "flags-server-kit/command-line";
import { type Alias, InvalidAlias } from "./alias.ts";
import { isTrue } from "./conversions.ts";

// Edge describes Redis with several settings, which together are one address here. The translation of each of
// them is this address.

type Details = Pick<Alias, "conversion" | "isActive">;

const ADDRESS =
  /^(?<scheme>rediss?):\/\/(?:(?<login>[^/?#]*)@)?(?<host>[^/?#,]+)(?<rest>[/?#].*)?$/i;

/** The schemes of Edge without those for Unix sockets. */
const SCHEMES: Readonly<Record<string, "redis" | "rediss">> = {
  redis: "redis",
  tcp: "redis",
  rediss: "rediss",
  tls: "rediss",
};

const MAX_PORT = 65_535;

/**
 * @param isActive whether Edge reads the setting
 * @param problem what is wrong with a value that is not valid
 */
function asPart(
  isActive: (environment: Environment, text: string) => boolean,
  problem = "",
  isValid: (text: string) => boolean = () => true,
): Details {
  return {
    isActive: (text, environment) => isActive(environment, text),
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
    isActive: (_, environment) => isHostUsed(environment),
    conversion: {
      description:
        "as `redis://`, `rediss://` or `redis+cluster://` with the values of the other settings",
      convert: (_, environment) => toAddress(environment),
    },
  },
  REDIS_PORT: asPart(isUsed, `must be a port, from 1 to ${MAX_PORT}`, (text) => {
    return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PORT;
  }),
  REDIS_USERNAME: asPart(isUsed),
  REDIS_PASSWORD: asPart(isUsed),
  REDIS_SCHEME: asPart(
    isHostUsed,
    "must be redis, rediss, tcp or tls: Unix sockets are not supported",
    (text) => SCHEMES[text.toLowerCase()] !== undefined,
  ),
  REDIS_SECURE: asPart((environment, text) => isTrue(text) && isUsed(environment)),
  REDIS_MODE: asPart(
    (environment) => read(environment, "REDIS_URL") !== "" || isHostUsed(environment),
    "must be single or cluster",
    (text) => /^(?:single|cluster)$/i.test(text),
  ),
};

function toAddress(environment: Environment): string {
  const url = read(environment, "REDIS_URL");
  if (url === "") {
    const scheme = SCHEMES[read(environment, "REDIS_SCHEME").toLowerCase()] ?? "redis";
    return toServerAddress({ scheme, host: read(environment, "REDIS_HOST") }, environment);
  }
  const addresses = url.split(",").map((address) => address.trim());
  if (addresses.length > 1 || isCluster(environment)) return toClusterAddress(addresses);
  const parts = ADDRESS.exec(url)?.groups;
  // Any other text: FLAGS_STORE rejects it, with a message that names the problem.
  return parts === undefined ? url : toServerAddress(parts, environment);
}

/** Edge lists the nodes of a cluster as several addresses, and ignores logins apart from theirs. */
function toClusterAddress(addresses: readonly string[]): string {
  const [, scheme, login = ""] = /^(rediss?):\/\/([^/]*@)?/i.exec(addresses[0] ?? "") ?? [];
  const hosts = addresses.map((address) => address.replace(/^[^/]*\/\/(?:[^/]*@)?|\/.*$/g, ""));
  if (scheme !== undefined) return `${scheme}+cluster://${login}${hosts.join(",")}`;
  throw new InvalidAlias("must be addresses that begin with redis:// or rediss://");
}

/** Builds an address, in which the other settings take precedence. */
function toServerAddress(
  parts: Readonly<Record<string, string | undefined>>,
  environment: Environment,
): string {
  const { login = "", host = "", rest = "" } = parts;
  const scheme = isTrue(read(environment, "REDIS_SECURE")) ? "rediss" : parts["scheme"];
  const port = read(environment, "REDIS_PORT");
  const located = port === "" ? host : `${host.replace(/:\d+$/, "")}:${port}`;
  const mode = isCluster(environment) ? "+cluster" : "";
  const [, ownUser = "", ownPassword = ""] = /^([^:]*):?(.*)$/.exec(login) ?? [];
  const user = encodeURIComponent(read(environment, "REDIS_USERNAME")) || ownUser;
  const password = encodeURIComponent(read(environment, "REDIS_PASSWORD")) || ownPassword;
  const credentials = password === "" ? user : `${user}:${password}`;
  return `${scheme}${mode}://${credentials === "" ? "" : `${credentials}@`}${located}${rest}`;
}

/** With `REDIS_URL` for a cluster, Edge ignores the parts of an address. */
function isUsed(environment: Environment): boolean {
  const url = read(environment, "REDIS_URL");
  return url === "" ? isHostUsed(environment) : !isCluster(environment) && !url.includes(",");
}

/** Whether the address comes from `REDIS_HOST` instead of `REDIS_URL`. */
function isHostUsed(environment: Environment): boolean {
  return read(environment, "REDIS_URL") === "" && read(environment, "REDIS_HOST") !== "";
}

function isCluster(environment: Environment): boolean {
  return read(environment, "REDIS_MODE").toLowerCase() === "cluster";
}

function read(environment: Environment, name: string): string {
  return environment[name]?.trim() ?? "";
}
