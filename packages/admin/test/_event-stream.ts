import { readEvents, type EventReader } from "../../server-kit/test/_event-reader.ts";
import { KNOWS_SEGMENTS, type Service } from "./_service.ts";

interface ReceivedEvent {
  readonly name: string;
  readonly id: string;
  readonly data: { readonly events: readonly DeltaEvent[] };
}

/** An event of a delta, of any type. */
export interface DeltaEvent {
  readonly eventId: number;
  readonly type: string;
  readonly feature?: { readonly name: string; readonly enabled: boolean };
  readonly featureName?: string;
  readonly project?: string;
  readonly segment?: { readonly id: number };
  readonly segmentId?: number;
  readonly features?: readonly { readonly name: string }[];
  readonly segments?: readonly { readonly id: number }[];
}

export interface OpenStream extends Omit<EventReader, "next"> {
  /** Resolves to the next event; rejects if the stream ends before. */
  next(): Promise<ReceivedEvent>;
}

interface StreamRequest {
  readonly token: string;
  readonly query?: string;
  readonly lastEventId?: string;
}

/** Opens an event stream as an SDK would. */
export async function openStream(
  service: Pick<Service, "url">,
  { token, query = "", lastEventId }: StreamRequest,
): Promise<OpenStream> {
  const reader = await readEvents(`${service.url}/api/client/streaming${query}`, {
    headers: {
      authorization: token,
      accept: "text/event-stream",
      ...KNOWS_SEGMENTS,
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    },
  });
  const next = async (): Promise<ReceivedEvent> => {
    const { name, id, data } = await reader.next();
    return { name, id, data: JSON.parse(data) as ReceivedEvent["data"] };
  };
  return { ...reader, next };
}
