import { join } from "node:path";
import { expect, test } from "vitest";
import { makeDirectory, startCommand } from "./_command.ts";

test("flags-admin ends at once on SIGTERM while it creates the embedded database, and creates it again later", async () => {
  const DATA_DIR = join(makeDirectory(), "data");
  const interrupted = startCommand({ DATA_DIR });
  const output = (): string => interrupted.stdout();
  await expect
    .poll(output, { timeout: 60_000 })
    .toMatch(/^\[.*\] INFO: Creating the database in .*data\n$/);
  interrupted.child.kill("SIGTERM");
  const { code, stdout } = await interrupted.finished();
  expect(code).toBe(0);
  expect(stdout).not.toContain("is listening on");

  const next = startCommand({ DATA_DIR });
  expect(await next.listening()).toMatch(/^http:/);
  expect(next.stdout()).toContain("was never completed: creating it again");
});
