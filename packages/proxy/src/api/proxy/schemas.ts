import { Type } from "typebox";
import { readContext } from "../../context/sent-context.ts";
import { type RequestBody, createRequestBody } from "../protocol.ts";
import { EvaluationContext, NamedToggles } from "../schemas.ts";

/** The body of a request for flags. */
const EvaluationBody = Type.Object(
  { toggles: NamedToggles, context: EvaluationContext },
  { title: "evaluationRequestSchema" },
);

/** Data that belongs to a variant. */
export const Payload = Type.Object(
  {
    type: Type.String({ description: "Type of the value, such as string or json" }),
    value: Type.String({ description: "The value as text; JSON is encoded" }),
  },
  { title: "variantPayloadSchema" },
);

/** The variant of a toggle. */
export const Variant = Type.Object(
  {
    name: Type.String(),
    enabled: Type.Boolean({ description: "False if the toggle has no variant for the context" }),
    payload: Type.Optional(Payload),
  },
  { title: "variantSchema" },
);

/** A toggle and its variant for a context. */
export const Toggle = Type.Object(
  {
    name: Type.String(),
    enabled: Type.Boolean(),
    variant: Variant,
    impressionData: Type.Boolean(),
  },
  { title: "toggleSchema" },
);

/** The response to a request for flags. */
export const ToggleList = Type.Object(
  { toggles: Type.Array(Toggle) },
  { title: "toggleListSchema", description: "The toggles and their variants for the context" },
);

/** The body of a request for a stream. */
export const StreamBody = Type.Object(
  {
    ...EvaluationBody.properties,
    all: Type.Optional(
      Type.Boolean({
        description: "Whether to list toggles that are off; has no effect together with `toggles`",
      }),
    ),
  },
  { title: "streamRequestSchema" },
);

/** The address at which a stream can be opened without a key. */
export const StreamAddress = Type.Object(
  {
    url: Type.String({
      description: "The URL for an EventSource. It grants access like a key: keep it private",
    }),
    expiresAt: Type.String({
      format: "date-time",
      description: "The stream can be opened until this time; an open stream continues after it",
    }),
  },
  { title: "streamAddressSchema", description: "The address of the stream" },
);

/** The events of a stream: each has the toggles as data, and their entity tag as id. */
export const StreamEvents = {
  description:
    "The stream: each event `toggles` contains a list of toggles, and its id is their entity tag",
  content: { "text/event-stream": { schema: Type.String() } },
} as const;

/** Reads the body of a POST: the context is under `context`. */
export const PROXY_BODY: RequestBody = createRequestBody(
  EvaluationBody,
  ({ context, toggles }) => ({
    sent: readContext(context),
    toggles,
  }),
);
