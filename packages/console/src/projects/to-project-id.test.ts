import { expect, test } from "vitest";
import { toProjectId } from "./to-project-id.ts";

test("an id has lower-case letters and digits of the name, joined by hyphens", () => {
  expect(toProjectId("  Mobile App (iOS & Android) 2 ")).toBe("mobile-app-ios-android-2");
  expect(toProjectId("Événements à Zürich")).toBe("evenements-a-zurich");
  expect(toProjectId("x".repeat(200))).toHaveLength(90);
});

test("a name without such characters suggests nothing", () => {
  expect(toProjectId("日本 ✓")).toBe("");
});
