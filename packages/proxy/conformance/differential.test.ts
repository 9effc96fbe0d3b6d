import type { Context } from "flags-engine";
import { afterEach, expect, test, vi } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { evaluateWithOracle } from "../../engine/test/_compare.ts";
import { createOracle } from "../../engine/test/_evaluators.ts";
import { randomContext } from "../../engine/test/_random-context.ts";
import { randomDocument, type RandomDocument } from "../../engine/test/_random-document.ts";
import { createChoices, type Choices } from "../../engine/test/_random.ts";
import { startWireProxy } from "./_wire.ts";

// Compares `/proxy` with the official Node SDK, on random flags and contexts.
// packages/engine/test/differential.test.ts lists the cases that are not compared.

const SEED = Number(process.env["DIFFERENTIAL_SEED"] ?? Date.now() % 4_294_967_296);
const DOCUMENTS = sized(6, 12);
const CONTEXTS_PER_DOCUMENT = 8;

const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A random context that clients can send: all values are text. */
function randomSentContext(choices: Choices): Context {
  const { userId, sessionId, remoteAddress, currentTime, environment, appName, properties } =
    randomContext(choices);
  return {
    appName: isText(appName) ? appName : "app",
    environment: isText(environment) ? environment : "default",
    // The proxy adds missing fields, and the official SDK does not.
    sessionId: isText(sessionId) ? sessionId : "session",
    remoteAddress: isText(remoteAddress) ? remoteAddress : "192.0.2.7",
    ...(isText(userId) && { userId }),
    ...(isText(currentTime) && ISO_8601.test(currentTime) && { currentTime }),
    properties: Object.fromEntries(
      Object.entries(properties ?? {}).filter(([, value]) => typeof value === "string"),
    ),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

async function compare(document: RandomDocument, contexts: readonly Context[]): Promise<number> {
  const oracle = await createOracle(document, []);
  try {
    const evaluate = await startWireProxy({ ...document });
    let compared = 0;
    for (const context of contexts) {
      // oxlint-disable-next-line no-await-in-loop -- requests must not overlap
      const on = await evaluate(context);
      for (const name of new Set(document.features.map((feature) => String(feature["name"])))) {
        const official = evaluateWithOracle(oracle, name, context);
        if (official === undefined) continue;
        const { variant } = on.get(name) ?? {};
        const ours = {
          enabled: on.has(name),
          variant: variant?.enabled ? variant.name : undefined,
          payload: variant?.payload,
        };
        const flag = document.features.find((feature) => feature["name"] === name);
        const where = `seed ${SEED}: ${JSON.stringify(flag)} for ${JSON.stringify(context)}`;
        expect(ours, where).toEqual({ variant: undefined, payload: undefined, ...official });
        compared += 1;
      }
    }
    return compared;
  } finally {
    oracle.close();
  }
}

test(`GET and POST /proxy agree with the official SDK, seed ${SEED}`, async () => {
  const choices = createChoices(SEED);
  let compared = 0;
  for (let round = 0; round < DOCUMENTS; round++) {
    vi.spyOn(Math, "random").mockReturnValue(choices.pick([0, 0.25, 0.5, 0.99999]));
    const text = JSON.stringify(randomDocument(choices, []));
    const contexts = choices.list(CONTEXTS_PER_DOCUMENT, () => randomSentContext(choices));
    // oxlint-disable-next-line no-await-in-loop -- one proxy at a time
    compared += await compare(JSON.parse(text) as RandomDocument, contexts);
  }
  expect(compared).toBeGreaterThan(40 * DOCUMENTS);
});
