// The console with 5,000 flags in Chromium: until the list is visible, and how smoothly it scrolls.

import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { chromium } from "playwright-core";
import { findProgram } from "../../scripts/system-programs.mjs";
import { ADMIN_TOKEN, startAdminService } from "../lib/admin-service.mjs";
import { atMost, toTable } from "../lib/report.mjs";
import { median } from "../lib/statistics.mjs";

const CONSOLE = fileURLToPath(new URL("../../packages/admin/dist/console", import.meta.url));

const FLAG_COUNT = 5000;
const IMPORTED_AT_ONCE = 500;

const RENDER_TARGET_MS = 200;
const LONG_FRAME_MS = 50;
/** With Brotli, as browsers get them over secure connections. */
const FIRST_VISIT_TARGET_KB = 200;
const SCRIPT_TARGET_KB = 350;

/** Each frame scrolls by almost a screen, so that every row has to be rendered. */
const SCROLL_FRAMES = 200;
const SCROLL_PIXELS = 800;

/** @param plan `rounds` */
export async function runConsoleBench({ rounds }) {
  const directory = await mkdtemp(join(tmpdir(), "flags-bench-"));
  const { service, origin, admin } = await startAdminService({ DATA_DIR: directory });
  const browser = await chromium.launch({
    executablePath: findProgram("chromium"),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    await createFlags(admin);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.addInitScript(notePaint);
    await signIn(page, origin);
    const loads = [];
    for (let round = 0; round < rounds; round++) {
      await page.goto(`${origin}/projects/default/flags`);
      loads.push(await page.evaluate(readTimes));
    }
    const scrolling = await measureScrolling(page);
    return { loads, ...scrolling, ...measureScripts() };
  } finally {
    await browser.close();
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function createFlags(admin) {
  for (let start = 0; start < FLAG_COUNT; start += IMPORTED_AT_ONCE) {
    const features = Array.from({ length: IMPORTED_AT_ONCE }, (_, index) => ({
      name: `flag-${String(start + index).padStart(5, "0")}`,
      description: `The flag with the number ${start + index}, which does something useful`,
      tags: [{ type: "simple", value: `team-${index % 20}` }],
    }));
    await admin.post("/projects/default/import", { version: 1, features });
  }
}

async function signIn(page, origin) {
  await page.goto(origin);
  await page.getByLabel("API token").fill(ADMIN_TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".flag-body .flag-row").first().waitFor();
}

/** Runs in the page before its scripts: notes when the first rows have been painted. */
function notePaint() {
  window.rowsPainted = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector(".flag-body .flag-row") === null) return;
      observer.disconnect();
      // A task after the next frame runs when that frame has been painted.
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    });
    observer.observe(document, { childList: true, subtree: true });
  });
}

/** Runs in the page. Returns milliseconds. */
async function readTimes() {
  const visibleMs = await window.rowsPainted;
  const list = performance
    .getEntriesByType("resource")
    .find(({ name }) => name.endsWith("/projects/default/features"));
  return { visibleMs, renderMs: visibleMs - list.responseEnd };
}

/** Returns the lengths of frames, and the CPU time of the main thread per frame. */
async function measureScrolling(page) {
  const session = await page.context().newCDPSession(page);
  // NOTE: unlike the lengths of frames, hardly affected by other processes.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const readMs = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
  };
  const startMs = await readMs();
  const frames = await page.evaluate(scrollThrough, [SCROLL_FRAMES, SCROLL_PIXELS]);
  return { frames, cpuMsPerFrame: ((await readMs()) - startMs) / frames.length };
}

/** Runs in the page. Scrolls through the list and returns the length of each frame in milliseconds. */
async function scrollThrough([count, pixels]) {
  const frames = [];
  let previous = await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < count; frame++) {
    window.scrollBy(0, pixels);
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - previous);
    previous = now;
  }
  return frames;
}

/** Returns the sizes of the scripts of the sign-in page and the list of flags, and of all scripts. */
function measureScripts() {
  const page = readFileSync(join(CONSOLE, "index.html"), "utf8");
  const all = readdirSync(join(CONSOLE, "assets")).filter((name) => name.endsWith(".js"));
  const first = all.filter((name) => page.includes(name));
  return { firstVisitKb: sumKb(first), scriptKb: sumKb(all) };
}

function sumKb(names) {
  const sizes = names.map(
    (name) => brotliCompressSync(readFileSync(join(CONSOLE, "assets", name))).length,
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}

export function reportConsole({ loads, frames, cpuMsPerFrame, firstVisitKb, scriptKb }) {
  const row = {
    "list visible ms": Math.round(medianOf(loads, "visibleMs")),
    "of which after the response ms": Math.round(medianOf(loads, "renderMs")),
    frames: frames.length,
    "CPU ms/frame": Math.round(cpuMsPerFrame),
    "median frame ms": Math.round(median(frames)),
    [`frames above ${LONG_FRAME_MS} ms`]: longFrames(frames),
    "first visit kB of script": Math.round(firstVisitKb),
    "all kB of script": Math.round(scriptKb),
  };
  return `## Console: the list of ${FLAG_COUNT} flags in Chromium\n\n${toTable([row])}`;
}

export function consoleTargets({ loads, frames, firstVisitKb, scriptKb }) {
  return [
    atMost(
      `console: ms from the response with ${FLAG_COUNT} flags to visible rows`,
      medianOf(loads, "renderMs"),
      RENDER_TARGET_MS,
    ),
    atMost(`console: frames above ${LONG_FRAME_MS} ms while scrolling`, longFrames(frames), 0),
    atMost("console: kB of script of a first visit", firstVisitKb, FIRST_VISIT_TARGET_KB),
    atMost("console: kB of all scripts", scriptKb, SCRIPT_TARGET_KB),
  ];
}

function medianOf(samples, field) {
  return median(samples.map((sample) => sample[field]));
}

function longFrames(frames) {
  return frames.filter((ms) => ms > LONG_FRAME_MS).length;
}
