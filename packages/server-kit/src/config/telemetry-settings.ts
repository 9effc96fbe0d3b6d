// The standard variables of OpenTelemetry that the services read. See docs/telemetry.md.

import {
  booleanKind,
  createChoiceKind,
  createIntegerKind,
  createTextKind,
  InvalidValue,
  textKind,
  type SettingKind,
  createListKind,
  baseUrlKind,
} from "./setting-kinds.ts";
import { readTextFile } from "./read-text-file.ts";
import { defineSetting as define, type Setting, type ValuesOf } from "./setting.ts";

/** Heading of the settings in `--help` and in the documents. */
export const TELEMETRY_GROUP = "Telemetry";

const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

const EXPORTERS = ["none", "otlp", "console"] as const;
const MAX_TIMER_MS = 2_147_483_647;

const timeKind = createIntegerKind({ min: 1, max: MAX_TIMER_MS, of: "milliseconds" });
const delayKind = createIntegerKind({ min: 0, max: MAX_TIMER_MS, of: "milliseconds" });
// NOTE: every waiting record takes about 2 KiB, even when no collector can be reached.
const queueKind = createIntegerKind({ min: 1, max: 100_000, of: "records" });

const PROTOCOLS = ["http/protobuf", "http/json"] as const;
type Protocol = (typeof PROTOCOLS)[number];

const protocolKind: SettingKind<Protocol> = createTextKind(
  `one of ${PROTOCOLS.join(", ")}`,
  (text) => {
    if (text.toLowerCase() === "grpc") {
      return new InvalidValue(
        "grpc is not supported: collectors accept http/protobuf too, usually on port 4318",
      );
    }
    // The name of the variable in Edge.
    if (text.toLowerCase() === "http") return "http/protobuf";
    return PROTOCOLS.find((protocol) => protocol === text.toLowerCase()) ?? new InvalidValue();
  },
);

const ratioKind: SettingKind<number> = createTextKind(
  "a number from 0 to 1, such as 0.01",
  (text) =>
    /^(?:0|1|0?\.\d+|[01]\.\d+)$/.test(text) && Number(text) <= 1
      ? Number(text)
      : new InvalidValue(),
);

const propagatorsKind: SettingKind<readonly string[]> = createListKind<string>({
  of: "tracecontext, baggage and none",
  parseEntry: (text) =>
    ["tracecontext", "baggage", "none"].includes(text)
      ? text
      : new InvalidValue("is not supported"),
});

const fileKind: SettingKind<string> = createTextKind("the path of a PEM file", (path) => {
  const file = readTextFile(path);
  return "problem" in file ? new InvalidValue(`cannot read it: ${file.problem}`) : path;
});

type KeyValues = Readonly<Record<string, string>>;

/** The name of a header or an attribute. */
const KEY_NAME = /^[\w.!#$%&'*+^`|~/-]+$/;
const PRINTABLE = /^[\x20-\x7E]*$/;

/** Names and values as OpenTelemetry writes them in variables: `name=value,other=value`, percent-encoded. */
const keyValuesKind: SettingKind<KeyValues> = createTextKind(
  "a list such as name=value, separated by commas and percent-encoded",
  (text) => {
    const entries: [name: string, value: string][] = [];
    for (const [index, entry] of text.split(",").entries()) {
      if (entry.trim() === "") continue;
      const pair = parsePair(entry);
      // NOTE: the text is not shown, because it may be a secret.
      if (pair === undefined) {
        return new InvalidValue(`entry ${index + 1} is not of the form name=value`);
      }
      entries.push(pair);
    }
    return Object.fromEntries(entries);
  },
);

function parsePair(text: string): [name: string, value: string] | undefined {
  const equals = text.indexOf("=");
  try {
    const name = decodeURIComponent(text.slice(0, Math.max(0, equals)).trim());
    const value = decodeURIComponent(text.slice(equals + 1).trim());
    return KEY_NAME.test(name) && PRINTABLE.test(value) ? [name, value] : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the strings that logs must not contain: values, and what follows the scheme of credentials. */
function secretsInKeyValues(values: KeyValues): readonly string[] {
  return Object.values(values).flatMap((value) => {
    const credentials = /^\w+ +(.+)$/.exec(value)?.[1];
    return credentials === undefined ? [value] : [value, credentials];
  });
}

function defineSetting<T, Default extends T | undefined>(
  variable: string,
  setting: Pick<Setting<T, Default>, "kind" | "default" | "description" | "defaultText">,
): Setting<T, Default> {
  return define({ group: TELEMETRY_GROUP, variables: [variable], ...setting });
}

function defineExporter(signal: string, description: string) {
  return defineSetting(`OTEL_${signal}_EXPORTER`, {
    kind: createChoiceKind(EXPORTERS),
    default: undefined,
    defaultText: "otlp with an endpoint, otherwise none",
    description,
  });
}

function defineEndpoint(name: string, description: string) {
  const details = { kind: baseUrlKind, default: undefined, description };
  return defineSetting(`OTEL_EXPORTER_OTLP_${name}`, details);
}

function defineProtocol(name: string, description: string, defaultText: string) {
  const details = { kind: protocolKind, default: undefined, defaultText, description };
  return defineSetting(`OTEL_EXPORTER_OTLP_${name}`, details);
}

function defineHeaders(name: string, description: string) {
  return define({
    group: TELEMETRY_GROUP,
    variables: [`OTEL_EXPORTER_OTLP_${name}`],
    kind: keyValuesKind,
    default: {},
    defaultText: "none",
    secret: true,
    secretTexts: secretsInKeyValues,
    description,
  });
}

const GENERAL = "OTEL_EXPORTER_OTLP_PROTOCOL";

type Optional<Names extends string, T> = Readonly<Record<Names, Setting<T, undefined>>>;
type WithDefault<Names extends string, T> = Readonly<Record<Names, Setting<T, T>>>;
type OfSignals<Of extends string> = `otel${"" | "Traces" | "Metrics" | "Logs"}${Of}`;
type OfBatches = `otel${"Spans" | "Logs"}${"Delay" | "Timeout" | "Queue" | "Batch"}`;

type TelemetrySettings = WithDefault<"otelDisabled", boolean> &
  Optional<OfSignals<"Endpoint">, string> &
  Optional<Exclude<OfSignals<"Exporter">, "otelExporter">, (typeof EXPORTERS)[number]> &
  Optional<OfSignals<"Protocol">, Protocol> &
  WithDefault<OfSignals<"Headers"> | "otelResourceAttributes", KeyValues> &
  WithDefault<"otelTimeout" | "otelMetricInterval" | "otelMetricTimeout" | OfBatches, number> &
  WithDefault<"otelCompression", "none" | "gzip"> &
  Optional<"otelCertificate" | "otelClientCertificate" | "otelClientKey", string> &
  Optional<"otelServiceName", string> &
  Optional<"otelSampler", (typeof SAMPLERS)[number]> &
  Optional<"otelSamplerRatio", number> &
  WithDefault<"otelPropagators", readonly string[]>;

/** The settings of telemetry, for the table of a service. */
export const TELEMETRY_SETTINGS: TelemetrySettings = {
  otelDisabled: defineSetting("OTEL_SDK_DISABLED", {
    kind: booleanKind,
    default: false,
    description: "Disables OpenTelemetry, regardless of the other variables.",
  }),
  otelEndpoint: defineEndpoint(
    "ENDPOINT",
    "URL of an OpenTelemetry collector, for example http://localhost:4318. Enables traces, metrics and logs, which are sent to /v1/traces, /v1/metrics and /v1/logs below it. If it is not set, signals whose exporter is otlp are sent to http://localhost:4318.",
  ),
  otelTracesEndpoint: defineEndpoint("TRACES_ENDPOINT", "Complete URL for traces."),
  otelMetricsEndpoint: defineEndpoint("METRICS_ENDPOINT", "Complete URL for metrics."),
  otelLogsEndpoint: defineEndpoint("LOGS_ENDPOINT", "Complete URL for logs."),
  otelTracesExporter: defineExporter(
    "TRACES",
    "Where traces go: otlp sends them to the endpoint, console prints them, none disables them.",
  ),
  otelMetricsExporter: defineExporter(
    "METRICS",
    "Where metrics go; accepts the same values. The Prometheus endpoint is always available.",
  ),
  otelLogsExporter: defineExporter(
    "LOGS",
    "Where logs go and, with flags-proxy, evaluation events; accepts the same values. The log is still written to standard output.",
  ),
  otelProtocol: defineProtocol(
    "PROTOCOL",
    "Protocol of the endpoints: http/protobuf or http/json.",
    "http/protobuf",
  ),
  otelTracesProtocol: defineProtocol("TRACES_PROTOCOL", "Protocol for traces.", GENERAL),
  otelMetricsProtocol: defineProtocol("METRICS_PROTOCOL", "Protocol for metrics.", GENERAL),
  otelLogsProtocol: defineProtocol("LOGS_PROTOCOL", "Protocol for logs.", GENERAL),
  otelHeaders: defineHeaders(
    "HEADERS",
    "Headers sent to the endpoints: name=value, separated by commas and percent-encoded.",
  ),
  otelTracesHeaders: defineHeaders("TRACES_HEADERS", "Additional headers for traces."),
  otelMetricsHeaders: defineHeaders("METRICS_HEADERS", "Additional headers for metrics."),
  otelLogsHeaders: defineHeaders("LOGS_HEADERS", "Additional headers for logs."),
  otelTimeout: defineSetting("OTEL_EXPORTER_OTLP_TIMEOUT", {
    kind: timeKind,
    default: 10_000,
    description: "Milliseconds that sending a batch may take, including retries.",
  }),
  otelCompression: defineSetting("OTEL_EXPORTER_OTLP_COMPRESSION", {
    kind: createChoiceKind(["none", "gzip"]),
    default: "none",
    description: "Compression of exported data: none or gzip.",
  }),
  otelCertificate: defineSetting("OTEL_EXPORTER_OTLP_CERTIFICATE", {
    kind: fileKind,
    default: undefined,
    defaultText: "the CAs that Node trusts",
    description:
      "Path of a PEM file with the CAs to trust for the endpoints. Replaces the default.",
  }),
  otelClientCertificate: defineSetting("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", {
    kind: fileKind,
    default: undefined,
    description: "Path of a PEM file with the certificate to present to the endpoints.",
  }),
  otelClientKey: defineSetting("OTEL_EXPORTER_OTLP_CLIENT_KEY", {
    kind: fileKind,
    default: undefined,
    description: "Path of a PEM file with the private key of that certificate.",
  }),
  otelServiceName: defineSetting("OTEL_SERVICE_NAME", {
    kind: textKind,
    default: undefined,
    defaultText: "the name of the command",
    description:
      "Name of the service. Takes precedence over service.name in OTEL_RESOURCE_ATTRIBUTES.",
  }),
  otelResourceAttributes: defineSetting("OTEL_RESOURCE_ATTRIBUTES", {
    kind: keyValuesKind,
    default: {},
    defaultText: "none",
    description:
      "Attributes added to everything that is exported: name=value, separated by commas and percent-encoded.",
  }),
  otelSampler: defineSetting("OTEL_TRACES_SAMPLER", {
    kind: createChoiceKind(SAMPLERS),
    default: undefined,
    defaultText: "parentbased_traceidratio",
    description: `Which requests are traced: ${SAMPLERS.join(", ")}. With a parentbased sampler, a request with a traceparent header is traced if its sender traces it, up to 100 such requests per second.`,
  }),
  otelSamplerRatio: defineSetting("OTEL_TRACES_SAMPLER_ARG", {
    kind: ratioKind,
    default: undefined,
    defaultText: "0.01, or 1 with OTEL_TRACES_SAMPLER",
    description: "Share of requests that ratio samplers trace, from 0 to 1.",
  }),
  otelPropagators: defineSetting("OTEL_PROPAGATORS", {
    kind: propagatorsKind,
    default: ["tracecontext", "baggage"],
    description:
      "tracecontext reads traceparent headers from clients and, in flags-proxy, also sends them to the upstream; none ignores them. Baggage is never forwarded.",
  }),
  otelMetricInterval: defineSetting("OTEL_METRIC_EXPORT_INTERVAL", {
    kind: timeKind,
    default: 60_000,
    description: "Milliseconds between exports of metrics.",
  }),
  otelMetricTimeout: defineSetting("OTEL_METRIC_EXPORT_TIMEOUT", {
    kind: timeKind,
    default: 30_000,
    description: "Milliseconds that an export of metrics may take; at most the interval.",
  }),
  ...defineBatches("Spans", "OTEL_BSP", 5000),
  ...defineBatches("Logs", "OTEL_BLRP", 1000),
};

function defineBatches<const Of extends "Spans" | "Logs">(
  of: Of,
  prefix: string,
  delayMs: number,
): WithDefault<Extract<OfBatches, `otel${Of}${string}`>, number> {
  const records = of.toLowerCase();
  return {
    [`otel${of}Delay`]: defineSetting(`${prefix}_SCHEDULE_DELAY`, {
      kind: delayKind,
      default: delayMs,
      description: `Milliseconds between exports of ${records}.`,
    }),
    [`otel${of}Timeout`]: defineSetting(`${prefix}_EXPORT_TIMEOUT`, {
      kind: timeKind,
      default: 30_000,
      description: `Milliseconds that an export of ${records} may take.`,
    }),
    [`otel${of}Queue`]: defineSetting(`${prefix}_MAX_QUEUE_SIZE`, {
      kind: queueKind,
      default: 2048,
      description: `Number of ${records} that may wait to be exported; any others are dropped.`,
    }),
    [`otel${of}Batch`]: defineSetting(`${prefix}_MAX_EXPORT_BATCH_SIZE`, {
      kind: queueKind,
      default: 512,
      description: `Number of ${records} in one export; at most the queue size.`,
    }),
  } as WithDefault<Extract<OfBatches, `otel${Of}${string}`>, number>;
}

/** The values of the settings of telemetry. */
export type TelemetryValues = ValuesOf<TelemetrySettings>;
