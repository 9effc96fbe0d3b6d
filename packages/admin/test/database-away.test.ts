import { describe, expect, onTestFinished, test } from "vitest";
import { openStorage } from "../src/storage/open-storage.ts";
import { skipsPostgres, startPostgres } from "./_postgres.ts";
import { startService } from "./_service.ts";
import { silentLogger } from "./_storages.ts";

describe.skipIf(skipsPostgres)("while PostgreSQL is away", () => {
  test("reads and changes are answered with 503 and when to come back, and then work again", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.close());
    const databaseUrl = await server.createDatabase();
    const storage = await openStorage({ databaseUrl, dataDir: "", logger: silentLogger });
    onTestFinished(() => storage.close());
    const service = await startService(storage);
    const token = "*:*.the-admin-of-the-tests";
    const calls = [
      ["GET", "/api/admin/context", undefined],
      ["PUT", "/api/admin/context/userId", { sortOrder: 5 }],
      ["POST", "/api/admin/projects/default/revive", { features: [] }],
    ] as const;
    const statuses = async (): Promise<number[]> => {
      const answers = calls.map(([method, path, body]) =>
        service.request(path, { method, token, body }),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    };

    expect(await statuses()).toEqual([200, 200, 200]);
    await server.kill();
    expect(await statuses()).toEqual([503, 503, 503]);
    const answer = await service.request("/api/admin/context", { token });
    expect(answer.headers.get("retry-after")).toBe("1");
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ name: "ServiceUnavailableError" });
    expect(text).not.toMatch(/ECONN|127\.0\.0\.1|postgres|select/i);

    await server.restart();
    expect(await statuses()).toEqual([200, 200, 200]);
  }, 60_000);
});
