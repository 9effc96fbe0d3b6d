import { toTable } from "../report/table.mjs";

export function reportWorkers(results) {
  return `## Workers: one process, and one worker per core\n\n${toTable(results.map(toRow))}`;
}

function toRow({ flagCount, cores, one, many }) {
  const ratio = many.requestsPerSecond / one.requestsPerSecond;
  // With a worker for every core, what the generator takes is taken from them.
  const withoutGenerator = (ratio * cores) / (cores - many.generatorBusy);
  const byProcessorTime = (cores * one.cpuMicroseconds) / many.cpuMicroseconds;
  return {
    flags: flagCount,
    workers: cores,
    "one process req/s": Math.round(one.requestsPerSecond),
    "workers req/s": Math.round(many.requestsPerSecond),
    ratio: ratio.toFixed(2),
    "generator elsewhere": withoutGenerator.toFixed(2),
    "by processor time": byProcessorTime.toFixed(2),
    "load busy": `${Math.round(many.generatorBusy * 100)} %`,
    "one process CPU µs/req": one.cpuMicroseconds.toFixed(1),
    "workers CPU µs/req": many.cpuMicroseconds.toFixed(1),
    "one process MiB": Math.round(one.memoryMiB),
    "all workers MiB": Math.round(many.memoryMiB),
  };
}
