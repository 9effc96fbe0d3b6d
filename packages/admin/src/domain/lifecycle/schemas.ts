import { Type } from "typebox";
import { bodyObject, closedObject, nullableText } from "../../http/schemas.ts";
import type { CompletedStatus } from "../../storage/schema/lifecycles.ts";
import { STAGES } from "./read-lifecycles.ts";

const Time = Type.String({ format: "date-time" });
const Status = Type.Unsafe<CompletedStatus>({ type: "string", enum: ["kept", "discarded"] });

export const ReachedStageSchema = closedObject("featureLifecycleStageSchema", {
  stage: Type.Unsafe<(typeof STAGES)[number]>({ type: "string", enum: STAGES }),
  enteredStageAt: Time,
  status: Type.Optional(Status),
});

export const LifecycleResponse = Type.Array(ReachedStageSchema, {
  title: "featureLifecycleSchema",
});

export const CompleteBody = bodyObject("featureLifecycleCompletedSchema", {
  status: Status,
  statusValue: Type.Optional({
    ...nullableText(100),
    description: "Name of the variant that was kept",
  }),
});

export const StaleSnoozeBody = bodyObject("staleSnoozeSchema", {
  until: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "A time in the future, in ISO 8601 with its offset",
    }),
  ),
  permanent: Type.Optional(Type.Boolean({ description: "true: for good, instead of `until`" })),
});

export const StaleReasonSchema = closedObject("staleReasonSchema", {
  kind: Type.Unsafe<"constant" | "unused">({
    type: "string",
    enum: ["constant", "unused"],
    description:
      "`unused`: it was used, and then not for 30 days; `constant`: all reports of 30 days had the same result",
  }),
  since: Type.String({
    format: "date-time",
    description: "When it was last used, or the first day in UTC with the constant result",
  }),
  environments: Type.Array(Type.String(), { description: "Whose reports decided" }),
  value: Type.Optional(
    closedObject("flagValueSchema", {
      enabled: Type.Boolean(),
      variant: Type.Optional(Type.String()),
    }),
  ),
});

export type CompleteFeature = Type.Static<typeof CompleteBody>;
export type StaleSnoozeInput = Type.Static<typeof StaleSnoozeBody>;
