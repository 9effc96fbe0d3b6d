import { readFile } from "node:fs/promises";
import { describe, expect, it, test } from "vitest";

interface Document {
  readonly name: string;
  readonly text: string;
}

interface Message {
  readonly place: string;
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
const { withCommandTables } = (await load("./command-tables.mjs")) as {
  readonly withCommandTables: (document: string) => string;
};
const { withEndpointTables } = (await load("./endpoint-tables.mjs")) as {
  readonly withEndpointTables: Generate;
};
const { withFieldTables } = (await load("./field-tables.mjs")) as {
  readonly withFieldTables: Generate;
};
const { withMetricTables } = (await load("./metrics.mjs")) as {
  readonly withMetricTables: Generate;
};
const { isEqualText } = (await load("./alias-tables.mjs")) as {
  readonly isEqualText: (one: string, other: string) => boolean;
};
const { collectMessages } = (await load("./messages.mjs")) as {
  readonly collectMessages: () => Promise<readonly Message[]>;
};

interface Entry {
  readonly shown: string;
  readonly pattern: string;
  readonly explanation: Readonly<Record<string, string>>;
}

const { checkExplanations, findUnexplained, findUnknown, withMessageTables } = (await load(
  "./message-tables.mjs",
)) as {
  readonly checkExplanations: (document: string) => Promise<readonly string[]>;
  readonly findUnexplained: (
    entries: readonly Entry[],
    messages: readonly Message[],
  ) => readonly Message[];
  readonly findUnknown: (entries: readonly Entry[], texts: string) => readonly Entry[];
  readonly withMessageTables: Generate;
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

test("collectMessages() finds the messages of all packages", async () => {
  const messages = await collectMessages();
  expect(messages.map(({ parts }) => parts.join("…"))).toEqual(
    expect.arrayContaining([
      "Cannot reach …: …",
      "Strategy … is unknown: it never matches",
      "The shutdown failed",
      "Writes to … are accepted again",
    ]),
  );
});

describe("the page of messages", () => {
  const page = new URL("../../docs/reference/troubleshooting.md", import.meta.url);

  it("explains all messages and no others", async () => {
    expect(await checkExplanations(await readFile(page, "utf8"))).toEqual([]);
  });

  it("is up to date (otherwise run `node scripts/check-docs.mjs --write`)", async () => {
    const text = await readFile(page, "utf8");
    expect(isEqualText(await withMessageTables(text), text)).toBe(true);
  });

  it("must show every part", async () => {
    expect(await checkExplanations("")).toContain(
      'The page of messages does not show the part "The upstream"',
    );
  });
});

describe("explanations", () => {
  const entry = (shown: string, pattern = shown): Entry => ({ shown, pattern, explanation: {} });
  const message = (text: string): Message => ({ parts: text.split("…"), place: "packages/a.ts" });

  it("belong to a message if they contain all its fixed parts in their order", () => {
    const reads = message("Cannot read …: …, and …");
    expect(findUnexplained([], [reads])).toEqual([reads]);
    expect(findUnexplained([entry("Cannot read keys: …")], [reads])).toEqual([reads]);
    expect(findUnexplained([entry("…, and Cannot read …")], [reads])).toEqual([reads]);
    expect(findUnexplained([entry("Cannot read keys: …, and …")], [reads])).toEqual([]);
  });

  it("are reported if the source does not contain all their fixed parts", () => {
    const source = "Cannot read \nis missing";
    expect(findUnknown([entry("Cannot read …: … is missing")], source)).toEqual([]);
    expect(findUnknown([entry("Cannot read …: … is wrong")], source)).toHaveLength(1);
    expect(findUnknown([entry("Cannot read keys", "Cannot read …")], source)).toEqual([]);
  });
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
      "messages with their level, cause and remedy",
      withMessageTables,
      "messages:start Usage",
      "| `Usage of 1 application was not delivered`<br>`Usage of … applications was not delivered` | _warning_: The upstream failed during the shutdown. ",
    ],
    [
      "messages of failed calls with the level that the status determines",
      withMessageTables,
      "messages:start The upstream",
      "| `… responded with 401: the API token is unknown: use a valid one of type client or backend` | _error_: ",
    ],
    [
      "messages of failed calls with the level that the code determines",
      withMessageTables,
      "messages:start The upstream",
      "| `Cannot reach …: …` | _warning_: ",
    ],
    [
      "messages with all levels at which they are logged",
      withMessageTables,
      "messages:start The upstream",
      "| `… failed: …` | _error, warning_: ",
    ],
    [
      "messages that are not logged, without a level",
      withMessageTables,
      "messages:start Console",
      "| `Too many attempts to sign in have failed` | Somebody",
    ],
    [
      "the error responses of the proxy with their status",
      withMessageTables,
      "messages:start Proxy responses",
      "\n- 405: This path does not support …: use …\n",
    ],
    [
      "the messages about definitions that need no explanation",
      withMessageTables,
      "messages:start Flag definitions",
      "\n- A strategy must be an object, found …: it never matches\n",
    ],
    [
      "the commands of a program, and when they succeed",
      async (document: string) => withCommandTables(document),
      "commands:start flags-admin",
      "| `flags-admin backup` | Writes everything in the database to a file. Exits with 0 if the backup is complete. |",
    ],
    [
      "the endpoints of the proxy with their keys",
      withEndpointTables,
      "endpoints:start",
      "| `GET /api/client/features` | _server key_: The definitions of all flags",
    ],
    [
      "the fields of an object in the access file, with their defaults",
      withFieldTables,
      "fields:start keys.signedContext.jwt",
      "| `clockToleranceSeconds` | How much the clocks may differ, in seconds. Default: `30` |",
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
