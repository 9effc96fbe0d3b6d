import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { run } from "./tools.mjs";

const MAX_MB = 200;
const NODE = "usr/local/bin/node";

/** Compiles the bundle as the command does, and shows whether V8 accepted the code cache. */
const READ_CODE_CACHE = `
  for (const name of ["admin", "proxy"]) {
    const { bundle } = await import("/app/packages/" + name + "/bin/load-bundle.js");
    console.log(name, bundle.compile().cachedDataRejected === false ? "used" : "not used");
  }
`;

/** Lists what a process of the image could change. */
const FIND_WRITABLE = `
  const { accessSync, constants, readdirSync } = await import("node:fs");
  const paths = ["/app", "/usr/local", ...readdirSync("/app", { recursive: true }).map((path) => "/app/" + path)];
  const isWritable = (path) => { try { accessSync(path, constants.W_OK); return true; } catch { return false; } };
  console.log(JSON.stringify(paths.filter(isWritable)));
`;

export async function testContent({ image, runtime, report }) {
  const { root, config } = image;
  assert.equal(config.User, "65532:65532");
  assert.equal(config.StopSignal, "SIGTERM");
  assert.deepEqual(config.Cmd, ["flags-proxy"]);
  assert.deepEqual(config.Healthcheck.Test, ["CMD", "node", "/app/health.js"]);
  assert.equal(config.Labels["org.opencontainers.image.licenses"], "Apache-2.0");

  const unwanted = [
    "bin/sh",
    "app/node_modules/typescript",
    "app/node_modules/vitest",
    "app/scripts",
  ];
  for (const path of unwanted)
    assert.ok(!existsSync(join(root, path)), `The image contains ${path}`);
  const names = ["-name", "*.ts", "-o", "-name", "*.map", "-o", "-name", ".npmrc"];
  const leftovers = run("find", [join(root, "app"), ...names]);
  assert.equal(leftovers, "");

  const [totalMb, appMb, nodeMb] = ["", "app", NODE].map((path) => measureMb(join(root, path)));
  report(
    `${totalMb.toFixed(1)} MB: base ${(totalMb - appMb - nodeMb).toFixed(0)}, ` +
      `Node ${nodeMb.toFixed(0)}, commands ${appMb.toFixed(0)}`,
  );
  assert.ok(totalMb < MAX_MB, `The image is larger than ${MAX_MB} MB`);

  assert.equal(
    await evaluate(runtime, "code-cache", READ_CODE_CACHE),
    "admin not used\nproxy used",
  );
  assert.equal(await evaluate(runtime, "writable", FIND_WRITABLE), "[]");
}

function measureMb(path) {
  return Number(run("du", ["-sb", path]).split("\t")[0]) / 1e6;
}

/** Runs a script with the image's Node and returns what it prints. */
async function evaluate(runtime, name, script) {
  const command = ["node", "--input-type=module", "--eval", script];
  const container = await runtime.start(name, { command });
  assert.equal(await container.exited, 0, container.output());
  return container.output().trim();
}
