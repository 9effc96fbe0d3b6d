import { compileInSteps } from "flags-engine";
import { createClientEmitter } from "../events/client-emitter.ts";
import { SlicedWork } from "../schedule/sliced-work.ts";
import { FlagFeed } from "./flag-feed.ts";
import { FlagState } from "./flag-state.ts";

/** Has each step in a slice of its own, so that as much as possible comes between. */
const STEP_BY_STEP = 0;

export const createState = (): FlagState =>
  new FlagState({
    bootstrapOverrides: true,
    compile: ({ document, revision }, former) =>
      compileInSteps(document, { revision, previous: former, now: Date.now, random: Math.random }),
  });

/** A feed, the state behind it, and what it told. */
export function createFeed() {
  const log: string[] = [];
  const emitter = createClientEmitter();
  const state = createState();
  const work = new SlicedWork(STEP_BY_STEP);
  const feed = new FlagFeed({ state, emitter, now: Date.now, save: () => log.push("saved"), work });
  emitter.on("changed", ({ flags }) => log.push(`changed to ${flags[0]?.type}`));
  for (const event of ["ready", "unchanged"] as const) emitter.on(event, () => log.push(event));
  return { feed, state, log };
}

/** A document whose every flag says which one it is. */
export const documentOf = (type: string, flags: number): { features: object[] } => ({
  features: Array.from({ length: flags }, (_, index) => ({
    name: `flag ${index}`,
    type,
    enabled: true,
    strategies: [{ name: "default" }],
  })),
});

/** Resolves in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
