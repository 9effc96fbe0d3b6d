import { compileSnapshot, parseDocument } from "flags-engine";
import type { FlagEvaluation } from "flags-server-kit/telemetry";
import { expect, test } from "vitest";
import type { Selection } from "../response/evaluate-flags.ts";
import { EvaluationReporter } from "./evaluation-reporter.ts";

const names = Array.from({ length: 100 }, (_, index) => `flag-${index}`);
const features = [
  ...names.map((name) => ({ name, enabled: true, impressionData: true, strategies: [] })),
  { name: "silent", enabled: true, impressionData: false, strategies: [] },
];
const snapshot = compileSnapshot(parseDocument({ version: 2, features }), {
  now: () => 0,
  random: () => 0,
});

/** Returns what is reported for a request with this selection. */
function report(selection: Selection) {
  const reported: { names: string[]; id: string | undefined }[] = [];
  const traced = {
    reportEvaluations: (evaluations: readonly FlagEvaluation[], id: string | undefined) =>
      reported.push({ names: evaluations.map(({ key }) => key), id }),
  };
  const reporter = new EvaluationReporter(() => traced, "secret");
  const { single } = selection;
  const index = single === undefined ? -1 : snapshot.indexOf(single);
  reporter.report(
    { headers: {}, rawHeaders: [], socket: {} },
    {
      source: { name: "development" },
      snapshot,
      selection,
      outcomes:
        single === undefined
          ? snapshot.evaluateAll({}).outcomes
          : { [index]: snapshot.evaluate(index, {}) },
      context: { userId: "1" },
    },
  );
  return reported[0];
}

test("flags with impression data are reported, if the request selects them", () => {
  expect(report({})?.names).toEqual(names);
  expect(report({ toggles: ["flag-2", "silent", "unknown", "flag-1"] })?.names).toEqual([
    "flag-1",
    "flag-2",
  ]);
  expect(report({ single: "flag-3" })?.names).toEqual(["flag-3"]);
});

test("the user id is reported only with evaluations", () => {
  expect(report({ single: "flag-3" })?.id).toMatch(/^[0-9a-f]{32}$/);
  expect(report({ single: "silent" })).toEqual({ names: [], id: undefined });
  expect(report({ toggles: ["silent"] })).toEqual({ names: [], id: undefined });
});

test("the named flags are read once, however many flags are reported", () => {
  let reads = 0;
  const toggles = new Proxy<string[]>(
    Array.from({ length: 1000 }, (_, index) => `unknown-${index}`),
    {
      get(target, property, receiver) {
        reads += 1;
        return Reflect.get(target, property, receiver) as unknown;
      },
    },
  );
  report({ toggles });
  expect(reads).toBeLessThan(3 * toggles.length);
});
