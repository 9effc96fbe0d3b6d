import { createHash } from "node:crypto";
import type { Context, Snapshot } from "flags-engine";
import type { Dialect } from "./dialect.ts";

/** One flag, written, and what names it. */
export interface RenderedFlag {
  entityTag(): string;
  body(): string;
}

interface Question {
  readonly dialect: Dialect;
  readonly snapshot: Snapshot;
  readonly context: Context;
}

/** Evaluates one flag and writes it; undefined when there is none of that name. */
export function renderFlag(
  { dialect, snapshot, context }: Question,
  name: string,
): RenderedFlag | undefined {
  const index = snapshot.indexOf(name);
  const feature = snapshot.features[index];
  const outcome = feature?.outcomes[snapshot.evaluate(index, context)];
  if (feature === undefined || outcome === undefined) return undefined;
  const text = dialect.writeFlag(feature, outcome);
  return { entityTag: () => tagOf(text), body: () => text };
}

function tagOf(text: string): string {
  return `W/"${createHash("sha256").update(text).digest("hex").slice(0, 16)}"`;
}
