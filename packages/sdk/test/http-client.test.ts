import { setImmediate } from "node:timers/promises";
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { UpstreamRequest } from "../src/transport/http-client.ts";
import { createHttp, startUpstream } from "./_client.ts";
import { hang, hangInBody, raw, status } from "./_upstream.ts";
import type { Reply, Upstream } from "./_upstream.ts";

const get = (
  upstream: Upstream,
  path: string,
  more: Partial<UpstreamRequest> = {},
): UpstreamRequest => ({
  method: "GET",
  url: new URL(path, upstream.origin),
  urlSetting: "FLAGS_URL",
  headers: { "x-open": "open" },
  credentials: async () => ({ authorization: "secret", "x-custom": "secret" }),
  signal: new AbortController().signal,
  ...more,
});

const redirect = (location: string, code = 302): Reply => status(code, { location });

describe("HttpClient", () => {
  it("send() follows redirects within the host and keeps the credentials", async () => {
    const upstream = await startUpstream();
    upstream.reply("/a", redirect("/b?x=1"));
    upstream.reply("/b", raw("here"));
    const response = await createHttp().send(get(upstream, "/a"));
    expect(response).toMatchObject({ status: 200, body: "here" });
    expect(upstream.seen("/b")[0]).toMatchObject({
      query: "x=1",
      headers: { authorization: "secret", "x-custom": "secret", "x-open": "open" },
    });
  });

  it("send() and open() reject a redirect to another origin and send nothing there", async () => {
    const [upstream, other] = [await startUpstream(), await startUpstream()];
    const error = {
      code: "REDIRECT",
      message: `${upstream.origin}/a redirects to another origin, ${other.origin}: only redirects within ${upstream.origin} are followed; if the server has moved, change FLAGS_URL`,
    };
    const http = createHttp();
    for (const code of [301, 302, 303, 307, 308]) {
      upstream.reply("/a", redirect(`${other.origin}/b`, code));
      const post = get(upstream, "/a", { method: "POST", body: "{}" });
      await expect(http.send(get(upstream, "/a"))).rejects.toMatchObject(error);
      await expect(http.send(post)).rejects.toMatchObject(error);
      await expect(http.open(get(upstream, "/a"), 5000)).rejects.toMatchObject(error);
    }
    expect(other.requests).toEqual([]);
  });

  it("send() rejects another origin after a redirect within the origin", async () => {
    const [upstream, other] = [await startUpstream(), await startUpstream()];
    upstream.reply("/a", redirect("/b"));
    upstream.reply("/b", redirect(`${other.origin}/c`));
    await expect(createHttp().send(get(upstream, "/a"))).rejects.toMatchObject({
      code: "REDIRECT",
    });
    expect(other.requests).toEqual([]);
  });

  it("send() closes the connection of a rejected redirect whose body never ends", async () => {
    const [upstream, other] = [await startUpstream(), await startUpstream()];
    const closed = new Promise((resolve) => {
      upstream.reply("/a", (response) => {
        response.on("close", resolve);
        response.writeHead(302, { location: other.origin }).write("more");
      });
    });
    await expect(createHttp().send(get(upstream, "/a"))).rejects.toMatchObject({
      code: "REDIRECT",
    });
    await closed;
  });

  it("send() gives up on circular redirects", async () => {
    const upstream = await startUpstream();
    upstream.reply("/a", redirect("/a"));
    await expect(createHttp().send(get(upstream, "/a"))).rejects.toMatchObject({
      code: "REDIRECT",
      message: `${upstream.origin}/a redirects more than 5 times`,
    });
    expect(upstream.seen("/a")).toHaveLength(6);
  });

  it.each([307, 308])("send() repeats a POST after a %d", async (code) => {
    const upstream = await startUpstream();
    upstream.reply("/a", redirect("/b", code));
    upstream.reply("/b", status(202));
    const post = get(upstream, "/a", { method: "POST", body: "{}" });
    expect((await createHttp().send(post)).status).toBe(202);
    expect(upstream.seen("/b")[0]).toMatchObject({ method: "POST", body: "{}" });
  });

  it.each([301, 302, 303])("send() does not turn a POST into a GET after a %d", async (code) => {
    const upstream = await startUpstream();
    upstream.reply("/a", redirect("/b", code));
    const post = get(upstream, "/a", { method: "POST", body: "{}" });
    expect((await createHttp().send(post)).status).toBe(code);
    expect(upstream.seen("/b")).toEqual([]);
  });

  it.each([
    ["gzip", gzipSync("grüße")],
    ["x-gzip", gzipSync("grüße")],
    ["deflate", deflateSync("grüße")],
    ["br", brotliCompressSync("grüße")],
    ["identity", Buffer.from("grüße")],
  ])("send() reads a body in %s", async (encoding, body) => {
    const upstream = await startUpstream();
    upstream.reply("/a", raw(body, { "content-encoding": encoding }));
    expect((await createHttp().send(get(upstream, "/a"))).body).toBe("grüße");
    expect(upstream.seen("/a")[0]?.headers["accept-encoding"]).toContain("gzip");
  });

  it("send() rejects a body that is too large, even if it is small when compressed", async () => {
    const upstream = await startUpstream();
    const http = createHttp();
    const limited = { maxBodyBytes: 1000 };
    upstream.reply("/fits", raw("x".repeat(1000)));
    upstream.reply("/large", raw("x".repeat(1001)));
    upstream.reply("/bomb", raw(gzipSync("x".repeat(1e7)), { "content-encoding": "gzip" }));
    expect((await http.send(get(upstream, "/fits", limited))).body).toHaveLength(1000);
    for (const path of ["/large", "/bomb"]) {
      await expect(http.send(get(upstream, path, limited))).rejects.toMatchObject({
        code: "TOO_LARGE",
      });
    }
  });

  it("send() ends in time when the server sends its body very slowly", async () => {
    const upstream = await startUpstream();
    upstream.reply("/a", (response) => {
      const timer = setInterval(() => response.write(" "), 5);
      response.on("close", () => clearInterval(timer));
    });
    const sent = createHttp({ timeoutMs: 100 }).send(get(upstream, "/a"));
    await expect(sent).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  it("send() ends in time when the header function hangs, and without a request", async () => {
    const upstream = await startUpstream();
    const credentials = (): Promise<never> => new Promise(() => undefined);
    const sent = createHttp({ timeoutMs: 20 }).send(get(upstream, "/a", { credentials }));
    await expect(sent).rejects.toMatchObject({ code: "TIMEOUT" });
    expect(upstream.requests).toEqual([]);
  });

  it("send() rejects if the header function fails", async () => {
    const upstream = await startUpstream();
    const credentials = (): Promise<never> => Promise.reject(new Error("no token today"));
    await expect(createHttp().send(get(upstream, "/a", { credentials }))).rejects.toMatchObject({
      code: "HEADERS",
      message: "Cannot create the request headers: no token today",
    });
  });

  it("send() rejects if the signal is aborted", async () => {
    const upstream = await startUpstream();
    upstream.reply("/a", hang);
    const abort = new AbortController();
    const sent = createHttp().send(get(upstream, "/a", { signal: abort.signal }));
    await upstream.next("/a");
    abort.abort();
    await expect(sent).rejects.toMatchObject({ code: "NETWORK" });
  });

  it("open() returns chunks as they arrive", async () => {
    const upstream = await startUpstream();
    upstream.reply("/a", (response) => {
      response.write("one");
    });
    const { status: code, chunks, close } = await createHttp().open(get(upstream, "/a"), 5000);
    for await (const chunk of chunks) {
      expect(Buffer.from(chunk).toString()).toBe("one");
      break;
    }
    close();
    expect(code).toBe(200);
  });

  it("open() returns the start of a compressed response before its end", async () => {
    const upstream = await startUpstream();
    upstream.reply("/a", (response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      const gzip = createGzip();
      gzip.pipe(response);
      gzip.write("one");
      gzip.flush();
    });
    const { chunks, close } = await createHttp().open(get(upstream, "/a"), 5000);
    for await (const chunk of chunks) {
      expect(Buffer.from(chunk).toString()).toBe("one");
      break;
    }
    close();
  });

  it("send() uses a connection again after a complete response of any status", async () => {
    const upstream = await startUpstream();
    const ports = new Set<number | undefined>();
    const record = (reply: Reply): Reply => {
      return (response, request) => {
        ports.add(response.socket?.remotePort);
        reply(response, request);
      };
    };
    upstream.script("/a", ...[raw("x"), status(304), status(500), raw("x")].map(record));
    const http = createHttp();
    for (let count = 0; count < 4; count += 1) {
      await http.send(get(upstream, "/a"));
      // An error is returned before its body has been discarded.
      await setImmediate();
    }
    expect(ports.size).toBe(1);
  });

  it("send() closes the connection of an error whose body never ends", async () => {
    const upstream = await startUpstream();
    const closed = new Promise((resolve) => {
      upstream.reply("/a", (response) => {
        response.on("close", resolve);
        response.writeHead(500).write("more");
      });
    });
    expect(await createHttp().send(get(upstream, "/a"))).toMatchObject({ status: 500, body: "" });
    await closed;
  });

  it("send() ends if the signal is aborted while the body arrives", async () => {
    const upstream = await startUpstream();
    upstream.reply("/a", hangInBody);
    const abort = new AbortController();
    const sent = createHttp().send(get(upstream, "/a", { signal: abort.signal }));
    await upstream.next("/a");
    abort.abort();
    await expect(sent).rejects.toMatchObject({ code: "NETWORK" });
  });

  it("open() limits the silence of a response instead of its duration", async () => {
    const upstream = await startUpstream();
    upstream.reply("/a", (response) => {
      // Takes longer than the limit, in steps that are far shorter, even on a busy machine.
      let count = 0;
      const timer = setInterval(() => {
        count += 1;
        if (count === 50) clearInterval(timer);
        response.write(".");
      }, 50);
    });
    const { chunks, close } = await createHttp({ timeoutMs: 2000 }).open(get(upstream, "/a"), 2000);
    let text = "";
    const read = async (): Promise<void> => {
      for await (const chunk of chunks) text += Buffer.from(chunk).toString();
    };
    await expect(read()).rejects.toMatchObject({
      code: "TIMEOUT",
      message: `Cannot reach ${upstream.origin}/a: Nothing received for 2000 ms`,
    });
    expect(text).toBe(".".repeat(50));
    close();
  });

  it("open() rejects if there is no response in time, and accepts any status", async () => {
    const upstream = await startUpstream();
    upstream.reply("/a", hang);
    const opened = createHttp({ timeoutMs: 50 }).open(get(upstream, "/a"), 5000);
    await expect(opened).rejects.toMatchObject({ code: "TIMEOUT" });
    const { status: code, close } = await createHttp().open(get(upstream, "/none"), 5000);
    expect(code).toBe(404);
    close();
  });
});
