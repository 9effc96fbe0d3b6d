import { Type } from "typebox";
import { bodyObject } from "../http/schemas.ts";

const MAX_HOLD_MINUTES = 60 * 24 * 90;

const StepBody = bodyObject("rolloutStepSchema", {
  rollout: Type.Integer({ minimum: 0, maximum: 100, description: "Percentage of the users" }),
  holdMinutes: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    minimum: 1,
    maximum: MAX_HOLD_MINUTES,
    description:
      "How long the step lasts; null until a person continues. That of the last step has no effect",
  }),
});

export const Steps = Type.Array(StepBody, { minItems: 1, maxItems: 20 });

export const PlanBody = bodyObject("rolloutPlanSchema", { steps: Steps }, [
  "strategyId",
  "environment",
  "step",
  "state",
  "nextAt",
  "reason",
  "setBy",
  "setAt",
]);
