import { collectDefaultMetrics, Registry } from "prom-client";
import { expect, test } from "vitest";
import { collectProcessMetrics } from "./process-metrics.ts";

test("all default metrics of prom-client exist, except the duration of garbage collections", async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  collectProcessMetrics(ours);
  collectDefaultMetrics({ register: theirs });
  const names = (registry: Registry) => registry.getMetricsAsArray().map(({ name }) => name);
  expect(names(ours)).toEqual(
    names(theirs).filter((name) => name !== "nodejs_gc_duration_seconds"),
  );

  const text = await ours.metrics();
  expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
});
