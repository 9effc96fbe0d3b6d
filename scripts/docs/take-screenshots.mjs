// `npm run docs:screenshots`: takes the screenshots of the documents from the running programs, with Chromium. Run it after a change
// of the pages, look at the pictures in docs/images, and commit them. Requires a build.

import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";
import { rootDirectory } from "../workspace.mjs";
import { findFreePorts } from "./free-ports.mjs";
import { startServer } from "./server.mjs";

const LARGEST_BYTES = 150_000;
const FIRST_FLAG = "new-header";

/** The demo page on a desktop and on a phone. */
const SHOTS = [
  { name: "quickstart-light", width: 1280, height: 800, colorScheme: "light" },
  { name: "quickstart-dark", width: 1280, height: 800, colorScheme: "dark" },
  { name: "quickstart-phone", width: 390, height: 844, colorScheme: "light" },
];

const directory = await mkdtemp(join(tmpdir(), "flags-screenshots-"));
const ports = await findFreePorts({ admin: 0, proxy: 0 });
const quickstart = await startServer({
  place: "the quickstart",
  text: "npm start\n",
  ports,
  folder: rootDirectory,
  environment: { DATA_DIR: directory },
});
const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
try {
  for (const shot of SHOTS) await takeScreenshot(shot);
} finally {
  await browser.close();
  await quickstart.stop();
  await rm(directory, { recursive: true, force: true });
}

async function takeScreenshot({ name, width, height, colorScheme }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto(`http://127.0.0.1:${ports.proxy}/`);
  await page.getByText(FIRST_FLAG).first().waitFor();
  await page.waitForLoadState("networkidle", { timeout: 3000 }).catch(() => {});
  const path = join(rootDirectory, "docs", "images", `${name}.png`);
  await writeFile(path, await page.screenshot({ animations: "disabled" }));
  await page.close();
  const { size } = await stat(path);
  if (size > LARGEST_BYTES)
    throw new Error(`${path} has ${size} bytes: at most ${LARGEST_BYTES} are allowed`);
  console.log(`docs/images/${name}.png: ${Math.round(size / 1000)} kB`);
}

function findChromium() {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    try {
      accessSync(join(folder, "chromium"), constants.X_OK);
      return join(folder, "chromium");
    } catch {
      // Look in the next folder.
    }
  }
  throw new Error("Chromium is not installed: on Debian, apt-get install chromium");
}
