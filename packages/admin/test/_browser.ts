import { PUBLIC_URL } from "./_openid-provider.ts";

/** Where a browser has arrived, after all redirects to and from the provider. */
interface Page {
  /** Address as the user sees it. */
  readonly url: URL;
  readonly response: Response;
  /** The `Set-Cookie` headers of flags-admin on the way. */
  readonly setCookies: readonly string[];
}

/** A browser that keeps cookies and follows redirects. */
export class Browser {
  readonly #serviceUrl: string;
  readonly #cookies = new Map<string, Map<string, string>>();

  /** @param serviceUrl the real address of flags-admin, which a reverse proxy would know */
  constructor(serviceUrl: string) {
    this.#serviceUrl = serviceUrl;
  }

  /** Returns the cookies for flags-admin as a header. */
  get headers(): { readonly cookie: string } {
    return { cookie: this.#cookieFor(new URL(PUBLIC_URL)) };
  }

  setCookies(cookie: string): void {
    this.#keep(new URL(PUBLIC_URL), [cookie]);
  }

  /**
   * Opens a path of flags-admin, and follows redirects.
   *
   * @param stopBefore stops at an address that contains this, without opening it
   */
  async open(path: string, stopBefore?: string): Promise<Page> {
    let url = new URL(path, PUBLIC_URL);
    const setCookies: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one redirect after the other
      const response = await this.#fetch(url);
      const received = response.headers.getSetCookie();
      if (url.href.startsWith(PUBLIC_URL)) setCookies.push(...received);
      this.#keep(url, received);
      const location = response.headers.get("location");
      if (location === null) return { url, response, setCookies };
      url = new URL(location, url);
      const isPage = url.href.startsWith(PUBLIC_URL) && !url.pathname.includes("/auth/");
      const isStop = stopBefore !== undefined && url.href.includes(stopBefore);
      if (isPage || isStop || url.host === "evil.example") return { url, response, setCookies };
    }
    throw new Error(`Too many redirects, the last to ${url.href}`);
  }

  #fetch(url: URL): Promise<Response> {
    const real = url.href.startsWith(PUBLIC_URL)
      ? `${this.#serviceUrl}/${url.href.slice(PUBLIC_URL.length)}`
      : url;
    return fetch(real, { redirect: "manual", headers: { cookie: this.#cookieFor(url) } });
  }

  #keep(url: URL, received: readonly string[]): void {
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, jar);
    for (const text of received) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
  }

  #cookieFor(url: URL): string {
    return [...(this.#cookies.get(url.host) ?? [])].map((pair) => pair.join("=")).join("; ");
  }
}
