import { expect, test } from "vitest";
import { describeEvents, describePlaces, GROUPS } from "./describe-notification.ts";
import { problemOf } from "./notification-problem.ts";

const typesOf = (name: string): readonly string[] =>
  GROUPS.find((group) => group.name === name)?.types ?? [];

test.each<[readonly string[], string]>([
  [[], "all events"],
  [["*"], "all events"],
  [["feature-created"], "1 event"],
  [["feature-created", "feature-archived"], "2 events"],
  [typesOf("segments"), "segments"],
  [[...typesOf("segments"), ...typesOf("flags")], "flags and segments"],
  [[...typesOf("segments"), "feature-created"], "segments and 1 other event"],
])("the events %j are %s", (events, words) => {
  expect(describeEvents({ events })).toBe(words);
});

test.each<[readonly string[], readonly string[], string]>([
  [[], ["*"], "all environments of all projects"],
  [["shop"], ["production"], "production of shop"],
])("the projects %j and the environments %j are %s", (projects, environments, words) => {
  expect(describePlaces({ projects, environments })).toBe(words);
});

test("a notification that a person has turned off is no problem", () => {
  const since = "2026-01-01T00:00:00.000Z";
  const state = { enabled: true, disabledReason: null, failingSince: null };
  expect(problemOf(state)).toBeUndefined();
  expect(problemOf({ ...state, failingSince: since })).toBe("failing");
  expect(problemOf({ ...state, enabled: false, failingSince: since })).toBeUndefined();
  expect(problemOf({ ...state, enabled: false, disabledReason: "gone" })).toBe("disabled");
});
