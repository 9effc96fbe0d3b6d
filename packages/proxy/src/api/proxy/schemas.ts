import { Type } from "typebox";
import { readContext } from "../../context/sent-context.ts";
import { type RequestBody, createRequestBody } from "../protocol.ts";
import { EvaluationContext, NamedToggles } from "../schemas.ts";
import { createStreamBody } from "../streams.ts";
import { Toggle } from "../toggles.ts";

/** The body of a request for flags. */
const EvaluationBody = Type.Object(
  { toggles: NamedToggles, context: EvaluationContext },
  { title: "evaluationRequestSchema" },
);

/** The response to a request for flags. */
export const ToggleList = Type.Object(
  { toggles: Type.Array(Toggle) },
  { title: "toggleListSchema", description: "The toggles and their variants for the context" },
);

/** The body of a request for a stream. */
export const STREAM_BODY = createStreamBody(EvaluationContext, "streamRequestSchema");

/** Reads the body of a POST: the context is under `context`. */
export const PROXY_BODY: RequestBody = createRequestBody(
  EvaluationBody,
  ({ context, toggles }) => ({
    sent: readContext(context),
    toggles,
  }),
);
