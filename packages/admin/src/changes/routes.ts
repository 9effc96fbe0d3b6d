import { EventStream } from "flags-server-kit/http";
import { releaseRequest } from "../http/request-memory.ts";
import type { TypedApp } from "../http/typed-app.ts";
import { callerOf } from "../access/request-identity.ts";
import { operation } from "../access/operation.ts";
import type { ChangeStreams } from "./change-streams.ts";

/** Registers the endpoint that streams changes to the console. */
export function registerChanges(app: TypedApp, streams: ChangeStreams): void {
  app.get(
    "/changes",
    {
      // A response to HEAD would be useless without the stream.
      exposeHeadRoute: false,
      ...operation({
        id: "streamChanges",
        role: "viewer",
        tag: "Events",
        summary: "Streams recorded events as they happen, as server-sent events",
        description:
          "Each recorded event is a `change` event: `{ id, type, project, feature, environment, createdBy, createdAt }`. " +
          "`Last-Event-ID` continues after an event; if too many have been missed, a `reset` event says that " +
          "everything may have changed. The stream ends with the session or token. When too many streams are " +
          "open, the response is a 503 with `Retry-After`.",
      }),
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const startId = await streams.findStart(parseLastEventId(request.headers["last-event-id"]));
      const { raw } = reply;
      if (raw.destroyed) return reply.hijack();

      streams.checkCapacity(caller);
      releaseRequest(request);
      streams.add(caller, new EventStream(raw, reply.getHeaders()), startId);
      return reply.hijack();
    },
  );
}

/** Returns null for a header that is not an id of an event. */
function parseLastEventId(
  header: string | readonly string[] | undefined,
): number | null | undefined {
  if (header === undefined || header === "") return undefined;
  return /^\d{1,15}$/.test(header.toString()) ? Number(header) : null;
}
