// The standard variables of OpenTelemetry that the services read themselves. Its packages read further ones, which
// docs/guides/telemetry.md lists.

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
import { SettingGroup, type SettingsTable, TELEMETRY_GROUP, type ValuesOf } from "./setting.ts";

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

const propagatorsKind = createListKind<string>({
  of: "tracecontext, baggage and none",
  parseEntry: (text) =>
    ["tracecontext", "baggage", "none"].includes(text)
      ? text
      : new InvalidValue("is not supported"),
});

type KeyValues = Readonly<Record<string, string>>;

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

const telemetry = new SettingGroup(TELEMETRY_GROUP);

const headers = { kind: keyValuesKind, default: {}, secret: true };

/** The settings of telemetry, for the table of a service. */
export const TELEMETRY_SETTINGS = {
  otelDisabled: telemetry.variable("OTEL_SDK_DISABLED", {
    kind: booleanKind,
    default: false,
    description: "Disables OpenTelemetry, regardless of the other variables.",
  }),
  otelEndpoint: telemetry.variable("OTEL_EXPORTER_OTLP_ENDPOINT", {
    kind: baseUrlKind,
    description:
      "URL of an OpenTelemetry collector, for example http://localhost:4318. Enables traces, metrics and logs, which are sent to /v1/traces, /v1/metrics and /v1/logs below it. If it is not set, signals whose exporter is otlp are sent to http://localhost:4318.",
  }),
  otelProtocol: telemetry.variable("OTEL_EXPORTER_OTLP_PROTOCOL", {
    kind: protocolKind,
    default: "http/protobuf",
    description: "Protocol of the endpoints: http/protobuf or http/json.",
  }),
  otelHeaders: telemetry.variable("OTEL_EXPORTER_OTLP_HEADERS", {
    ...headers,
    description:
      "Headers sent to the endpoints: name=value, separated by commas and percent-encoded.",
  }),
  ...withPrefix("otelTraces", defineSignal("Traces")),
  ...withPrefix(
    "otelMetrics",
    defineSignal("Metrics", " The Prometheus endpoint is always available."),
  ),
  ...withPrefix(
    "otelLogs",
    defineSignal(
      "Logs",
      " With flags-proxy, these include evaluation events. The log is still written to standard output.",
    ),
  ),
  otelServiceName: telemetry.variable("OTEL_SERVICE_NAME", {
    kind: textKind,
    defaultText: "the name of the command",
    description:
      "Name of the service. Takes precedence over service.name in OTEL_RESOURCE_ATTRIBUTES.",
  }),
  otelResourceAttributes: telemetry.variable("OTEL_RESOURCE_ATTRIBUTES", {
    kind: keyValuesKind,
    default: {},
    description:
      "Attributes added to everything that is exported: name=value, separated by commas and percent-encoded.",
  }),
  otelSampler: telemetry.variable("OTEL_TRACES_SAMPLER", {
    kind: createChoiceKind(SAMPLERS),
    defaultText: "parentbased_traceidratio",
    description: `Which requests are traced: ${SAMPLERS.join(", ")}. With a parentbased sampler, a request with a traceparent header is traced if its sender traces it, up to 100 such requests per second.`,
  }),
  otelSamplerRatio: telemetry.variable("OTEL_TRACES_SAMPLER_ARG", {
    kind: ratioKind,
    defaultText: "0.01, or 1 with OTEL_TRACES_SAMPLER",
    description: "Share of requests that ratio samplers trace, from 0 to 1.",
  }),
  otelPropagators: telemetry.variable("OTEL_PROPAGATORS", {
    kind: propagatorsKind,
    default: ["tracecontext", "baggage"],
    description:
      "tracecontext reads traceparent headers from clients and, in flags-proxy, also sends them to the upstream; none ignores them. Baggage is never forwarded.",
  }),
  otelMetricInterval: telemetry.variable("OTEL_METRIC_EXPORT_INTERVAL", {
    kind: timeKind,
    default: 60_000,
    description: "Milliseconds between exports of metrics.",
  }),
  otelMetricTimeout: telemetry.variable("OTEL_METRIC_EXPORT_TIMEOUT", {
    kind: timeKind,
    default: 30_000,
    description: "Milliseconds that an export of metrics may take; at most the interval.",
  }),
};

type Prefixed<Prefix extends string, Table> = {
  readonly [Name in keyof Table & string as `${Prefix}${Name}`]: Table[Name];
};

function withPrefix<const Prefix extends string, Table extends SettingsTable>(
  prefix: Prefix,
  table: Table,
): Prefixed<Prefix, Table> {
  const entries = Object.entries(table).map(([name, setting]) => [`${prefix}${name}`, setting]);
  return Object.fromEntries(entries) as Prefixed<Prefix, Table>;
}

function defineSignal(of: "Traces" | "Metrics" | "Logs", note = "") {
  const signal = of.toLowerCase();
  const prefix = `OTEL_EXPORTER_OTLP_${of.toUpperCase()}`;
  return {
    Exporter: telemetry.variable(`OTEL_${of.toUpperCase()}_EXPORTER`, {
      kind: createChoiceKind(EXPORTERS),
      defaultText: "otlp with an endpoint, otherwise none",
      description: `Where ${signal} go: otlp sends them to the endpoint, console prints them, none disables them.${note}`,
    }),
    Endpoint: telemetry.variable(`${prefix}_ENDPOINT`, {
      kind: baseUrlKind,
      description: `Complete URL for ${signal}.`,
    }),
    Protocol: telemetry.variable(`${prefix}_PROTOCOL`, {
      kind: protocolKind,
      defaultText: "OTEL_EXPORTER_OTLP_PROTOCOL",
      description: `Protocol for ${signal}.`,
    }),
    Headers: telemetry.variable(`${prefix}_HEADERS`, {
      ...headers,
      description: `Additional headers for ${signal}.`,
    }),
  };
}

export type TelemetryValues = ValuesOf<typeof TELEMETRY_SETTINGS>;
