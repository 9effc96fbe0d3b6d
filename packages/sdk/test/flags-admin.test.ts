import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SYNCHRONIZATIONS } from "../src/sync/synchronizer.ts";
import type { FlagsClient } from "flags-sdk";
import { AdminService, CLIENT_TOKEN } from "./_admin.ts";
import { flagNames, nextEvent, startClient } from "./_client.ts";

// Starting a database is slow on a busy machine.

/** Waits until a condition is true for every client. */
async function until(
  clients: readonly FlagsClient[],
  isExpected: (client: FlagsClient) => boolean,
): Promise<void> {
  for (const client of clients) {
    while (!isExpected(client)) await nextEvent(client, "changed");
  }
}

describe("FlagsClient, against flags-admin", () => {
  const admin = new AdminService();
  beforeAll(() => admin.start());
  afterAll(() => admin.dispose());

  it("receives each change on a stream, without polling", async () => {
    await admin.createFlag("z");
    const client = await startClient(admin, {
      synchronization: "streaming",
      token: CLIENT_TOKEN,
      refreshIntervalMs: 600_000,
    });
    const failures: Error[] = [];
    client.on("failure", (error) => failures.push(error));
    // The next poll would be ten minutes later.
    await admin.switchFlag("z", false);
    await until([client], () => !client.isEnabled("z"));
    await admin.switchFlag("z", true);
    await until([client], () => client.isEnabled("z"));
    expect(failures).toEqual([]);
    expect(flagNames(client)).toEqual(["z"]);
  });

  it("each synchronization mode leads to the same flags and segments in the same order, even after a restart", async () => {
    await admin.createFlag("m");
    const clients = await Promise.all(
      SYNCHRONIZATIONS.map((synchronization) =>
        startClient(admin, { synchronization, token: CLIENT_TOKEN, refreshIntervalMs: 50 }),
      ),
    );
    await admin.switchFlag("m", false);
    await until(clients, (client) => !client.isEnabled("m"));
    await admin.createFlag("a");
    await until(clients, (client) => client.isEnabled("a"));
    await admin.addSegment("a");

    const failures = clients.map((client) => nextEvent(client, "failure"));
    await admin.stop();
    await Promise.all(failures);
    for (const client of clients) expect(flagNames(client)).toEqual(["a", "m", "z"]);
    await admin.start();
    await admin.createFlag("b");
    await until(clients, (client) => client.isEnabled("b"));
    await admin.admin("POST", "/projects/default/archive", { features: ["m", "z"] });
    await until(clients, (client) => flagNames(client).length === 2);
    expect(new Set(clients.map((client) => client.snapshot?.revision)).size).toBe(1);
    for (const client of clients) expect(flagNames(client)).toEqual(["a", "b"]);
  });
});
