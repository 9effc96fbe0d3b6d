import {
  booleanKind,
  createChoiceKind,
  createIntegerKind,
  hostKind,
  hostsKind,
  pathKind,
  type Program,
  SettingGroup,
  textKind,
  TELEMETRY_SETTINGS,
  tokensKind,
  trustProxyKind,
  type ValuesOf,
} from "flags-server-kit/command-line";
import { LOG_LEVELS } from "flags-server-kit/neutral";
import { allowListKind } from "../notifications/allow-list.ts";
import { version } from "../version.ts";
import { OPENID_SETTINGS } from "./openid-settings.ts";
import {
  databaseUrlKind,
  frontendUrlKind,
  publicUrlKind,
  secretsInDatabaseUrl,
} from "./url-setting-kinds.ts";

const listening = new SettingGroup("Listening");
const webConsole = new SettingGroup("Console");
const database = new SettingGroup("Database");
const retention = new SettingGroup("Retention");
const accounts = new SettingGroup("Accounts");
const tokens = new SettingGroup("Tokens");
const imports = new SettingGroup("Import");
const notifications = new SettingGroup("Notifications");
const logging = new SettingGroup("Logging");

/**
 * All settings of the service. Reading, checking, `--help`, the documentation and error messages are derived
 * from this table.
 *
 * To add one, add an entry here; for OpenID Connect, in openid-settings.ts. Its `kind`, from flags-server-kit or this
 * folder, reads and checks values. `AdminConfig` has a member with the name of the entry. Test the setting in
 * config.test.ts, and run `node scripts/check-docs.mjs --write`, which updates docs/reference/admin-configuration.md.
 */
export const SETTINGS = {
  port: listening.variable("PORT", {
    kind: createIntegerKind({ min: 0, max: 65_535 }),
    default: 4242,
    description: "Port to listen on; 0 selects a free port.",
  }),
  host: listening.variable("HOST", {
    kind: hostKind,
    defaultText: "all addresses",
    description: "Address to listen on, for example 127.0.0.1.",
  }),
  shutdownDelayMs: listening.variable("SHUTDOWN_DELAY", {
    kind: createIntegerKind({ min: 0, max: 600_000, of: "milliseconds" }),
    default: 5000,
    description:
      "Milliseconds for which requests are still served after SIGTERM, while GET /ready returns 503, so that load balancers notice. The process needs up to 5 s more to stop. No effect on Ctrl-C.",
  }),
  maxConnections: listening.variable("MAX_CONNECTIONS", {
    kind: createIntegerKind({ min: 1, max: 1_000_000 }),
    defaultText: "fits the open-file limit",
    description:
      "Maximum number of open connections. At the limit, idle connections are closed to accept new ones; if none is idle, new ones are closed. Default: 20000, or less if the process cannot open that many files.",
  }),
  trustProxy: listening.variable("TRUST_PROXY", {
    kind: trustProxyKind,
    default: false,
    description:
      "Peers whose X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host headers are trusted: true for all, false for none, the number of proxies in front, or a list of IP addresses and CIDR ranges. Determines the client address, to which limits for unknown tokens apply, and whether browsers use TLS.",
  }),
  allowedHosts: listening.variable("ALLOWED_HOSTS", {
    kind: hostsKind,
    default: [],
    description:
      "Host names under which the console, the admin API and the metrics are reached: a list without ports. Other names get a 421. Always allowed: the names in PUBLIC_URL and HOST, localhost, loopback addresses and, unless HOST is a loopback address, all IP addresses. The API for SDKs and probes work under any name.",
  }),
  publicUrl: webConsole.variable("PUBLIC_URL", {
    kind: publicUrlKind,
    description:
      "Address at which browsers reach the service, for example https://flags.example.com. Required if a reverse proxy adds a path.",
  }),
  frontendUrl: webConsole.variable("FRONTEND_URL", {
    kind: frontendUrlKind,
    description:
      "Address from which apps read flags, usually that of a proxy, for example https://proxy.example.com/proxy. The console shows it in the code for apps.",
  }),
  frontendKey: webConsole.variable("FRONTEND_KEY", {
    kind: textKind,
    description:
      "Client key or frontend token that FRONTEND_URL accepts. The console shows it in the code for apps, to everyone who signs in.",
  }),
  sessionHours: webConsole.variable("SESSION_HOURS", {
    kind: createIntegerKind({ min: 1, max: 720, of: "hours" }),
    default: 12,
    description: "Hours after which console users have to sign in again, from 1 to 720.",
  }),
  ...OPENID_SETTINGS,
  databaseUrl: database.variable("DATABASE_URL", {
    kind: databaseUrlKind,
    defaultText: "the embedded database",
    secret: true,
    secretTexts: secretsInDatabaseUrl,
    description: "URL of a PostgreSQL database: postgres://user:password@host:5432/name.",
  }),
  dataDir: database.variable("DATA_DIR", {
    kind: pathKind,
    default: ".flags",
    description:
      "Directory of the embedded database. Created if it is missing. Not used with DATABASE_URL.",
  }),
  minFreeDiskMb: database.variable("MIN_FREE_DISK_MB", {
    kind: createIntegerKind({ min: 32, max: 1_048_576, of: "megabytes" }),
    default: 64,
    description:
      "Free disk space in MB below which the embedded database rejects writes and does not start. Not used with DATABASE_URL.",
  }),
  eventRetentionDays: retention.variable("EVENT_RETENTION_DAYS", {
    kind: createIntegerKind({ min: 1, max: 36_500, of: "days" }),
    defaultText: "indefinitely",
    description:
      "Days for which events are kept. The latest event of each type in each environment is never deleted.",
  }),
  usageRetentionHours: retention.variable("USAGE_RETENTION_HOURS", {
    kind: createIntegerKind({ min: 48, max: 720, of: "hours" }),
    default: 48,
    description: "Hours for which the usage of flags is kept by hour, from 48 to 720.",
  }),
  usageRetentionDays: retention.variable("USAGE_RETENTION_DAYS", {
    kind: createIntegerKind({ min: 3, max: 400, of: "days" }),
    default: 91,
    description: "Days for which the usage of flags is kept by day, from 3 to 400.",
  }),
  applicationRetentionDays: retention.variable("APPLICATION_RETENTION_DAYS", {
    kind: createIntegerKind({ min: 1, max: 36_500, of: "days" }),
    default: 30,
    description:
      "Days after which an application is no longer listed if it neither registers nor reports usage.",
  }),
  initAdminUser: accounts.variable("INIT_ADMIN_USER", {
    kind: textKind,
    description:
      "User name of an admin. If nobody with an account is an admin, the account is created at startup, with the password in INIT_ADMIN_PASSWORD. An existing one is not changed.",
  }),
  initAdminPassword: accounts.variable("INIT_ADMIN_PASSWORD", {
    kind: textKind,
    secret: true,
    description:
      "Password of INIT_ADMIN_USER, of at least 12 characters. Has no effect once an admin has an account.",
  }),
  initAdminTokens: tokens.variable("INIT_ADMIN_API_TOKENS", {
    kind: tokensKind,
    default: [],
    secret: true,
    description:
      "Tokens for the admin API, separated by commas, in the form *:*.secret. The secret must have at least 16 characters, or 6 if HOST is a loopback address. Tokens that do not exist are created at startup.",
  }),
  initClientTokens: tokens.variable(["INIT_CLIENT_API_TOKENS", "INIT_BACKEND_API_TOKENS"], {
    kind: tokensKind,
    default: [],
    secret: true,
    description:
      "Tokens for server SDKs and proxies, in the form project:environment.secret, with * for all projects. The secret must have at least 16 characters, or 6 if HOST is a loopback address.",
  }),
  initFrontendTokens: tokens.variable("INIT_FRONTEND_API_TOKENS", {
    kind: tokensKind,
    default: [],
    secret: true,
    description:
      "Tokens for browsers and mobile apps, in the form project:environment.secret, with * for all projects.",
  }),
  importFile: imports.variable("IMPORT_FILE", {
    kind: pathKind,
    description:
      "A file with flags, which is imported at startup if the database contains no flags, and ignored later: one that was exported here, or by an Unleash server. JSON or YAML.",
  }),
  importProject: imports.variable("IMPORT_PROJECT", {
    kind: textKind,
    defaultText: "the projects in the file",
    description: "Project into which IMPORT_FILE is imported. Created if it is missing.",
  }),
  importEnvironment: imports.variable("IMPORT_ENVIRONMENT", {
    kind: textKind,
    defaultText: "the environments in the file",
    description:
      "Environment into which IMPORT_FILE is imported, which must contain only one. Created if it is missing.",
  }),
  webhookAllowList: notifications.variable("WEBHOOK_ALLOW_LIST", {
    kind: allowListKind,
    default: [],
    description:
      "Receivers of notifications whose addresses are not public: host names, IP addresses and CIDR ranges, separated by commas. Addresses at which clouds give credentials to machines are never allowed.",
  }),
  useJsonLogger: logging.variable("JSON_LOGGER", {
    kind: booleanKind,
    default: false,
    description: "Logs one JSON object per line.",
  }),
  logLevel: logging.variable("LOG_LEVEL", {
    kind: createChoiceKind(LOG_LEVELS),
    default: "warn",
    description: "Lowest level that is logged: debug, info, warn, error or fatal.",
  }),
  ...TELEMETRY_SETTINGS,
};

export type Settings = typeof SETTINGS;

/** The values of all settings. An invalid value is replaced with the default. */
export type Values = ValuesOf<Settings>;

/** The command `flags-admin`. */
export const PROGRAM: Program<typeof SETTINGS> = {
  name: "flags-admin",
  version,
  tagline:
    "Manages feature flags. Serves the console, the admin API, and the API from which SDKs and proxies read flags.",
  displayName: "the service",
  settings: SETTINGS,
  variablePrefixes: [
    "SESSION_",
    "FRONTEND_",
    "OIDC_",
    "DATABASE_",
    "INIT_ADMIN_",
    "INIT_CLIENT_",
    "INIT_BACKEND_",
    "INIT_FRONTEND_",
    "IMPORT_",
    "WEBHOOK_",
  ],
  renamedPrefixes: [
    // Mistakes: too far from the names to be found as typos.
    { from: "INIT_ADMIN_TOKENS", to: "INIT_ADMIN_API_TOKENS" },
    { from: "INIT_CLIENT_TOKENS", to: "INIT_CLIENT_API_TOKENS" },
    { from: "INIT_BACKEND_TOKENS", to: "INIT_BACKEND_API_TOKENS" },
    { from: "INIT_FRONTEND_TOKENS", to: "INIT_FRONTEND_API_TOKENS" },
  ],
  // Settings of an Unleash server.
  replacements: {
    AUTH_TYPE: {
      hint: "people sign in with a token or, if OIDC_ISSUER is set, with OpenID Connect",
      by: "OIDC_ISSUER",
    },
    ENABLED_ENVIRONMENTS: {
      hint: "create environments in the console, or with POST /api/admin/environments",
    },
  },
};
