import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { createAccessFile } from "./_access-file.ts";
import { flag, sendRaw, type RawResponse } from "./_flag-requests.ts";
import { KEY, startProxy, type RunningApp } from "./_proxy.ts";

// Two requests that differ slightly must not share a cached response. The reference has no cache.

const NAMES = ["userId", "plan", "appName", "a", "b", "A", "a&b", "é", "__proto__", "properties"];
const VALUES = ["1", "01", "pro", "Pro", "pro ", "1,01", "é", "e\u0301", "\0"];

/** One flag for each name and value, of which none depends on chance. */
const DOCUMENT = {
  features: [
    ...NAMES.flatMap((contextName) =>
      VALUES.map((value) => {
        const constraint = { contextName, operator: "IN", values: [value] };
        return flag(`${contextName} ${value}`, { name: "default", constraints: [constraint] });
      }),
    ),
    flag("address", { name: "remoteAddress", parameters: { IPs: "10.0.0.1" } }),
  ],
};

const FILE_KEYS = [
  { name: "prefix", key: "prefix-key", namePrefix: "a" },
  { name: "fields", key: "fields-key", contextFields: ["plan", "remoteAddress"] },
];

/** A context field or property. */
type Field = readonly [name: string, value: string];

interface Request {
  readonly path: "/proxy" | "/api/frontend";
  readonly isPost: boolean;
  readonly key: string;
  readonly address: string;
  /** Without it, the response depends on the address of the caller, and is not cached. */
  readonly remoteAddress: string | undefined;
  readonly fields: readonly Field[];
}

const requests: fc.Arbitrary<Request> = fc.record({
  path: fc.constantFrom("/proxy", "/api/frontend"),
  isPost: fc.boolean(),
  key: fc.constantFrom(KEY, ...FILE_KEYS.map(({ key }) => key)),
  address: fc.constantFrom("10.0.0.1", "10.0.0.2"),
  remoteAddress: fc.constantFrom("10.0.0.1", "10.0.0.2", undefined),
  fields: fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES)), {
    minLength: 1,
    maxLength: 3,
  }),
});

const edits = fc.constantFrom<(text: string) => string>(
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.normalize("NFC"),
  (text) => text.normalize("NFD"),
  (text) => text.trim(),
  (text) => `${text} `,
  (text) => `${text},${text}`,
  (text) => text.replace(/^0/, ""),
  (text) => text.replace("\0", ""),
  () => "",
);

type Change = (fields: readonly Field[]) => readonly Field[];

const changeFirst =
  (change: (name: string, value: string) => Field): Change =>
  ([first, ...rest]) =>
    first === undefined ? [] : [change(...first), ...rest];

/** Moves everything after the first name into the first value: decoded, the text of the query is the same. */
const mergeFields: Change = (fields) => {
  const [[name] = [""]] = fields;
  const text = fields.map((field) => field.join("=")).join("&");
  return [[name, text.slice(name.length + 1)]];
};

/** Ways to change the fields of a request so little that a careless cache key would be the same. */
const changes: fc.Arbitrary<Change> = fc.oneof(
  edits.map((edit) => changeFirst((name, value) => [edit(name), value])),
  edits.map((edit) => changeFirst((name, value) => [name, edit(value)])),
  fc.constantFrom<Change>(
    mergeFields,
    changeFirst((name, value) => [`properties[${name}]`, value]),
    (fields) => fields.toReversed(),
    (fields) => fields.slice(1),
    (fields) => [...fields, ...fields],
    (fields) =>
      fields.flatMap(([name, value]) => value.split(",").map((one): Field => [name, one])),
  ),
);

const pairs = requests.chain((request) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: changes.map(
        (change) => [request, { ...request, fields: change(request.fields) }] as const,
      ),
    },
    requests.map(({ key }) => [request, { ...request, key }] as const),
    requests.map(({ address }) => [request, { ...request, address }] as const),
    requests.map(({ remoteAddress }) => [request, { ...request, remoteAddress }] as const),
    requests.map(({ path, isPost }) => [request, { ...request, path, isPost }] as const),
  ),
);

function send(proxy: RunningApp, request: Request): Promise<RawResponse> {
  const { path, isPost, key, address, remoteAddress } = request;
  const fields: readonly Field[] =
    remoteAddress === undefined
      ? request.fields
      : [...request.fields, ["remoteAddress", remoteAddress]];
  const headers = { authorization: key, "x-forwarded-for": address };
  if (!isPost) {
    const parameters = fields.map((field) => field.map(encodeURIComponent).join("="));
    return sendRaw(proxy, `${path}?${parameters.join("&")}`, headers);
  }
  // The members can have the same name.
  const members = fields.map((field) => field.map((text) => JSON.stringify(text)).join(":"));
  const body = `{"context":{${members.join()}}}`;
  return sendRaw(proxy, path, { ...headers, "content-type": "application/json" }, body);
}

test("requests that differ slightly never share a cached response", async () => {
  const accessFile = await createAccessFile(FILE_KEYS);
  const setup = { document: DOCUMENT, config: { accessFile, trustProxy: true } };
  const proxy = await startProxy(setup);
  const reference = await startProxy({ ...setup, app: { cacheBytes: 1 } });
  await fc.assert(
    fc.asyncProperty(pairs, async ([request, similar]) => {
      const expected = await send(reference, request);
      // So often that the response is cached.
      for (let count = 0; count < 4; count += 1) {
        // oxlint-disable-next-line no-await-in-loop -- concurrent requests would all be evaluated
        expect(await send(proxy, request)).toEqual(expected);
      }
      expect(await send(proxy, similar)).toEqual(await send(reference, similar));
    }),
    { numRuns: fuzzRuns(1000, 5000) },
  );
});
