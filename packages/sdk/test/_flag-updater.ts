import { Emitter } from "../src/events.ts";
import type { FlagsClientEvents } from "../src/events.ts";
import { TimeSlicer } from "../src/scheduling/time-slicer.ts";
import { Compiler } from "../src/sync/compiler.ts";
import { FlagState } from "../src/sync/flag-state.ts";
import { FlagUpdater } from "../src/sync/flag-updater.ts";

/** Ends each slice after one step, so that as many other events as possible run between them. */
const SINGLE_STEP = 0;

export const createState = (bootstrapOverrides = true): FlagState =>
  new FlagState({
    bootstrapOverrides,
    compiler: new Compiler([], { emit: () => undefined }, ""),
  });

/** An updater, its state, and a log of its events. */
export function createUpdater() {
  const log: string[] = [];
  const emitter = new Emitter<FlagsClientEvents>((_event, cause) => {
    throw cause;
  });
  const state = createState();
  const slicer = new TimeSlicer(SINGLE_STEP);
  const save = (): void => void log.push("saved");
  const updater = new FlagUpdater({ state, emitter, save, slicer });
  emitter.on("changed", ({ flags }) => log.push(`changed to ${flags[0]?.type}`));
  for (const event of ["ready", "unchanged"] as const) emitter.on(event, () => log.push(event));
  return { updater, state, log };
}

/** A document whose flags all have the same type, which identifies it. */
export const documentOf = (type: string, flags: number): { features: object[] } => ({
  features: Array.from({ length: flags }, (_, index) => ({
    name: `flag ${index}`,
    type,
    enabled: true,
    strategies: [{ name: "default" }],
  })),
});

/** Resolves in the next tick of the event loop. */
export const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
