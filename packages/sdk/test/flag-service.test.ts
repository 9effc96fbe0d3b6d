import { describe, expect, it } from "vitest";
import type { FlagsClient } from "flags-sdk";
import { AdminService, CLIENT_TOKEN } from "./_admin.ts";
import { flagNames, nextEvent, startClient } from "./_client.ts";

/** Waits until a client sees what is expected, looking at each change. */
async function until(client: FlagsClient, isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextEvent(client, "changed");
}

describe.each(["polling", "delta", "streaming"] as const)(
  "%s, against flags-admin",
  (synchronization) => {
    it("follows flags and segments, in one order, also across a restart", async () => {
      const admin = await AdminService.start();
      await admin.createFlag("m");
      const options = { synchronization, token: CLIENT_TOKEN, refreshIntervalMs: 50 };
      const client = await startClient(admin, options);
      expect(client.isEnabled("m")).toBe(true);

      await admin.switchFlag("m", false);
      await until(client, () => !client.isEnabled("m"));
      await admin.createFlag("a");
      await until(client, () => client.isEnabled("a"));
      await admin.admin("POST", "/segments", {
        name: "gold",
        constraints: [{ contextName: "plan", operator: "IN", values: ["gold"] }],
      });
      await admin.admin(
        "POST",
        "/projects/default/features/a/environments/development/strategies",
        {
          name: "default",
          segments: [1],
        },
      );

      await admin.stop();
      await nextEvent(client, "failure");
      expect(flagNames(client)).toEqual(["a", "m"]);
      await admin.start();
      await admin.createFlag("b");
      await until(client, () => client.isEnabled("b"));
      await admin.admin("POST", "/projects/default/archive", { features: ["m"] });
      await until(client, () => flagNames(client).length === 2);
      expect(flagNames(client)).toEqual(["a", "b"]);

      const fresh = await startClient(admin, options);
      expect(fresh.snapshot?.revision).toBe(client.snapshot?.revision);
    });
  },
);

describe("streaming, against flags-admin", () => {
  it("hears of a change as soon as it is answered, and never polls", async () => {
    const admin = await AdminService.start();
    await admin.createFlag("a");
    const client = await startClient(admin, {
      synchronization: "streaming",
      token: CLIENT_TOKEN,
      refreshIntervalMs: 600_000,
    });
    await admin.switchFlag("a", false);
    await until(client, () => !client.isEnabled("a"));
    await admin.switchFlag("a", true);
    await until(client, () => client.isEnabled("a"));
  });
});
