// The built command with an access file, with and without workers.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDirectory, replaceFile } from "./_access-file.ts";
import { eventually, runCommand, startCommand, untilReady } from "./_command.ts";
import { AUDIENCE, ISSUER, startKeyServer, TokenSigner } from "./_signed-context.ts";

async function startUpstream(): Promise<string> {
  const features = ["web.a", "app.a"].map((name) => ({
    name,
    project: name.slice(0, 3),
    enabled: true,
    strategies: [{ name: "default" }],
  }));
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ version: 2, features, segments: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
}

async function createSettings(keys: readonly object[]) {
  const path = join(await createDirectory(), "access.json");
  await replaceFile(path, JSON.stringify({ keys }));
  return {
    path,
    environment: {
      FLAGS_URL: await startUpstream(),
      FLAGS_API_TOKEN: "*:production.upstream-token-1",
      FLAGS_ACCESS_FILE: path,
    },
  };
}

test.each(["1", "2"])("%s processes serve the keys of a file, and follow it", async (workers) => {
  const { path, environment } = await createSettings([
    { name: "web", key: "*:production.web-key", projects: ["web"] },
  ]);
  const command = startCommand({
    ...environment,
    FLAGS_PROXY_WORKERS: workers,
    LOG_LEVEL: "info",
  });
  const url = await command.listening();
  // A new connection each time, so that all workers are reached.
  const get = (key: string) =>
    fetch(`${url}/proxy`, { headers: { authorization: key, connection: "close" } });
  const statuses = async (key: string): Promise<readonly number[]> => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => get(key)));
    return [...new Set(responses.map(({ status }) => status))];
  };
  await untilReady(url);
  const text = await (await get("*:production.web-key")).text();
  expect(text).toContain("web.a");
  expect(text).not.toContain("app.a");
  await replaceFile(path, JSON.stringify({ keys: [{ name: "new", key: "new-key" }] }));
  await eventually(() => statuses("new-key")).toEqual([200]);
  expect(await statuses("*:production.web-key")).toEqual([401]);
  await writeFile(path, "not JSON");
  const countOf = (text: string): number => command.output.stdout.split(text).length - 1;
  await eventually(async () => countOf("the previous keys stay in use")).toBe(1);
  const newer = ["newer", "newest"].map((name) => ({ name, key: `${name}-key` }));
  await replaceFile(path, JSON.stringify({ keys: newer }));
  await eventually(() => statuses("newer-key")).toEqual([200]);
  // The reports of all workers have arrived when they have exited.
  command.signal("SIGTERM");
  const { stdout, stderr } = await command.finished();
  expect(stdout + stderr).not.toContain("web-key");
  expect(countOf("the previous keys stay in use")).toBe(1);
  expect(countOf("Read 1 key from")).toBe(1);
  expect(countOf("can be used again: read 2 keys")).toBe(1);
});

test("the bundled command verifies signed contexts, and reads keys through its own client", async () => {
  const signer = new TokenSigner();
  const server = await startKeyServer(async () => [await signer.jwk()]);
  const jwt = { jwksUrl: server.url, issuer: ISSUER, audience: AUDIENCE };
  const { environment } = await createSettings([
    { name: "web", key: "*:production.web-key", signedContext: { jwt } },
  ]);
  const command = startCommand(environment);
  const url = await command.listening();
  await untilReady(url);
  const get = (headers: Record<string, string>) =>
    fetch(`${url}/proxy`, { headers: { authorization: "*:production.web-key", ...headers } });
  const signed = await get({ "x-flags-context-signature": await signer.token() });
  expect(await signed.text()).toContain("web.a");
  expect((await get({})).status).toBe(401);
  expect((await get({ "x-flags-context-signature": "a.b.c" })).status).toBe(401);
  expect(server.state.requests).toBe(1);
});

test("check and start report the problems of the file, without its keys", async () => {
  const { environment } = await createSettings([
    { name: "web", key: "*:production.secret-1", environment: "test" },
    { name: "web", key: "*:staging.secret-2" },
    { name: "late", key: "secret-3", expiresAt: "2027-02-30T00:00:00Z" },
    { name: "misspelt", key: "secret-4", project: "shop" },
  ]);
  for (const args of [["check"], []]) {
    // oxlint-disable-next-line no-await-in-loop
    const { code, stdout, stderr } = await runCommand(environment, args);
    const output = stdout + stderr;
    expect(code).not.toBe(0);
    for (const problem of [
      "FLAGS_ACCESS_FILE",
      "`keys[0].environment` is test, but the key names the environment production",
      "`keys[1]` is for staging, but the upstream tokens serve only production",
      "`keys[1].name` is also the name of `keys[0]`",
      "`keys[2].expiresAt` is not a valid time",
      "`keys[3].project` is unknown: did you mean `projects`?",
    ]) {
      expect(output).toContain(problem);
    }
    expect(output).not.toContain("secret-");
  }
});

test("keys that are easy to guess cause a warning at startup, without their text", async () => {
  const { environment, path } = await createSettings([]);
  await replaceFile(`${path}.key`, "short-2");
  const keys = [
    { name: "typed", key: "short-1" },
    { name: "in-a-file", keyFile: `${path}.key`, kind: "server" },
    { name: "long", key: "a-key-that-is-long-enough-for-everyone" },
    { name: "digest", keySha256: "0".repeat(64) },
  ];
  await replaceFile(path, JSON.stringify({ keys }));
  const { stdout } = await runCommand({ ...environment, HOST: "0.0.0.0" }, ["check"]);
  expect(stdout).toContain(`${path}, 4 keys`);
  expect(stdout).not.toContain("Client keys");
  expect(stdout).toContain("(option accessFile): the key typed is easy to guess");
  expect(stdout).toContain("(option accessFile): the key in-a-file is easy to guess");
  expect(stdout).not.toMatch(/short-[12]|the key (?:long|digest)/);
});

test("a key that has expired causes a warning at startup", async () => {
  const key = "a-key-that-is-long-enough-for-everyone";
  const { environment } = await createSettings([
    { name: "old", key: `${key}-1`, expiresAt: "2020-01-31T00:00:00Z" },
    { name: "new", key: `${key}-2`, expiresAt: "2999-01-31T00:00:00Z" },
  ]);
  const { code, stdout } = await runCommand(environment, ["check"]);
  expect(code).toBe(0);
  expect(stdout).toContain(
    "(option accessFile): the key old expired at 2020-01-31T00:00:00Z, so it is rejected: remove it, or correct the time\n",
  );
  expect(stdout).not.toContain("the key new");
});

test("a proxy without any keys does not start", async () => {
  const { environment } = await createSettings([]);
  const { code, stderr } = await runCommand({ ...environment, FLAGS_ACCESS_FILE: "" });
  expect(code).toBe(1);
  expect(stderr).toContain("FLAGS_PROXY_CLIENT_KEYS");
});
