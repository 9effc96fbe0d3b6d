import { InvalidValue, showAddress } from "flags-server-kit/command-line";
import type { StoreAddress } from "../store.ts";

/** One server. */
export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** Where Redis is, and how to log in. */
export interface RedisAddress {
  /**
   * - `single`: one server.
   * - `sentinel`: the hosts are Sentinels, which know the current primary.
   * - `cluster`: the hosts are some nodes of a cluster.
   */
  readonly mode: "single" | "sentinel" | "cluster";
  readonly isTls: boolean;
  readonly hosts: readonly RedisHost[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** The name of the primary that the Sentinels monitor; empty in other modes. */
  readonly primaryName: string;
  readonly database: number;
  /** Precedes every key and channel. */
  readonly prefix: string;
}

const FORMS =
  "redis://host:6379, redis+sentinel://host1,host2/primary-name or redis+cluster://host1,host2, with rediss instead of redis for TLS";

const ADDRESS =
  /^(?<scheme>rediss?)(?:\+(?<mode>sentinel|cluster))?:\/\/(?:(?<login>[^/?#]*)@)?(?<hosts>[^/?#@]*)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/i;

const DEFAULT_PORTS = { single: 6379, sentinel: 26_379, cluster: 6379 } as const;
const DEFAULT_PREFIX = "flags:";
const MAX_DATABASE = 65_535;

/**
 * Parses `redis://[user:password@]host[:port][/database]`,
 * `redis+sentinel://[user:password@]host[:port],.../primary-name[/database]` or
 * `redis+cluster://[user:password@]host[:port],...`, each also with `rediss` for TLS and with `?prefix=`.
 */
export function parseRedisAddress(text: string): RedisAddress | InvalidValue {
  const parts = ADDRESS.exec(text)?.groups;
  if (parts === undefined) {
    return new InvalidValue(`a Redis address is ${FORMS}; current value is ${showAddress(text)}`);
  }
  const { scheme = "", login = "", path = "", query = "" } = parts;
  const mode = (parts["mode"]?.toLowerCase() ?? "single") as RedisAddress["mode"];
  const hosts = (parts["hosts"] ?? "").split(",").map((host) => parseHost(host, mode));
  const located = parsePath(path, mode);
  const prefix = parseQuery(query);
  const credentials = parseLogin(login);
  const invalid = [...hosts, located, prefix, credentials].find(
    (part) => part instanceof InvalidValue,
  );
  if (invalid instanceof InvalidValue) return invalid;
  if (mode === "single" && hosts.length > 1) {
    return new InvalidValue(
      "it names several hosts: begin it with redis+sentinel:// or redis+cluster://",
    );
  }
  return {
    mode,
    isTls: scheme.toLowerCase() === "rediss",
    hosts: hosts as readonly RedisHost[],
    ...(credentials as Pick<RedisAddress, "user" | "password">),
    ...(located as Pick<RedisAddress, "primaryName" | "database">),
    prefix: prefix as string,
  };
}

/** Parses the address of a store. */
export function parseRedisStore(text: string): StoreAddress | InvalidValue {
  const address = parseRedisAddress(text);
  if (address instanceof InvalidValue) return address;
  const { isTls, password } = address;
  return {
    text: describeRedisAddress(address),
    secrets: password === undefined ? [] : [password, encodeURIComponent(password)],
    login: "password",
    needsRegion: false,
    usesTls: isTls,
    canShareFlags: true,
    open: async (access) => {
      const { RedisConnection } = await import("./redis-connection.ts");
      const { RedisStore } = await import("./redis-store.ts");
      // NOTE: hundreds of files, which would otherwise be loaded within the time limit of the first connection.
      await import("@redis/client");
      const login = { ...address, password: access.password ?? password };
      return new RedisStore(new RedisConnection({ address: login, ca: access.ca }));
    },
  };
}

/** Returns the address for messages, without credentials. */
export function describeRedisAddress(address: RedisAddress): string {
  const { mode, isTls, hosts, primaryName, database } = address;
  const scheme = `${isTls ? "rediss" : "redis"}${mode === "single" ? "" : `+${mode}`}`;
  const hostTexts = hosts.map(
    ({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`,
  );
  const path = [primaryName, database === 0 ? "" : String(database)].filter((part) => part !== "");
  return `${scheme}://${[hostTexts.join(","), ...path].join("/")}`;
}

function parseHost(text: string, mode: RedisAddress["mode"]): RedisHost | InvalidValue {
  const [, bracketed, name, portText] =
    /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? name;
  const port = portText === undefined ? DEFAULT_PORTS[mode] : Number(portText);
  if (host === undefined) return new InvalidValue(`a Redis address is ${FORMS}`);
  return port >= 1 && port <= 65_535
    ? { host, port }
    : new InvalidValue(`the port ${port} in it is not from 1 to 65535`);
}

function parseLogin(login: string): Pick<RedisAddress, "user" | "password"> | InvalidValue {
  if (login === "") return { user: undefined, password: undefined };
  const colon = login.indexOf(":");
  const user = colon === -1 ? login : login.slice(0, colon);
  const password = colon === -1 ? "" : login.slice(colon + 1);
  try {
    return {
      user: decodeURIComponent(user) || undefined,
      password: decodeURIComponent(password) || undefined,
    };
  } catch {
    return new InvalidValue("its user name or password is not percent-encoded: write % as %25");
  }
}

function parsePath(
  path: string,
  mode: RedisAddress["mode"],
): Pick<RedisAddress, "primaryName" | "database"> | InvalidValue {
  const segments = path.split("/").filter((segment) => segment !== "");
  const primaryName = mode === "sentinel" ? segments.shift() : "";
  if (primaryName === undefined) {
    return new InvalidValue(
      "it does not name the primary that the Sentinels monitor: end it with /primary-name",
    );
  }
  const [database = "0", ...rest] = segments;
  if (mode === "cluster" && segments.length > 0) {
    return new InvalidValue("a cluster has no numbered databases: remove what follows the hosts");
  }
  return rest.length === 0 && /^\d{1,5}$/.test(database) && Number(database) <= MAX_DATABASE
    ? { primaryName, database: Number(database) }
    : new InvalidValue("what follows the hosts must be the number of a database");
}

function parseQuery(query: string): string | InvalidValue {
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => name !== "prefix");
  if (unknown !== undefined) {
    return new InvalidValue(`its only parameter can be prefix, not ${JSON.stringify(unknown)}`);
  }
  const prefix = parameters.get("prefix") ?? DEFAULT_PREFIX;
  return /^[\w:.-]{0,100}$/.test(prefix)
    ? prefix
    : new InvalidValue("its prefix may contain only letters, digits and any of _ : . -");
}
