// With the real SDK and provider of OpenFeature. packages/proxy/test/rendered-pages.test.ts runs both in Chromium.

import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature, type Provider, ProviderEvents } from "@openfeature/web-sdk";
import { afterEach, expect, test, vi } from "vitest";
import { type OfrepBootstrap, PageProvider, type PageProviderOptions } from "./openfeature-web.ts";

const METADATA = { enabled: true, variantEnabled: true };
const success = (key: string, value: boolean | string | number | object) => {
  const reason = "TARGETING_MATCH" as const;
  return { key, value: value as boolean, reason, variant: "v", metadata: METADATA };
};
const OFREP: OfrepBootstrap = {
  body: {
    flags: [
      success("on", true),
      success("text", "#fff"),
      success("number", 0.5),
      success("object", { a: [1] }),
      { key: "invalid", errorCode: "PARSE_ERROR", errorDetails: "The payload is invalid" },
    ],
  },
  etag: 'W/"page"',
  context: { targetingKey: "7", sessionId: "s", properties: { plan: "gold" } },
};

afterEach(async () => {
  await OpenFeature.clearProviders();
  await OpenFeature.clearContexts();
  vi.unstubAllGlobals();
});

/** Responds to requests with 401, and records them. */
function recordRequests() {
  const requests: Request[] = [];
  const fetchImplementation = async (input: string | URL | Request): Promise<Response> => {
    requests.push(input as Request);
    return new Response(null, { status: 401 });
  };
  return { requests, fetchImplementation };
}

async function setProvider(options: Partial<PageProviderOptions> = {}) {
  const { requests, fetchImplementation } = recordRequests();
  await OpenFeature.setContext(OFREP.context);
  const provider = new PageProvider({
    ofrep: OFREP,
    baseUrl: "http://flags.test",
    fetchImplementation,
    ...options,
  });
  OpenFeature.setProvider(provider);
  return { requests, client: OpenFeature.getClient() };
}

/** Makes OpenFeature believe that it runs in a page. */
function pretendPage(): void {
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal("document", document);
}

function describeAll(client: Awaited<ReturnType<typeof setProvider>>["client"]) {
  const all = [
    client.getBooleanDetails("on", false),
    client.getStringDetails("text", "red"),
    client.getNumberDetails("number", 1),
    client.getObjectDetails("object", {}),
    client.getStringDetails("on", "red"),
    client.getNumberDetails("invalid", 1),
    client.getBooleanDetails("none", true),
  ];
  // Errors differ in their messages and metadata.
  return all.map(({ value, reason, variant, errorCode, flagMetadata }) =>
    errorCode === undefined
      ? { value, reason, variant, flagMetadata }
      : { value, reason, errorCode },
  );
}

test("the flags are ready at once, with the details that the official provider gives", async () => {
  const { client, requests } = await setProvider();
  expect(client.providerStatus).toBe("READY");
  const details = describeAll(client);
  expect(details.map(({ value }) => value)).toEqual([
    true,
    "#fff",
    0.5,
    { a: [1] },
    "red",
    1,
    true,
  ]);
  const official = new OFREPWebProvider({
    baseUrl: "http://flags.test",
    cacheMode: "disabled",
    fetchImplementation: async () => Response.json(OFREP.body),
  });
  await OpenFeature.setProviderAndWait(official as Provider);
  expect(describeAll(OpenFeature.getClient())).toEqual(details);

  pretendPage();
  const inPage = await setProvider();
  expect(describeAll(inPage.client)).toEqual(details);
  await vi.waitFor(() => expect(describeAll(inPage.client)).toEqual(details));
  expect([...requests, ...inPage.requests]).toEqual([]);
});

test("without a document, another context requests nothing", async () => {
  const { client, requests } = await setProvider();
  await OpenFeature.setContext({ targetingKey: "8" });
  expect(client.getBooleanValue("on", false)).toBe(true);
  expect(requests).toEqual([]);
});

test("in a page, only another context requests flags, and the flags stay as they are if that fails", async () => {
  pretendPage();
  const headersFactory = vi.fn(async (): Promise<[string, string][]> => [["x-api-key", "key"]]);
  const { client, requests } = await setProvider({ headersFactory });
  const { properties, ...fields } = OFREP.context;
  await OpenFeature.setContext({ properties: { ...properties }, ...fields });
  expect(headersFactory).not.toHaveBeenCalled();

  await OpenFeature.setContext({ ...OFREP.context, sessionId: "other" });
  expect(requests.map(({ url }) => url)).toEqual(["http://flags.test/ofrep/v1/evaluate/flags"]);
  const [request] = requests;
  expect(request?.headers.get("x-api-key")).toBe("key");
  // The user is the same, so the official provider asks whether the flags are, too.
  expect(request?.headers.get("if-none-match")).toBe(OFREP.etag);
  expect(await request?.json()).toEqual({ context: { ...OFREP.context, sessionId: "other" } });
  expect(client.getBooleanValue("on", false)).toBe(true);
});

test("a URL that is none is an error event, and the flags of the page remain", async () => {
  pretendPage();
  const errors: unknown[] = [];
  OpenFeature.addHandler(ProviderEvents.Error, (details) => errors.push(details?.message));
  const { client } = await setProvider({ baseUrl: "not a URL" });
  await vi.waitFor(() => expect(errors).toEqual([expect.stringContaining("not a URL")]));
  expect(client.getBooleanValue("on", false)).toBe(true);
});

test.each([undefined, null, {}, { body: {} }, { flags: [] }])("%j is not a bootstrap", (ofrep) => {
  const create = () => new PageProvider({ ofrep: ofrep as never, baseUrl: "http://flags.test" });
  expect(create).toThrow(TypeError);
  expect(create).toThrow("`ofrep` must be the property `ofrep` of what `evaluate()` returns");
});
