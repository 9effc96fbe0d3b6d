import { runEngineBench } from "./engine/run.mjs";
import { httpTargets, reportHttp } from "./http/report.mjs";
import { runHttpBench } from "./http/run.mjs";
import { intakeTargets, reportIntake, runIntakeBench } from "./intake/run.mjs";
import { memoryTargets, reportMemory, runMemoryBench } from "./memory/run.mjs";
import { propagationTargets, reportPropagation } from "./propagation/report.mjs";
import { runPropagationBench } from "./propagation/run.mjs";
import { refreshTargets, reportRefresh, runRefreshBench } from "./refresh/run.mjs";
import { toTable } from "./report/table.mjs";
import { reportSlope, runSlopeBench, slopeTargets } from "./slope/run.mjs";
import { reportStart, startTargets } from "./start/report.mjs";
import { runStartBench } from "./start/run.mjs";
import { reportWorkers } from "./workers/report.mjs";
import { runWorkersBench } from "./workers/run.mjs";

/**
 * What `npm run bench` measures, by name: how to measure it, given its part of the plan, how to show
 * the result, and what the result should be.
 */
export const PARTS = {
  engine: {
    run: runEngineBench,
    report: (rows) => `## Engine: time per evaluated flag\n\n${toTable(rows)}`,
    targets: () => [],
  },
  http: { run: runHttpBench, report: reportHttp, targets: httpTargets },
  slope: { run: runSlopeBench, report: reportSlope, targets: slopeTargets },
  refresh: { run: runRefreshBench, report: reportRefresh, targets: refreshTargets },
  memory: { run: runMemoryBench, report: reportMemory, targets: memoryTargets },
  start: { run: runStartBench, report: reportStart, targets: startTargets },
  intake: { run: runIntakeBench, report: reportIntake, targets: intakeTargets },
  propagation: {
    run: runPropagationBench,
    report: reportPropagation,
    targets: propagationTargets,
  },
  workers: { run: runWorkersBench, report: reportWorkers, targets: () => [] },
};
