import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzzRuns, sized } from "../../../scripts/test-size.ts";
import {
  sendRaw,
  DOCUMENT,
  flag,
  half,
  requestHeaders,
  type RawResponse,
} from "./_flag-requests.ts";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import { createAccessFile } from "./_access-file.ts";
import { closeNow, KEY, OTHER_KEY, startProxy, type TestProxy } from "./_proxy.ts";

// No client may affect the response to another one. The reference is a proxy that has seen no other
// request, without caches.

/** Keys of an access file with different rules. Two of them have the same restriction. */
const FILE_KEYS = [
  { name: "prefix", key: "prefix-key", namePrefix: "pad" },
  { name: "prefix-too", key: "prefix-key-2", namePrefix: "pad", contextFields: ["sessionId"] },
  { name: "nothing", key: "nothing-key", projects: ["unknown"] },
  { name: "fields", key: "fields-key", contextFields: ["userId", "sessionId"] },
  { name: "all", key: "all-key", allFlags: true, origins: ["https://shop.test"] },
];

const accessFile = await createAccessFile(FILE_KEYS);

const WITHOUT_CACHES = { cacheBytes: 1 };

/** Documents that replace each other. The second one differs in what it says, not in its names. */
const DOCUMENTS = [
  DOCUMENT,
  { features: [...DOCUMENT.features.toReversed(), flag("new", half("new"))] },
];

type TestDocument = (typeof DOCUMENTS)[number];

interface Request {
  readonly kind: "get" | "post" | "toggles" | "frontend" | "ofrep" | "ofrep-single" | "stream";
  readonly key: string;
  readonly context: Readonly<Record<string, string>>;
  readonly toggles: readonly string[];
  readonly headers: object;
}

const names = DOCUMENT.features.map((feature) => String(Reflect.get(feature, "name")));
const requests: fc.Arbitrary<Request> = fc.record({
  kind: fc.constantFrom("get", "post", "toggles", "frontend", "ofrep", "ofrep-single", "stream"),
  key: fc.constantFrom(KEY, OTHER_KEY, ...FILE_KEYS.map(({ key }) => key)),
  context: fc.record(
    {
      userId: fc.constantFrom("1", "2", "3"),
      sessionId: fc.constantFrom("s", "t"),
      remoteAddress: fc.constantFrom("10.0.0.1", "192.0.2.1"),
      plan: fc.constantFrom("pro", "free"),
    },
    { requiredKeys: ["sessionId"] },
  ),
  toggles: fc.oneof(
    fc.constant(names),
    fc.constant(names.toReversed()),
    fc.array(fc.constantFrom("unknown", "pad0", "pad1", ...names), { maxLength: 40 }),
  ),
  headers: requestHeaders,
});

/** A request of which several may be in progress, or a change of the flags. */
const steps = fc.oneof(
  { weight: 8, arbitrary: fc.array(requests, { minLength: 1, maxLength: sized(6, 8) }) },
  { weight: 1, arbitrary: fc.constantFrom(...DOCUMENTS) },
);

async function send(proxy: TestProxy, request: Request): Promise<Partial<RawResponse>> {
  const { kind, context, toggles } = request;
  const headers = { ...request.headers, authorization: request.key };
  const json = { ...headers, "content-type": "application/json" };
  switch (kind) {
    case "get":
      return sendRaw(proxy, `/proxy?${new URLSearchParams(context)}`, headers);
    case "frontend":
      return sendRaw(proxy, `/api/frontend?${new URLSearchParams(context)}`, headers);
    case "post":
      return sendRaw(proxy, "/proxy", json, JSON.stringify({ context }));
    case "toggles":
      return sendRaw(proxy, "/proxy", json, JSON.stringify({ context, toggles }));
    case "ofrep":
      return sendRaw(proxy, "/ofrep/v1/evaluate/flags", json, JSON.stringify({ context }));
    case "ofrep-single": {
      const path = `/ofrep/v1/evaluate/flags/${encodeURIComponent(toggles[0] ?? "plain")}`;
      return sendRaw(proxy, path, json, JSON.stringify({ context }));
    }
    default: {
      const init = {
        method: "POST",
        headers: { ...json, accept: "text/event-stream" } as Record<string, string>,
        body: JSON.stringify({ context, toggles }),
      };
      // An origin that the key does not allow.
      const stream = await readEvents(`${proxy.url}/proxy/stream`, init).catch(String);
      return { body: JSON.stringify(typeof stream === "string" ? stream : await stream.next()) };
    }
  }
}

/** NOTE: closed at once, since a test uses hundreds of them. */
async function sendToNewProxy(document: TestDocument, request: Request) {
  const proxy = await startProxy({ document, app: WITHOUT_CACHES, config: { accessFile } });
  const response = await send(proxy, request);
  await closeNow(proxy);
  return response;
}

/** Responses depend only on the flags and the request, so each is determined only once. */
function createReference() {
  const known = new Map<string, Promise<Partial<RawResponse>>>();
  return (document: TestDocument, request: Request): Promise<Partial<RawResponse>> => {
    const key = JSON.stringify([DOCUMENTS.indexOf(document), request]);
    let response = known.get(key);
    if (response === undefined) {
      response = sendToNewProxy(document, request);
      known.set(key, response);
    }
    return response;
  };
}

const reference = createReference();

test.each([1, 4_000, 40_000])(
  "no request affects the response to another one, with caches of %d bytes",
  async (cacheBytes) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(steps, { maxLength: sized(4, 6) }),
        fc.nat(3),
        async (list, repeats) => {
          let document = DOCUMENT;
          const proxy = await startProxy({
            document,
            app: { cacheBytes },
            config: { accessFile },
          });
          for (const step of list) {
            if (!Array.isArray(step)) {
              document = step;
              proxy.source.replace(document);
              continue;
            }
            // Repeated, so that frequent requests are cached.
            const sent = Array.from({ length: 1 + 2 * repeats }, () => step).flat();
            // oxlint-disable-next-line no-await-in-loop -- the order of changes and requests matters
            const responses = await Promise.all(sent.map((request) => send(proxy, request)));
            const current = document;
            // oxlint-disable-next-line no-await-in-loop -- as above
            const expected = await Promise.all(sent.map((request) => reference(current, request)));
            expect(responses).toEqual(expected);
          }
          await closeNow(proxy);
        },
      ),
      { numRuns: fuzzRuns(3, 30) },
    );
  },
);

/**
 * Up to 98149e1 an entity tag was a linear hash, and two long responses with one tag were taken for
 * the same. With that hash, the unknown names below have the tag of the twelve flags.
 */
const FORGED = [
  ...Array.from({ length: 8 }, (_, index) => `pad${index}`),
  "z1396018",
  "z1958129",
  "z506340",
  "z786872",
];

test("a list of toggles never takes the place of the response to other users", async () => {
  const features = Array.from({ length: 12 }, (_, index) => ({
    ...flag(`flag-${index}`),
    impressionData: false,
  }));
  const proxy = await startProxy({ document: { features } });
  const json = { authorization: KEY, "content-type": "application/json" };
  const forge = (userId: string) =>
    sendRaw(proxy, "/proxy", json, JSON.stringify({ toggles: FORGED, context: { userId } }));
  for (let i = 0; i < 20; i++) {
    // oxlint-disable-next-line no-await-in-loop -- what one leaves behind must not affect the next
    await forge(`attacker-${i % 3}`);
  }
  for (let i = 0; i < 20; i++) {
    // oxlint-disable-next-line no-await-in-loop
    const { body } = await sendRaw(proxy, `/proxy?userId=${i}`, {});
    expect(body).toContain('"name":"flag-11"');
  }
});
