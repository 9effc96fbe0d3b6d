import { once } from "node:events";
import { statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { readServiceStatus, runInService } from "../src/commands/call-service.ts";
import type { CommandContext } from "../src/commands/command.ts";
import { type CommandSocket, openCommandSocket } from "../src/commands/command-socket.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import type { Storage } from "../src/storage/storage.ts";
import { makeDataDirectory } from "./_command.ts";
import { collectErrors } from "./_service.ts";
import { silentLogger } from "./_storages.ts";

let dataDir: string;
let storage: Storage;
let context: CommandContext;
let socket: CommandSocket | undefined;
let errors: unknown[];

beforeEach(async () => {
  errors = [];
  dataDir = await makeDataDirectory();
  storage = await openStorage({ dataDir, logger: silentLogger });
  const opened = storage;
  context = { storage, url: () => "https://flags.test", hasOpenId: false };
  onTestFinished(() => opened.close());
  socket = await openCommandSocket({ dataDir, context, logger: collectErrors(errors), port: 1 });
});

/** Opens a connection that reads nothing, and sends a request. */
async function send(request: string): Promise<Socket> {
  const client = connect(join(dataDir, "admin.sock"));
  client.on("error", () => undefined);
  onTestFinished(() => void client.destroy());
  await once(client, "connect");
  client.write(request);
  return client;
}

const toRequest = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** Events that do not fit into the buffers of a connection, even compressed. */
async function addLargeEvents(): Promise<void> {
  await storage.transact((db) =>
    db.execute(sql`
      insert into events (type, created_by, actor_kind, data)
      select 'context-field-updated', 'test', 'system', to_jsonb(
        (select string_agg(md5((number * 10000 + part)::text), '')
          from generate_series(1, 10000) as part))
      from generate_series(1, 20) as number`),
  );
}

/** Whether a change waits for something. */
async function isWaiting(change: Promise<unknown>): Promise<boolean> {
  const result = await Promise.race([change, storage.read(async () => "read")]);
  return result === "read";
}

describe("the socket for commands", () => {
  test("is closed while one client does not read its backup and another does not complete its request", async () => {
    await addLargeEvents();
    const unread = await send(toRequest("/commands/backup", "{}"));
    const incomplete = await send("POST /commands/create-token HTTP/1.1\r\n");
    // The backup has begun to hold up changes once the first byte arrives.
    await once(unread, "readable");
    const change = storage.write(SYSTEM_ACTOR, async () => "changed");
    expect(await isWaiting(change)).toBe(true);

    const ended = [unread, incomplete].map((client) => once(client, "close"));
    await socket?.close();
    expect(await change).toBe("changed");
    unread.resume();
    await Promise.all(ended);
    expect(errors).toEqual([]);
    expect(await readServiceStatus(dataDir)).toBeUndefined();
  });

  test("serves flags and accepts other commands while a backup holds up changes", async () => {
    await addLargeEvents();
    const backup = await send(toRequest("/commands/backup", "{}"));
    await once(backup, "readable");
    expect(await readServiceStatus(dataDir)).toMatchObject({
      processId: process.pid,
      port: 1,
      database: { isSetupOpen: true },
    });
    const output = new PassThrough();
    const options = { name: "sdk", type: "frontend" };
    const created = runInService(dataDir, { name: "create-token", options }, output);
    expect(await isWaiting(created)).toBe(true);
    backup.destroy();
    expect(await created).toBe(true);
    output.end();
    expect(await text(output)).toMatch(/^\*:development\./);
    await socket?.close();
  });

  test("rejects what it does not know or cannot read, and goes on", async () => {
    const run = (name: string, options: Record<string, string>) =>
      runInService(dataDir, { name, options }, new PassThrough());
    await expect(run("none", {})).rejects.toThrow("does not know the command none");
    await expect(run("toString", {})).rejects.toThrow("does not know the command toString");
    await expect(run("create-token", { none: "" })).rejects.toThrow(
      "does not know the option --none",
    );
    await expect(run("create-token", { name: "\0", type: "admin" })).rejects.toThrow(
      "--name contains a NUL character",
    );
    await expect(run("create-token", { name: "x".repeat(65_536) })).rejects.toThrow(
      "The options are longer than 64 KiB",
    );
    const tooLong = await send(toRequest("/commands/create-token", "x".repeat(100_000)));
    tooLong.resume();
    await once(tooLong, "close");
    for (const body of ["", "[]", '{"name":1}', "{"]) {
      const client = await send(toRequest("/commands/create-token", body));
      expect(await text(client)).toContain('{"message":"The options are not valid","exitCode":2}');
    }
    const other = await send("DELETE / HTTP/1.1\r\nhost: x\r\n\r\n");
    expect(await text(other)).toContain("HTTP/1.1 500");
    expect((await readServiceStatus(dataDir))?.processId).toBe(process.pid);
    expect(errors).toEqual([]);
    await socket?.close();
  });

  test("is private from the beginning, whatever the umask is", async () => {
    await socket?.close();
    const path = join(dataDir, "admin.sock");
    const previous = process.umask(0);
    try {
      socket = await openCommandSocket({ dataDir, context, logger: collectErrors([]), port: 1 });
      expect(process.umask(0)).toBe(0);
    } finally {
      process.umask(previous);
    }
    // NOTE: the mode with which it was created: nothing changes it later.
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await socket?.close();
  });
});
