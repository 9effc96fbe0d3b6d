import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** What a client does on one connection. */
export interface RawExchange {
  /** What is sent, in order. `AFTER_CONTINUE` waits for an interim response first, and `ABORT` closes the connection. */
  readonly sends: readonly (string | Buffer | typeof AFTER_CONTINUE | typeof ABORT)[];
  /** How many responses are read; with `Infinity`, until the server closes the connection. @default 1 */
  readonly responses?: number;
}

export const AFTER_CONTINUE = Symbol("after continue");
export const ABORT = Symbol("abort");

const AGE_HEADER = "x-flags-age-seconds";
const HEAD_END = "\r\n\r\n";

/**
 * Sends bytes to a port of this machine. Returns the responses as text, with sorted headers, and without what differs each
 * time: dates, ages, and the lengths of compressed bodies, which are shown decompressed. The last line says whether the server
 * closed the connection.
 */
export async function exchangeRaw(port: number, exchange: RawExchange): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  const reader = new ResponseReader(socket);
  for (const part of exchange.sends) {
    // oxlint-disable no-await-in-loop -- the parts depend on each other
    if (part === ABORT) {
      socket.destroy();
      return "(aborted)\n";
    } else if (part === AFTER_CONTINUE) await reader.interim();
    else socket.write(part);
    // oxlint-enable no-await-in-loop
  }
  const methods = exchange.sends
    .map(String)
    .join("")
    .matchAll(/^([A-Z]+) \S+ HTTP/gm);
  const responses = await reader.responses(
    [...methods].map(([, method = ""]) => method),
    exchange,
  );
  const isClosing = /^connection: close$/im.test(responses.at(-1) ?? "");
  if (isClosing && !reader.hasEnded) await once(socket, "close");
  const end = reader.hasEnded ? "(closed)\n" : "(open)\n";
  socket.destroy();
  return [...responses, end].join("\n");
}

class ResponseReader {
  #bytes = Buffer.alloc(0);
  readonly #events = new EventEmitter();
  hasEnded = false;

  constructor(socket: Socket) {
    socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    socket.on("close", () => {
      this.hasEnded = true;
      this.#wake();
    });
  }

  #wake(): void {
    this.#events.emit("changed");
  }

  #changed(): Promise<unknown> {
    return once(this.#events, "changed");
  }

  /** Waits for `100 Continue`, or for the response that the server sends instead. */
  async interim(): Promise<void> {
    while (!this.hasEnded && !this.#bytes.includes(HEAD_END)) await this.#changed();
  }

  async responses(
    methods: readonly string[],
    { responses: count = 1 }: RawExchange,
  ): Promise<readonly string[]> {
    const responses: string[] = [];
    while (responses.length < count) {
      // oxlint-disable-next-line no-await-in-loop -- responses arrive one after the other
      const response = await this.#next(methods[responses.length] ?? "GET");
      if (response === undefined) break;
      responses.push(response);
    }
    return responses;
  }

  /** Returns undefined if the connection ended before another response. */
  async #next(method: string): Promise<string | undefined> {
    while (!this.#bytes.includes(HEAD_END)) {
      if (this.hasEnded) return undefined;
      await this.#changed();
    }
    const [statusLine = "", ...lines] = this.#take(this.#bytes.indexOf(HEAD_END) + HEAD_END.length)
      .toString("latin1")
      .trimEnd()
      .split("\r\n");
    const status = Number(statusLine.split(" ")[1]);
    if (status < 200) return `${statusLine}\n`;
    const isEmpty = method === "HEAD" || status === 204 || status === 304;
    const headers = new Map(lines.map((line) => parseHeader(line)));
    const body = isEmpty ? Buffer.alloc(0) : await this.#body(headers);
    return [
      statusLine,
      ...describeHeaders(headers),
      "",
      decode(body, headers.get("content-encoding")),
      "",
    ]
      .join("\n")
      .replace(/\n+$/, "\n");
  }

  async #body(headers: ReadonlyMap<string, string>): Promise<Buffer> {
    if (headers.get("content-type")?.startsWith("text/event-stream")) return Buffer.alloc(0);
    if (headers.get("transfer-encoding") === "chunked") return this.#chunks();
    const length = headers.get("content-length");
    while (!this.hasEnded && this.#bytes.length < Number(length ?? Infinity)) {
      // oxlint-disable-next-line no-await-in-loop -- the body arrives in parts
      await this.#changed();
    }
    return this.#take(Number(length ?? this.#bytes.length));
  }

  async #chunks(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (;;) {
      const end = this.#bytes.indexOf("\r\n");
      const size = Number.parseInt(this.#bytes.subarray(0, Math.max(end, 0)).toString(), 16);
      if (end >= 0 && this.#bytes.length >= end + 2 + size + 2) {
        chunks.push(this.#take(end + 2 + size + 2).subarray(end + 2, end + 2 + size));
        if (size === 0) return Buffer.concat(chunks);
      } else if (this.hasEnded) return Buffer.concat([...chunks, Buffer.from("(cut off)")]);
      // oxlint-disable-next-line no-await-in-loop -- the chunks arrive one after the other
      else await this.#changed();
    }
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }
}

function parseHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** The order and the case of headers mean nothing. */
function describeHeaders(headers: ReadonlyMap<string, string>): readonly string[] {
  const volatile = headers.has("content-encoding")
    ? ["date", "content-length", "transfer-encoding"]
    : ["date"];
  const lines = [...headers].filter(([name]) => !volatile.includes(name));
  return lines
    .map(([name, value]) => `${name}: ${name === AGE_HEADER ? "(age)" : value}`)
    .toSorted();
}

function decode(body: Buffer, coding: string | undefined): string {
  if (body.length === 0) return "";
  if (coding === "br") return brotliDecompressSync(body).toString();
  return (coding === "gzip" ? gunzipSync(body) : body).toString();
}
