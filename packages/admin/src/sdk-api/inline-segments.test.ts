import { expect, test } from "vitest";
import type { ClientFeature } from "./client-feature.ts";
import { inlineSegments } from "./inline-segments.ts";

const constraint = (value: string) => ({
  contextName: "userId",
  operator: "IN",
  values: [value],
  inverted: false,
  caseInsensitive: false,
});
const strategy = {
  name: "default",
  constraints: [constraint("own")],
  parameters: {},
  variants: [],
};
const feature: ClientFeature = {
  name: "f",
  type: "release",
  enabled: true,
  project: "default",
  stale: false,
  description: null,
  impressionData: false,
  variants: [],
  strategies: [{ ...strategy, segments: [1, 9] }, strategy],
};

test("inlineSegments() adds constraints after those of the strategy; in an unknown segment is nobody", () => {
  const segment = { id: 1, name: "s", constraints: [constraint("one"), constraint("two")] };
  const segments = new Map([[1, { segment, text: "" }]]);
  const { strategies } = inlineSegments(feature, segments);
  expect(strategies).toEqual([
    {
      ...strategy,
      constraints: [
        constraint("own"),
        constraint("one"),
        constraint("two"),
        { ...constraint(""), values: [] },
      ],
    },
    strategy,
  ]);
  expect(strategies[0]).not.toHaveProperty("segments");
});
