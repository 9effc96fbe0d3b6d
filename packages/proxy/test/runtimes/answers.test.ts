// The official client specification, and random flags and contexts: every runtime answers as Node does, to the byte.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { applyDelta } from "flags-engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CASE_COUNT,
  specifications,
  type State,
} from "../../../engine/conformance/_specification.ts";
import { randomContext } from "../../../engine/test/_random-context.ts";
import { randomDocument } from "../../../engine/test/_random-document.ts";
import { createChoices } from "../../../engine/test/_random.ts";
import { sized } from "../../../../scripts/test-size.ts";
import type { FetchAppOptions } from "../../src/fetch/index.ts";
import { createApp } from "../../src/index.ts";
import { type CleanUp, CleanUps } from "../_command.ts";
import { RUNTIMES, serveOn } from "./_runtimes.ts";

const ANSWERS = sized(2000, 100_000);
const CONTEXTS_PER_DOCUMENT = 100;
const DOCUMENTS = ANSWERS / CONTEXTS_PER_DOCUMENT;
/** Each is an upstream that the isolate asks: Workers allow a limited number at a time. */
const DOCUMENTS_PER_ISOLATE = 20;

const seed = Number(process.env["DIFFERENTIAL_SEED"] ?? Date.now() % 4_294_967_296);

interface Question {
  readonly path: string;
  readonly body: object;
}

/** Flags, and what is asked about them. */
interface Round {
  readonly document: object;
  readonly questions: readonly Question[];
}

const PATHS = ["/proxy", "/proxy/all", "/api/frontend", "/ofrep/v1/evaluate/flags"];

const IDS = ["userId", "sessionId", "default"];

/** Replaces what is random, or belongs to the machine: responses would not be comparable. */
function toPredictable(document: object): object {
  return JSON.parse(JSON.stringify(document), (name, value: unknown) => {
    if (name === "stickiness" && !IDS.includes(String(value))) return "default";
    return name === "name" && /^(?:gradualRolloutRandom|applicationHostname)$/.test(String(value))
      ? "gradualRolloutUserId"
      : value;
  }) as object;
}

function randomRound(number: number): Round {
  const choices = createChoices(seed + number);
  const document = toPredictable(randomDocument(choices, []));
  const questions = choices.list(CONTEXTS_PER_DOCUMENT, (index) => {
    const context = randomContext(choices);
    // Otherwise, the proxy adds an address of the test, and a random session.
    context["remoteAddress"] ||= "10.0.0.1";
    context["userId"] = String(choices.integer(10));
    context["sessionId"] = String(choices.integer(10));
    return { path: PATHS[index % PATHS.length] ?? "", body: { context } };
  });
  return { document, questions };
}

const RANDOM: readonly Round[] = Array.from({ length: DOCUMENTS }, (_, number) =>
  randomRound(number),
);

const GROUPS = Array.from({ length: Math.ceil(DOCUMENTS / DOCUMENTS_PER_ISOLATE) }, (_, index) =>
  RANDOM.slice(index * DOCUMENTS_PER_ISOLATE, (index + 1) * DOCUMENTS_PER_ISOLATE),
);

describe.each(GROUPS.map((rounds, number) => ({ rounds, number })))(
  `random flags $number, seed ${seed}`,
  ({ rounds }) => {
    const cleanUps = new CleanUps();
    afterAll(() => cleanUps.run());
    let options: FetchAppOptions;
    let expected: readonly Answer[];

    beforeAll(async () => {
      options = optionsFor(await startUpstream(rounds, cleanUps.add), rounds);
      const node = createApp({ ...options, httpOptions: undefined });
      cleanUps.add(() => node.close());
      await node.flagsReady();
      expected = await askAll(await node.listen({ host: "127.0.0.1", port: 0 }), rounds);
      expect(expected.length).toBe(rounds.length * CONTEXTS_PER_DOCUMENT);
      const good = expected.filter(({ status }) => status === 200);
      expect(good.length).toBeGreaterThan(0.5 * expected.length);
    });

    test.each(RUNTIMES)("%s answers as Node does", async (runtime) => {
      const url = await serveOn(runtime, options, cleanUps.add);
      expect(await askAll(url, rounds)).toEqual(expected);
    });
  },
);

const toDocument = (state: State): object =>
  "events" in state ? applyDelta({ features: [], segments: [] }, state.events) : state;

/** Otherwise, the proxy adds that of the test. */
const ADDRESS = "198.51.100.1";

/** The official runner configures its client with the name of the file. The fields of the case take precedence. */
const SPECIFICATION: readonly Round[] = specifications.map(
  ({ name, state, tests = [], variantTests = [] }) => ({
    document: toDocument(state),
    questions: [...tests, ...variantTests].map(({ toggleName, context }) => ({
      path: "/proxy",
      body: {
        context: { appName: name, remoteAddress: ADDRESS, ...context },
        toggles: [toggleName],
      },
    })),
  }),
);

const EXPECTED = specifications.flatMap(({ tests = [], variantTests = [] }) => [
  ...tests.map(({ description, expectedResult: enabled }) => ({
    description,
    toggle: { enabled },
  })),
  ...variantTests.map(({ description, expectedResult: { feature_enabled, ...variant } }) => ({
    description,
    toggle: { enabled: feature_enabled, variant },
  })),
]);

/** A proxy adds the session id that this case expects to be missing. */
const WITH_SESSION = ["Feature.A4 should be disabled when no user on context"];

describe("the client specification", () => {
  const cleanUps = new CleanUps();
  afterAll(() => cleanUps.run());
  let options: FetchAppOptions;

  beforeAll(async () => {
    options = optionsFor(await startUpstream(SPECIFICATION, cleanUps.add), SPECIFICATION);
  });

  test.each(RUNTIMES)("%s", async (runtime) => {
    const answers = await askAll(await serveOn(runtime, options, cleanUps.add), SPECIFICATION);
    expect(answers).toHaveLength(CASE_COUNT);
    const wrong = EXPECTED.filter(({ toggle }, index) => {
      const { toggles } = JSON.parse(answers[index]?.text ?? "") as { toggles: readonly object[] };
      return !isDeepStrictEqual({ ...toggles[0], ...toggle }, toggles[0]);
    });
    expect(wrong.map(({ description }) => description)).toEqual(WITH_SESSION);
  });
});

/** Each round has an environment. */
function optionsFor(flagsUrl: string, rounds: readonly Round[]): FetchAppOptions {
  return {
    flagsUrl,
    flagsApiToken: rounds.map((_, number) => `*:e${number}.upstream-secret`),
    clientKeys: rounds.map((_, number) => keyOf(number)),
    enableAllEndpoint: true,
    metricsInterval: 0,
    logLevel: "error",
    refreshInterval: 0,
  };
}

const keyOf = (number: number): string => `*:e${number}.client-key`;

async function startUpstream(rounds: readonly Round[], cleanUp: CleanUp): Promise<string> {
  const server = createServer(({ headers }, response) => {
    const [, number] = /^\*:e(\d+)\./.exec(headers.authorization ?? "") ?? [];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(rounds[Number(number)]?.document));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
}

interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly text: string;
}

async function askAll(url: string, rounds: readonly Round[]): Promise<readonly Answer[]> {
  const perRound = await Promise.all(
    rounds.map(async ({ questions }, number) => {
      const answers: Answer[] = [];
      for (const question of questions) {
        // oxlint-disable-next-line no-await-in-loop -- as many connections as rounds are enough
        answers.push(await ask(url, keyOf(number), question));
      }
      return answers;
    }),
  );
  return perRound.flat();
}

async function ask(url: string, key: string, { path, body }: Question): Promise<Answer> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { status, headers } = response;
  return { status, etag: headers.get("etag"), text: await response.text() };
}
