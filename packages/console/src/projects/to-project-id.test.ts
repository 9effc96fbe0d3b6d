import { expect, test } from "vitest";
import { toProjectId } from "./to-project-id.ts";

test("an id consists of the lower-case letters and digits of the name, joined by hyphens", () => {
  expect(toProjectId("  Mobile App (iOS & Android) 2 ")).toBe("mobile-app-ios-android-2");
  expect(toProjectId("Événements à Zürich")).toBe("evenements-a-zurich");
  expect(toProjectId("x".repeat(200))).toHaveLength(90);
});

test("no id is suggested for a name without letters or digits", () => {
  expect(toProjectId("日本 ✓")).toBe("");
});
