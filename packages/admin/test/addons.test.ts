import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { EVENT_GROUPS } from "../src/storage/event-groups.ts";
import { events } from "../src/storage/schema/events.ts";
import { notifications } from "../src/storage/schema/notifications.ts";
import { deleteExpired, DEFAULT_RETENTION } from "../src/retention.ts";
import { useAdmin } from "./_admin.ts";
import { ADMIN_TOKEN, startService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

const URL_OF_SLACK = "https://hooks.slack.com/services/1";
const VALID = {
  provider: "slack",
  enabled: true,
  parameters: { url: URL_OF_SLACK },
  events: ["feature-created"],
};

describeAnyStorage("/addons", (source) => {
  const admin = useAdmin(source);

  test("lists the kinds of receivers, with the events that are offered", async () => {
    const { body } = await admin.must<{
      providers: { name: string; events: string[]; parameters: { name: string }[] }[];
    }>(200, "GET", "/addons");
    expect(body.providers.map(({ name }) => name)).toEqual([
      "slack",
      "teams-workflow",
      "webhook",
      "datadog",
    ]);
    for (const { events } of body.providers) {
      expect(events).toContain("change-request-sent-to-review");
      expect(events).not.toContain("feature-favorited");
      expect(events.toSorted()).toEqual(
        Object.entries(EVENT_GROUPS).flatMap(([type, group]) => (group === "none" ? [] : type)),
      );
    }
  });

  test.each<[string, object, string]>([
    ["an unknown provider", { provider: "slack-app" }, "/body/provider"],
    ["a missing parameter", { parameters: {} }, "/body/parameters/url"],
    ["an unknown parameter", { parameters: { url: URL_OF_SLACK, x: "1" } }, "/body/parameters/x"],
    ["a masked value", { parameters: { url: "*****" } }, "/body/parameters/url"],
    ["another scheme", { parameters: { url: "ftp://example.com" } }, "/body/parameters/url"],
    ["credentials", { parameters: { url: "https://a:b@example.com" } }, "/body/parameters/url"],
    ["a private address", { parameters: { url: "http://127.0.0.1/" } }, "/body/parameters/url"],
    ["a disguised address", { parameters: { url: "http://0x7f.1/" } }, "/body/parameters/url"],
    ["an IPv6 address", { parameters: { url: "http://[::ffff:7f00:1]/" } }, "/body/parameters/url"],
    [
      "a metadata address",
      { parameters: { url: "http://169.254.169.254" } },
      "/body/parameters/url",
    ],
    ["an unknown event", { events: ["feature-exploded"] }, "/body/events"],
    ["an event that is not offered", { events: ["feature-favorited"] }, "/body/events"],
    ["an unknown project", { projects: ["nowhere"] }, "/body/projects"],
    ["an unknown environment", { environments: ["nowhere"] }, "/body/environments"],
    [
      "a template that breaks JSON",
      {
        provider: "webhook",
        parameters: { url: URL_OF_SLACK, bodyTemplate: '{"a": {{event.createdBy}}}' },
      },
      "/body/parameters/bodyTemplate",
    ],
  ])("rejects %s", async (_what, body, path) => {
    await admin.refuse({ status: 400, name: "BadDataError", path }, "POST", "/addons", {
      ...VALID,
      ...body,
    });
  });

  test("is only for admins", async () => {
    for (const type of ["viewer", "editor"]) {
      const { body } = await admin.must<{ secret: string }>(201, "POST", "/api-tokens", {
        type,
        tokenName: `addons-${type}`,
      });
      const { status } = await admin.call("GET", "/addons", undefined, { token: body.secret });
      expect(status).toBe(403);
    }
  });

  test("records changes without parameters, and keeps what a change omits", async () => {
    const recorded = await admin.eventsOf(async () => {
      const { body } = await admin.must<{ id: number }>(200, "POST", "/addons", {
        ...VALID,
        description: "#releases",
        projects: ["default"],
        environments: ["production"],
      });
      const path = `/addons/${body.id}`;
      const { body: changed } = await admin.must(200, "PUT", path, {
        enabled: false,
        parameters: { url: "*****" },
        events: ["*"],
      });
      expect(changed).toMatchObject({
        description: "#releases",
        destination: "hooks.slack.com",
        projects: ["default"],
        environments: ["production"],
        enabled: false,
      });
      // What was read can be sent back.
      await admin.must(200, "PUT", path, (await admin.must(200, "GET", path)).body);
      await admin.refuse(
        { status: 403, name: "InvalidOperationError" },
        "POST",
        `${path}/rotate-secret`,
      );
      await admin.refuse(
        { status: 400, name: "BadDataError", path: "/body/provider" },
        "PUT",
        path,
        {
          ...VALID,
          provider: "webhook",
        },
      );
      await admin.must(200, "DELETE", path);
      for (const [method, gone] of [
        ["GET", path],
        ["DELETE", path],
        ["POST", `${path}/test`],
        ["GET", `${path}/events`],
        ["POST", `${path}/events/1/resend`],
        ["POST", `${path}/rotate-secret`],
      ] as const) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await admin.refuse({ status: 404, name: "NotFoundError" }, method, gone);
      }
    });
    expect(recorded.map(({ type }) => type)).toEqual([
      "addon-config-created",
      "addon-config-updated",
      "addon-config-deleted",
    ]);
    expect(JSON.stringify(recorded)).not.toContain("hooks.slack.com");
  });

  test("deletes messages after 30 days", async () => {
    const { body } = await admin.must<{ id: number }>(200, "POST", "/addons", {
      ...VALID,
      enabled: false,
    });
    const day = 24 * 60 * 60_000;
    const at = (days: number) => new Date(Date.now() - days * day);
    await admin.storage.db.insert(notifications).values([
      { addon: body.id, event: 1, feature: "", state: "success", createdAt: at(31) },
      { addon: body.id, event: 2, feature: "", state: "failed", createdAt: at(29) },
    ]);
    const { signal } = new AbortController();
    const deleted = await deleteExpired(admin.storage, DEFAULT_RETENTION, { signal });
    expect(deleted["notifications"]).toBe(1);
    await admin.must(200, "DELETE", `/addons/${body.id}`);
  });

  test("keeps events that are still to be sent", async () => {
    const { body } = await admin.must<{ id: number }>(200, "POST", "/addons", {
      ...VALID,
      enabled: false,
    });
    const { db } = admin.storage;
    const event = { type: "tag-created", createdBy: "Anna", actorKind: "system" };
    const rows = await db.insert(events).values([event, event, event]).returning({ id: events.id });
    const [queued, sent, latest] = rows.map(({ id }) => id);
    await db.insert(notifications).values({ addon: body.id, event: queued ?? 0, feature: "" });
    const { signal } = new AbortController();
    const now = new Date(Date.now() + 48 * 60 * 60_000);
    await deleteExpired(admin.storage, { ...DEFAULT_RETENTION, eventDays: 1 }, { signal, now });
    const left = await db.select({ id: events.id }).from(events);
    const ids = left.map(({ id }) => id);
    expect(ids).toContain(queued);
    expect(ids).toContain(latest);
    expect(ids).not.toContain(sent);
    await admin.must(200, "DELETE", `/addons/${body.id}`);
  });
});

describeAnyStorage("the secrets of notifications", (source) => {
  const SECRET = "T0P-S3CR3T";
  const url = `http://127.0.0.1:1/${SECRET}`;
  test.each<[string, Record<string, string>]>([
    ["slack", { url }],
    ["teams-workflow", { url }],
    [
      "webhook",
      { url, authorization: `Bearer ${SECRET}`, customHeaders: `{"X-Key": "${SECRET}"}` },
    ],
    [
      "datadog",
      { url: "http://127.0.0.1:1/", apiKey: SECRET, customHeaders: `{"X-Key": "${SECRET}"}` },
    ],
  ])("of %s appear in no response, event, export and line of the log", async (provider, sent) => {
    const logged: string[] = [];
    const log = (...parts: unknown[]) => void logged.push(inspect(parts, { depth: 9 }));
    const logger = { debug: log, info: log, warn: log, error: log, fatal: log };
    const service = await startService(await source.openFresh(), {
      webhookAllowList: ["127.0.0.1"],
      logger,
    });
    const shown: string[] = [];
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await service.request(path, { method, token: ADMIN_TOKEN, body });
      const text = await response.text();
      expect([path, response.status, text]).toEqual([path, 200, text]);
      shown.push(text);
      return text;
    };
    const { parameters: known } = (
      JSON.parse(await call("GET", "/api/admin/addons")) as {
        providers: { name: string; parameters: { name: string; sensitive: boolean }[] }[];
      }
    ).providers.find(({ name }) => name === provider) ?? { parameters: [] };
    const sensitive = known.filter((parameter) => parameter.sensitive).map(({ name }) => name);
    expect(Object.keys(sent)).toEqual(expect.arrayContaining(sensitive));

    const created = await call("POST", "/api/admin/addons", {
      ...VALID,
      provider,
      parameters: sent,
    });
    const { id } = JSON.parse(created) as { id: number };
    const path = `/api/admin/addons/${id}`;
    const masked = Object.fromEntries(sensitive.map((name) => [name, "*****"]));
    const parameters = { ...sent, ...masked };
    await call("PUT", path, { ...VALID, provider, parameters });
    await call("POST", `${path}/test`);
    await service.admin("POST", "/projects/default/features", { name: "announced" });
    await expect
      .poll(async () => JSON.parse(await call("GET", `${path}/events`)) as unknown)
      .toMatchObject({ integrationEvents: [{ details: { attempts: 1 } }] });
    await service.request(`${path}/test`, { method: "POST", token: "*:*.unknown" });
    for (const page of [
      path,
      "/api/admin/addons",
      "/api/admin/events",
      "/api/admin/search/events",
      "/api/admin/search/events/export",
      "/api/admin/projects/default/export",
      "/api/admin/instance-admin/statistics",
      "/internal-backstage/prometheus",
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await call("GET", page);
    }
    await call("DELETE", path);
    const everything = [...shown, ...logged].join("\n");
    expect(everything).not.toContain(SECRET);
    expect(everything).toContain("*****");
  });
});

describeAnyStorage("the program of the guide", (source) => {
  test("accepts signed messages, and no others", async () => {
    const guide = new URL("../../../docs/guides/notify-slack.md", import.meta.url);
    const [, program] = /```js\n(.*?)```/s.exec(await readFile(guide, "utf8")) ?? [];
    const directory = await mkdtemp(join(tmpdir(), "flags-receiver-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, "receiver.mjs"), program ?? "");
    const service = await startService(await source.openFresh(), {
      webhookAllowList: ["127.0.0.1"],
    });
    const settings = { ...VALID, provider: "webhook" };
    // The program needs the secret before its port is known.
    const { id, secret } = (await service.admin("POST", "/addons", {
      ...settings,
      parameters: { url: "http://127.0.0.1:1/" },
    })) as { id: number; secret: string };
    const child = spawn(process.execPath, ["receiver.mjs"], {
      cwd: directory,
      env: { WEBHOOK_SECRET: secret, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill());
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await once(child.stdout, "data");
    const url = `http://127.0.0.1:${/port (\d+)/.exec(printed)?.[1]}/`;
    await service.admin("PUT", `/addons/${id}`, { ...settings, parameters: { url } });
    expect(await service.admin("POST", `/addons/${id}/test`)).toMatchObject({ state: "success" });
    await expect.poll(() => printed).toContain("sent a test of this notification");
    const forged = await fetch(url, {
      method: "POST",
      headers: {
        "webhook-id": "msg_1",
        "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
        "webhook-signature": "v1,AAAA",
      },
      body: "{}",
    });
    expect(forged.status).toBe(401);
    const metrics = await service.request("/internal-backstage/prometheus", { token: ADMIN_TOKEN });
    const text = await metrics.text();
    expect(text).toContain("flags_admin_notifications_pending 0");
    await service.admin("POST", "/projects/default/features", { name: "measured" });
    await expect
      .poll(async () =>
        (await service.request("/internal-backstage/prometheus", { token: ADMIN_TOKEN })).text(),
      )
      .toContain('flags_admin_notification_attempts_total{provider="webhook",result="success"} 1');
  });
});
