import { expect, test } from "vitest";
import type { Environment } from "./resolve-options.ts";
import { resolveSettings } from "./resolve-settings.ts";
import { toTelemetryConfig } from "./telemetry-config.ts";
import { TELEMETRY_SETTINGS } from "./telemetry-settings.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/base/" };

function resolve(environment: Environment) {
  return resolveSettings(TELEMETRY_SETTINGS, { environment });
}

const configOf = (environment: Environment) => toTelemetryConfig(resolve(environment).values);

test.each<[string, Environment]>([
  ["no variable", {}],
  [
    "only variables that enable nothing",
    { OTEL_SERVICE_NAME: "a", OTEL_TRACES_SAMPLER: "always_on" },
  ],
  ["OTEL_SDK_DISABLED", { ...ENDPOINT, OTEL_SDK_DISABLED: "true" }],
  [
    "no exporter",
    {
      ...ENDPOINT,
      OTEL_TRACES_EXPORTER: "none",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_LOGS_EXPORTER: "none",
    },
  ],
])("nothing is exported with %s", (_, environment) => {
  expect(configOf(environment)).toBeUndefined();
});

test("an endpoint enables all signals; an address for one signal is complete", () => {
  const all = configOf({ ...ENDPOINT, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://logs:1/mine" });
  expect([all?.traces?.url, all?.metrics?.url, all?.logs?.url]).toEqual([
    "http://collector:4318/base/v1/traces",
    "http://collector:4318/base/v1/metrics",
    "http://logs:1/mine",
  ]);
  const one = configOf({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://metrics/" });
  expect([one?.traces, one?.metrics?.url, one?.logs]).toEqual([
    undefined,
    "https://metrics/",
    undefined,
  ]);
});

test("an exporter enables its signal; otlp without an endpoint means the local collector", () => {
  const config = configOf({ OTEL_TRACES_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "console" });
  expect(config?.traces).toMatchObject({
    exporter: "otlp",
    url: "http://localhost:4318/v1/traces",
    protocol: "http/protobuf",
  });
  expect(config?.metrics).toBeUndefined();
  expect(config?.logs?.exporter).toBe("console");
});

test("variables for one signal take precedence; headers are combined and decoded", () => {
  const config = configOf({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20a%2Cb, x-team = red",
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: "x-team=blue",
  });
  expect(config?.traces).toMatchObject({
    protocol: "http/protobuf",
    headers: { authorization: "Bearer a,b", "x-team": "red" },
  });
  expect(config?.metrics).toMatchObject({
    protocol: "http/json",
    headers: { authorization: "Bearer a,b", "x-team": "blue" },
  });
});

test.each<[string | undefined, string | undefined, number, boolean]>([
  [undefined, undefined, 0.01, true],
  [undefined, "0.5", 0.5, true],
  ["parentbased_traceidratio", undefined, 1, true],
  ["parentbased_traceidratio", "0.25", 0.25, true],
  ["traceidratio", ".125", 0.125, false],
  ["always_on", "0.5", 1, false],
  ["always_off", undefined, 0, false],
  ["parentbased_always_on", undefined, 1, true],
  ["parentbased_always_off", undefined, 0, true],
])(
  "sampler %s with argument %s: ratio %d, parent-based %s",
  (sampler, ratio, expected, isParentBased) => {
    const environment = {
      ...ENDPOINT,
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: ratio,
    };
    expect(configOf(environment)?.sampling).toEqual({ ratio: expected, isParentBased });
  },
);

test.each([
  [undefined, true],
  ["tracecontext", true],
  ["baggage", false],
  ["none", false],
])("OTEL_PROPAGATORS=%s: propagates %s", (propagators, expected) => {
  expect(configOf({ ...ENDPOINT, OTEL_PROPAGATORS: propagators })?.propagates).toBe(expected);
});

test.each<[string, string, RegExp]>([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", /must be a URL that starts with http/],
  [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "http://user:secret@collector",
    /^(?!.*secret).*contains no user name/,
  ],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", /grpc is not supported.*4318/],
  ["OTEL_EXPORTER_OTLP_HEADERS", "Bearer secret", /^(?!.*secret).*entry 1 is not of the form/],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=%zz", /entry 1/],
  ["OTEL_METRICS_EXPORTER", "prometheus", /one of none, otlp, console/],
  ["OTEL_TRACES_SAMPLER", "xray", /one of always_on/],
  ["OTEL_TRACES_SAMPLER_ARG", "1.5", /from 0 to 1/],
  ["OTEL_PROPAGATORS", "tracecontext,b3", /"b3" is not supported/],
  ["OTEL_METRIC_EXPORT_INTERVAL", "0", /from 1 to/],
])("%s=%s is a problem", (variable, value, problem) => {
  const { problems } = resolve({ [variable]: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(problem);
  expect(problems[0]).toContain(variable);
});
