import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { TlsMaterial } from "../config/load-network.ts";
import { TlsFiles } from "./tls-files.ts";

const HOUR_MS = 3_600_000;

const materialOf = (cert: string, validFromMs: number): TlsMaterial => ({
  cert,
  key: "key",
  clientCa: undefined,
  validFromMs,
  validToMs: validFromMs + HOUR_MS,
});

test("a certificate that is not valid yet is used as soon as it is valid, without a change to its file", async () => {
  const now = vi.spyOn(Date, "now").mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  const error = vi.fn();
  const warn = vi.fn();
  const files = new TlsFiles({
    material: materialOf("first", 0),
    paths: [],
    load: () => materialOf("second", 1000),
    logger: { info: vi.fn(), warn, error },
  });
  onTestFinished(() => files.close());
  await expect.poll(() => error.mock.calls.length).toBe(1);
  expect(String(error.mock.calls[0])).toContain("the certificate is not valid before 1970");
  expect(files.material.cert).toBe("first");
  now.mockReturnValue(1000);
  await expect.poll(() => files.material.cert).toBe("second");
  expect(error).toHaveBeenCalledTimes(1);
  expect(String(warn.mock.calls)).toMatch(/^The TLS certificate was replaced\./);
});

test("files that contain the current certificate again are reported", async () => {
  const directory = mkdtempSync(join(tmpdir(), "tls-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "tls.crt");
  const messages: string[] = [];
  const log = (message: string): void => void messages.push(message);
  const current = materialOf("current", 0);
  let loaded: TlsMaterial | { problems: string[] } = { problems: ["it contains no certificate"] };
  const files = new TlsFiles({
    material: current,
    paths: [path],
    load: () => loaded,
    logger: { info: vi.fn(), warn: log, error: log },
  });
  onTestFinished(() => files.close());
  await expect.poll(() => messages.length).toBe(1);
  loaded = current;
  writeFileSync(path, "changed");
  await expect.poll(() => messages.length).toBe(2);
  expect(messages).toEqual([
    expect.stringContaining("cannot be used"),
    "The TLS files can be used again. They contain the certificate in use",
  ]);
});
