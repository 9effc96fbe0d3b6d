import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import wabt from "wabt";
import { GATHER_CODE } from "./gather-module.ts";

test("GATHER_CODE is gather.wat, compiled", async () => {
  const source = await readFile(new URL("gather.wat", import.meta.url), "utf8");
  const tools = await wabt();
  const { buffer } = tools.parseWat("gather.wat", source, { bulk_memory: true }).toBinary({});
  expect(GATHER_CODE).toBe(Buffer.from(buffer).toString("base64"));
});
