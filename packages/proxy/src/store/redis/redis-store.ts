import type { FlagExchange } from "../../upstream/sharing/flag-exchange.ts";
import type { SourceIdentity } from "../source-identity.ts";
import type { Store } from "../store.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { RedisExchange } from "./redis-exchange.ts";

export class RedisStore implements Store {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async read(key: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const name = this.#nameOf(key);
    const reply = await this.#connection.send(name, ["GET", name], signal);
    return reply instanceof Uint8Array ? reply : undefined;
  }

  async write(key: string, content: Uint8Array, signal: AbortSignal): Promise<void> {
    const name = this.#nameOf(key);
    await this.#connection.send(name, ["SET", name, Buffer.from(content)], signal);
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    const name = this.#nameOf(key);
    await this.#connection.send(name, ["DEL", name], signal);
  }

  createExchange(source: SourceIdentity): FlagExchange {
    return new RedisExchange(this.#connection, source);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #nameOf(key: string): string {
    return `${this.#connection.address.prefix}${key}`;
  }
}
