import { expect, test } from "vitest";
import { confirmedNow } from "../transport/confirmation.ts";
import { HoldBack } from "./hold-back.ts";

const FLAGS = { features: [{ name: "a" }] };
const NONE = { features: [] };
const UNABORTED = new AbortController().signal;

/** A sink that counts the flags it accepts, behind what holds documents back. */
function createHoldBack({ size = 0, restored = Promise.resolve() } = {}) {
  const log: string[] = [];
  let current = size;
  const holdBack = new HoldBack({
    sink: {
      accept: async (document) => {
        current = (document as typeof FLAGS).features.length;
        log.push(`accepted ${current}`);
      },
      unchanged: () => log.push("unchanged"),
    },
    updater: {
      get size() {
        return current;
      },
      setHeldBack: () => undefined,
    },
    restored: () => restored,
    events: { error: (error) => expect.fail(error.message) },
  });
  const receive = (document: object, isRelayed = false): Promise<void> =>
    holdBack.accept(document, UNABORTED, { ...confirmedNow(), isRelayed });
  return { holdBack, receive, log, setSize: (given: number) => void (current = given) };
}

test("no flags after flags are used once the upstream has confirmed it three times", async () => {
  const { holdBack, receive, log } = createHoldBack();
  await receive(FLAGS);
  await receive(NONE);
  holdBack.unchanged(confirmedNow());
  await receive(NONE);
  expect(log).toEqual(["accepted 1"]);
  holdBack.unchanged(confirmedNow());
  expect(log).toEqual(["accepted 1", "accepted 0"]);
  holdBack.unchanged(confirmedNow());
  expect(log.at(-1)).toBe("unchanged");
});

test("flags in between start the count again", async () => {
  const { receive, log } = createHoldBack();
  await receive(FLAGS);
  for (const document of [NONE, NONE, NONE, FLAGS, NONE, NONE, NONE]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await receive(document);
  }
  expect(log).toEqual(["accepted 1", "accepted 1"]);
});

test("the first document, and one of an upstream that follows another one, are not held back", async () => {
  const { receive, log } = createHoldBack();
  await receive(NONE);
  await receive(FLAGS);
  await receive(NONE, true);
  expect(log).toEqual(["accepted 0", "accepted 1", "accepted 0"]);
});

test("no flags at the start wait for those in the store, and follow them", async () => {
  let isRestored: () => void = () => undefined;
  const restored = new Promise<void>((resolve) => (isRestored = resolve));
  const { receive, log, setSize } = createHoldBack({ restored });
  const received = receive(NONE);
  await Promise.resolve();
  expect(log).toEqual([]);
  setSize(1);
  isRestored();
  await received;
  expect(log).toEqual([]);
});
