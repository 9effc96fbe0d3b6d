import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** A request that clients send. */
export interface LoadRequest {
  readonly path: string;
  /** @default GET, or POST with a body */
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Clients that send requests until they are stopped, and record what fails. */
export class Load {
  readonly failures: string[] = [];
  reconnects = 0;
  readonly #url: string;
  readonly #counts = new Map<LoadRequest, number>();
  readonly #running: Promise<void>[] = [];
  #isStopped = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** How many requests of one kind got a success. */
  successesOf(sent: LoadRequest): number {
    return this.#counts.get(sent) ?? 0;
  }

  /** Sends the requests in turn on a connection that is kept open, with pauses of up to `pauseMs`. */
  addPoller(pauseMs: number, requests: readonly LoadRequest[]): void {
    const agent = createAgent();
    const poll = async (): Promise<void> => {
      for (let index = 0; !this.#isStopped; index += 1) {
        const next = requests[index % requests.length];
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        if (next !== undefined) await this.send(next, agent);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await sleep(pauseMs * (0.5 + Math.random() / 2));
      }
    };
    this.#running.push(poll());
  }

  /** Sends requests on connections of their own, which stay idle until the returned function sends them again. */
  async addIdle(count: number, sent: LoadRequest): Promise<() => Promise<void>> {
    const agents = Array.from({ length: count }, createAgent);
    const sendAll = async (): Promise<void> => {
      await Promise.all(agents.map((agent) => this.send(sent, agent)));
    };
    await sendAll();
    return sendAll;
  }

  async send(sent: LoadRequest, agent: Agent): Promise<void> {
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        this.#open(sent, agent).on("response", resolve).on("error", reject);
      });
      const body = await text(response);
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) {
        this.#counts.set(sent, this.successesOf(sent) + 1);
      } else this.failures.push(`${sent.path}: ${statusCode} ${body}`);
    } catch (error) {
      this.failures.push(`${sent.path}: ${String(error)}`);
    }
  }

  /** Keeps a stream open: reconnects when it ends. */
  addStream(sent: LoadRequest): void {
    const stream = async (): Promise<void> => {
      while (!this.#isStopped) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const problem = await this.#readStream(sent);
        if (this.#isStopped) return;
        if (problem !== undefined) this.failures.push(`${sent.path}: ${problem}`);
        this.reconnects += 1;
        // oxlint-disable-next-line no-await-in-loop -- sooner than the service asks for
        await sleep(20 * Math.random());
      }
    };
    this.#running.push(stream());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  /** Resolves when the stream has ended, to what is wrong with that. */
  #readStream(sent: LoadRequest): Promise<string | undefined> {
    return new Promise((resolve) => {
      const opened = this.#open(sent, false);
      const stop = setInterval(() => this.#isStopped && opened.destroy(), 50);
      opened.on("close", () => clearInterval(stop));
      opened.on("error", (error) => resolve(String(error)));
      opened.on("response", (response) => {
        if (response.statusCode !== 200) resolve(`status ${response.statusCode}`);
        response.on("error", (error) => resolve(String(error)));
        response.on("end", () => resolve(undefined));
        response.resume();
      });
    });
  }

  #open({ path, method, headers, body }: LoadRequest, agent: Agent | false) {
    return request(`${this.#url}${path}`, {
      agent,
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    }).end(body && JSON.stringify(body));
  }
}

function createAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}
