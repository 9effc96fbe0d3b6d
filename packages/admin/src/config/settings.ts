import {
  booleanKind,
  createChoiceKind,
  createIntegerKind,
  defineSetting,
  hostKind,
  LOG_LEVELS,
  textKind,
  tokensKind,
  trustProxyKind,
  type ValuesOf,
} from "flags-server-kit";
import { databaseUrlKind, secretsInDatabaseUrl } from "./database-url-kind.ts";

/**
 * Everything the service can be told, once. The loader, `--help`, the documentation and the texts of
 * errors all come from this table.
 */
export const SETTINGS = {
  port: defineSetting({
    group: "Listening",
    variables: ["PORT"],
    kind: createIntegerKind({ min: 0, max: 65_535 }),
    fallback: 4242,
    meaning: "Port to listen on; 0 takes any free one.",
  }),
  host: defineSetting({
    group: "Listening",
    variables: ["HOST"],
    kind: hostKind,
    fallback: undefined,
    shownFallback: "all addresses",
    meaning: "Address to listen on, for example 127.0.0.1.",
  }),
  maxConnections: defineSetting({
    group: "Listening",
    variables: ["MAX_CONNECTIONS"],
    kind: createIntegerKind({ min: 1, max: 1_000_000 }),
    fallback: undefined,
    shownFallback: "fits the open-file limit",
    meaning:
      "Connections that may be open at a time. At the limit, idle connections are closed to accept new ones; if none is idle, new ones are closed. Default: 20000, or less if the process may not open that many files.",
  }),
  trustProxy: defineSetting({
    group: "Listening",
    variables: ["TRUST_PROXY"],
    kind: trustProxyKind,
    fallback: false,
    meaning:
      "Whose X-Forwarded-For header is trusted: true for everyone's, false for nobody's, the number of proxies in front, or a list of IP addresses and CIDR ranges. The limits of unknown tokens are per address.",
  }),
  databaseUrl: defineSetting({
    group: "Database",
    variables: ["DATABASE_URL"],
    kind: databaseUrlKind,
    fallback: undefined,
    shownFallback: "the embedded database",
    secret: true,
    secretTexts: secretsInDatabaseUrl,
    meaning: "Address of a PostgreSQL database: postgres://user:password@host:5432/name.",
  }),
  dataDir: defineSetting({
    group: "Database",
    variables: ["DATA_DIR"],
    kind: textKind,
    fallback: ".flags",
    meaning:
      "Directory of the embedded database. Made when it is missing. Not used with DATABASE_URL.",
  }),
  minFreeDiskMb: defineSetting({
    group: "Database",
    variables: ["MIN_FREE_DISK_MB"],
    kind: createIntegerKind({ min: 32, max: 1_048_576 }),
    fallback: 64,
    meaning:
      "Free disk space in MB below which the embedded database refuses writes and does not start. Not used with DATABASE_URL.",
  }),
  initAdminTokens: defineSetting({
    group: "Tokens",
    variables: ["INIT_ADMIN_API_TOKENS"],
    kind: tokensKind,
    fallback: [],
    shownFallback: "none",
    secret: true,
    meaning:
      "Tokens for the admin API, separated by commas, each of the form *:*.secret. The secret has at least 16 characters; 6 are enough if HOST is a loopback address. Missing tokens are created at the start.",
  }),
  initClientTokens: defineSetting({
    group: "Tokens",
    variables: ["INIT_CLIENT_API_TOKENS"],
    kind: tokensKind,
    fallback: [],
    shownFallback: "none",
    secret: true,
    meaning:
      "The same for server SDKs and proxies, each of the form project:environment.secret, with * for all projects. The secret has at least 16 characters; 6 are enough if HOST is a loopback address.",
  }),
  initFrontendTokens: defineSetting({
    group: "Tokens",
    variables: ["INIT_FRONTEND_API_TOKENS"],
    kind: tokensKind,
    fallback: [],
    shownFallback: "none",
    secret: true,
    meaning:
      "The same for browsers and mobile apps, each of the form project:environment.secret, with * for all projects.",
  }),
  useJsonLogger: defineSetting({
    group: "Logging",
    variables: ["JSON_LOGGER"],
    kind: booleanKind,
    fallback: false,
    meaning: "Writes one line of JSON per message.",
  }),
  logLevel: defineSetting({
    group: "Logging",
    variables: ["LOG_LEVEL"],
    kind: createChoiceKind(LOG_LEVELS),
    fallback: "warn",
    meaning: "Least severe level that is written: debug, info, warn, error or fatal.",
  }),
};

export type Settings = typeof SETTINGS;

/** Every setting's value; the default also where something else was given but is wrong. */
export type Values = ValuesOf<Settings>;
