import { describe, expect, test } from "vitest";
import { parseConfiguredTokens } from "../src/access/configured-tokens.ts";
import { createConfiguredTokens } from "../src/access/create-configured-tokens.ts";
import { buildApp } from "../src/app.ts";
import { AUTHENTICATION_LIMITS, VALIDATION_LIMITS } from "flags-server-kit/neutral";
import { makeDatabase, startCommand } from "./_command.ts";
import {
  ADMIN_TOKEN,
  BACKEND_TOKEN,
  collectErrors,
  FRONTEND_TOKEN,
  listen,
  seed,
  startService,
} from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

interface ErrorBody {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly details: readonly unknown[];
}

type Send = (path: string, init: RequestInit) => Promise<Response>;

let guesses = 0;
/** Returns unknown tokens, which are never repeated. */
function guess(count: number): readonly string[] {
  return Array.from({ length: count }, () => `*:development.guess-${(guesses += 1)}`);
}

function validate(send: Send, tokens: readonly string[], headers = {}): Promise<Response> {
  return send("/edge/validate", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ tokens }),
  });
}

/** Sends unknown tokens until the service rejects a request. Fails if it accepts all of them. */
async function exhaustValidation(send: Send, headers = {}): Promise<Response> {
  for (let sent = 0; sent <= 10 * VALIDATION_LIMITS.perAddress.burst; sent += 1000) {
    const response = await validate(send, guess(1000), headers);
    if (response.status !== 200) return response;
    expect(await response.json()).toEqual({ tokens: [] });
  }
  throw new Error("The service does not limit unknown tokens");
}

async function expectRateLimit(response: Response): Promise<void> {
  expect(response.status).toBe(429);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const { id, name, message, details } = (await response.json()) as ErrorBody;
  expect({ id, name, details }).toEqual({
    id: expect.any(String) as string,
    name: "RateLimitError",
    details: [{ message }],
  });
}

describeAnyStorage("the limit for unknown tokens", (source) => {
  test("POST /edge/validate rejects requests after too many unknown tokens", async () => {
    const service = await startService(await source.openFresh());
    const send: Send = (path, init) => fetch(service.url + path, init);
    expect((await validate(send, [BACKEND_TOKEN])).status).toBe(200);

    await expectRateLimit(await exhaustValidation(send));
    // A valid token that this address has sent before is still accepted; others are not looked up.
    const response = await validate(send, [BACKEND_TOKEN]);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ tokens: [{ token: BACKEND_TOKEN }] });
    await expectRateLimit(await validate(send, [BACKEND_TOKEN, FRONTEND_TOKEN, ...guess(998)]));
    expect((await service.request("/api/admin/context", { token: ADMIN_TOKEN })).status).toBe(200);
    expect(await (await service.request("/internal-backstage/prometheus")).text()).toMatch(
      /^flags_admin_refused_guesses_total [2-9]/m,
    );
  });

  test("POST /edge/validate serves proxies that check many valid tokens", async () => {
    const storage = await source.openFresh();
    const tokens = Array.from(
      { length: 100 },
      (_, index) => `*:development.one-of-many-valid-tokens-${index}`,
    );
    await createConfiguredTokens(
      storage,
      parseConfiguredTokens({ admin: [], backend: tokens, frontend: [] }).tokens,
    );
    const service = await startService(storage);
    const send: Send = (path, init) => fetch(service.url + path, init);
    // More tokens than the budget allows unknown ones.
    const rounds = (1.25 * VALIDATION_LIMITS.perAddress.burst) / tokens.length;
    for (let round = 0; round < rounds; round += 1) {
      const response = await validate(send, tokens);
      expect(response.status).toBe(200);
      expect(((await response.json()) as { tokens: unknown[] }).tokens).toHaveLength(tokens.length);
    }
  });

  test.each(["/api/admin/context", "/api/client/features"])(
    "%s rejects requests after too many unknown tokens",
    async (path) => {
      const service = await startService(await source.openFresh());
      const valid = path.includes("admin") ? ADMIN_TOKEN : BACKEND_TOKEN;
      expect((await service.request(path, { token: valid })).status).toBe(200);
      const statuses = new Set<number>();
      const { burst } = AUTHENTICATION_LIMITS.perAddress;
      for (let sent = 0; sent < 2 * burst && !statuses.has(429); sent += 100) {
        const responses = await Promise.all(
          guess(100).map((token) => service.request(path, { token })),
        );
        for (const response of responses) {
          statuses.add(response.status);
          await response.text();
        }
      }
      expect([...statuses].toSorted()).toEqual([401, 429]);
      // The budget refills, but more slowly than requests are sent.
      let response: Response;
      do {
        const [token] = guess(1);
        // oxlint-disable-next-line no-await-in-loop -- sequential until one is rejected
        response = await service.request(path, { token, headers: { "content-type": "x" } });
      } while (response.status === 401);
      await expectRateLimit(response);
      expect((await service.request(path, { token: valid })).status).toBe(200);
      expect((await service.request(path)).status).toBe(401);
    },
  );

  test("clients behind a trusted proxy have separate budgets, and other clients cannot choose one", async () => {
    const storage = await source.openFresh();
    await seed(storage);
    const headers = (address: string) => ({ "x-forwarded-for": address });
    for (const trustProxy of [["127.0.0.1"], 1, false] as const) {
      const app = await buildApp(
        { maxConnections: 1000, logger: collectErrors([]), trustProxy },
        storage,
      );
      try {
        const { url } = await listen(app);
        const send: Send = (path, init) => fetch(url + path, init);
        await expectRateLimit(await exhaustValidation(send, headers("192.0.2.1")));
        const { status } = await validate(send, guess(1000), headers("192.0.2.2"));
        expect(status).toBe(trustProxy === false ? 429 : 200);
      } finally {
        await app.close();
      }
    }
  });
});

describe("the command flags-admin", () => {
  test("limits unknown tokens per client with TRUST_PROXY", async () => {
    const address = await startCommand({
      ...(await makeDatabase()),
      TRUST_PROXY: "127.0.0.1",
    }).listening();
    const send: Send = (path, init) => fetch(address + path, init);
    await expectRateLimit(await exhaustValidation(send, { "x-forwarded-for": "192.0.2.1" }));
    const other = await validate(send, guess(1000), { "x-forwarded-for": "192.0.2.2" });
    expect(other.status).toBe(200);
  });
});
