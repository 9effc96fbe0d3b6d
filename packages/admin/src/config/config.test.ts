import { ConfigError } from "flags-server-kit";
import { expect, test } from "vitest";
import { loadConfig } from "./config.ts";

function failure(environment: Record<string, string>): ConfigError {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  throw new Error("The configuration was accepted");
}

test("loadConfig() fills in defaults", () => {
  expect(loadConfig({})).toMatchObject({
    port: 4242,
    host: undefined,
    trustProxy: false,
    allowedHosts: [],
    databaseUrl: undefined,
    dataDir: ".flags",
    minFreeDiskBytes: 64 * 1_048_576,
    retention: { usageHours: 48, usageDays: 91, applicationDays: 30, eventDays: undefined },
    configuredTokens: [],
    useJsonLogger: false,
  });
});

test("loadConfig() reads every variable", () => {
  const config = loadConfig({
    PORT: "5000",
    HOST: "127.0.0.1",
    TRUST_PROXY: "10.0.0.0/8, 127.0.0.1",
    ALLOWED_HOSTS: "flags-admin, 10.0.0.1",
    DATABASE_URL: "postgres://db.test/flags",
    WEBHOOK_ALLOW_LIST: "hooks.internal, 10.1.0.0/16",
    JSON_LOGGER: "true",
    LOG_LEVEL: "fatal",
    INIT_ADMIN_API_TOKENS: "*:*.the-secret-of-the-admin",
    INIT_CLIENT_API_TOKENS: "default:development.the-first-secret, *:production.the-second-secret",
    INIT_FRONTEND_API_TOKENS: "*:development.three",
  });
  expect(config).toMatchObject({
    port: 5000,
    host: "127.0.0.1",
    trustProxy: ["10.0.0.0/8", "127.0.0.1"],
    allowedHosts: ["flags-admin", "10.0.0.1"],
    databaseUrl: "postgres://db.test/flags",
    webhookAllowList: ["hooks.internal", "10.1.0.0/16"],
    useJsonLogger: true,
  });
  expect(config.configuredTokens).toEqual([
    { type: "admin", environment: "*", projects: ["*"], secret: "*:*.the-secret-of-the-admin" },
    {
      type: "backend",
      environment: "development",
      projects: ["default"],
      secret: "default:development.the-first-secret",
    },
    {
      type: "backend",
      environment: "production",
      projects: ["*"],
      secret: "*:production.the-second-secret",
    },
    {
      type: "frontend",
      environment: "development",
      projects: ["*"],
      secret: "*:development.three",
    },
  ]);
});

test.each([
  ["PORT", "70000", "PORT must be a whole number from 0 to 65535"],
  ["HOST", "http://flags", "HOST must be a host name or an IP address"],
  [
    "WEBHOOK_ALLOW_LIST",
    "https://hooks.internal",
    "WEBHOOK_ALLOW_LIST must be a comma-separated list of host names, IP addresses and CIDR ranges, without ports",
  ],
  ["TRUST_PROXY", "10.0.0.1,nonsense", 'entry "nonsense" is neither an IP address nor a CIDR'],
  ["DATABASE_URL", "mysql://flags:s3cret@db/x", "DATABASE_URL must be the URL of a PostgreSQL"],
  ["DATA_DIR", "a\nb", "DATA_DIR must be a path in one line"],
  [
    "MIN_FREE_DISK_MB",
    "31",
    "MIN_FREE_DISK_MB must be a whole number of megabytes from 32 to 1048576",
  ],
  ["JSON_LOGGER", "maybe", "JSON_LOGGER must be true or false"],
  ["LOG_LEVEL", "loud", "LOG_LEVEL must be one of debug, info, warn, error, fatal"],
  ["INIT_ADMIN_API_TOKENS", "s3cret", "INIT_ADMIN_API_TOKENS: entry 1 must have the form"],
  [
    "INIT_ADMIN_API_TOKENS",
    "*:*.s3cret-of-18-chars,default:dev.s3cret",
    "entry 2 must begin with `*:*.`",
  ],
  [
    "INIT_ADMIN_API_TOKENS",
    "*:*.s3cret-15-chars",
    "INIT_ADMIN_API_TOKENS: entry 1 must have at least 16 characters after the first dot",
  ],
  [
    "INIT_CLIENT_API_TOKENS",
    "*:dev.s3cret-of-18-chars,*:dev.s3cret",
    "INIT_CLIENT_API_TOKENS: entry 2 must have at least 16 characters",
  ],
  ["INIT_CLIENT_API_TOKENS", "*:*.s3cret", "INIT_CLIENT_API_TOKENS: entry 1 must name one env"],
  ["INIT_FRONTEND_API_TOKENS", "a:dev.s3crét", "entry 1 has a character that cannot be sent"],
])("loadConfig() rejects %s=%s without showing secrets", (name, value, message) => {
  const { problems, message: text } = failure({ [name]: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(message);
  expect(text).not.toContain("s3cr");
});

test.each(["INIT_ADMIN_API_TOKENS", "INIT_CLIENT_API_TOKENS"])(
  "loadConfig() rejects a FRONTEND_KEY that is secret, because it is in %s",
  (name) => {
    const key = name.includes("ADMIN") ? "*:*.s3cret-of-18-chars" : "*:dev.s3cret-of-18-chars";
    const { problems } = failure({ [name]: key, FRONTEND_KEY: key });
    expect(problems).toEqual([expect.stringMatching(/^FRONTEND_KEY must be public: [^3]*$/)]);
  },
);

test("loadConfig() reports all problems at once, with hints", () => {
  const { problems, hints } = failure({
    PORT: "soon",
    INIT_ADMIN_API_TOKENS: "x",
    INIT_ADMIN_API_TOKEN: "*:*.x",
    INIT_BACKEND_TOKENS: "*:development.x",
    INIT_FRONTEND_TOKENS: "*:development.x",
    IMPORT_PROJECT: "shop",
    AUTH_TYPE: "none",
    ENABLED_ENVIRONMENTS: "production",
    DATABASE_HOST: "db.test",
    DATABASE_URL: "postgres://db.test",
    DATA_DIR: "data",
    MIN_FREE_DISK_MB: "100",
  });
  expect(problems).toHaveLength(2);
  expect(hints).toEqual([
    "DATA_DIR has no effect with DATABASE_URL",
    "MIN_FREE_DISK_MB has no effect with DATABASE_URL",
    "IMPORT_PROJECT has no effect without IMPORT_FILE",
    "INIT_ADMIN_API_TOKEN is set but never read: did you mean INIT_ADMIN_API_TOKENS?",
    "INIT_BACKEND_TOKENS is ignored: use INIT_BACKEND_API_TOKENS instead",
    "INIT_FRONTEND_TOKENS is ignored: use INIT_FRONTEND_API_TOKENS instead",
    "AUTH_TYPE is set but never read: people sign in with a token or, if OIDC_ISSUER is set, with OpenID Connect",
    "ENABLED_ENVIRONMENTS is set but never read: create environments in the console, or with POST /api/admin/environments",
    "DATABASE_HOST is set but never read",
  ]);
});

test("loadConfig() reads backend tokens from the current and the previous name in Unleash", () => {
  const tokens = "default:development.the-first-secret";
  const current = loadConfig({ INIT_BACKEND_API_TOKENS: tokens });
  const previous = loadConfig({ INIT_CLIENT_API_TOKENS: tokens });
  expect(current.configuredTokens).toHaveLength(1);
  expect(current.configuredTokens).toEqual(previous.configuredTokens);
  const { problems, hints } = failure({
    INIT_CLIENT_API_TOKENS: "x",
    INIT_BACKEND_API_TOKENS: tokens,
  });
  expect(problems).toEqual([expect.stringMatching(/^INIT_CLIENT_API_TOKENS: entry 1 must /)]);
  expect(hints).toEqual([
    "INIT_BACKEND_API_TOKENS has no effect with INIT_CLIENT_API_TOKENS: move its tokens there",
  ]);
  expect(failure({ INIT_BACKEND_API_TOKENS: "x" }).problems).toEqual([
    expect.stringMatching(/^INIT_BACKEND_API_TOKENS: entry 1 must /),
  ]);
});

test.each(["DATABASE_URI", "DATABASEURL", "DATABSE_URL", "DATABASE_HOST"])(
  "loadConfig() rejects %s without DATABASE_URL: the database would be empty",
  (name) => {
    const { problems, hints } = failure({ [name]: "postgres://flags:s3cret@db.test" });
    expect(problems).toEqual([
      `${name} is set but never read, and without DATABASE_URL the data would be in DATA_DIR: set DATABASE_URL, or remove ${name}`,
    ]);
    expect(hints).toEqual([]);
  },
);

test("loadConfig() accepts variables of a Kubernetes service named database", () => {
  const environment = { DATABASE_SERVICE_HOST: "10.0.0.1", DATABASE_PORT: "tcp://10.0.0.1:5432" };
  expect(loadConfig(environment).databaseUrl).toBeUndefined();
});

const OPENID = {
  PUBLIC_URL: "https://flags.example",
  OIDC_ISSUER: "https://id.example/realms/flags",
  OIDC_CLIENT_ID: "flags",
  OIDC_CLIENT_SECRET: "the-secret-of-the-client",
};

test("loadConfig() reads the settings of OpenID Connect", () => {
  expect(loadConfig({}).openId).toBeUndefined();
  expect(loadConfig(OPENID).openId).toEqual({
    issuer: "https://id.example/realms/flags",
    clientId: "flags",
    clientSecret: "the-secret-of-the-client",
    publicUrl: "https://flags.example/",
    name: "OpenID Connect",
    scope: "openid profile email",
    roleClaim: "roles",
    roles: new Map([
      ["viewer", "viewer"],
      ["editor", "editor"],
      ["admin", "admin"],
    ]),
    projectRoles: [],
    defaultRole: undefined,
  });
  const config = loadConfig({
    ...OPENID,
    OIDC_ROLES: "flags:team:editor, operations:admin",
    OIDC_DEFAULT_ROLE: "viewer",
    OIDC_SCOPES: "profile  groups",
  });
  expect(config.openId).toMatchObject({
    scope: "openid profile groups",
    roles: new Map([
      ["flags:team", "editor"],
      ["operations", "admin"],
    ]),
    defaultRole: "viewer",
  });
});

test.each([
  [{ PUBLIC_URL: "" }, ["PUBLIC_URL is required with OIDC_ISSUER"]],
  [
    { OIDC_ISSUER: "", OIDC_CLIENT_SECRET: "" },
    [
      "OIDC_ISSUER is required with OIDC_CLIENT_ID",
      "OIDC_CLIENT_SECRET is required with OIDC_CLIENT_ID",
    ],
  ],
  [
    { PUBLIC_URL: "http://flags.example" },
    ["PUBLIC_URL must be an https URL for OpenID Connect; http is allowed only for this machine"],
  ],
  [
    { OIDC_ISSUER: "http://id.example" },
    [
      'OIDC_ISSUER must be an https URL without a query; http is allowed only for this machine: current value is "http://id.example"',
    ],
  ],
  [
    { OIDC_ROLES: "team:owner" },
    [
      'OIDC_ROLES must be a comma-separated list of claim values with their roles, such as flags-admins:admin: entry "team:owner" must have the form value:role, with admin, editor or viewer',
    ],
  ],
])("loadConfig() rejects %j with OpenID Connect", (environment, problems) => {
  const error = failure({ ...OPENID, ...environment });
  expect(error.problems).toEqual(problems);
  expect(error.message).not.toContain("the-secret-of-the-client");
});

test.each(["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost"])(
  "loadConfig() accepts %s for OpenID Connect on this machine",
  (url) => {
    const { openId } = loadConfig({ ...OPENID, PUBLIC_URL: url, OIDC_ISSUER: url });
    expect(openId?.issuer).toBe(url);
  },
);

test("loadConfig() names settings of OpenID Connect that have no effect", () => {
  const environment = { OIDC_NAME: "Example", OIDC_ISSUER: "http://id.example" };
  expect(failure(environment).hints).toEqual([]);
  expect(failure({ PORT: "x", OIDC_NAME: "Example", OIDC_DEFAULT_ROLE: "none" }).hints).toEqual([
    "OIDC_NAME has no effect without OIDC_ISSUER",
    "OIDC_DEFAULT_ROLE has no effect without OIDC_ISSUER",
  ]);
});
