import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Command, makeDatabase, startCommand } from "./_command.ts";
import { skipsPostgres } from "./_postgres.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN } from "./_service.ts";

/** When clients commonly give up. The service allows itself 8 s; the rest is for a busy machine. */
const MAX_RESPONSE_MS = 10_000;

const FLAGS = "/api/admin/projects/default/features";

/** Forwards connections to the database until it is frozen: then nothing arrives any more, and nothing is closed. */
class Gate {
  readonly #sockets = new Set<Socket>();
  #isFrozen = false;
  #awaited: readonly string[] = [];

  /** @returns the URL of the database through the gate */
  async start(databaseUrl: string): Promise<string> {
    const url = new URL(databaseUrl);
    const { hostname, port } = url;
    const server = createServer((client) => {
      const database = connect(Number(port), hostname);
      this.#forward(client, database);
      this.#forward(database, client);
      client.prependListener("data", (chunk: Buffer) => this.#inspect(chunk));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      for (const socket of this.#sockets) socket.destroy();
    });
    url.port = String((server.address() as AddressInfo).port);
    return url.href;
  }

  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Freezes when the service has sent these texts to the database, one after the other. */
  freezeAfter(...texts: readonly string[]): void {
    this.#awaited = texts;
  }

  #inspect(chunk: Buffer): void {
    const [next, ...rest] = this.#awaited;
    if (next === undefined || !chunk.includes(next)) return;
    this.#awaited = rest;
    // NOTE: this chunk is still forwarded.
    if (rest.length === 0) this.freeze();
  }

  #forward(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on("data", (chunk) => to.write(chunk));
    if (this.#isFrozen) from.pause();
    from.on("end", () => to.end());
    from.on("error", () => to.destroy());
    from.on("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}

interface Answer {
  readonly status: number;
  readonly body: { readonly name?: string; readonly message?: string };
  readonly elapsedMs: number;
}

async function start(): Promise<{
  readonly command: Command;
  readonly gate: Gate;
  readonly send: (path: string, body?: object, method?: string) => Promise<Answer>;
}> {
  const gate = new Gate();
  const { DATABASE_URL = "" } = await makeDatabase();
  const command = startCommand({
    DATABASE_URL: await gate.start(DATABASE_URL),
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    INIT_CLIENT_API_TOKENS: BACKEND_TOKEN,
  });
  const url = await command.listening();
  const send = async (path: string, body?: object, method?: string): Promise<Answer> => {
    const startMs = performance.now();
    const authorization = path.startsWith("/api/client") ? BACKEND_TOKEN : ADMIN_TOKEN;
    const response = await fetch(`${url}${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { authorization, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? {} : (JSON.parse(text) as Answer["body"]),
      elapsedMs: performance.now() - startMs,
    };
  };
  return { command, gate, send };
}

describe.skipIf(skipsPostgres)("while PostgreSQL does not respond", () => {
  test("reads and writes get a 503 before clients give up, the service recovers, and keeps what it acknowledged", async () => {
    const { command, gate, send } = await start();
    for (const name of ["a", "b"]) expect((await send(FLAGS, { name })).status).toBe(201);
    gate.freeze();
    const requests = [
      send("/ready"),
      ...Array.from({ length: 12 }, () => send("/api/client/features")),
      send(FLAGS),
      ...["c", "d", "e", "f", "g"].map((name) => send(FLAGS, { name })),
      send("/api/admin/context/userId", { sortOrder: 5 }, "PUT"),
    ];
    for (const { status, body, elapsedMs } of await Promise.all(requests)) {
      expect(status).toBe(503);
      expect(body).toMatchObject({
        name: "ServiceUnavailableError",
        message: "The database is unavailable",
      });
      expect(elapsedMs).toBeLessThan(MAX_RESPONSE_MS);
    }
    gate.thaw();
    await expect.poll(async () => (await send("/ready")).status, { timeout: 30_000 }).toBe(200);
    const { body } = await send(FLAGS);
    const { features } = body as { readonly features?: readonly { readonly name: string }[] };
    expect(features?.map(({ name }) => name).toSorted()).toEqual(["a", "b"]);
    expect((await send(FLAGS, { name: "c" })).status).toBe(201);
    command.child.kill("SIGKILL");
  });

  test("a change whose commit is not confirmed gets a 503 that says that it may have been stored", async () => {
    const { gate, send } = await start();
    gate.freezeAfter("pg_notify", "commit\0");
    const { status, body, elapsedMs } = await send(FLAGS, { name: "a" });
    expect(status).toBe(503);
    expect(body.message).toContain("may or may not have been stored");
    expect(elapsedMs).toBeLessThan(MAX_RESPONSE_MS);
    gate.thaw();
    await expect.poll(async () => (await send("/ready")).status, { timeout: 30_000 }).toBe(200);
    expect((await send(`${FLAGS}/a`)).status).toBe(200);
  });

  test("SIGTERM ends the service with exit code 0", async () => {
    const { command, gate, send } = await start();
    gate.freeze();
    const pending = send("/api/client/features").catch(() => undefined);
    command.child.kill("SIGTERM");
    expect((await command.finished()).code).toBe(0);
    await pending;
  });
});
