import type {
  FlagExchange,
  PublishedFlags,
  SharingRequest,
  SharingState,
} from "../../upstream/sharing/flag-exchange.ts";
import { MAX_LEASE_MS } from "../../upstream/sharing/sharing-timing.ts";
import {
  decodeDocument,
  type DocumentIdentity,
  encodeDocument,
  InvalidDocument,
  packContent,
  unpackContent,
} from "../stored-document.ts";
import type { SourceIdentity } from "../source-identity.ts";
import { stringifyDefinitions } from "../stringify-definitions.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { CONTACT, PUBLISH, RELEASE, type RedisScript } from "./redis-scripts.ts";

/** How long flags are available if no replica runs. */
const STATE_LIFETIME_MS = 30 * 24 * 3_600_000;

const KIND = "shared-flags";

/** Shares the flags of one source through Redis, signed with a secret that only the replicas have. */
export class RedisExchange implements FlagExchange {
  readonly #connection: RedisConnection;
  readonly #identity: DocumentIdentity;
  readonly #leaseKey: string;
  readonly #stateKey: string;
  readonly #channel: string;

  constructor(connection: RedisConnection, source: SourceIdentity) {
    this.#connection = connection;
    this.#identity = { kind: KIND, source: source.id, secret: source.secret };
    // The part in braces determines the server of a cluster.
    // NOTE: replicas with other scripts or another format of flags must not share them: change the version.
    const name = `${connection.address.prefix}v2/sources/{${source.id}}`;
    this.#leaseKey = `${name}:lease`;
    this.#stateKey = `${name}:shared`;
    this.#channel = `${name}:changes`;
  }

  async contact(request: SharingRequest, signal: AbortSignal): Promise<SharingState> {
    const reply = await this.#run(
      CONTACT,
      [
        request.owner,
        String(request.leaseMs),
        request.takesFromFailing ? "1" : "0",
        request.isFailing ? "1" : "0",
        request.revision ?? "",
        String(request.confirmedAgeMs ?? -1),
        String(request.upstreamAgeMs ?? -1),
        String(STATE_LIFETIME_MS),
        String(MAX_LEASE_MS),
      ],
      signal,
    );
    const [lease, isFailing, age, version, revision, upstreamAge, now] =
      reply as readonly unknown[];
    return {
      lease: String(lease) as SharingState["lease"],
      isHolderFailing: isFailing === 1,
      confirmedAgeMs: parseCount(age),
      upstreamAgeMs: parseCount(upstreamAge),
      version: parseCount(version),
      revision: revision instanceof Uint8Array ? String(revision) : undefined,
      nextVersion: Number(now),
    };
  }

  async publish(owner: string, flags: PublishedFlags, signal: AbortSignal): Promise<void> {
    const { version, revision, definitions, confirmedAgeMs = 0, upstreamAgeMs = -1 } = flags;
    const packed = await packContent(await stringifyDefinitions(definitions));
    // The version is part of the document, so that it is signed.
    const document = encodeDocument({ ...packed, confirmedAtMs: version }, this.#identity);
    signal.throwIfAborted();
    await this.#run(
      PUBLISH,
      [
        owner,
        String(version),
        revision,
        Buffer.from(document),
        this.#channel,
        String(STATE_LIFETIME_MS),
        String(confirmedAgeMs),
        String(upstreamAgeMs),
      ],
      signal,
    );
  }

  async read(signal: AbortSignal): Promise<{ readonly version: number; readonly text: string }> {
    const key = this.#stateKey;
    const document = await this.#connection.send(key, ["HGET", key, "document"], signal);
    if (!(document instanceof Uint8Array)) throw new Error("There are no shared flags");
    try {
      const decoded = decodeDocument(document, this.#identity);
      return { version: decoded.confirmedAtMs, text: await unpackContent(decoded) };
    } catch (error) {
      if (!(error instanceof InvalidDocument)) throw error;
      await this.#connection.send(key, ["HDEL", key, "revision", "document"], signal);
      throw new Error(`The shared flags are not used: the document ${error.message}`, {
        cause: error,
      });
    }
  }

  async release(owner: string, signal: AbortSignal): Promise<void> {
    await this.#run(RELEASE, [owner, this.#channel], signal);
  }

  onChange(listener: () => void): () => void {
    return this.#connection.subscribe(this.#channel, listener);
  }

  async #run(
    { sha1, source }: RedisScript,
    args: readonly (string | Buffer)[],
    signal: AbortSignal,
  ): Promise<unknown> {
    const keys = ["2", this.#leaseKey, this.#stateKey];
    const send = (command: string, script: string): Promise<unknown> =>
      this.#connection.send(this.#leaseKey, [command, script, ...keys, ...args], signal);
    try {
      return await send("EVALSHA", sha1);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith("NOSCRIPT")) {
        return send("EVAL", source);
      }
      throw error;
    }
  }
}

function parseCount(value: unknown): number | undefined {
  const count = Number(value ?? undefined);
  return count >= 0 && count <= Number.MAX_SAFE_INTEGER ? count : undefined;
}
