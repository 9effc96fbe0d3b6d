import { InvalidValue, showAddress } from "flags-server-kit/command-line";
import { tryDecode } from "flags-server-kit/neutral";
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
  "redis://user:password@host:6379/database, redis+sentinel://host1,host2/primary-name or redis+cluster://host1,host2, with rediss instead of redis for TLS, percent-encoded, perhaps with ?prefix=flags:";

const ADDRESS = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?#]*)@)?([^?#@]*)(?:\?([^#]*))?$/i;
const HOSTS = String.raw`(?<hosts>[^/?#@]+)`;
const DATABASE = String.raw`(?:/(?<database>\d{1,5}))?`;
/** What follows the login. */
const LOCATIONS = {
  single: new RegExp(`^${HOSTS}${DATABASE}/?$`),
  sentinel: new RegExp(`^${HOSTS}/(?<primaryName>[^/]+)${DATABASE}/?$`),
  cluster: new RegExp(`^${HOSTS}/?$`),
} as const;
const DEFAULT_PORTS = { single: 6379, sentinel: 26_379, cluster: 6379 } as const;
const PREFIX = /^[\w:.-]{0,100}$/;

/**
 * Parses `redis://[user:password@]host[:port][/database]`,
 * `redis+sentinel://[user:password@]host[:port],.../primary-name[/database]` or
 * `redis+cluster://[user:password@]host[:port],...`, each also with `rediss` for TLS and with `?prefix=`.
 */
export function parseRedisAddress(text: string): RedisAddress | InvalidValue {
  return (
    parseAddress(text) ??
    new InvalidValue(`a Redis address is ${FORMS}; current value is ${showAddress(text)}`)
  );
}

function parseAddress(text: string): RedisAddress | undefined {
  const [, scheme = "", kind = "single", login = "", location = "", query = ""] =
    ADDRESS.exec(text) ?? [];
  const mode = kind.toLowerCase() as RedisAddress["mode"];
  const servers = parseLocation(location, mode);
  const credentials = parseLogin(login);
  const prefix = parseQuery(query);
  if (servers === undefined || credentials === undefined || prefix === undefined) return undefined;
  return { mode, isTls: scheme.toLowerCase() === "rediss", ...servers, ...credentials, prefix };
}

function parseLocation(
  location: string,
  mode: RedisAddress["mode"],
): Pick<RedisAddress, "hosts" | "primaryName" | "database"> | undefined {
  const parts = LOCATIONS[mode].exec(location)?.groups ?? {};
  const hosts = parts["hosts"]?.split(",").map((host) => parseHost(host, DEFAULT_PORTS[mode]));
  if (hosts?.every((host) => host !== undefined) !== true) return undefined;
  if (mode === "single" && hosts.length > 1) return undefined;
  return {
    hosts,
    primaryName: parts["primaryName"] ?? "",
    database: Number(parts["database"] ?? 0),
  };
}

function parseLogin(login: string): Pick<RedisAddress, "user" | "password"> | undefined {
  const [, user = "", password = ""] = /^([^:]*):?(.*)$/.exec(login) ?? [];
  if (tryDecode(login) === undefined) return undefined;
  return { user: tryDecode(user) || undefined, password: tryDecode(password) || undefined };
}

function parseQuery(query: string): string | undefined {
  const { prefix = "flags:", ...others } = Object.fromEntries(new URLSearchParams(query));
  return PREFIX.test(prefix) && Object.keys(others).length === 0 ? prefix : undefined;
}

function parseHost(text: string, defaultPort: number): RedisHost | undefined {
  const [, bracketed, name, portText] =
    /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? name;
  const port = portText === undefined ? defaultPort : Number(portText);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
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
