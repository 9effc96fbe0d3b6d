// prom-client contains no types of its collectors. A module, such as process-metrics.ts, cannot declare modules by a pattern.

declare module "prom-client/lib/metrics/*.js" {
  import type { Registry } from "prom-client";
  const collect: (
    registry: Registry,
    config: { readonly eventLoopMonitoringPrecision: number },
  ) => void;
  export default collect;
}
