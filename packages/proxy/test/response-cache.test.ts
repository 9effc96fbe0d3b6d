import { expect, onTestFinished, test, vi } from "vitest";
import { flag, withConstraint } from "./_documents.ts";
import { KEY, startProxy } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

const text = "x".repeat(1000);
const documentOf = (description: string) => ({
  features: [
    flag("plan", {
      description,
      strategies: [withConstraint("userId", ["1"])],
      variants: [{ name: "a", weight: 1000, payload: { type: "string", value: text } }],
    }),
  ],
});

/** Counts how often the current snapshot is evaluated. */
function countEvaluations(source: DocumentSource): () => number {
  if (source.snapshot === undefined) throw new TypeError("The source has no snapshot");
  const evaluate = vi.spyOn(source.snapshot, "evaluateAll");
  return () => evaluate.mock.calls.length;
}

test("cached responses are released as soon as their snapshot is replaced", async () => {
  const source = new DocumentSource(documentOf("first"));
  // Enough for one response.
  const { url } = await startProxy({ source, app: { cacheBytes: 5000 } });
  const get = async (user: string, times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const headers = { authorization: KEY };
      // oxlint-disable-next-line no-await-in-loop -- the frequency of a request counts
      await (await fetch(`${url}/proxy?userId=${user}`, { headers })).text();
    }
  };
  const before = countEvaluations(source);
  await get("1", 20);
  expect(before()).toBe(3);

  source.replace(documentOf("second"));
  const after = countEvaluations(source);
  // Much less frequent than the response of the first snapshot, which would not be evicted for it.
  await get("1&appName=other", 6);
  expect(after()).toBe(3);
});

/** Sends the same request until its response could be in the cache. */
async function sendOften(url: string): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (let i = 0; i < 5; i++) {
    const query = "userId=1&sessionId=1&remoteAddress=10.0.0.1";
    // oxlint-disable-next-line no-await-in-loop -- the frequency of a request counts
    const response = await fetch(`${url}/proxy?${query}`, { headers: { authorization: KEY } });
    // oxlint-disable-next-line no-await-in-loop -- as above
    bodies.push(await response.text());
  }
  return bodies;
}

test("a response that depends on the time is not cached", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-01-01T00:00:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  const constraints = [
    { contextName: "currentTime", operator: "DATE_AFTER", value: "2026-01-01T00:00:01Z" },
  ];
  const { url } = await startProxy({
    document: { features: [flag("later", { strategies: [{ name: "default", constraints }] })] },
  });
  for (const body of await sendOften(url)) expect(body).not.toContain("later");
  vi.setSystemTime(Date.parse("2026-01-01T00:00:02Z"));
  expect(await sendOften(url)).toEqual(
    Array.from({ length: 5 }, () => expect.stringContaining("later")),
  );
});

test("a response that is random is not cached", async () => {
  const strategies = [{ name: "gradualRolloutRandom", parameters: { percentage: "50" } }];
  const features = Array.from({ length: 64 }, (_, index) => flag(`f${index}`, { strategies }));
  const { url } = await startProxy({ document: { features } });
  const bodies = await sendOften(url);
  expect(new Set(bodies).size).toBe(bodies.length);
});
