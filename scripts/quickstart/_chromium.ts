import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Without Chromium, its tests are skipped. In CI they fail instead. */
export const skipsChromium = findChromium() === undefined && process.env["CI"] !== "true";

/** Starts a browser with a temporary profile. */
export function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error("Chromium is not installed: on Debian, apt-get install chromium");
  }
  return chromium.launch({ executablePath, headless: true, args: ARGUMENTS });
}

function findChromium(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "chromium")).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
