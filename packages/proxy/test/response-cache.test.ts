import { expect, test, vi } from "vitest";
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
  const { url } = await startProxy({ source, app: { hasFastPath: true, cacheBytes: 5000 } });
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
