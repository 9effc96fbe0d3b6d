import { expect, test } from "vitest";
import type { Storage } from "../src/storage/storage.ts";
import { ADMIN_TOKEN, startService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

const EXPORTS = [
  { path: "/projects/default/export" },
  { path: "/features-batch/export", body: { environment: "development", project: "default" } },
  { path: "/projects/unknown/export" },
];

describeAnyStorage("concurrent exports", (source) => {
  test("are read one at a time, so that they do not delay other requests", async () => {
    const storage = await source.openFresh();
    let running = 0;
    let maxRunning = 0;
    const observed: Storage = {
      ...storage,
      read: async (work) => {
        running += 1;
        maxRunning = Math.max(maxRunning, running);
        try {
          return await storage.read(work);
        } finally {
          running -= 1;
        }
      },
    };
    const service = await startService(observed);
    const responses = await Promise.all(
      [...EXPORTS, ...EXPORTS].map(({ path, body }) =>
        service.request(`/api/admin${path}`, {
          method: body === undefined ? "GET" : "POST",
          token: ADMIN_TOKEN,
          body,
        }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 404, 200, 200, 404]);
    expect(maxRunning).toBe(1);
  });
});
