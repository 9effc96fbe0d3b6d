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
type Generate = (document: string) => Promise<string>;

const { withAlertSections } = (await load("./alert-sections.mjs")) as {
  readonly withAlertSections: Generate;
};
const { withMetricTables } = (await load("./metrics.mjs")) as {
  readonly withMetricTables: Generate;
};
const { collectMessages, findMisquoted, findUnexplained, withMessageLists } = (await load(
  "./messages.mjs",
)) as {
  readonly withMessageLists: Generate;
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

describe("generated parts of documents", () => {
  it.each([
    [
      "the metrics that a file defines, with their labels",
      withMetricTables,
      "metrics:start Stores and sharing",
      "| `flags_proxy_store_rejected_documents_total` | Stored flags that were not used because they were damaged or belong to something else. Labels: `source` |",
    ],
    [
      "the metrics of both services, with the prefix of each",
      withMetricTables,
      "metrics:start flags-admin",
      "| `flags_admin_connections` | Open connections |",
    ],
    [
      "the streams that a service closes",
      withMetricTables,
      "metrics:start Streams",
      "| `flags_proxy_push_streams_closed_total` | Streams that the service closed. Labels: `reason` |",
    ],
    [
      "the error responses of the proxy, by status",
      withMessageLists,
      "responses:start",
      "| 405 | This path does not support …: use … |",
    ],
    [
      "the messages of a package",
      withMessageLists,
      "messages:start packages/engine/src",
      "\n- Strategy … is unknown: it never matches\n",
    ],
    [
      "what to do when an alert fires",
      withAlertSections,
      "alerts:start flags-admin",
      "### FlagsAdminDiskLow\n\n_warning_: For 5 minutes, less than 256 MiB have been free",
    ],
  ])("contain %s", async (_, generate, start, expected) => {
    const end = start.replace(/start.*/, "end");
    const document = `Before\n\n<!-- ${start} -->\nold\n<!-- ${end} -->\n\nAfter\n`;
    const written = await generate(document);
    expect(written).toContain(expected);
    expect(written).not.toContain("old\n");
    expect(await generate(written)).toBe(written);
    expect(written).toMatch(/^Before\n[\s\S]*\nAfter\n$/);
  });

  it("name a group of metrics that does not exist", async () => {
    const document = "<!-- metrics:start Nothing -->\n<!-- metrics:end -->";
    await expect(withMetricTables(document)).rejects.toThrow("There is no group Nothing");
  });
});
