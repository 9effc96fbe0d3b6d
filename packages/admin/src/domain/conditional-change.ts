import { createHash } from "node:crypto";
import { and, desc, inArray, or, sql, type SQL } from "drizzle-orm";
import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesEntityTag } from "flags-server-kit/neutral";
import { Type } from "typebox";
import { actorOf } from "../access/request-identity.ts";
import { ApiError, badData } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import type { EventType } from "../storage/events.ts";
import { events } from "../storage/schema/events.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";

/** A resource that several people may edit at the same time. */
export interface EditedResource<View = unknown> {
  /** For error messages, such as "The strategy". */
  readonly label: string;
  /** Reads the view that the entity tag identifies. Throws a 404 if there is no such resource. */
  readonly readView: (db: Database) => Promise<View>;
  /** Selects the events that record its changes. */
  readonly changes: EventSelection;
}

interface EventSelection {
  readonly types: readonly EventType[];
  /** Another condition, for example on the flag. */
  readonly where?: SQL | undefined;
  /** The event's new state must contain at least one of these. @default any state */
  readonly containing?: readonly Readonly<Record<string, unknown>>[];
}

/** Header of requests that must not overwrite the change of someone else. */
export const IfMatchHeaders = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      description:
        "ETags of the resource as the client has read it, or `*`. With any other current ETag, the request " +
        "changes nothing and gets a 412",
    }),
  ),
});

/** Computes the entity tag of a view: the SHA-256 of its JSON, so that it is the same on every replica. */
function entityTagOf(view: unknown): string {
  return `"${createHash("sha256").update(JSON.stringify(view)).digest("base64url")}"`;
}

/**
 * Adds the entity tag of a view to a response. Returns the view.
 *
 * NOTE: also for PUT. RFC 9110 allows that only if the body of the request was stored unchanged; here, the tag
 * identifies the body of the response, which clients need to send the next change with If-Match.
 */
export function withEntityTag<View>(reply: FastifyReply, view: View): View {
  reply.header("etag", entityTagOf(view));
  return view;
}

/**
 * Changes a resource, unless someone else has changed it since the client read it: then the `If-Match`
 * header of the request names another version. Without the header, the change is always made.
 *
 * @throws {ApiError} 412 if the header does not match
 */
export async function writeIfMatch<Result>(
  storage: Storage,
  request: FastifyRequest,
  resource: EditedResource,
  change: (transaction: WriteTransaction) => Promise<Result>,
): Promise<Result> {
  const expected = request.headers["if-match"];
  if (expected?.trim() === "") throw badData("/headers/if-match", "must contain an ETag or `*`");
  return storage.write(actorOf(request), async (transaction) => {
    if (expected === undefined) return change(transaction);
    // NOTE: changes run one at a time, so nobody can change the resource after this comparison.
    const current = entityTagOf(await resource.readView(transaction.db));
    // NOTE: compared weakly, although RFC 9110 requires a strong comparison: gateways that compress
    // responses make tags weak. A tag of ours identifies the content, so a weak one does too.
    if (matchesEntityTag(expected, current)) return change(transaction);
    throw await describeConflict(transaction.db, resource);
  });
}

async function describeConflict(
  db: Database,
  { label, changes }: EditedResource,
): Promise<ApiError> {
  const [last] = await db
    .select({ author: events.createdBy, time: events.createdAt })
    .from(events)
    .where(toCondition(changes))
    .orderBy(desc(events.id))
    .limit(1);
  const message = `${label} has changed since it was read${describeAuthor(last)}: read it again and repeat your change`;
  return new ApiError("PreconditionFailedError", message, {
    details: [{ message, path: "/headers/if-match" }],
  });
}

/** NOTE: the event is missing if it has expired. */
function describeAuthor(
  last: { readonly author: string; readonly time: Date } | undefined,
): string {
  if (last === undefined) return "";
  return `, last by ${JSON.stringify(last.author)} at ${last.time.toISOString()}`;
}

function toCondition({ types, where, containing = [] }: EventSelection): SQL | undefined {
  return and(
    inArray(events.type, [...types]),
    where,
    or(...containing.map((part) => sql`${events.data} @> ${JSON.stringify(part)}::jsonb`)),
  );
}
