import { expect, test } from "vitest";
import { chooseLayout } from "./use-layout.ts";

/** What a window of 1024 pixels leaves for the list. */
const AT_1024 = 700;

test("three environments and both times fit at 1024 pixels", () => {
  expect(chooseLayout(AT_1024, 3, 2)).toBe("full");
});

test("a list moves the times before its names become too narrow, and then the switches", () => {
  expect(chooseLayout(AT_1024, 4, 2)).toBe("compact");
  expect(chooseLayout(AT_1024, 6, 2)).toBe("stacked");
  expect(chooseLayout(360, 2, 2)).toBe("stacked");
});

test("hidden columns leave space for others", () => {
  expect(chooseLayout(AT_1024, 5, 0)).toBe("full");
});
