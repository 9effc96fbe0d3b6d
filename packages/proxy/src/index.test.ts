import { expect, test } from "vitest";
import * as api from "./index.ts";

test("flags-proxy exports what programs need, and nothing by accident", () => {
  expect(Object.keys(api).toSorted()).toEqual(["ConfigError", "Strategy", "createApp", "start"]);
});
