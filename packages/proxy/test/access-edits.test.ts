// Edits of an access file while clients use its keys, over real files and sockets.

import { rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import { replaceFile, startWithAccessFile } from "./_access-file.ts";
import { sign } from "./_signed-context.ts";

const production = { environment: "production" };
const EDITS = sized(400, 1000);

/** Waits until a condition is true. */
function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  return expect.poll(condition).toBeTruthy();
}

const streamOf = (url: string, key: string) =>
  readEvents(`${url}/proxy/stream`, {
    method: "POST",
    headers: {
      authorization: key,
      "content-type": "application/json",
      accept: "text/event-stream",
    },
    body: JSON.stringify({ context: {} }),
  });

test(`${EDITS} edits under load refuse no valid request and accept no invalid one`, async () => {
  const always = [
    { name: "always", key: "always", ...production },
    { name: "web", key: "web", ...production, projects: ["web"] },
  ];
  const keysAt = (edit: number) => [
    ...always,
    { name: `edit-${edit}`, key: `key-${edit}`, ...production },
    ...Array.from({ length: edit % 50 }, (_, index) => ({
      name: `filler-${index}`,
      key: `filler-${edit}-${index}`,
      ...production,
      projects: [`p${(index + edit) % 7}`],
    })),
  ];
  const { url, path, get, edit, logger } = await startWithAccessFile({ keys: keysAt(0) });
  const [stream, webStream] = await Promise.all([streamOf(url, "always"), streamOf(url, "web")]);
  let areStreamsOpen = true;
  void Promise.race([stream.ended, webStream.ended]).then(() => (areStreamsOpen = false));

  const counts = { accepted: 0, rejected: 0, refused: 0, wronglyAccepted: 0, leaked: 0 };
  const request = async (i: number): Promise<void> => {
    const target = i % 3 === 0 ? `/proxy?userId=${i % 5}` : `/api/frontend?userId=${i % 5}`;
    const [valid, restricted, invalid] = await Promise.all([
      get(target, "always"),
      get(target, "web"),
      get(target, `never-${i}`),
    ]);
    if (valid.status === 200 && restricted.status === 200) counts.accepted += 2;
    else counts.refused += 1;
    if (invalid.status === 401) counts.rejected += 1;
    else counts.wronglyAccepted += 1;
    if ((await restricted.text()).includes("app.a")) counts.leaked += 1;
  };
  /** Sends more requests until the proxy has read an edit. */
  const untilRead = async (index: number): Promise<void> => {
    while ((await get("/proxy", `key-${index}`)).status !== 200) {
      // oxlint-disable-next-line no-await-in-loop
      await Promise.all([index, index + 1, index + 2].map(request));
    }
  };

  /** Replaces links in the order in which Kubernetes does it for ConfigMaps. */
  const swapLink = async (text: string, index: number): Promise<void> => {
    const target = `${path}.data-${index}`;
    await writeFile(target, text);
    await symlink(target, `${path}.link`);
    await rename(`${path}.link`, path);
  };
  for (let index = 1; index <= EDITS; index++) {
    const isBroken = index % 10 === 9;
    const text = isBroken ? "keys: [{name: broken" : JSON.stringify({ keys: keysAt(index) });
    const requested = request(index);
    // oxlint-disable-next-line no-await-in-loop -- one edit after the other
    if (index % 3 === 0) await replaceFile(path, text);
    // oxlint-disable-next-line no-await-in-loop
    else if (index % 3 === 1) await swapLink(text, index);
    // oxlint-disable-next-line no-await-in-loop
    else await writeFile(path, text);
    // oxlint-disable-next-line no-await-in-loop
    await requested;
    // The proxy skips edits that follow each other closely, but reads the last one of a series.
    // oxlint-disable-next-line no-await-in-loop
    if (index % 50 === 0) await untilRead(index);
  }

  await edit([...keysAt(EDITS + 1)]);
  await untilRead(EDITS + 1);
  const reloads = logger.lines.filter(({ parts }) => String(parts[0]).startsWith("Read ")).length;
  process.stdout.write(
    `${EDITS} edits, ${reloads} reloads, ${counts.accepted} requests accepted, ${counts.rejected} rejected\n`,
  );
  expect(counts).toMatchObject({ refused: 0, wronglyAccepted: 0, leaked: 0 });
  expect(counts.accepted).toBeGreaterThan(100);
  expect(reloads).toBeGreaterThan(EDITS / 100);
  expect(areStreamsOpen).toBe(true);
  expect((await get("/proxy", `key-${EDITS}`)).status).toBe(401);
});

const SIGNED_EDITS = sized(10, 40);

test(`${SIGNED_EDITS} edits of secrets refuse no signed context and accept no other one`, async () => {
  const always = "a-secret-that-stays-all-the-time-1";
  const keysAt = (edit: number) => [
    {
      name: "signed",
      key: "signed",
      ...production,
      signedContext: { hmac: { secret: [always, `${always}-${edit}`] } },
    },
  ];
  const { get, edit, logger } = await startWithAccessFile({ keys: keysAt(0) });
  const state = { isDone: false };
  const counts = { accepted: 0, refused: 0, wronglyAccepted: 0 };
  const load = async (): Promise<void> => {
    for (let i = 0; !state.isDone; i++) {
      const path = `/proxy?userId=${i % 5}`;
      const signature = (secret: string) => sign({ userId: String(i % 5) }, secret);
      // oxlint-disable-next-line no-await-in-loop
      const [valid, unsigned, forged] = await Promise.all([
        get(path, "signed", { "x-flags-context-signature": signature(always) }),
        get(path, "signed"),
        get(path, "signed", { "x-flags-context-signature": signature(`${always}-never`) }),
      ]);
      if (valid.status === 200) counts.accepted += 1;
      else counts.refused += 1;
      if (unsigned.status !== 401 || forged.status !== 401) counts.wronglyAccepted += 1;
    }
  };
  const loads = [load(), load()];
  const untilRead = (index: number) => {
    const signature = sign({ userId: "1" }, `${always}-${index}`);
    const headers = { "x-flags-context-signature": signature };
    return until(async () => (await get("/proxy?userId=1", "signed", headers)).status === 200);
  };
  const countErrors = () => logger.lines.filter(({ level }) => level === "error").length;
  for (let index = 1; index <= SIGNED_EDITS; index++) {
    const isBroken = index % 5 === 0;
    // oxlint-disable-next-line no-await-in-loop -- one edit after the other
    await edit(isBroken ? "keys: [{name: broken" : keysAt(index));
    // oxlint-disable-next-line no-await-in-loop -- as above
    await (isBroken ? until(() => countErrors() === index / 5) : untilRead(index));
  }
  await edit(keysAt(SIGNED_EDITS + 1));
  await untilRead(SIGNED_EDITS + 1);
  state.isDone = true;
  await Promise.all(loads);
  expect(counts).toMatchObject({ refused: 0, wronglyAccepted: 0 });
  expect(counts.accepted).toBeGreaterThan(50);
});

test("removed and changed keys lose their streams and stream URLs", async () => {
  const stay = { name: "stay", key: "stay", ...production };
  const change = { name: "change", key: "change", ...production };
  const { url, get, post, edit } = await startWithAccessFile({
    keys: [stay, change, { name: "leave", key: "leave", ...production }],
  });
  const addressOf = async (key: string): Promise<string> => {
    const response = await post("/proxy/stream", key, { context: { userId: "1" } });
    return ((await response.json()) as { url: string }).url;
  };
  const streams = await Promise.all(["stay", "change", "leave"].map((key) => streamOf(url, key)));
  const addresses = await Promise.all(["stay", "change", "leave"].map(addressOf));
  let hasEnded = false;
  void streams[0]?.ended.then(() => (hasEnded = true));

  await edit([
    { ...stay, name: "renamed" },
    { ...change, contextFields: ["plan"] },
  ]);
  await Promise.all(streams.slice(1).map(({ ended }) => ended));
  expect((await get("/proxy", "leave")).status).toBe(401);
  const statuses = await Promise.all(
    addresses.map(async (address) => {
      const response = await fetch(address);
      await response.body?.cancel();
      return response.status;
    }),
  );
  expect(statuses).toEqual([200, 401, 401]);
  expect(hasEnded).toBe(false);
});

test("two keys that swap their environments swap their flags at once, including in caches and streams", async () => {
  const keysOf = (one: string, other: string) => [
    { name: "one", key: "one", environment: one },
    { name: "other", key: "other", environment: other },
  ];
  const { url, get, edit, logger } = await startWithAccessFile({
    keys: keysOf("production", "test"),
  });
  const isOfTest = async (key: string): Promise<boolean> => {
    const text = await (await get("/proxy?userId=1&sessionId=s", key)).text();
    expect(text.includes("only-in-test")).not.toBe(text.includes("web.a"));
    return text.includes("only-in-test");
  };
  // Frequent requests are cached.
  for (let i = 0; i < 10; i++) {
    // oxlint-disable-next-line no-await-in-loop
    expect([await isOfTest("one"), await isOfTest("other")]).toEqual([false, true]);
  }
  const streams = await Promise.all(["one", "other"].map((key) => streamOf(url, key)));
  await edit(keysOf("test", "production"));
  await Promise.all(streams.map(({ ended }) => ended));
  for (let i = 0; i < 10; i++) {
    // oxlint-disable-next-line no-await-in-loop
    expect([await isOfTest("one"), await isOfTest("other")]).toEqual([true, false]);
  }
  // The text of a key says the same as the field, or the file is invalid.
  await edit([{ name: "one", key: "*:production.one", environment: "test" }]);
  await until(() => logger.lines.some(({ level }) => level === "error"));
  expect((await get("/proxy", "*:production.one")).status).toBe(401);
  expect(await isOfTest("one")).toBe(true);
});

test("an edit does not leave cached responses of earlier rules behind", async () => {
  const web = { name: "web", key: "web", ...production };
  const { get, edit } = await startWithAccessFile({ keys: [web] });
  const text = async (): Promise<string> =>
    (await get("/proxy?userId=1&sessionId=s", "web")).text();
  // Frequent requests are cached.
  for (let i = 0; i < 10; i++) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await text()).toContain("web.b");
  }
  await edit([{ ...web, contextFields: [] }]);
  await until(async () => !(await text()).includes("web.b"));
  await edit([{ ...web, projects: ["app"] }]);
  await until(async () => !(await text()).includes("web.a"));
  expect(await text()).toContain("app.a");
});

test("an invalid or missing file keeps the previous keys, and the log says why once, and when it is valid again", async () => {
  const { get, edit, path, logger } = await startWithAccessFile({
    keys: [{ name: "web", key: "web-secret", ...production }],
  });
  const errors = () =>
    logger.lines.filter(({ level }) => level === "error").map(({ parts }) => String(parts[0]));
  await edit("keys:\n  - name: web\n    key: other-secret\n    enviroment: test\n");
  await until(() => errors().length === 1);
  expect(errors()[0]).toMatch(
    /Cannot use .*; the previous keys .*: line 4, column 17: `keys\[0\].enviroment` is unknown/,
  );
  const metrics = await (await get("/proxy/internal-backstage/prometheus", "")).text();
  expect(metrics).toContain("flags_proxy_access_file_valid 0");
  await unlink(path);
  await until(() => errors().length === 2);
  expect(errors()[1]).toContain("there is no such file");
  expect(errors().join()).not.toContain("secret");
  expect((await get("/proxy", "web-secret")).status).toBe(200);
  expect((await get("/proxy", "other-secret")).status).toBe(401);
  await edit([{ name: "web", key: "third-secret", ...production }]);
  await until(async () => (await get("/proxy", "third-secret")).status === 200);
  expect((await get("/proxy", "web-secret")).status).toBe(401);
  expect(errors()).toHaveLength(2);
  const warnings = logger.lines.filter(({ level }) => level === "warn");
  expect(warnings.map(({ parts }) => parts[0])).toEqual([`${path} can be used again: read 1 key`]);
});

test("a file with a key is followed, even when it is missing at first", async () => {
  const { get, edit, path, logger } = await startWithAccessFile({
    keys: [{ name: "first", key: "first", ...production }],
  });
  const keyPath = join(`${path}.key`);
  await edit([{ name: "file", keyFile: keyPath, ...production }]);
  const errors = () => logger.lines.filter(({ level }) => level === "error");
  await until(() => errors().length === 1);
  expect((await get("/proxy", "first")).status).toBe(200);
  await writeFile(keyPath, "one\n");
  await until(async () => (await get("/proxy", "one")).status === 200);
  expect((await get("/proxy", "first")).status).toBe(401);
  await replaceFile(keyPath, "two\n");
  await until(async () => (await get("/proxy", "two")).status === 200);
  expect((await get("/proxy", "one")).status).toBe(401);
  await rm(keyPath);
  await until(() => errors().length === 2);
  expect((await get("/proxy", "two")).status).toBe(200);
});
