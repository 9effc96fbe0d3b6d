import { expect, test } from "vitest";
import { createFlag } from "../../admin/test/_flags.ts";
import { BACKEND_TOKEN } from "../../admin/test/_service.ts";
import { startCommand, untilReady } from "../../proxy/test/_command.ts";
import { type Console, describeConsole } from "./_console.ts";

const CLIENT_KEY = "a-client-key-of-the-tests";
const SERVER_TOKEN = "a-server-token-of-the-tests";

/** What all four have in common. */
interface Result {
  readonly enabled: boolean;
  /** Null if the flag is off or has no variant. */
  readonly variant: string | null;
}

interface Toggle {
  readonly name: string;
  readonly enabled: boolean;
  readonly variant?: { readonly name: string; readonly enabled?: boolean };
}

interface Explained extends Toggle {
  readonly explanation: string;
}

interface Played {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly variant: { readonly name: string; readonly enabled: boolean };
  readonly explanation: string;
}

/** Contexts that between them switch every flag of the test on and off. */
const CONTEXTS = [
  { userId: "1", country: "DK", plan: "pro" },
  { userId: "2", country: "SE", plan: "free" },
  { sessionId: "7", version: "2.1.0" },
] as const;

const toContext = ({ userId, sessionId, ...properties }: Readonly<Record<string, string>>) => ({
  ...(userId !== undefined && { userId }),
  ...(sessionId !== undefined && { sessionId }),
  properties,
});

const rollout = (percentage: number, more: object = {}) => ({
  name: "flexibleRollout",
  parameters: { rollout: String(percentage), stickiness: "default", groupId: "same" },
  ...more,
});

const variant = (name: string) => ({
  name,
  weight: 500,
  weightType: "variable",
  stickiness: "default",
});

const NAMES = ["same-child", "same-parent", "same-rollout", "same-variants", "same-version"];

async function createFlags(console: Console): Promise<void> {
  const danes = { contextName: "country", operator: "IN", values: ["DK"] };
  const segment = (await console.admin("POST", "/segments", {
    name: "danes",
    constraints: [danes],
  })) as { readonly id: number };
  await createFlag(console, "same-rollout", { strategies: [rollout(50)] });
  await createFlag(console, "same-variants", {
    strategies: [rollout(100, { variants: [variant("red"), variant("blue")] })],
  });
  await createFlag(console, "same-parent", { strategies: [{ segments: [segment.id] }] });
  await createFlag(console, "same-version", {
    strategies: [
      { constraints: [{ contextName: "version", operator: "SEMVER_GT", value: "2.0.0" }] },
      { constraints: [{ contextName: "plan", operator: "IN", values: ["pro"] }] },
    ],
  });
  await createFlag(console, "same-child");
  await console.admin("POST", "/projects/default/features/same-child/dependencies", {
    feature: "same-parent",
  });
}

/** Starts the command flags-proxy, and returns a function that sends a request to it. */
async function startProxy(console: Console) {
  const proxy = startCommand({
    FLAGS_URL: `${console.url}/api`,
    FLAGS_API_TOKEN: BACKEND_TOKEN,
    FLAGS_PROXY_CLIENT_KEYS: CLIENT_KEY,
    EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: SERVER_TOKEN,
    ENABLE_EXPLAIN: "true",
  });
  const url = await proxy.listening();
  await untilReady(url);
  return async <Body>(path: string, key: string, body: object): Promise<Body> => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { authorization: key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as Body;
  };
}

function toResult({ enabled, variant: chosen }: Toggle): Result {
  return {
    enabled,
    variant: chosen === undefined || chosen.enabled === false ? null : chosen.name,
  };
}

describeConsole("a context", (console) => {
  test("has the same results in /proxy, its explanation, the playground and the console", async () => {
    await createFlags(console);
    const post = await startProxy(console);
    const page = await console.open("/playground");
    const seen = new Map(NAMES.map((name) => [name, new Set<boolean>()]));

    for (const values of CONTEXTS) {
      const context = toContext(values);
      const [{ toggles }, { flags }, { features }] = await Promise.all([
        post<{ toggles: Toggle[] }>("/proxy", CLIENT_KEY, { context }),
        post<{ flags: Explained[] }>("/proxy/explain", SERVER_TOKEN, { context }),
        console.admin("POST", "/playground", { environment: "development", context }) as Promise<{
          features: Played[];
        }>,
      ]);
      const query = new URLSearchParams({
        context: JSON.stringify(values),
        in: JSON.stringify(["development"]),
      });
      await page.goto(`${console.url}/playground?${query.toString()}`);

      for (const name of NAMES) {
        const toggle = toggles.find((one) => one.name === name);
        const expected =
          toggle === undefined ? { enabled: false, variant: null } : toResult(toggle);
        seen.get(name)?.add(expected.enabled);

        const explained = flags.find((one) => one.name === name);
        const played = features.find((one) => one.name === name);
        if (explained === undefined || played === undefined) throw new Error(`${name} is missing`);
        expect([name, toResult(explained)]).toEqual([name, expected]);
        const { isEnabled: enabled, variant: chosen } = played;
        expect([name, toResult({ name, enabled, variant: chosen })]).toEqual([name, expected]);
        expect(played.explanation).toBe(explained.explanation);

        await page.getByRole("button", { name, exact: true }).click();
        const state = expected.enabled ? "on" : "off";
        const badge = expected.variant === null ? state : `${state} · ${expected.variant}`;
        const sentence = page
          .getByRole("row")
          .filter({ has: page.getByText(explained.explanation, { exact: true }) })
          .locator(".explanation-sentence");
        expect(await sentence.innerText()).toBe(`${badge} ${explained.explanation}`);
        await page.getByRole("button", { name, exact: true }).click();
      }

      await page.goto(
        `${console.url}/projects/default/flags/same-version?tab=explain&${query.toString()}`,
      );
      const [sentence] = flags.filter(({ name }) => name === "same-version");
      await page.getByText(sentence?.explanation ?? "none").waitFor();
    }
    // Otherwise the comparison would say little.
    for (const name of ["same-child", "same-parent", "same-version"]) {
      expect([name, [...(seen.get(name) ?? [])].toSorted()]).toEqual([name, [false, true]]);
    }
  });
});
