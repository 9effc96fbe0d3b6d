import { randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStorage } from "../src/storage/open-storage.ts";
import { skipsPostgres, startPostgres } from "./_postgres.ts";
import { ADMIN_TOKEN, startService } from "./_service.ts";
import { mountSmallDisk, skipsSmallDisks } from "./_small-disk.ts";
import { silentLogger } from "./_storages.ts";

describe.skipIf(skipsPostgres || skipsSmallDisks)("with PostgreSQL on a small disk", () => {
  test("writes get a 503 that says why, reads are served, and writes resume", async () => {
    const disk = mountSmallDisk(300);
    // PostgreSQL runs as another user.
    chmodSync(disk.directory, 0o777);
    const server = await startPostgres(disk.directory);
    onTestFinished(() => server.close());
    const databaseUrl = await server.createDatabase();
    const storage = await openStorage({ databaseUrl, dataDir: "", logger: silentLogger });
    onTestFinished(() => storage.close());
    const service = await startService(storage);
    const createSegment = (name: string) =>
      service.request("/api/admin/segments", {
        method: "POST",
        token: ADMIN_TOKEN,
        body: {
          name,
          constraints: Array.from({ length: 10 }, () => ({
            contextName: "userId",
            operator: "IN",
            values: Array.from({ length: 10 }, () => randomBytes(70).toString("base64url")),
          })),
        },
      });
    expect((await createSegment("stored")).status).toBe(201);

    disk.fillUpTo(0);
    let refused = await createSegment("s0");
    for (let count = 1; refused.status === 201; count++) {
      expect(count).toBeLessThan(200);
      refused = await createSegment(`s${count}`);
    }
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("10");
    const text = await refused.text();
    expect(JSON.parse(text)).toMatchObject({ name: "InsufficientStorageError" });
    expect(text).not.toMatch(/insert|base\/|postgres/i);
    const ready = await service.request("/ready");
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ name: "InsufficientStorageError" });
    const read = await service.request("/api/admin/segments", { token: ADMIN_TOKEN });
    expect(read.status).toBe(200);
    expect(await read.text()).toContain("stored");
    const metrics = await (await service.request("/internal-backstage/prometheus")).text();
    expect(metrics).toMatch(/^flags_admin_disk_full_errors_total 1$/m);
    expect(metrics).not.toContain("flags_admin_disk_free_bytes");

    disk.release();
    expect((await createSegment("resumed")).status).toBe(201);
    expect((await service.request("/ready")).status).toBe(200);
  });
});
