import { expect, test } from "vitest";
import * as api from "./index.ts";

test("flags-proxy exports its public API and nothing else", () => {
  expect(Object.keys(api).toSorted()).toEqual([
    "ConfigError",
    "Strategy",
    "createApp",
    "serializeForScript",
    "start",
  ]);
});
