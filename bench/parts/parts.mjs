import { adminLargeTargets, reportAdminLarge, runAdminLargeBench } from "./admin-large.mjs";
import { adminScaleTargets, reportAdminScale, runAdminScaleBench } from "./admin-scale/run.mjs";
import { consoleTargets, reportConsole, runConsoleBench } from "./console.mjs";
import { reportEngine, runEngineBench } from "./engine.mjs";
import { reportEdgeStart, runEdgeStartBench } from "./edge-start.mjs";
import { fleetTargets, reportFleet, runFleetBench } from "./fleet.mjs";
import { fleetSharingTargets, reportFleetSharing, runFleetSharingBench } from "./fleet-sharing.mjs";
import { httpTargets, reportHttp, runHttpBench } from "./http/run.mjs";
import { ingestionTargets, reportIngestion, runIngestionBench } from "./ingestion.mjs";
import { keysTargets, reportKeys, runKeysBench } from "./keys.mjs";
import { longListsTargets, reportLongLists, runLongListsBench } from "./long-lists.mjs";
import { mechanismTargets, reportMechanisms, runMechanismsBench } from "./mechanisms/run.mjs";
import { memoryTargets, reportMemory, runMemoryBench } from "./memory.mjs";
import { propagationTargets, reportPropagation, runPropagationBench } from "./propagation/run.mjs";
import { refreshTargets, reportRefresh, runRefreshBench } from "./refresh.mjs";
import { reportRuntimes, runRuntimesBench } from "./runtimes.mjs";
import { reportSlope, runSlopeBench, slopeTargets } from "./slope.mjs";
import { reportSpool, runSpoolBench } from "./spool.mjs";
import { reportStale, runStaleBench } from "./stale.mjs";
import { reportStart, runStartBench, startTargets } from "./start.mjs";
import { reportTelemetry, runTelemetryBench, telemetryTargets } from "./telemetry.mjs";
import { reportWorkers, runWorkersBench } from "./workers.mjs";

/**
 * The parts of the benchmark by name: `run` measures, given the part's plan, `report` formats the
 * result, and `targets` compares it with our targets.
 *
 * To add one: add a file or folder here and its line below, its name to `PART_NAMES` in `plan.mjs`, and what it measures to
 * `bench/README.md`.
 */
export const PARTS = {
  engine: { run: runEngineBench, report: reportEngine, targets: () => [] },
  http: { run: runHttpBench, report: reportHttp, targets: httpTargets },
  fleet: { run: runFleetBench, report: reportFleet, targets: fleetTargets },
  slope: { run: runSlopeBench, report: reportSlope, targets: slopeTargets },
  refresh: { run: runRefreshBench, report: reportRefresh, targets: refreshTargets },
  memory: { run: runMemoryBench, report: reportMemory, targets: memoryTargets },
  start: { run: runStartBench, report: reportStart, targets: startTargets },
  runtimes: { run: runRuntimesBench, report: reportRuntimes, targets: () => [] },
  "edge-start": { run: runEdgeStartBench, report: reportEdgeStart, targets: () => [] },
  ingestion: { run: runIngestionBench, report: reportIngestion, targets: ingestionTargets },
  spool: { run: runSpoolBench, report: reportSpool, targets: () => [] },
  workers: { run: runWorkersBench, report: reportWorkers, targets: () => [] },
  propagation: {
    run: runPropagationBench,
    report: reportPropagation,
    targets: propagationTargets,
  },
  telemetry: { run: runTelemetryBench, report: reportTelemetry, targets: telemetryTargets },
  "fleet-sharing": {
    run: runFleetSharingBench,
    report: reportFleetSharing,
    targets: fleetSharingTargets,
  },
  "admin-scale": {
    run: runAdminScaleBench,
    report: reportAdminScale,
    targets: adminScaleTargets,
  },
  "admin-large": {
    run: runAdminLargeBench,
    report: reportAdminLarge,
    targets: adminLargeTargets,
  },
  console: { run: runConsoleBench, report: reportConsole, targets: consoleTargets },
  keys: { run: runKeysBench, report: reportKeys, targets: keysTargets },
  "long-lists": { run: runLongListsBench, report: reportLongLists, targets: longListsTargets },
  mechanisms: { run: runMechanismsBench, report: reportMechanisms, targets: mechanismTargets },
  stale: { run: runStaleBench, report: reportStale, targets: () => [] },
};
