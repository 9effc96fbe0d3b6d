import { createFetchApp, type FetchApp, type FetchAppOptions } from "../src/fetch/index.ts";
import { KEY, MemoryLogger, OTHER_KEY } from "./_proxy.ts";

interface TestRequest extends RequestInit {
  readonly headers?: Readonly<Record<string, string>>;
}

/** An isolate: a program with an app, as a runtime runs it. */
export class Isolate {
  readonly app: FetchApp;
  readonly logger = new MemoryLogger();
  readonly #work: Promise<unknown>[] = [];

  constructor(upstream: { readonly url: string }, options: Partial<FetchAppOptions> = {}) {
    this.app = createFetchApp({
      flagsUrl: upstream.url,
      flagsApiToken: "default:production.upstream-token",
      clientKeys: [KEY, OTHER_KEY],
      logger: this.logger,
      ...options,
    });
  }

  readonly waitUntil = (work: Promise<unknown>): void => void this.#work.push(work);

  /** Sends a request, by default with a valid client key. Does not wait for what goes on after the response. */
  request(path: string, { headers, ...init }: TestRequest = {}): Promise<Response> {
    const request = new Request(`http://edge.example${path}`, {
      headers: { authorization: KEY, ...headers },
      ...init,
    });
    return this.app.fetch(request, { waitUntil: this.waitUntil });
  }

  post(path: string, body: unknown): Promise<Response> {
    const headers = { "content-type": "application/json" };
    return this.request(path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  /** Returns the names of the flags that are on for a user. */
  async names(userId = "7"): Promise<readonly string[]> {
    const response = await this.request(`/proxy?userId=${userId}`);
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    const { toggles } = (await response.json()) as { toggles: readonly { name: string }[] };
    return toggles.map(({ name }) => name);
  }

  /** Resolves when everything that was to go on after responses has ended. */
  async settled(): Promise<void> {
    for (let work = this.#work.splice(0); work.length > 0; work = this.#work.splice(0)) {
      // oxlint-disable-next-line no-await-in-loop -- work can cause more work
      await Promise.all(work);
    }
  }

  get logged(): readonly string[] {
    return this.logger.lines.map(({ parts }) => String(parts[0]));
  }
}
