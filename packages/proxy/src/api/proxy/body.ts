import { readContext } from "../../evaluation/read-context.ts";
import { type BodyForm, createBodyForm } from "../body-form.ts";
import { EvaluationBody } from "../schemas.ts";

/** The question of a POST: its context is under `context`. */
export const proxyBodyForm: BodyForm = createBodyForm(EvaluationBody, ({ context, toggles }) => ({
  sent: readContext(context),
  toggles,
}));
