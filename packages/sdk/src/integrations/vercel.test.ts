// With the real `flags`.

import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { evaluate, flag } from "flags/next";
import { expect, onTestFinished, test, vi } from "vitest";
import { createFlagsClient } from "../client/flags-client.ts";
import { createVercelAdapter } from "./vercel.ts";

const strategies = [{ name: "default", parameters: {} }];
const withPayload = (name: string, type: string, value: string) => ({
  name,
  enabled: true,
  strategies,
  variants: [{ name: "v", weight: 1, payload: { type, value } }],
});
const DEFINITIONS = [
  { name: "on", enabled: true, strategies },
  { name: "off", enabled: false, strategies },
  {
    name: "for-7",
    enabled: true,
    strategies: [{ name: "userWithId", parameters: { userIds: "7" } }],
  },
  ...["one", "other"].map((name) => ({
    name,
    enabled: true,
    strategies: [
      // The same group: these two agree in one evaluation if it has a session id, even if that was generated.
      {
        name: "flexibleRollout",
        parameters: { rollout: "50", stickiness: "sessionId", groupId: "g" },
      },
    ],
  })),
  withPayload("title", "string", "Sale"),
  withPayload("limit", "number", "0.5"),
  withPayload("theme", "json", '{"dark":true}'),
  withPayload("sizes", "json", '["S"]'),
];

async function startClient() {
  const client = createFlagsClient({
    url: "http://127.0.0.1:1/api",
    appName: "shop",
    bootstrap: { data: DEFINITIONS },
    refreshIntervalMs: 0,
    disableMetrics: true,
  });
  client.on("error", () => {});
  onTestFinished(() => client.close());
  client.start();
  await client.synchronized();
  const counted: string[] = [];
  client.on("count", (name, isOn) => counted.push(`${name}: ${isOn}`));
  const evaluateAll = vi.fn(client.evaluate.bind(client));
  return { evaluateAll, counted };
}

/** A request as the pages router of Next.js passes it. */
function request(user = "") {
  const message = Object.assign(new IncomingMessage(new Socket()), { cookies: {} });
  message.headers.cookie = `user=${user}`;
  return message;
}

async function createFlags() {
  const client = await startClient();
  const adapter = createVercelAdapter({
    evaluate: client.evaluateAll,
    identify: ({ cookies }) => ({ userId: cookies.get("user")?.value }),
  });
  const flags = {
    on: flag({ key: "on", adapter: adapter() }),
    off: flag({ key: "off", defaultValue: true, adapter: adapter() }),
    for7: flag({ key: "for-7", adapter: adapter() }),
    one: flag({ key: "one", adapter: adapter() }),
    other: flag({ key: "other", adapter: adapter() }),
    title: flag({ key: "title", defaultValue: "Shop", adapter: adapter<string>() }),
    isTitled: flag({ key: "title", defaultValue: false, adapter: adapter() }),
    limit: flag({ key: "limit", defaultValue: 1, adapter: adapter<number>() }),
    theme: flag({ key: "theme", defaultValue: {}, adapter: adapter<object>() }),
    sizes: flag({ key: "sizes", defaultValue: [], adapter: adapter<string[]>() }),
    mistyped: flag({ key: "theme", defaultValue: 3, adapter: adapter<number>() }),
    unknown: flag({ key: "none", defaultValue: "x", adapter: adapter<string>() }),
  };
  return { ...client, flags };
}

test("decide() returns the value of a flag for the context of the request", async () => {
  const { flags } = await createFlags();
  const of7 = request("7");
  expect(await flags.for7(of7)).toBe(true);
  expect(await flags.for7(request("8"))).toBe(false);
  expect(await flags.on(of7)).toBe(true);
  expect(await flags.off(of7)).toBe(false);
  expect(await flags.limit(of7)).toBe(0.5);
  expect(await flags.theme(of7)).toEqual({ dark: true });
  expect(await flags.sizes(of7)).toEqual(["S"]);
  expect(await flags.unknown(of7)).toBe("x");
});

test("the type of the default value determines the value", async () => {
  const { flags } = await createFlags();
  expect(await flags.title(request())).toBe("Sale");
  expect(await flags.isTitled(request())).toBe(true);
  expect(await flags.mistyped(request())).toBe(3);
});

test("the flags of a request are from one evaluation, and only those that are read are counted", async () => {
  const { flags, evaluateAll, counted } = await createFlags();
  const results = new Set<boolean>();
  for (let visitor = 0; visitor < 40; visitor++) {
    const given = request();
    // oxlint-disable-next-line no-await-in-loop -- one request after another
    const [one, other] = [await flags.one(given), await flags.other(given)];
    expect(one).toBe(other);
    results.add(one);
  }
  expect(results).toEqual(new Set([true, false]));
  expect(evaluateAll).toHaveBeenCalledTimes(40);
  expect(counted).toHaveLength(80);
});

test("bulkDecide() returns all values from one evaluation", async () => {
  const { flags, evaluateAll, counted } = await createFlags();
  const { on, off, for7, title, theme, unknown } = flags;
  expect(await evaluate({ on, off, for7, title, theme, unknown }, request("7"))).toEqual({
    on: true,
    off: false,
    for7: true,
    title: "Sale",
    theme: { dark: true },
    unknown: "x",
  });
  expect(evaluateAll.mock.calls).toEqual([[{ userId: "7" }]]);
  expect(counted.toSorted()).toEqual([
    "for-7: true",
    "none: false",
    "off: false",
    "on: true",
    "theme: true",
    "title: true",
  ]);
});

test("a flag may identify the user itself, and `evaluate` may be asynchronous", async () => {
  const { evaluateAll } = await startClient();
  const adapter = createVercelAdapter({ evaluate: async (context) => evaluateAll(context) });
  const for7 = flag({ key: "for-7", identify: () => ({ userId: "7" }), adapter: adapter() });
  const forNobody = flag({ key: "for-7", adapter: adapter() });
  expect(await for7(request())).toBe(true);
  expect(await forNobody(request())).toBe(false);
});

test("if there are no flags yet, a flag has its default value, or rejects with the reason", async () => {
  const adapter = createVercelAdapter({
    evaluate: () => {
      throw new Error("There are no flags yet");
    },
  });
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const withDefault = flag({ key: "on", defaultValue: true, adapter: adapter() });
  expect(await withDefault(request())).toBe(true);
  expect(await evaluate([withDefault], request())).toEqual([true]);
  const withoutDefault = flag({ key: "on", adapter: adapter() });
  await expect(withoutDefault(request())).rejects.toThrow("There are no flags yet");
});
