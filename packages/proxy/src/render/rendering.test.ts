import { compileSnapshot, parseDocument } from "flags-engine";
import type { Snapshot } from "flags-engine";
import { expect, test } from "vitest";
import type { Dialect } from "./dialect.ts";
import { createRenderer } from "./rendering.ts";
import { selectEnabled } from "./select.ts";

function compile(names: readonly string[], former?: Snapshot): Snapshot {
  const features = names.map((name) => ({ name, enabled: true, strategies: [] }));
  const options = { now: () => 0, random: () => 0, former };
  return compileSnapshot(parseDocument({ features }), options);
}

test("a renderer writes again only the flags that a change makes different", () => {
  const written: string[] = [];
  const dialect: Dialect = {
    prefix: "[",
    suffix: "]",
    writeFlag: ({ name }) => {
      written.push(name);
      return JSON.stringify(name);
    },
    writeUnknownFlag: (name) => JSON.stringify(name),
  };
  const render = createRenderer(dialect);
  const bodyOf = (snapshot: Snapshot): string =>
    selectEnabled(render(snapshot), snapshot.evaluateAll({}).outcomes).body().toString();

  const before = compile(["a", "b", "c"]);
  expect(bodyOf(before)).toBe('["a","b","c"]');
  expect(written.splice(0)).toEqual(["a", "b", "c"]);

  const after = compile(["new", "c", "a"], before);
  expect(bodyOf(after)).toBe('["new","c","a"]');
  expect(written).toEqual(["new"]);
});
