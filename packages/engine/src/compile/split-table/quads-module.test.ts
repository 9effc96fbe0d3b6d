import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import wabt from "wabt";
import { QUADS_CODE } from "./quads-module.ts";

test("QUADS_CODE is quads.wat, compiled", async () => {
  const source = await readFile(new URL("quads.wat", import.meta.url), "utf8");
  const tools = await wabt();
  const { buffer } = tools.parseWat("quads.wat", source, { simd: true }).toBinary({});
  expect(QUADS_CODE).toBe(Buffer.from(buffer).toString("base64"));
});
