// Tests the built image. scripts/test-image.mjs runs this in a network namespace of its own.

import { readFile } from "node:fs/promises";
import { testCommands } from "./test-commands.mjs";
import { testCompose } from "./test-compose.mjs";
import { testContent } from "./test-content.mjs";
import { testSystemd } from "./test-systemd.mjs";
import { createRuntime } from "./container.mjs";
import { run } from "./tools.mjs";

const [imageFile, directory] = process.argv.slice(2);
const image = JSON.parse(await readFile(imageFile, "utf8"));
const runtime = createRuntime({ image, directory });

run("ip", ["link", "set", "lo", "up"]);

try {
  for (const tests of [testContent, testCommands, testSystemd, testCompose]) {
    await tests({ image, runtime, directory, report });
  }
} catch (error) {
  console.error(`image: ${error.message}`);
  for (const container of runtime.started) {
    console.error(`--- ${container.name}\n${container.output().trimEnd()}`);
  }
  process.exitCode = 1;
} finally {
  await runtime.stopAll();
}

function report(text) {
  console.log(`image: ${text}`);
}
