import { ROOT_CONTEXT } from "@opentelemetry/api";
import {
  InMemoryLogRecordExporter,
  LoggerProvider,
  SimpleLogRecordProcessor,
} from "@opentelemetry/sdk-logs";
import { expect, test } from "vitest";
import { createEvaluationEvents } from "./evaluation-events.ts";
import type { FlagEvaluation } from "./telemetry.ts";

const EVALUATION: FlagEvaluation = {
  key: "new-checkout",
  enabled: true,
  variant: "blue",
  reason: "TARGETING_MATCH",
  set: "production",
  version: "88c664c67a39ea29",
};

function createEvents() {
  const clock = { nowMs: 0 };
  const exporter = new InMemoryLogRecordExporter();
  const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
  const logger = provider.getLogger("test");
  const reportAll = createEvaluationEvents(logger, "flags-proxy", () => clock.nowMs);
  const report = (count: number): void => {
    const evaluations = Array.from({ length: count }, () => EVALUATION);
    reportAll(evaluations, undefined, ROOT_CONTEXT);
  };
  return { clock, report, records: () => exporter.getFinishedLogRecords() };
}

test("an event has the attributes of the conventions", () => {
  const { report, records } = createEvents();
  report(1);
  expect(records().map(({ eventName, attributes }) => ({ eventName, attributes }))).toEqual([
    {
      eventName: "feature_flag.evaluation",
      attributes: {
        "feature_flag.key": "new-checkout",
        "feature_flag.provider.name": "flags-proxy",
        "feature_flag.result.reason": "targeting_match",
        "feature_flag.result.value": true,
        "feature_flag.result.variant": "blue",
        "feature_flag.set.id": "production",
        "feature_flag.version": "88c664c67a39ea29",
      },
    },
  ]);
});

test("the rate of events is limited", () => {
  const { clock, report, records } = createEvents();
  report(600);
  report(600);
  expect(records()).toHaveLength(600);
  clock.nowMs += 1000;
  report(600);
  expect(records()).toHaveLength(1200);
});

test("the evaluations of a single request that exceeds the limit are reported after a pause", () => {
  const { clock, report, records } = createEvents();
  report(3000);
  expect(records()).toHaveLength(3000);
  clock.nowMs += 3000;
  report(3000);
  expect(records()).toHaveLength(3000);
  clock.nowMs += 3000;
  report(3000);
  expect(records()).toHaveLength(6000);
});
