import type { Snapshot } from "flags-engine";
import { writeEvent } from "flags-service/http";
import type { Answer } from "../render/answer.ts";
import type { Rendering } from "../render/rendering.ts";

/** The toggles themselves, as `/proxy` has them or the frontend API. */
export type ToggleKind = "toggles" | "frontend";

/** What a stream says of an answer: the toggles, or that it is time to ask for them. */
export type MessageKind = ToggleKind | "refetch";

/** How answers become messages. */
export interface MessageForm {
  readonly render: (snapshot: Snapshot) => Rendering;
  readonly write: (id: string, answer: Answer) => string;
}

export type MessageForms = Readonly<Record<MessageKind, MessageForm>>;

/** The forms of messages, given how each kind of client has its answers rendered. */
export function createMessageForms(
  renderers: Readonly<Record<MessageKind, MessageForm["render"]>>,
): MessageForms {
  return {
    toggles: { render: renderers.toggles, write: writeToggles },
    frontend: { render: renderers.frontend, write: writeToggles },
    // As OFREP has it.
    refetch: {
      render: renderers.refetch,
      write: (id) => {
        const data = JSON.stringify({ type: "refetchEvaluation", etag: id });
        return writeEvent({ name: "message", id, data });
      },
    },
  };
}

function writeToggles(id: string, answer: Answer): string {
  return writeEvent({ name: "toggles", id, data: answer.body().toString() });
}
