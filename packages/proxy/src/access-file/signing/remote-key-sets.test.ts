import { createConnections, HttpClient } from "flags-sdk/internal";
import type { JWK } from "jose";
import { expect, test } from "vitest";
import { startKeyServer, TokenSigner } from "../../../test/_signed-context.ts";
import { MemoryLogger } from "../../../test/_proxy.ts";
import { createReporter, RemoteKeySets } from "./remote-key-sets.ts";

/** Has no time limit that could end a request during the test. */
function createHttp(): HttpClient {
  const timeoutMs = 3_600_000;
  const connections = createConnections({ httpProxy: "", httpsProxy: "", noProxy: "", timeoutMs });
  return new HttpClient({ connections, timeoutMs });
}

test("keys at URLs are released when they are no longer in use", async () => {
  let respond: (keys: readonly JWK[]) => void = () => undefined;
  const response = new Promise<readonly JWK[]>((resolve) => (respond = resolve));
  const hanging = new Promise<never>(() => undefined);
  const [removed, kept, other] = [
    await startKeyServer(() => hanging),
    await startKeyServer(() => response),
    await startKeyServer(() => hanging),
  ];
  const keySets = new RemoteKeySets(createHttp, new MemoryLogger());
  const jwk = await new TokenSigner().jwk();
  const find = async (url: string) =>
    keySets.at(url)(
      { alg: "RS256", ...(jwk.kid && { kid: jwk.kid }) },
      { payload: "", signature: "" },
    );
  const [first, second] = [find(removed.url), find(kept.url)];
  await expect.poll(() => [removed.state.requests, kept.state.requests]).toEqual([1, 1]);

  keySets.retain(new Set([kept.url]));
  await expect(first).rejects.toThrow("cannot be verified now");
  respond([jwk]);
  expect(await second).toBeDefined();

  const last = find(other.url);
  await expect.poll(() => other.state.requests).toBe(1);
  keySets.close();
  await expect(last).rejects.toThrow("cannot be verified now");
});

test("each reason why keys cannot be read is logged once per outage, and the end of it as a warning", () => {
  const logger = new MemoryLogger();
  const report = createReporter(new URL("https://login.example.com/jwks"), logger);
  const [refused, noKeys] = [new Error("refused"), new Error("no keys")];
  for (const result of [undefined, refused, noKeys, refused, undefined, undefined, refused]) {
    report(result);
  }
  const keys = "the keys for signed contexts from https://login.example.com/jwks";
  expect(logger.lines.map(({ level, parts }) => `${level}: ${String(parts[0])}`)).toEqual([
    `error: Cannot read ${keys}: refused`,
    `error: Cannot read ${keys}: no keys`,
    `warn: Read ${keys} again`,
    `error: Cannot read ${keys}: refused`,
  ]);
});
