import { expect, it } from "vitest";
import { splitUsage } from "./split-usage.ts";

const flag = { yes: 1, no: 0 };

it("splitUsage() keeps every flag in exactly one half", () => {
  const features = Object.fromEntries(["a", "__proto__", "c"].map((name) => [name, flag]));
  const halves = splitUsage({ appName: "app", startMs: 1, features });
  expect(halves?.map((half) => Object.keys(half.features))).toEqual([["a", "__proto__"], ["c"]]);
  expect(halves?.every((half) => half.appName === "app" && half.startMs === 1)).toBe(true);
});

it("splitUsage() cannot split a single flag", () => {
  expect(splitUsage({ appName: "app", startMs: 1, features: { a: flag } })).toBeUndefined();
});
