import type {
  FlagExchange,
  PublishedFlags,
  SharedFlags,
  SharedVersion,
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
import { CONTACT, DISCARD, PUBLISH, RELEASE, type RedisScript } from "./redis-scripts.ts";

/** How long flags are available if no replica runs. */
const STATE_LIFETIME_MS = 30 * 24 * 3_600_000;

const KIND = "shared-flags";

const LEVELS: Readonly<Record<SharingRequest["wants"], string>> = {
  free: "0",
  failing: "1",
  any: "2",
};

/**
 * Shares the flags of one source through Redis. The flags are signed with a secret that only the replicas
 * have, so nobody else who can write to Redis can change them.
 */
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
    // NOTE: replicas with another format of flags must not share them: change the version.
    const name = `${connection.address.prefix}v1/sources/{${source.id}}`;
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
        LEVELS[request.wants],
        String(request.knownEpoch),
        String(request.confirmedAgeMs ?? -1),
        request.isFailing ? "1" : "0",
        String(STATE_LIFETIME_MS),
        String(MAX_LEASE_MS),
        String(request.upstreamAgeMs ?? -1),
      ],
      signal,
    );
    return parseState(reply);
  }

  async publish(owner: string, flags: PublishedFlags, signal: AbortSignal): Promise<boolean> {
    const { version, revision, definitions } = flags;
    const text = await stringifyDefinitions(definitions);
    const packed = await packContent(writeFlags({ version, revision, text }));
    const document = encodeDocument({ ...packed, confirmedAtMs: Date.now() }, this.#identity);
    signal.throwIfAborted();
    const reply = await this.#run(
      PUBLISH,
      [
        `${owner} ${version.epoch}`,
        writeVersion(version),
        revision,
        Buffer.from(document),
        this.#channel,
        String(STATE_LIFETIME_MS),
        String(flags.confirmedAgeMs ?? 0),
        String(flags.upstreamAgeMs ?? -1),
      ],
      signal,
    );
    return reply === 1;
  }

  async read(signal: AbortSignal): Promise<SharedFlags | undefined> {
    const key = this.#stateKey;
    const reply = await this.#connection.send(key, ["HMGET", key, "version", "document"], signal);
    const [version, document] = Array.isArray(reply) ? (reply as unknown[]) : [];
    if (!(version instanceof Uint8Array) || !(document instanceof Uint8Array)) return undefined;
    try {
      return readFlags(await unpackContent(decodeDocument(document, this.#identity)));
    } catch (error) {
      if (!(error instanceof InvalidDocument)) throw error;
      await this.#run(DISCARD, [Buffer.from(version)], signal);
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

function parseState(reply: unknown): SharingState {
  const [isHolder, epoch, isFailing, age, version, revision, upstreamAge] =
    reply as readonly unknown[];
  return {
    isHolder: isHolder === 1,
    epoch: Number(epoch),
    isHolderFailing: isFailing === 1,
    confirmedAgeMs: parseAge(age),
    upstreamAgeMs: parseAge(upstreamAge),
    version: parseVersion(version),
    revision: revision instanceof Uint8Array ? String(revision) : undefined,
  };
}

function parseAge(value: unknown): number | undefined {
  const ageMs = Number(value);
  return ageMs >= 0 ? ageMs : undefined;
}

function writeVersion({ epoch, counter }: SharedVersion): string {
  return `${epoch}.${counter}`;
}

function parseVersion(text: unknown): SharedVersion | undefined {
  const [, epoch, counter] = /^(\d{1,16})\.(\d{1,15})$/.exec(String(text)) ?? [];
  if (epoch === undefined || counter === undefined) return undefined;
  return { epoch: Number(epoch), counter: Number(counter) };
}

/** NOTE: the version is part of the content, so that it is signed. */
function writeFlags({ version, revision, text }: SharedFlags): string {
  return `${writeVersion(version)} ${revision}\n${text}`;
}

function readFlags(content: string): SharedFlags {
  const lineEnd = content.indexOf("\n");
  const [versionText, revision] = content.slice(0, Math.max(lineEnd, 0)).split(" ");
  const version = parseVersion(versionText);
  if (version === undefined || revision === undefined) {
    throw new InvalidDocument("has no version");
  }
  return { version, revision, text: content.slice(lineEnd + 1) };
}
