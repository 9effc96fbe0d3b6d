import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { inlineSegments } from "flags-engine";
import { chooseCoding, CodedBody, COMPRESSION_THRESHOLD_BYTES } from "flags-server-kit/http";
import { matchesEntityTag } from "flags-server-kit/neutral";
import { sendConditional } from "../http/send-conditional.ts";
import { LRUCache } from "lru-cache";
import { type Connection, Turns } from "../scheduling/time-slice.ts";
import { selectFeatures, type EnvironmentState } from "./environment-state.ts";
import type { FeatureQuery } from "./feature-query.ts";

/** Which flags a client requests, and in which form. */
interface DocumentRequest extends FeatureQuery {
  /** For SDKs that do not support segments. */
  readonly inlineSegments: boolean;
}

/** The definitions of flags as a response body. */
interface FeatureDocument {
  readonly entityTag: string;
  readonly text: string;
  readonly coded: CodedBody;
}

const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024;

/** Caches documents. Those of all states share one limit: every environment has a state. */
export class DocumentCache {
  readonly #documents = new LRUCache<string, FeatureDocument>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ text, entityTag }, key) => text.length + entityTag.length + key.length,
  });
  readonly #ids = new WeakMap<EnvironmentState, number>();
  readonly #turns = new Turns();
  #states = 0;

  /** Writes at most one document before other requests run: clients can choose a different query for each request. */
  async get(
    state: EnvironmentState,
    request: DocumentRequest,
    connection: Connection,
  ): Promise<FeatureDocument> {
    const key = `${this.#idOf(state)} ${JSON.stringify(request)}`;
    const cached = this.#documents.get(key);
    if (cached !== undefined) return cached;
    await this.#turns.next(connection);
    const document = this.#documents.get(key) ?? writeFeatureDocument(state, request);
    this.#documents.set(key, document);
    return document;
  }

  /** NOTE: not the revision, which other flags can have after the database was restored from a backup. */
  #idOf(state: EnvironmentState): number {
    const id = this.#ids.get(state) ?? this.#states++;
    this.#ids.set(state, id);
    return id;
  }
}

const VERSION = 2;

/** Serializes the requested flags. Equal content has an equal entity tag on every replica. */
function writeFeatureDocument(state: EnvironmentState, request: DocumentRequest): FeatureDocument {
  const query = JSON.stringify(describeQuery(request));
  const content = writeContent(state, request);
  const entityTag = `"${shortHash(query + content)}:${state.revision}:v1"`;
  const meta = { revisionId: state.revision, etag: entityTag, queryHash: shortHash(query) };
  const text = `{"version":${VERSION},${content},"query":${query},"meta":${JSON.stringify(meta)}}`;
  return { entityTag, text, coded: new CodedBody(text) };
}

/** Serializes the lists of flags and segments, as members of an object. */
function writeContent(state: EnvironmentState, request: DocumentRequest): string {
  const { features, segments } = selectFeatures(state, request);
  if (request.inlineSegments) {
    const inlined = inlineSegments(
      features.map(({ feature }) => feature),
      segments.map(({ segment }) => segment),
    );
    return `"features":${JSON.stringify(inlined)}`;
  }
  return `"features":${joinTexts(features)},"segments":${joinTexts(segments)}`;
}

function joinTexts(entries: readonly { readonly text: string }[]): string {
  return `[${entries.map(({ text }) => text).join(",")}]`;
}

/** The request as the service has interpreted it, which is part of the document. */
function describeQuery({ environment, projects, namePrefix, tags, ...form }: DocumentRequest) {
  return {
    environment,
    inlineSegmentConstraints: form.inlineSegments,
    ...(projects !== undefined && { project: projects }),
    ...(namePrefix !== "" && { namePrefix }),
    ...(tags.length > 0 && { tag: tags.map(splitTag) }),
  };
}

function splitTag(tag: string): readonly [type: string, value: string] {
  const end = tag.indexOf(":");
  return [tag.slice(0, end), tag.slice(end + 1)];
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

const JSON_TYPE = "application/json; charset=utf-8";

/** Sends a document, compressed if the client accepts that, or a 304 if the client has it already. */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: FeatureDocument,
): Promise<FastifyReply> {
  const coding =
    document.text.length < COMPRESSION_THRESHOLD_BYTES ? undefined : chooseCoding(request.headers);
  // NOTE: a strong tag promises the same bytes, which differ between codings.
  const entityTag = coding === undefined ? document.entityTag : `W/${document.entityTag}`;
  if (coding === undefined || matchesEntityTag(request.headers["if-none-match"], entityTag)) {
    const body = (): string => document.text;
    return sendConditional(request, reply, { entityTag, contentType: JSON_TYPE, body });
  }
  const body = await document.coded.compress(coding);
  return reply.headers({ etag: entityTag, "content-encoding": coding }).type(JSON_TYPE).send(body);
}
