import {
  booleanKind,
  createChoiceKind,
  createIntegerKind,
  SettingGroup,
  textKind,
} from "flags-server-kit/settings";
import { originsKind } from "../address-setting-kinds.ts";
import { applicationsKind, headerNamesKind, methodsKind } from "../proxy-setting-kinds.ts";

const endpoints = new SettingGroup("Endpoints");
const push = new SettingGroup("Push");
const cors = new SettingGroup("CORS");

const OFREP_VALUES = ["boolean", "payload"] as const;

export const ENDPOINTS_SETTINGS = {
  enableAllEndpoint: endpoints.option("enableAllEndpoint", "ENABLE_ALL_ENDPOINT", {
    kind: booleanKind,
    default: false,
    description:
      "Serves /proxy/all and its equivalents in the other APIs, which return disabled flags too.",
  }),
  explainEnabled: endpoints.option("enableExplain", "ENABLE_EXPLAIN", {
    kind: booleanKind,
    default: false,
    description:
      "Serves /proxy/explain, which says why a flag is on or off for a context. It requires a server token, " +
      "or a key with `explain` in the access file, since explanations contain strategies.",
  }),
  openApiEnabled: endpoints.option("enableOAS", "ENABLE_OAS", {
    kind: booleanKind,
    default: false,
    description: "Serves the OpenAPI document and its UI under /docs/openapi.",
  }),
  maxStalenessMs: endpoints.option("maxStaleness", "FLAGS_MAX_STALENESS", {
    kind: createIntegerKind({ min: 1, max: 31_536_000_000, of: "milliseconds" }),
    defaultText: "any age",
    description:
      "Milliseconds after which flags that the upstream has not confirmed are too old: /ready then returns 503. Requests are still served.",
  }),
  ageHeader: endpoints.option("ageHeader", "FLAGS_AGE_HEADER", {
    kind: booleanKind,
    default: false,
    description:
      "Adds the header X-Flags-Age-Seconds to responses to clients: the time since their flags were confirmed. Definitions for server SDKs and other proxies always have it.",
  }),
  ofrepEventStreams: endpoints.option("ofrepEventStreams", "OFREP_EVENT_STREAMS", {
    kind: booleanKind,
    default: false,
    description:
      "Announces an event stream to OpenFeature clients, which notifies them when to fetch flags again.",
  }),
  ofrepValues: endpoints.option("ofrepValues", "OFREP_VALUES", {
    kind: createChoiceKind(OFREP_VALUES),
    default: "boolean",
    description:
      "The value of a flag for OpenFeature clients. boolean: whether the flag is on; payload: the payload of its variant, or whether the flag is on if it has none.",
  }),
  usageMetricsApplications: endpoints.option(
    "usageMetricsApplications",
    "FLAGS_USAGE_METRICS_APPLICATIONS",
    {
      kind: applicationsKind,
      default: [],
      defaultText: "none: usage is not counted",
      description:
        "Names of applications, separated by commas, whose usage of each flag is counted in the metric flags_proxy_flag_usage_total. The usage of all other applications counts as other.",
    },
  ),
  pushMaxStreams: push.option("push.maxStreams", "FLAGS_PUSH_MAX_STREAMS", {
    kind: createIntegerKind({ min: 0, max: 1_000_000 }),
    default: 10_000,
    description: "Maximum number of open streams to clients. 0 disables /proxy/stream.",
  }),
  pushMaxStreamsPerKey: push.option("push.maxStreamsPerKey", "FLAGS_PUSH_MAX_STREAMS_PER_KEY", {
    kind: createIntegerKind({ min: 1, max: 1_000_000 }),
    defaultText: "all with one key, otherwise half",
    description:
      "Maximum number of open streams per client key. The memory for contexts is limited in the same proportion.",
  }),
  pushMaxContextBytes: push.option("push.maxContextBytes", "FLAGS_PUSH_MAX_CONTEXT_BYTES", {
    kind: createIntegerKind({ min: 65_536, max: 17_179_869_184, of: "bytes" }),
    default: 67_108_864,
    description:
      "Memory limit for the contexts of all open streams, in bytes. A stream that would exceed it gets a 503.",
  }),
  pushMaxAgeSeconds: push.option("push.maxAge", "FLAGS_PUSH_MAX_AGE", {
    kind: createIntegerKind({ min: 1, max: 86_400, of: "seconds" }),
    default: 1800,
    description: "Maximum age of a stream in seconds. Clients reconnect automatically.",
  }),
  pushSecret: push.option("push.secret", "FLAGS_PUSH_SECRET", {
    kind: textKind,
    defaultText: "the upstream token, or random with files",
    secret: true,
    description:
      "Secret that encrypts the context in stream URLs. Replicas with the same secret accept each other's URLs.",
  }),
  corsAllowedHeaders: cors.option("cors.allowedHeaders", "CORS_ALLOWED_HEADERS", {
    kind: headerNamesKind,
    description:
      "Allowed request headers. If not set: those that SDKs send, and any that a preflight requests.",
  }),
  corsCredentials: cors.option("cors.credentials", "CORS_CREDENTIALS", {
    kind: booleanKind,
    default: false,
    description: "Allows browsers to send credentials.",
  }),
  corsExposedHeaders: cors.option("cors.exposedHeaders", "CORS_EXPOSED_HEADERS", {
    kind: headerNamesKind,
    default: ["ETag"],
    description: "Response headers that scripts can read.",
  }),
  corsMaxAgeSeconds: cors.option("cors.maxAge", "CORS_MAX_AGE", {
    kind: createIntegerKind({ min: 0, max: 2_147_483_647, of: "seconds" }),
    default: 172_800,
    description: "Seconds for which browsers may cache the response to a preflight.",
  }),
  corsMethods: cors.option("cors.methods", "CORS_METHODS", {
    kind: methodsKind,
    default: ["GET", "POST"],
    description: "Allowed methods.",
  }),
  corsOptionsSuccessStatus: cors.option(
    "cors.optionsSuccessStatus",
    "CORS_OPTIONS_SUCCESS_STATUS",
    {
      kind: createIntegerKind({ min: 200, max: 299 }),
      default: 204,
      description: "Status of the response to a preflight.",
    },
  ),
  corsOrigin: cors.option("cors.origin", "CORS_ORIGIN", {
    kind: originsKind,
    default: "*",
    description:
      "Allowed origins, separated by commas; * allows all. In code, also true, false, regular expressions or a function.",
  }),
  corsPreflightContinue: cors.option("cors.preflightContinue", "CORS_PREFLIGHT_CONTINUE", {
    kind: booleanKind,
    default: false,
    description: "Passes preflights on to the routes instead of responding to them.",
  }),
};
