import type { Snapshot } from "flags-engine";
import { writeEvent } from "flags-server-kit/http";
import type { FlagListBody } from "../response/flag-list-body.ts";
import type { Rendering } from "../response/rendering.ts";

/** The toggles themselves, as `/proxy` or the frontend API writes them. */
export type ToggleKind = "toggles" | "frontend";

/** What a stream sends after an evaluation: the toggles, or a request to fetch them again. */
export type MessageKind = ToggleKind | "refetch";

/** How an evaluation becomes a message of a stream. */
export interface MessageForm {
  readonly render: (snapshot: Snapshot) => Rendering;
  /** Writes the message. Its id is the entity tag of the body. */
  readonly write: (body: FlagListBody) => string;
}

export type MessageForms = Readonly<Record<MessageKind, MessageForm>>;

/** Creates the message forms, given the renderer of each kind of client. */
export function createMessageForms(
  renderers: Readonly<Record<MessageKind, MessageForm["render"]>>,
): MessageForms {
  return {
    toggles: { render: renderers.toggles, write: writeToggles },
    frontend: { render: renderers.frontend, write: writeToggles },
    // As OFREP specifies it.
    refetch: {
      render: renderers.refetch,
      write: ({ entityTag }) => {
        const data = JSON.stringify({ type: "refetchEvaluation", etag: entityTag });
        return writeEvent({ name: "message", id: entityTag, data });
      },
    },
  };
}

function writeToggles(body: FlagListBody): string {
  return writeEvent({ name: "toggles", id: body.entityTag, data: body.toBuffer().toString() });
}
