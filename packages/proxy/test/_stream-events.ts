import {
  readEvents,
  type EventReader,
  type ReadEvent,
} from "../../server-kit/test/_event-reader.ts";

/** Returns the names of the enabled toggles in an event of a stream to a client. */
export function namesIn({ data }: ReadEvent): readonly string[] {
  const { toggles } = JSON.parse(data) as { toggles: { name: string; enabled: boolean }[] };
  return toggles.filter(({ enabled }) => enabled).map(({ name }) => name);
}

/** An event of a delta, of any type. */
export interface DeltaEvent {
  readonly eventId: number;
  readonly type: string;
  readonly feature?: { readonly name: string };
  readonly featureName?: string;
  readonly features?: readonly { readonly name: string }[];
  readonly segments?: readonly object[];
  readonly segment?: { readonly id: number };
  readonly segmentId?: number;
}

interface DefinitionsEvent {
  readonly name: string;
  readonly id: string;
  readonly events: readonly DeltaEvent[];
}

interface DefinitionsReader extends Omit<EventReader, "next"> {
  /** Resolves to the next event; rejects if the stream ends before. */
  next(): Promise<DefinitionsEvent>;
}

/** Opens a stream of definitions as an SDK would. */
export async function readDefinitions(
  url: string,
  headers: Record<string, string>,
): Promise<DefinitionsReader> {
  const reader = await readEvents(url, { headers });
  const next = async (): Promise<DefinitionsEvent> => {
    const { name, id, data } = await reader.next();
    return { name, id, ...(JSON.parse(data) as { events: readonly DeltaEvent[] }) };
  };
  return { ...reader, next };
}
