import type { FastifyReply, FastifyRequest } from "fastify";
import {
  CodingChoice,
  COMPRESSION_THRESHOLD_BYTES,
  isNamedBy,
  sendConditional,
  type ContentCoding,
} from "flags-server-kit/http";
import type { FeatureDocument } from "./feature-document.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const codings = new CodingChoice();

/** Sends flags, compressed to those who accept that, or a 304 to those who have them already. */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: FeatureDocument,
): Promise<FastifyReply> {
  const coding = chooseCoding(request, document);
  // NOTE: a strong tag promises the same bytes, which differ between codings.
  const entityTag = coding === undefined ? document.entityTag : `W/${document.entityTag}`;
  if (coding === undefined || isNamedBy(request.headers["if-none-match"], entityTag)) {
    const body = (): string => document.text;
    return sendConditional(request, reply, { entityTag, contentType: JSON_TYPE, body });
  }
  const body = await document.coded.in(coding);
  return reply.headers({ etag: entityTag, "content-encoding": coding }).type(JSON_TYPE).send(body);
}

function chooseCoding(
  { headers }: FastifyRequest,
  { text }: FeatureDocument,
): ContentCoding | undefined {
  const accepted = headers["accept-encoding"];
  if (typeof accepted !== "string" || text.length < COMPRESSION_THRESHOLD_BYTES) return undefined;
  return codings.for(accepted);
}
