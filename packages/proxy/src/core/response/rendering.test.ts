import { compileSnapshot, parseDocument, runToEnd, type Snapshot } from "flags-engine";
import { FlagReplica } from "../../cluster/flag-replica.ts";
import { describe, expect, it } from "vitest";
import { evaluateFlags } from "./evaluate-flags.ts";
import { createRenderer, type FlagFormat, renderNewSnapshots, type Renderer } from "./rendering.ts";

function compile(names: readonly string[], previous?: Snapshot): Snapshot {
  const features = names.map((name) => ({ name, enabled: true, strategies: [] }));
  const options = { now: () => 0, random: () => 0, previous };
  return compileSnapshot(parseDocument({ features }), options);
}

function createFormat() {
  const written: string[] = [];
  const format: FlagFormat = {
    prefix: "[",
    suffix: "]",
    writeFlag: ({ name }, { enabled }) => {
      written.push(enabled ? name : `${name} off`);
      return JSON.stringify(name);
    },
    writeUnknownFlag: (name) => JSON.stringify(name),
  };
  return { format, written };
}

function bodyOf(snapshot: Snapshot, { render }: Renderer): string {
  return evaluateFlags({ render }, snapshot, {}, {}).body.toBuffer().toString();
}

describe("createRenderer()", () => {
  it("render() serializes only flags that a change affects", () => {
    const { format, written } = createFormat();
    const renderer = createRenderer(format);

    const before = compile(["a", "b", "c"]);
    expect(bodyOf(before, renderer)).toBe('["a","b","c"]');
    expect(written.splice(0)).toEqual(["a", "b", "c"]);

    const after = compile(["new", "c", "a"], before);
    expect(bodyOf(after, renderer)).toBe('["new","c","a"]');
    expect(written).toEqual(["new"]);
  });

  it("renderAhead() leaves nothing to serialize for the first request after a change", () => {
    const { format, written } = createFormat();
    const renderer = createRenderer(format);
    const before = compile(["a", "b"]);
    bodyOf(before, renderer);
    written.splice(0);

    const after = compile(["new", "c", "a"], before);
    runToEnd(renderer.renderAhead(after, before));
    expect(written.splice(0)).toContain("new");
    expect(bodyOf(after, renderer)).toBe('["new","c","a"]');
    expect(written).toEqual([]);
  });

  it("renderAhead() serializes only the outcomes that the previous lists needed", () => {
    const { format, written } = createFormat();
    const renderer = createRenderer(format);
    const before = compile(["a"]);
    bodyOf(before, renderer);
    written.splice(0);

    const after = compile(["a", "new"]);
    runToEnd(renderer.renderAhead(after, before));
    expect(written.splice(0).toSorted()).toEqual(["a", "new"]);
    evaluateFlags(renderer, after, {}, { all: true });
    runToEnd(renderer.renderAhead(compile(["b"]), after));
    expect(written.splice(0).toSorted()).toEqual(["b"]);
  });

  it("renderAhead() pauses after each flag", () => {
    const { format, written } = createFormat();
    const renderer = createRenderer(format);
    const before = compile(["a"]);
    bodyOf(before, renderer);
    written.splice(0);

    const steps = renderer.renderAhead(compile(["b", "c"]), before);
    steps.next();
    expect(written).toEqual(["b"]);
  });

  it("renderAhead() does nothing for a protocol that has not been used", () => {
    const { format, written } = createFormat();
    const renderer = createRenderer(format);
    runToEnd(renderer.renderAhead(compile(["a"]), undefined));
    runToEnd(renderer.renderAhead(compile(["b"]), compile(["a"])));
    expect(written).toEqual([]);
  });
});

const NEVER = {
  lastFetchAtMs: undefined,
  lastUpdateAtMs: undefined,
  failure: undefined,
  revision: undefined,
  ageMs: undefined,
};

function toUpdate(revision: string, ...names: readonly string[]) {
  const features = names.map((name) => ({ name, enabled: true, strategies: [] }));
  return { revision, text: JSON.stringify({ version: 2, features, segments: [] }) };
}

describe("renderNewSnapshots()", () => {
  it("prepares the next snapshot before it is published, until it is stopped", async () => {
    const { format, written } = createFormat();
    const source = new FlagReplica({
      strategies: [],
      reportUsage: async () => true,
      registerApplication: async () => {},
    });
    const renderer = createRenderer(format);
    const stop = renderNewSnapshots([source], [renderer]);

    await source.prepare(toUpdate("1", "a"));
    source.update(NEVER, "publish");
    if (source.snapshot !== undefined) evaluateFlags(renderer, source.snapshot, {}, {});
    expect(written).toEqual(["a"]);

    await source.prepare(toUpdate("2", "a", "b"));
    expect(source.snapshot?.revision).toBe("1");
    expect(new Set(written)).toEqual(new Set(["a", "b"]));
    source.update(NEVER, "publish");

    stop();
    await source.prepare(toUpdate("3", "c"));
    expect(written).not.toContain("c");
  });
});
