import type { Environment } from "flags-server-kit/command-line";
import { type Alias, type Conversion, InvalidAlias } from "./alias.ts";
import { isTrue } from "./conversions.ts";

// Edge describes Redis with several settings, which together are one address here. The translation of each of
// them is this address.

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

/** Edge lists the nodes of a cluster as several addresses. */
export const asRedisStore: Conversion = {
  description:
    "with the values of the other settings; several addresses as `redis+cluster://` and all hosts",
  convert: (text, environment) => {
    const addresses = text.split(",").map((address) => address.trim());
    if (addresses.length > 1 || isCluster(environment)) return toClusterAddress(addresses);
    const parts = ADDRESS.exec(text)?.groups;
    // Any other text: FLAGS_STORE rejects it, with a message that names the problem.
    return parts === undefined ? text : toAddress(parts, environment);
  },
};

/** Edge ignores logins apart from the addresses of a cluster. */
function toClusterAddress(addresses: readonly string[]): string | InvalidAlias {
  const [, scheme, login = ""] = /^(rediss?):\/\/([^/]*@)?/i.exec(addresses[0] ?? "") ?? [];
  const hosts = addresses.map((address) => address.replace(/^[^/]*\/\/(?:[^/]*@)?|\/.*$/g, ""));
  return scheme === undefined
    ? new InvalidAlias("must be addresses that begin with redis:// or rediss://")
    : `${scheme}+cluster://${login}${hosts.join(",")}`;
}

/** The address of a server whose host, port and login are separate settings in Edge. */
export const redisHostAsStore: Conversion = {
  description:
    "as `redis://`, `rediss://` or `redis+cluster://` with the values of the other settings",
  convert: (host, environment) => {
    const scheme = SCHEMES[read(environment, "REDIS_SCHEME").toLowerCase()] ?? "redis";
    return toAddress({ scheme, host }, environment);
  },
};

/** Builds an address, in which the other settings take precedence. */
function toAddress(
  parts: Readonly<Record<string, string | undefined>>,
  environment: Environment,
): string {
  const { login = "", host = "", rest = "" } = parts;
  const scheme = isTrue(read(environment, "REDIS_SECURE")) ? "rediss" : parts["scheme"];
  const port = read(environment, "REDIS_PORT");
  const located = port === "" ? host : `${host.replace(/:\d+$/, "")}:${port}`;
  const mode = isCluster(environment) ? "+cluster" : "";
  return `${scheme}${mode}://${toLogin(login, environment)}${located}${rest}`;
}

function toLogin(login: string, environment: Environment): string {
  const [, ownUser = "", ownPassword = ""] = /^([^:]*):?(.*)$/.exec(login) ?? [];
  const user = encodeURIComponent(read(environment, "REDIS_USERNAME")) || ownUser;
  const password = encodeURIComponent(read(environment, "REDIS_PASSWORD")) || ownPassword;
  if (password !== "") return `${user}:${password}@`;
  return user === "" ? "" : `${user}@`;
}

/**
 * Makes a setting a part of the address.
 *
 * @param findProblem returns what is wrong with its value
 */
function asPartOfStore(findProblem: (text: string) => string | undefined): Conversion {
  return {
    description: "as part of the address",
    convert: (text, environment) => {
      const problem = findProblem(text);
      if (problem !== undefined) return new InvalidAlias(problem);
      const url = read(environment, "REDIS_URL");
      return url === ""
        ? redisHostAsStore.convert(read(environment, "REDIS_HOST"), environment)
        : asRedisStore.convert(url, environment);
    },
  };
}

const isValid = (): undefined => undefined;

/** How the settings next to `REDIS_URL` and `REDIS_HOST` become parts of the address. */
export const REDIS_PARTS: readonly (readonly [
  name: string,
  details: Pick<Alias, "conversion" | "isActive" | "description">,
])[] = [
  [
    "REDIS_PORT",
    {
      conversion: asPartOfStore(findPortProblem),
      isActive: isUsed,
      description: "Port of Redis, from 1 to 65535.",
    },
  ],
  [
    "REDIS_USERNAME",
    {
      conversion: asPartOfStore(isValid),
      isActive: isUsed,
      description: "User name for Redis.",
    },
  ],
  [
    "REDIS_PASSWORD",
    {
      conversion: asPartOfStore(isValid),
      isActive: isUsed,
      description: "Password for Redis.",
    },
  ],
  [
    "REDIS_SCHEME",
    {
      conversion: asPartOfStore(findSchemeProblem),
      isActive: (_, given) => isHostUsed(given),
      description: "With a host of Redis: redis or tcp; rediss or tls for connections with TLS.",
    },
  ],
  [
    "REDIS_SECURE",
    {
      conversion: asPartOfStore(isValid),
      isActive: (text, given) => isTrue(text) && isUsed(text, given),
      description: "Connects to Redis with TLS.",
    },
  ],
  [
    "REDIS_MODE",
    {
      conversion: asPartOfStore(findModeProblem),
      isActive: (_, given) => read(given, "REDIS_URL") !== "" || isHostUsed(given),
      description: "Whether Redis is a single server or a cluster: single or cluster.",
    },
  ],
];

function findPortProblem(text: string): string | undefined {
  const isPort = /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PORT;
  return isPort ? undefined : `must be a port, from 1 to ${MAX_PORT}`;
}

function findSchemeProblem(text: string): string | undefined {
  return SCHEMES[text.toLowerCase()] === undefined
    ? "must be redis, rediss, tcp or tls: Unix sockets are not supported"
    : undefined;
}

function findModeProblem(text: string): string | undefined {
  return /^(?:single|cluster)$/i.test(text) ? undefined : "must be single or cluster";
}

/** With `REDIS_URL` for a cluster, Edge ignores them. */
function isUsed(_text: string, environment: Environment): boolean {
  const url = read(environment, "REDIS_URL");
  return url === "" ? isHostUsed(environment) : !isCluster(environment) && !url.includes(",");
}

/** Whether the address comes from `REDIS_HOST` instead of `REDIS_URL`. */
export function isHostUsed(environment: Environment): boolean {
  return read(environment, "REDIS_URL") === "" && read(environment, "REDIS_HOST") !== "";
}

function isCluster(environment: Environment): boolean {
  return read(environment, "REDIS_MODE").toLowerCase() === "cluster";
}

function read(environment: Environment, name: string): string {
  return environment[name]?.trim() ?? "";
}
