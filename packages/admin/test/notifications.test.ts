import { createHmac } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import type { RecordedEvent } from "../../console/src/api/types.ts";
import { events } from "../src/storage/schema/events.ts";
import { tryOut } from "../src/storage/try-out.ts";
import { writeAndRollBack } from "../src/storage/write-and-roll-back.ts";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import { type Received, type Receiver, startReceiver, withStatus } from "./_receiver.ts";
import { type Service, startService } from "./_service.ts";
import { describeStorages } from "./_storages.ts";
import type { Storage } from "../src/storage/storage.ts";
import type { Resolve } from "../src/notifications/find-target.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface AddonView {
  readonly id: number;
  readonly enabled: boolean;
  readonly parameters: Readonly<Record<string, string>>;
  readonly secret?: string;
  readonly failingSince: string | null;
  readonly disabledReason: string | null;
  readonly pending: number;
  readonly failed: number;
  readonly lastAttempt: { readonly state: string; readonly status: number | null } | null;
}

interface LogEntry {
  readonly id: string;
  readonly state: string;
  readonly stateDetails: string;
  readonly event: Pick<RecordedEvent, "featureName" | "type"> | null;
  readonly details: { readonly attempts: number; readonly status: number | null };
}

const ALL = { enabled: true, events: [], projects: [], environments: [] };
const DEVELOPMENT = "/projects/default/features";

describeStorages("notifications", (source) => {
  let storage: Storage;
  let service: Service;
  let now: Date;
  let resolve: Resolve;
  let warnings: string[];

  beforeEach(async () => {
    storage ??= await source.openFresh();
    now = new Date();
    warnings = [];
    resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    service = await startService(
      storage,
      {
        webhookAllowList: ["127.0.0.1", "receiver.internal"],
        publicUrl: "https://flags.example.com/",
        logger: {
          debug: () => undefined,
          info: () => undefined,
          warn: (message) => warnings.push(String(message)),
          error: (message) => warnings.push(String(message)),
          fatal: (message) => warnings.push(String(message)),
        },
      },
      {
        scheduling: { clock: async () => now, intervalMs: 20 },
        sending: { timeoutMs: 400, resolve: (host) => resolve(host) },
      },
    );
    for (const { id } of await list()) await service.admin("DELETE", `/addons/${id}`);
  });

  const list = async () =>
    ((await service.admin("GET", "/addons")) as { addons: readonly AddonView[] }).addons;
  const read = (id: number) => service.admin("GET", `/addons/${id}`) as Promise<AddonView>;
  const logOf = async (id: number) =>
    (
      (await service.admin("GET", `/addons/${id}/events`)) as {
        integrationEvents: readonly LogEntry[];
      }
    ).integrationEvents;
  const create = (
    { url }: Pick<Receiver, "url">,
    { provider = "webhook", ...more }: Readonly<Record<string, unknown>> = {},
  ) =>
    service.admin("POST", "/addons", {
      provider,
      ...ALL,
      events: ["feature-created", "feature-stale-on", "feature-stale-off"],
      parameters: { url },
      ...more,
    }) as Promise<AddonView & { readonly secret: string }>;

  let flags = 0;
  const createFlag = async (): Promise<string> => {
    const name = `flag-${(flags += 1)}`;
    await service.admin("POST", DEVELOPMENT, { name });
    return name;
  };
  const setStale = (name: string, stale: boolean) =>
    service.admin("POST", "/projects/default/stale", { features: [name], stale });
  const parse = ({ body }: Received) =>
    JSON.parse(body) as RecordedEvent & { readonly summary: string; readonly link: string };

  test("are signed, and say who did what to which flag", async () => {
    const receiver = await startReceiver();
    const { id, secret } = await create(receiver);
    const name = await createFlag();
    const [received] = await receiver.waitFor(1);
    if (received === undefined) throw new TypeError();
    expect(parse(received)).toMatchObject({
      type: "feature-created",
      project: "default",
      featureName: name,
      summary: expect.stringContaining(`created the flag ${name}`),
      link: `https://flags.example.com/projects/default/flags/${name}`,
    });
    const { headers, body } = received;
    const signed = [headers["webhook-id"], headers["webhook-timestamp"], body].join(".");
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    expect(headers["webhook-signature"]).toBe(
      `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
    );
    await expect
      .poll(() => read(id))
      .toMatchObject({
        pending: 0,
        failingSince: null,
        lastAttempt: { state: "success", status: 200 },
      });
  });

  test("of what was rolled back, tried out or filtered are not sent", async () => {
    const receiver = await startReceiver();
    await create(receiver, { projects: ["default"], environments: ["production"] });
    const other = await startReceiver();
    await create(other, { enabled: false });
    const record = { type: "feature-created", project: "default", feature: "tried" } as const;
    await writeAndRollBack(storage, SYSTEM_ACTOR, ({ record: add }) => add(record));
    await storage.write(SYSTEM_ACTOR, async (transaction) => {
      await tryOut(transaction, () => transaction.record(record));
      for (const more of [
        { type: "feature-archived" },
        { environment: "development" },
        { project: "other" },
      ] as const) {
        await transaction.record({ ...record, feature: "filtered", ...more });
      }
      await transaction.record({ ...record, feature: "wanted", environment: "production" });
      await transaction.record({ type: "feature-created", feature: "everywhere" });
    });
    const received = await receiver.waitFor(2);
    expect(received.map((each) => parse(each).featureName).toSorted()).toEqual([
      "everywhere",
      "wanted",
    ]);
    await createFlag();
    await receiver.waitFor(3);
    expect(receiver.received).toHaveLength(3);
    expect(other.received).toEqual([]);
  });

  test("are tried again with the same id, and first attempts are in order per flag", async () => {
    const receiver = await startReceiver(withStatus(500));
    const { id } = await create(receiver);
    const name = await createFlag();
    for (const stale of [true, false, true]) await setStale(name, stale);
    const first = await receiver.waitFor(4);
    expect(first.map((each) => parse(each).type)).toEqual([
      "feature-created",
      "feature-stale-on",
      "feature-stale-off",
      "feature-stale-on",
    ]);
    const { failingSince } = await read(id);
    expect(failingSince).toBe(now.toISOString());
    expect(warnings).toEqual([
      `Notification ${id} (webhook) cannot be delivered, and is tried again for three days: The receiver answered with status 500`,
    ]);
    // For an hour, nothing but failures.
    const haveEnded = (attempts: number) =>
      expect
        .poll(async () => (await logOf(id)).map(({ details }) => details.attempts))
        .toEqual([attempts, attempts, attempts, attempts]);
    await haveEnded(1);
    for (const [minutes, attempts] of [
      [1, 2],
      [6, 3],
      [36, 4],
    ] as const) {
      now = new Date(now.getTime() + minutes * MINUTE_MS);
      await haveEnded(attempts);
    }
    expect(receiver.received).toHaveLength(16);
    receiver.answer = withStatus(204);
    now = new Date(now.getTime() + 3 * HOUR_MS);
    const all = await receiver.waitFor(20);
    const ids = all.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(4);
    await expect.poll(() => read(id)).toMatchObject({ pending: 0, failingSince: null });
    expect((await logOf(id)).map(({ state, details }) => [state, details.attempts])).toEqual(
      Array.from({ length: 4 }, () => ["success", 5]),
    );
  });

  test("are given up after three days, and their addon is disabled after five", async () => {
    const receiver = await startReceiver(withStatus(500));
    const { id } = await create(receiver);
    await createFlag();
    const hours = [0.002, 0.09, 0.5, 2, 5, 10, 14, 20, 24];
    for (const attempts of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
      await receiver.waitFor(attempts);
      await expect.poll(() => logOf(id)).toMatchObject([{ details: { attempts } }]);
      now = new Date(now.getTime() + (hours[attempts - 1] ?? 0) * HOUR_MS);
    }
    expect(await logOf(id)).toMatchObject([{ state: "failed" }]);
    expect(await read(id)).toMatchObject({ enabled: true, failed: 1, pending: 0 });
    now = new Date(now.getTime() + 48 * HOUR_MS);
    await createFlag();
    await expect
      .poll(() => read(id))
      .toMatchObject({ enabled: false, disabledReason: expect.stringContaining("five days") });
    expect(warnings.at(-1)).toMatch(/^Notification \d+ \(webhook\) is disabled: /);
    await createFlag();
    expect(receiver.received).toHaveLength(11);
  });

  test("stop at once if the receiver is gone, and an event says so", async () => {
    const receiver = await startReceiver(withStatus(410));
    const watcher = await startReceiver();
    const { id } = await create(receiver);
    await create(watcher, { events: ["addon-config-updated"] });
    const name = await createFlag();
    await setStale(name, true);
    const [received] = await watcher.waitFor(1);
    if (received === undefined) throw new TypeError();
    expect(parse(received)).toMatchObject({
      createdBy: "system",
      data: { id, enabled: false, reason: expect.stringContaining("410") },
    });
    expect(parse(received).summary).toBe(
      "The service turned off the notification webhook: The receiver says that it no longer exists (status 410)",
    );
    expect(await read(id)).toMatchObject({
      enabled: false,
      disabledReason: expect.stringContaining("410"),
      pending: 0,
    });
    expect(receiver.received.length).toBeLessThanOrEqual(2);
    receiver.answer = withStatus(200);
    const { parameters } = await read(id);
    await service.admin("PUT", `/addons/${id}`, { ...ALL, parameters });
    expect(await read(id)).toMatchObject({ enabled: true, disabledReason: null });
  });

  test("reach others while a receiver hangs", async () => {
    let open = 0;
    let maxOpen = 0;
    const hanging = await startReceiver((response) => {
      open += 1;
      maxOpen = Math.max(maxOpen, open);
      response.on("close", () => (open -= 1));
    });
    const quick = await startReceiver();
    const { id } = await create(hanging);
    await create(quick);
    for (let count = 0; count < 10; count++) await createFlag();
    await quick.waitFor(10);
    await hanging.waitFor(10);
    // Those that were given up may not be closed yet.
    expect(maxOpen).toBeLessThanOrEqual(8);
    await expect
      .poll(async () => (await logOf(id)).every(({ details }) => details.attempts === 1))
      .toBe(true);
    expect((await logOf(id))[0]?.stateDetails).toBe("There was no response within 0 s");
  });

  test("obey Retry-After", async () => {
    const receiver = await startReceiver(withStatus(429, { "retry-after": "3600" }));
    const { id } = await create(receiver);
    await createFlag();
    await receiver.waitFor(1);
    await expect
      .poll(() => logOf(id))
      .toMatchObject([
        { details: { nextAttemptAt: new Date(now.getTime() + HOUR_MS).toISOString() } },
      ]);
  });

  test.each<[string, Parameters<typeof startReceiver>[0], string]>([
    ["redirects", withStatus(302, { location: "http://127.0.0.1:1/" }), "redirects (status 302)"],
    ["fails", withStatus(404), "status 404"],
    ["closes the connection", (response) => response.destroy(), "closed the connection"],
  ])("say what is wrong if a receiver %s", async (_what, answer, reason) => {
    const receiver = await startReceiver(answer);
    const { id } = await create(receiver);
    expect(await service.admin("POST", `/addons/${id}/test`)).toMatchObject({
      state: "failed",
      reason: expect.stringContaining(reason),
    });
    expect(receiver.received).toHaveLength(1);
  });

  test("do not read large responses", async () => {
    let closed: () => void;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const receiver = await startReceiver((response) => {
      response.on("close", () => closed());
      response.writeHead(200).write("x".repeat(2 * 1024 * 1024));
    });
    const { id } = await create(receiver);
    expect(await service.admin("POST", `/addons/${id}/test`)).toMatchObject({
      state: "success",
      status: 200,
    });
    await isClosed;
  });

  test("are never sent to an address that is not public, although its name was at first", async () => {
    resolve = async () => [{ address: "8.8.8.8", family: 4 }];
    const { id } = await create({ url: "http://rebinding.example/" });
    for (const address of ["127.0.0.2", "10.0.0.1", "169.254.169.254", "::ffff:10.0.0.1"]) {
      resolve = async () => [
        { address: "8.8.8.8", family: 4 },
        { address, family: address.includes(":") ? 6 : 4 },
      ];
      expect(await service.admin("POST", `/addons/${id}/test`)).toMatchObject({
        state: "failed",
        status: null,
        reason: expect.stringMatching(/not public|never allowed/),
      });
    }
  });

  test("connect to the checked address", async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const { id } = await create({ url: `http://receiver.internal:${port}/hook` });
    expect(await service.admin("POST", `/addons/${id}/test`)).toMatchObject({ state: "success" });
    expect(receiver.received[0]?.headers.host).toBe(`receiver.internal:${port}`);
  });

  test("can be sent again", async () => {
    const receiver = await startReceiver();
    const { id } = await create(receiver);
    await createFlag();
    await receiver.waitFor(1);
    await expect.poll(() => logOf(id)).toMatchObject([{ state: "success" }]);
    const [entry] = await logOf(id);
    await service.admin("POST", `/addons/${id}/events/${entry?.id}/resend`);
    const [first, second] = await receiver.waitFor(2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    await expect(service.admin("POST", `/addons/${id}/events/1/resend`)).rejects.toThrow("404");
  });

  test("are signed with both secrets for a day after a change", async () => {
    const receiver = await startReceiver();
    const { id, secret } = await create(receiver);
    const rotated = (await service.admin("POST", `/addons/${id}/rotate-secret`)) as {
      secret: string;
    };
    expect(rotated.secret).not.toBe(secret);
    const countSignatures = async () => {
      const count = receiver.received.length;
      await service.admin("POST", `/addons/${id}/test`);
      return String(receiver.received[count]?.headers["webhook-signature"]).split(" ").length;
    };
    expect(await countSignatures()).toBe(2);
    now = new Date(now.getTime() + 24 * HOUR_MS);
    expect(await countSignatures()).toBe(1);
  });

  test("keep secrets out of responses, events and the log", async () => {
    const receiver = await startReceiver(withStatus(500));
    const secrets = ["SECRET-PATH", "SECRET-AUTHORIZATION", "SECRET-HEADER"];
    const created = await create(
      { url: `${receiver.url}/SECRET-PATH` },
      {
        events: [],
        parameters: {
          url: `${receiver.url}/SECRET-PATH`,
          authorization: "SECRET-AUTHORIZATION",
          customHeaders: '{"x-key":"SECRET-HEADER"}',
          contentType: "application/json",
        },
      },
    );
    const { id, secret } = created;
    await receiver.waitFor(1);
    expect(receiver.received[0]).toMatchObject({
      path: "/hook/SECRET-PATH",
      headers: { authorization: "SECRET-AUTHORIZATION", "x-key": "SECRET-HEADER" },
    });
    expect(created.parameters).toEqual({
      url: "*****",
      authorization: "*****",
      customHeaders: "*****",
      contentType: "application/json",
    });
    const { parameters } = await read(id);
    await service.admin("PUT", `/addons/${id}`, {
      ...ALL,
      description: "Changed",
      parameters: { ...parameters, authorization: "SECRET-OTHER" },
    });
    await service.admin("POST", `/addons/${id}/test`);
    expect(receiver.received.at(-1)).toMatchObject({
      path: "/hook/SECRET-PATH",
      headers: { authorization: "SECRET-OTHER", "x-key": "SECRET-HEADER" },
    });
    const token = (await service.admin("POST", "/api-tokens", {
      tokenName: "for-notifications",
      type: "client",
      environment: "development",
    })) as { secret: string };
    await expect
      .poll(() => receiver.received.some(({ body }) => body.includes("for-notifications")))
      .toBe(true);
    const { secret: newSecret } = (await service.admin("POST", `/addons/${id}/rotate-secret`)) as {
      secret: string;
    };
    const shown = JSON.stringify([
      await list(),
      await logOf(id),
      warnings,
      await storage.db.select().from(events),
      receiver.received.map(({ body }) => body),
    ]);
    for (const text of [...secrets, "SECRET-OTHER", secret, newSecret, token.secret]) {
      expect(shown).not.toContain(text);
    }
  });
});
