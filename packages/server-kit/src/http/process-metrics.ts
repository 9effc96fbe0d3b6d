// The metrics of the process: the default metrics of prom-client except the duration of garbage collections, for which Node
// leaves several kB of garbage per collection. See docs/decisions/0023-limit-the-young-generation.md.

import type { Registry } from "prom-client";
import collectEventLoopLag from "prom-client/lib/metrics/eventLoopLag.js";
import collectHeapSize from "prom-client/lib/metrics/heapSizeAndUsed.js";
import collectHeapSpaceSizes from "prom-client/lib/metrics/heapSpacesSizeAndUsed.js";
import collectMemory from "prom-client/lib/metrics/osMemoryHeap.js";
import collectCpuTime from "prom-client/lib/metrics/processCpuTotal.js";
import collectHandles from "prom-client/lib/metrics/processHandles.js";
import collectMaxOpenFiles from "prom-client/lib/metrics/processMaxFileDescriptors.js";
import collectOpenFiles from "prom-client/lib/metrics/processOpenFileDescriptors.js";
import collectRequests from "prom-client/lib/metrics/processRequests.js";
import collectResources from "prom-client/lib/metrics/processResources.js";
import collectStartTime from "prom-client/lib/metrics/processStartTime.js";
import collectVersion from "prom-client/lib/metrics/version.js";

const COLLECTORS = [
  collectCpuTime,
  collectStartTime,
  collectMemory,
  collectOpenFiles,
  collectMaxOpenFiles,
  collectEventLoopLag,
  collectResources,
  collectHandles,
  collectRequests,
  collectHeapSize,
  collectHeapSpaceSizes,
  collectVersion,
];
/** How often the lag of the event loop is sampled. This is the default of prom-client. */
const EVENT_LOOP_SAMPLING_INTERVAL_MS = 10;

export function collectProcessMetrics(registry: Registry): void {
  for (const collect of COLLECTORS) {
    collect(registry, { eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLING_INTERVAL_MS });
  }
}
