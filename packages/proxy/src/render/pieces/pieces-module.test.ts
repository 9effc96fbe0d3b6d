import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import wabt from "wabt";
import { PIECES_CODE } from "./pieces-module.ts";

test("PIECES_CODE is pieces.wat, compiled", async () => {
  const source = await readFile(new URL("pieces.wat", import.meta.url), "utf8");
  const tools = await wabt();
  const { buffer } = tools
    .parseWat("pieces.wat", source, { bulk_memory: true, threads: true })
    .toBinary({});
  expect(PIECES_CODE).toBe(Buffer.from(buffer).toString("base64"));
});
