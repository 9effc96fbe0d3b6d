import { describe, expect, it, test } from "vitest";

interface Document {
  readonly name: string;
  readonly text: string;
}

interface Message {
  readonly parts: readonly string[];
}

// The scripts are plain JavaScript.
const load = async (name: string): Promise<unknown> => import(new URL(name, import.meta.url).href);

const { compareOutput, findBadMarks } = (await load("./blocks.mjs")) as {
  readonly compareOutput: (output: string, documented: string, place: string) => void;
  readonly findBadMarks: (document: Document) => readonly string[];
};
const { collectMessages, findMisquoted, findUnexplained } = (await load("./messages.mjs")) as {
  readonly collectMessages: () => Promise<readonly Message[]>;
  readonly findMisquoted: (document: string) => Promise<readonly string[]>;
  readonly findUnexplained: (document: string, messages: readonly Message[]) => readonly unknown[];
};

describe("compareOutput()", () => {
  it.each([
    ["equal text, apart from spaces", '{ "a": 1 }\n', '{"a":1}'],
    [
      "any text in the place of …",
      '{"toggles":[{"name":"a"},{"name":"b"}]}',
      '{"toggles":[…"b"…]}',
    ],
    ["any end after a final …", "ready in 12 ms", "ready in…"],
  ])("accepts %s", (_, output, documented) => {
    expect(() => compareOutput(output, documented, "page.md:1")).not.toThrow();
  });

  it.each([
    ["other text", "no", "ok"],
    ["text before the documented one", "not ok", "ok"],
    ["text after the documented one", "ok, almost", "ok"],
    ["parts in another order", "b a", "a…b"],
    ["a part that occurs once but is documented twice", "a", "a…a"],
  ])("rejects %s and names the place", (_, output, documented) => {
    expect(() => compareOutput(output, documented, "page.md:1")).toThrow("page.md:1");
  });
});

describe("findBadMarks()", () => {
  const marksOf = (...blocks: readonly string[]): readonly string[] =>
    findBadMarks({
      name: "page.md",
      text: blocks.map((info) => `\`\`\`${info}\ntext\n\`\`\`\n`).join("\n"),
    });

  it("accepts commands that are run or marked as an example, and other languages", () => {
    expect(
      marksOf("sh run", "json output", "sh run background", "sh example", "js", "text"),
    ).toEqual([]);
  });

  it.each([
    ["commands without a mark", "sh"],
    ["an unknown mark", "sh maybe"],
    ["another name of the language", "bash run"],
    ["an output that follows no command", "json output"],
  ])("reports %s with its line", (_, info) => {
    expect(marksOf("js", info)).toEqual([expect.stringContaining("page.md:5 ")]);
  });
});

describe("findUnexplained()", () => {
  it("finds the messages of all packages, and reports those that are missing", async () => {
    const messages = await collectMessages();
    expect(messages.length).toBeGreaterThan(60);
    expect(messages.map(({ parts }) => parts.join("…"))).toEqual(
      expect.arrayContaining([
        "Cannot reach …: …",
        "Strategy … is unknown: it never matches",
        "The shutdown failed",
        "Writes to … are accepted again",
      ]),
    );
    expect(findUnexplained("", messages)).toHaveLength(messages.length);
  });
});

test("findMisquoted() finds quotes that name a setting in another way than the message", async () => {
  const quote = (text: string): string => `| \`${text}\` | Meaning |`;
  expect(
    await findMisquoted(quote("FLAGS_USAGE_SPOOL (option usageSpool) cannot write to the dir")),
  ).toEqual([]);
  expect(await findMisquoted(quote("FLAGS_USAGE_SPOOL cannot write to the directory …"))).toEqual([
    "FLAGS_USAGE_SPOOL cannot write to the directory",
  ]);
});
