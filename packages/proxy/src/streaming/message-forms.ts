import type { Snapshot } from "flags-engine";
import { writeEvent } from "flags-server-kit/http";
import type { Rendering } from "../response/rendering.ts";
import type { ResponseBody } from "../response/response-body.ts";

/** The toggles themselves, as `/proxy` or the frontend API writes them. */
export type ToggleKind = "toggles" | "frontend";

/** What a stream sends after an evaluation: the toggles, or a request to fetch them again. */
export type MessageKind = ToggleKind | "refetch";

/** How an evaluation becomes a message of a stream. */
export interface MessageForm {
  readonly render: (snapshot: Snapshot) => Rendering;
  /** Writes the message. Its id is the entity tag of the body. */
  readonly write: (body: ResponseBody) => string;
}

export type MessageForms = Readonly<Record<MessageKind, MessageForm>>;

/** The renderer of each kind of message. */
export type Renderers = Readonly<Record<MessageKind, MessageForm["render"]>>;

/** Creates the message forms. */
export function createMessageForms(renderers: Renderers): MessageForms {
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

function writeToggles(body: ResponseBody): string {
  return writeEvent({ name: "toggles", id: body.entityTag, data: body.toBuffer().toString() });
}
