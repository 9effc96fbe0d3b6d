// The entry `flags-server-kit/telemetry`, which is loaded only when OpenTelemetry is enabled. The build
// bundles it with the packages of OpenTelemetry: see docs/decisions/0036-opentelemetry.md.
export { startTelemetry } from "./telemetry/start-telemetry.ts";
export type {
  FlagEvaluation,
  RequestTracer,
  Telemetry,
  TracedRequest,
} from "./telemetry/telemetry.ts";
