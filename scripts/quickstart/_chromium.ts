import { type Browser, chromium } from "playwright-core";
import { findProgram } from "../system-programs.mjs";

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
export const skipsChromium = findProgram("chromium") === undefined && process.env["CI"] !== "true";

/** Starts a browser with a temporary profile. */
export function startChromium(): Promise<Browser> {
  const executablePath = findProgram("chromium");
  if (executablePath === undefined) {
    throw new Error("Chromium is not installed: on Debian, apt-get install chromium");
  }
  return chromium.launch({ executablePath, headless: true, args: ARGUMENTS });
}
