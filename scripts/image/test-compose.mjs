import assert from "node:assert/strict";
import { chown, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { rootDirectory } from "../workspace.mjs";
import { createFlag, waitForFlag } from "./flags.mjs";
import { startPostgres } from "./postgres.mjs";
import { run } from "./tools.mjs";

const SOURCE = join(rootDirectory, "deploy/compose");
const FLAG = "compose-flag";
const UID = 65_532;

/** Services share a network namespace here, so each has an address of its own. */
const ADDRESSES = {
  postgres: "127.0.0.2",
  "flags-admin": "127.0.0.3",
  "proxy-1": "127.0.0.4",
  "proxy-2": "127.0.0.5",
};

/** Runs compose.yaml: its commands, variables, secrets and health checks, with a real PostgreSQL server. */
export async function testCompose({ runtime, directory, report }) {
  const project = join(directory, "compose");
  await cp(SOURCE, project, { recursive: true });
  run("sh", ["create-secrets.sh"], { cwd: project });
  const secretsBefore = await readSecrets(project);
  run("sh", ["create-secrets.sh"], { cwd: project });
  assert.deepEqual(await readSecrets(project), secretsBefore, "secrets were replaced");

  const { services, secrets } = await resolve(project);
  assert.deepEqual(Object.keys(services).toSorted(), Object.keys(ADDRESSES).toSorted());
  for (const [name, service] of Object.entries(services)) checkService(name, service);

  const startMs = performance.now();
  const hosts = join(directory, "hosts");
  await writeFile(
    hosts,
    Object.entries(ADDRESSES)
      .map(([name, address]) => `${address} ${name}\n`)
      .join(""),
  );
  const password = secretsBefore["postgres-password"];
  const { POSTGRES_DB: database, POSTGRES_USER: user } = services.postgres.environment;
  const postgres = await startPostgres({
    directory: join(directory, "postgres"),
    address: ADDRESSES.postgres,
    database,
    user,
    password,
  });
  try {
    const startService = async (name) => {
      const volumes = await createVolumes(services[name], join(directory, `volumes-${name}`));
      const options = toOptions(services[name], { name, secrets, hosts, volumes });
      return runtime.start(`compose-${name}`, options);
    };
    const start = async (name) => {
      const container = await startService(name);
      await container.waitFor(...services[name].healthcheck.test.slice(1));
      return container;
    };
    const containers = [await start("flags-admin")];
    containers.push(...(await Promise.all(["proxy-1", "proxy-2"].map(start))));

    await createFlag(`http://${ADDRESSES["flags-admin"]}:4242`, secretsBefore["admin-token"], FLAG);
    const key = secretsBefore["client-keys"];
    const proxies = ["proxy-1", "proxy-2"].map((name) => `http://${ADDRESSES[name]}:3000/proxy`);
    await Promise.all(proxies.map((url) => waitForFlag(url, key, FLAG)));
    const elapsedMs = performance.now() - startMs;

    for (const container of containers.toReversed()) {
      const { code, elapsedMs: stopMs } = await container.stop();
      assert.equal(code, 0);
      const limitMs = 1000 * Number.parseInt(services["proxy-1"].stop_grace_period, 10);
      assert.ok(stopMs < limitMs);
    }
    for (const container of containers) {
      for (const secret of Object.values(secretsBefore)) {
        assert.ok(!container.output().includes(secret), `${container.name} logs a secret`);
      }
    }
    report(
      `compose.yaml: PostgreSQL, flags-admin and two proxies; the flag was on at both after ${(elapsedMs / 1000).toFixed(1)} s`,
    );
  } finally {
    postgres.stop();
  }
}

/** Validates the file with Compose, and resolves its variables and aliases. */
async function resolve(project) {
  const text = await readFile(join(project, "compose.yaml"), "utf8");
  assert.match(text, /^name: flags$/m);
  // Debian's version of Compose is older than this key. It is the only line that it does not validate.
  const input = text.replace(/^name: .*$/m, "");
  const args = ["--project-name=flags", `--project-directory=${project}`, "--file=-", "config"];
  return parse(run("docker-compose", args, { cwd: project, input }));
}

async function readSecrets(project) {
  const names = run("ls", [join(project, "secrets")]).split("\n");
  const texts = names.map((name) => readFile(join(project, "secrets", name), "utf8"));
  return Object.fromEntries(
    (await Promise.all(texts)).map((text, index) => [names[index], text.trim()]),
  );
}

function checkService(name, service) {
  assert.equal(service.restart, "unless-stopped", name);
  assert.ok(service.healthcheck, name);
  assert.ok(service.security_opt.includes("no-new-privileges:true"), name);
  for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/, name);
  if (name === "postgres") return;
  assert.equal(service.read_only, true, name);
  assert.deepEqual(service.cap_drop, ["ALL"], name);
}

/** Creates a directory for each named volume. A new one belongs to the user of the image. */
async function createVolumes({ volumes = [] }, parent) {
  const mounts = volumes.map((volume) => {
    // Compose prints `name:/path:rw`.
    const [name, destination] = volume.split(":");
    return { source: join(parent, name), destination, writable: true };
  });
  for (const { source } of mounts) {
    await mkdir(source, { recursive: true });
    await chown(source, UID, UID);
  }
  return mounts;
}

function toOptions(service, { name, secrets, hosts, volumes }) {
  const mounts = service.secrets.map(({ source }) => ({
    source: secrets[source].file,
    destination: `/run/secrets/${source}`,
  }));
  return {
    ...(service.command && { command: service.command }),
    env: { ...service.environment, HOST: ADDRESSES[name] },
    mounts: [...mounts, ...volumes, { source: hosts, destination: "/etc/hosts" }],
  };
}
