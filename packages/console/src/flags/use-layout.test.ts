import { expect, test } from "vitest";
import { chooseLayout } from "./use-layout.ts";

test("a list hides the times before its names become too narrow, and then moves the switches", () => {
  expect(chooseLayout(988, 3)).toBe("full");
  expect(chooseLayout(720, 3)).toBe("compact");
  expect(chooseLayout(360, 2)).toBe("stacked");
});

test("the more environments there are, the more space a list needs", () => {
  expect(chooseLayout(988, 4)).toBe("full");
  expect(chooseLayout(988, 5)).toBe("compact");
  expect(chooseLayout(988, 8)).toBe("stacked");
});
