import { readContext } from "../../evaluation/read-context.ts";
import { type BodyForm, createBodyForm } from "../body-form.ts";
import { FrontendBody } from "./schemas.ts";

/** The question of a POST: its context is at the top level or under `context`. */
export const frontendBodyForm: BodyForm = createBodyForm(
  FrontendBody,
  ({ context, toggles, ...fields }) => ({ sent: readContext(context ?? fields), toggles }),
);
