import { describe, expect, test } from "vitest";
import { readEvents } from "./event-stream.ts";
import type { StreamItem } from "./event-stream.ts";

async function itemsOf(texts: readonly string[], limit?: number): Promise<StreamItem[]> {
  const chunks = async function* () {
    for (const text of texts) yield Buffer.from(text);
  };
  const items: StreamItem[] = [];
  for await (const item of readEvents(chunks(), limit)) items.push(item);
  return items;
}

describe("readEvents()", () => {
  test("parses events, comments and retry delays, however they are split into chunks", async () => {
    const text = ":\n\nevent: a\nid: 1\ndata: x\ndata: y\n\nretry: 7\n\ndata:z\r\n\r\nbogus\n\n";
    const whole = await itemsOf([text]);
    expect(whole).toEqual([
      { kind: "comment", text: "" },
      { kind: "event", name: "a", id: "1", data: "x\ny" },
      { kind: "retry", retryMs: 7 },
      { kind: "event", name: "message", id: undefined, data: "z" },
    ]);
    expect(await itemsOf(text.split(""))).toEqual(whole);
  });

  test.each([
    ["line", ["data: 0123456789", "0123456789"]],
    ["event", ["data: 01234567\n", "data: 01234567\n", "data: 01234567\n"]],
  ])("rejects a %s that is too large, after the preceding events", async (_name, texts) => {
    await expect(itemsOf(["data: a\n\n"], 20)).resolves.toHaveLength(1);
    await expect(itemsOf(["data: a\n\n", ...texts], 20)).rejects.toMatchObject({
      code: "TOO_LARGE",
      message: "The upstream sent an event of more than 20 characters",
    });
  });

  test("accepts any number of small events", async () => {
    expect(
      await itemsOf(
        Array.from({ length: 100 }, () => "data: 0123456\n\n"),
        20,
      ),
    ).toHaveLength(100);
  });
});
